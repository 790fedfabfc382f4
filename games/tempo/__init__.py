"""Clocks, pure: named tempos, deadlines, hold times. No database and no Django."""
