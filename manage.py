#!/usr/bin/env python
"""Django's entry point for every command of the server."""

import os
import sys

from django.core.management import execute_from_command_line

from roadkill_site.env import SettingRefused


def main() -> int:
    """Run the command named on the command line; a refused setting ends it with one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except SettingRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
