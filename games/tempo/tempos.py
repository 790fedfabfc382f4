"""Named tempos: how long a turn and a reaction may take, what bank goes with them, how long pauses may be."""

from dataclasses import dataclass
from typing import Final

from games.tempo.banks import Bank
from games.tempo.calendars import length_text

HOURS: Final = "hours"
"""The word for a tempo that is given in hours and has no name."""
LEAST_MINUTES: Final = 1
MOST_MINUTES: Final = 60 * 24 * 60
"""Sixty days: a longer turn is a race given up."""
MOST_PAUSE_MINUTES: Final = 60 * 24 * 30
"""Thirty days: the most by which a race may let pauses put one deadline off."""
_DAY: Final = 24 * 60
_LEAST_TURN_WITH_PAUSES: Final = 6 * 60


class TempoRefused(ValueError):
    """The tempo cannot be; ``field`` is tempo, turn_hours or reaction_hours, the message a sentence."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Tempo:
    """``turn`` and ``reaction`` are minutes; ``text`` is for the lobby.

    ``pause_cap``: minutes by which quiet hours, days off and holidays together may put one deadline off, 0 where they
    count like any other time. ``bank``: what each seat begins with, None where there is none.
    """

    key: str
    title: str
    turn: int
    reaction: int
    text: str
    pause_cap: int = 0
    bank: Bank | None = None


TEMPOS: Final = {
    tempo.key: tempo
    for tempo in (
        Tempo(
            "live",
            "Live",
            10,
            2,
            "Ten minutes for a turn, two for a reaction: everybody sits at a screen.",
            bank=Bank(balance_s=5 * 60, increment_s=60, cap_s=15 * 60),
        ),
        Tempo("daily", "Daily", 24 * 60, 8 * 60, "A day for a turn, eight hours for a reaction.", 3 * _DAY),
        Tempo("relaxed", "Relaxed", 72 * 60, 24 * 60, "Three days for a turn, one for a reaction.", 7 * _DAY),
        Tempo("weekly", "Weekly", 168 * 60, 72 * 60, "A week for a turn, three days for a reaction.", 14 * _DAY),
    )
}
DEFAULT: Final = "relaxed"


def tempo_minutes(
    *, tempo: str, turn_hours: float | None = None, reaction_hours: float | None = None
) -> tuple[int, int]:
    """Minutes for a turn and for a reaction. Hours may be broken, to the minute; they go with the tempo "hours" only.

    Raises TempoRefused.
    """
    if tempo != HOURS:
        named = TEMPOS.get(tempo)
        if named is None:
            known = ", ".join([*TEMPOS, HOURS])
            raise TempoRefused("tempo", f"There is no tempo “{tempo}”; there are {known}.")
        if turn_hours is not None or reaction_hours is not None:
            raise TempoRefused("tempo", f"Hours go with the tempo “{HOURS}”, not with “{tempo}”.")
        return named.turn, named.reaction
    turn = _minutes("turn_hours", "a turn", turn_hours)
    reaction = _minutes("reaction_hours", "a reaction", reaction_hours)
    if reaction > turn:
        raise TempoRefused("reaction_hours", "A reaction may not take longer than a turn.")
    return turn, reaction


def tempo_key(*, turn: int, reaction: int) -> str:
    """The name of the tempo with these minutes, or "hours"."""
    return next((t.key for t in TEMPOS.values() if (t.turn, t.reaction) == (turn, reaction)), HOURS)


def tempo_of(*, turn: int, reaction: int) -> Tempo:
    """The tempo with these minutes: a named one, or one in hours without a bank.

    In hours, pauses may be twice as long as the turn, at most thirty days; a turn under six hours has none, since
    whoever plays so sits at a screen.
    """
    key = tempo_key(turn=turn, reaction=reaction)
    if key != HOURS:
        return TEMPOS[key]
    text = f"{length_text(turn * 60)} for a turn, {length_text(reaction * 60)} for a reaction."
    pause_cap = 0 if turn < _LEAST_TURN_WITH_PAUSES else min(2 * turn, MOST_PAUSE_MINUTES)
    return Tempo(HOURS, "Own hours", turn, reaction, text, pause_cap)


def pause_cap_text(minutes: int) -> str:
    """The cap on pauses in one sentence for the lobby."""
    if not minutes:
        return "Quiet hours, days off and holidays count like any other time."
    return f"Quiet hours, days off and holidays do not count, up to {length_text(minutes * 60)} for each answer."


def _minutes(field: str, what: str, hours: float | None) -> int:
    if hours is None:
        raise TempoRefused(field, f"Say how many hours {what} may take.")
    # Written so that what is no number (nan) is refused too.
    if not LEAST_MINUTES <= hours * 60 <= MOST_MINUTES:
        raise TempoRefused(field, f"The hours for {what} must be from one minute (1/60) to {MOST_MINUTES // 60}.")
    return round(hours * 60)
