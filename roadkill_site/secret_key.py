"""The secret key of a development server: made once, kept in a file that only its owner can read."""

import os
import tempfile
from pathlib import Path

from django.core.management.utils import get_random_secret_key

from roadkill_site.env import SettingRefused


def development_secret_key(file: Path) -> str:
    """The key kept in `file`, made if it is not there yet.

    A key in the source would let anybody sign links for a server that was put on a network by mistake.
    Several processes may start at once: each writes a key of its own beside the file; the first to link it
    into place wins.
    """
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix="secret_key.")
            with os.fdopen(descriptor, "w", encoding="ascii") as handle:
                handle.write(get_random_secret_key() + "\n")
            try:
                os.link(draft, file)
            except FileExistsError:
                pass  # Another process was first: its key is the one to read.
            finally:
                Path(draft).unlink()
        return file.read_text(encoding="ascii").strip()
    except OSError as unusable:
        raise SettingRefused(
            "SECRET_KEY", f"it is not set, and {file} cannot be used to keep one: {unusable.strerror}."
        ) from unusable
