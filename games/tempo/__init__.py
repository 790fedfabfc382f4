"""Clocks, pure: tempos, banks, calendars, deadlines, hold times, absences, credits. No database and no Django."""
