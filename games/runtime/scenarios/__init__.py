"""Scenarios: given, when, then in TOML files; read here, run through the public driver, and told when they come out otherwise.

The format is described in tests/rulesets/README.md.
"""
