"""Seats: bots, words for the shuffles, resigning, and what a host may do about a seat whose driver has gone."""

from games.models import Seat
from games.models.people import Person


def seat_add_bot(*, race_id: int, by: Person, bot: str = "driver", delay_minutes: int = 0) -> Seat:
    """Let a bot take a free seat before the start; host only. ``delay_minutes``: how long it takes over each answer."""
    raise NotImplementedError


def seat_words(*, race_id: int, by: Person, words: str) -> None:
    """Set what one's seat adds to the race's secret (at most 200 characters), before the start."""
    raise NotImplementedError


def seat_resign(*, race_id: int, by: Person) -> None:
    """Give up one's seat in a race under way; the car leaves as the rules say."""
    raise NotImplementedError


def seat_remove(*, race_id: int, by: Person, seat_id: int) -> None:
    """Take a seat away; host only. Before the start any seat but one's own (an invitation, a bot, a player); later only one that has gone."""
    raise NotImplementedError


def seat_replace(
    *, race_id: int, by: Person, seat_id: int, bot: str = "", delay_minutes: int = 0, email: str = ""
) -> Seat:
    """Give a seat that has gone to a bot (if the race allows bots) or offer it by mail to somebody else; host only, race under way."""
    raise NotImplementedError
