"""The views of the pages: each reads by selectors or acts by one service."""
