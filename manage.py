#!/usr/bin/env python
"""Django's entry point for every command of the server."""

import os
import sys
from pathlib import Path

OWN_PYTHON = Path(__file__).resolve().parent / ".venv" / "bin" / "python"
"""What `make` sets up; any other Python hands over to it if it has no Django of its own."""

try:
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    from roadkill_site.env import SettingRefused
except ModuleNotFoundError:
    if not OWN_PYTHON.exists() or Path(sys.prefix) == OWN_PYTHON.parents[1]:
        sys.exit("There is no Django here: run `make .venv` first, which sets up all that the server needs.")
    os.execv(OWN_PYTHON, [str(OWN_PYTHON), *sys.argv])  # noqa: S606  (the same command, by the project's own Python)

TABLE_MISSING = ("no such table", "no such column", "does not exist")
"""How SQLite and PostgreSQL say that the migrations have not been run."""


def main() -> int:
    """Run the command named on the command line; a refused setting ends it with one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except SettingRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    except (OperationalError, ProgrammingError) as error:
        if not any(sign in str(error) for sign in TABLE_MISSING):
            raise
        sys.stderr.write("The database has not the tables of this version: run `manage.py migrate` first.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
