"""Each file is a command of manage.py."""
