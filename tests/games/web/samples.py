"""Presentations written by hand, in the shape that games.runtime.present gives."""

import json
from pathlib import Path
from typing import Any

from games.runtime.rulesets import RULESETS, board_words

FOLDER = Path(__file__).with_name("samples")
NAMES = tuple(sorted(file.stem for file in FOLDER.glob("*.json")))


def sample(name: str) -> dict[str, Any]:
    """One presentation, fresh each time."""
    read: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return {**read, "board": board_words(RULESETS["roadkill"], read["view"])}
