"""The pages: server-rendered, complete without JavaScript."""
