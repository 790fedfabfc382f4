"""Scenarios of Thunder Road in files: positions, orders, fixed draws and expectations in a notation of their own."""
