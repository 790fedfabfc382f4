"""Component sets by ruleset; a host's own are read when the site starts, so that a slip in one is seen at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from games.engine.tables import MalformedSet
from games.rulesets.roadkill import components as roadkill
from games.rulesets.thunder_road import components as thunder_road

__all__ = ["SETS", "HostSetsRefused", "Sets", "host_sets_register"]


class Sets(Protocol):
    """The component sets of a ruleset."""

    def names(self) -> tuple[str, ...]:
        """The sets at hand."""
        ...

    def named(self, name: str) -> Any:
        """A set, whole; it has name, title, version, source and hash."""
        ...

    def shown(self, found: Any) -> dict[str, Any]:
        """Every figure of a set and where it comes from, as JSON."""
        ...

    def register_folder(self, path: Path) -> None:
        """Add a host's folder of sets."""
        ...


SETS: Final[Mapping[str, Sets]] = {"roadkill": roadkill, "thunder_road": thunder_road}
"""By ruleset."""
IN_THE_FOLDER_ITSELF: Final = "roadkill"
"""The ruleset whose sets may lie in the host's folder beside the other rulesets' folders."""


class HostSetsRefused(Exception):
    """A host's component sets cannot be used; the sentence names the folder, file, line and reason."""


def host_sets_register(folder: Path) -> tuple[str, ...]:
    """Register a folder of component sets and read each; return their names.

    A folder in it that bears a ruleset's key holds that ruleset's sets; what else is in it is for RoadKill. Raises
    HostSetsRefused when the folder is none, when a name is taken, or when a set is malformed.
    """
    added = _registered(SETS[IN_THE_FOLDER_ITSELF], folder)
    for key, sets in SETS.items():
        if (folder / key).is_dir():
            added += _registered(sets, folder / key)
    return added


def _registered(sets: Sets, folder: Path) -> tuple[str, ...]:
    before = sets.names()
    try:
        sets.register_folder(folder)
    except (NotADirectoryError, ValueError) as error:
        raise HostSetsRefused(str(error)) from error
    added = tuple(name for name in sets.names() if name not in before)
    for name in added:
        try:
            sets.named(name)
        except MalformedSet as error:
            raise HostSetsRefused(f"{folder / name}: {error}") from error
    return added
