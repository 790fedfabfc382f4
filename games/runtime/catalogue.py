"""What can be played here, as plain JSON.

Rulesets, their options, and their component sets with where every figure comes from.
"""

from typing import Any

from games.runtime.component_sets import SETS
from games.runtime.rulesets import BOT_TITLES, RULESETS, drivers, extras_of
from games.tempo.policies import POLICIES
from games.tempo.tempos import TEMPOS


class CatalogueUnknown(LookupError):
    """There is no such ruleset or component set; the text is a sentence."""


def rulesets() -> list[dict[str, Any]]:
    """Every ruleset.

    {"key", "title", "version", "seats_least", "seats_most", "seats": [{"options", "numbers"}], "options",
    "component_sets"}. From the least to the most may drive if a race says nothing; ``seats`` has all numbers for each
    set of options that makes a difference.
    """
    return [ruleset(key) for key in RULESETS]


def ruleset(key: str) -> dict[str, Any]:
    """One ruleset; ``options`` are those that stand if a race says nothing. Raises CatalogueUnknown."""
    if key not in RULESETS:
        raise CatalogueUnknown(f"There is no ruleset “{key}”; there are {', '.join(RULESETS)}.")
    found = RULESETS[key]
    usual = drivers(found, found.options({}))
    sets = SETS.get(key)
    return {
        "key": key,
        "title": found.title,
        "version": found.version,
        "seats_least": usual[0],
        "seats_most": usual[-1],
        "seats": [
            {"options": dict(given), "numbers": list(drivers(found, found.options(given)))}
            for given in extras_of(found).sizes
        ],
        "options": found.options({}),
        "component_sets": list(sets.names()) if sets else [],
    }


def component_set(key: str, name: str) -> dict[str, Any]:
    """A component set with every figure and where it comes from, as JSON. Raises CatalogueUnknown.

    {"ruleset", "name", "title", "version", "source", "hash"}, and the figures as the ruleset's ``shown`` names them.
    """
    sets = SETS.get(key)
    if sets is None or name not in sets.names():
        raise CatalogueUnknown(f"The ruleset “{key}” has no component set “{name}”.")
    found = sets.named(name)
    return {
        "ruleset": key,
        "name": found.name,
        "title": found.title,
        "version": found.version,
        "source": found.source,
        "hash": found.hash,
        **sets.shown(found),
    }


def agreements() -> dict[str, Any]:
    """What a race may agree on besides its rules.

    Tempos, closing policies and bots, each with its sentence.
    """
    return {
        "tempos": [
            {
                "key": tempo.key,
                "title": tempo.title,
                "turn_hours": round(tempo.turn / 60, 4),
                "reaction_hours": round(tempo.reaction / 60, 4),
                "text": tempo.text,
            }
            for tempo in TEMPOS.values()
        ],
        "policies": [{"key": key, "text": text} for key, text in POLICIES.items()],
        "bots": [{"key": key, "title": title} for key, title in BOT_TITLES.items()],
    }
