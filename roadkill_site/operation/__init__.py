"""The operator's page: what needs a hand, and the buttons that help."""
