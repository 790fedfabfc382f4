"""Scenarios: given, when, then in TOML files; read here, run through the public driver, and told.

The format is described in tests/rulesets/README.md.
"""
