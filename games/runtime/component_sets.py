"""A host's own component sets: read when the site starts, so that a slip in one is seen at once."""

from __future__ import annotations

from pathlib import Path

from games.rulesets.roadkill import components

__all__ = ["HostSetsRefused", "host_sets_register"]


class HostSetsRefused(Exception):
    """A host's component sets cannot be used; the sentence names the folder, file, line and reason."""


def host_sets_register(folder: Path) -> tuple[str, ...]:
    """Register a folder of component sets and read each; return their names.

    Raises HostSetsRefused when the folder is none, when a name is taken, or when a set is malformed.
    """
    before = components.names()
    try:
        components.register_folder(folder)
    except (NotADirectoryError, ValueError) as error:
        raise HostSetsRefused(str(error)) from error
    added = tuple(name for name in components.names() if name not in before)
    for name in added:
        try:
            components.named(name)
        except components.MalformedSet as error:
            raise HostSetsRefused(f"{folder / name}: {error}") from error
    return added
