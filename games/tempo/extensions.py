"""Extensions: more time for one decision, by consent or by the race's host. Pure; capped in total, once per key."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.tempo.calendars import length_text


class ExtensionRefused(ValueError):
    """The extension cannot be granted; ``left_minutes`` is what still can, the message a sentence."""

    def __init__(self, text: str, *, left_minutes: int) -> None:
        super().__init__(text)
        self.left_minutes = left_minutes


@dataclass(frozen=True)
class Extension:
    """``key`` is the idempotency key of whoever granted it; ``minutes`` are counted time on the decision's grid."""

    key: str
    minutes: int


def extend(granted: Sequence[Extension], wanted: Extension, *, cap_minutes: int) -> tuple[Extension, ...]:
    """All extensions of a decision with the wanted one: by how much its deadline is put off is their sum.

    A key that was granted before changes nothing, whatever it asks for now. Nothing is granted in part: who asks for
    too much is told what is left. Raises ExtensionRefused.
    """
    if any(one.key == wanted.key for one in granted):
        return tuple(granted)
    left = max(0, cap_minutes - total_minutes(granted))
    if wanted.minutes < 1:
        raise ExtensionRefused("An extension is a minute or more.", left_minutes=left)
    if wanted.minutes > left:
        raise ExtensionRefused(_too_much(total_minutes(granted), cap_minutes), left_minutes=left)
    return (*granted, wanted)


def total_minutes(granted: Sequence[Extension]) -> int:
    """By how many minutes of counted time a decision has been put off."""
    return sum(one.minutes for one in granted)


def _too_much(granted: int, cap: int) -> str:
    if not granted and cap < 1:
        return "This race allows no extensions."
    if granted >= cap:
        most = length_text(granted * 60)
        return f"This question has been put off by {most} already, which is all that this race allows."
    most, left = length_text(cap * 60), length_text((cap - granted) * 60)
    return f"This question may be put off by {most} in all, of which {left} are left; ask for less."
