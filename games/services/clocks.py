"""The clocks of a race's open questions: set, put off, stopped.

A turn's clock runs by the calendar of its driver. All questions of a window have one deadline, and it depends on public
facts alone: the latest by the calendars of the seats that public facts single out, or, if they single out none, of all
drivers with cards. So nobody can tell from it who was asked by a wish.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from games.engine.contract import JSON
from games.engine.contract import Decision as Question
from games.models import Decision, Race, Seat
from games.runtime import rulesets
from games.runtime.position import Position
from games.selectors.calendars import PLAIN, calendar_of, holidays_of
from games.tempo.banks import Bank, after_turn, allotted_s
from games.tempo.calendars import Calendar, Deadline, counted, deadline, length_text, paused

CLOCK_FIELDS: Final = (
    "due_at",
    "due_rule",
    "counts_from",
    "left_s",
    "used_s",
    "paused_s",
    "extra_s",
    "extensions",
    "credits",
    "hold_until",
    "bot_at",
)
"""The fields of a Decision that this module sets."""


@dataclass(frozen=True)
class Whose:
    """Whose calendars a question's clock runs by, by seat number; for a turn its own driver's."""

    seats: tuple[int, ...]


def window_seats(position: Position, questions: Sequence[Question], seats: Mapping[int, Seat], view: JSON) -> Whose:
    """The seats by whose calendars a window's deadline is made: public facts name them.

    ``view`` is the public one.
    """
    singled = tuple(question.seat for question in questions if question.singled)
    if singled:
        return Whose(singled)
    named = rulesets.may_be_asked(position.ruleset, view)
    present = tuple(n for n, seat in seats.items() if seat.state == "joined" and (named is None or n in named))
    return Whose(present or tuple(question.seat for question in questions))


class Clocks:
    """The calendars of a locked race's seats, read when they are first needed."""

    def __init__(self, race: Race, seats: Mapping[int, Seat]) -> None:
        """``seats`` by number, with their players."""
        self.race = race
        self.seats = seats
        self._calendars: dict[int, Calendar] = {}

    def calendar(self, number: int) -> Calendar:
        """When this seat's time counts."""
        if not self._calendars:
            self._calendars = self._read()
        return self._calendars[number]

    def forget(self) -> None:
        """Read the calendars anew: a seat has another driver."""
        self._calendars.clear()

    def start(self, row: Decision, whose: Whose, *, number: int, seconds: int) -> None:
        """Let a question have these counted seconds from ``row.counts_from`` on; sets left_s, due_at and due_rule."""
        row.left_s = seconds
        self.set_due(row, whose, number=number)

    def set_due(self, row: Decision, whose: Whose, *, number: int) -> None:
        """Set due_at and due_rule from the rest of the row; ``number`` is the seat that is asked."""
        found = {one: self._deadline(row, self.calendar(one)) for one in whose.seats}
        latest = max(found.values(), key=lambda due: due.due_at).due_at
        own = found.get(number)
        row.due_at = latest
        if own is not None and own.due_at == latest:
            row.due_rule = own.rule[:400]
        else:
            row.due_rule = (
                f"{length_text(row.left_s)}. All who may be asked here have one deadline: the latest of theirs."
            )

    def put_off(self, row: Decision, whose: Whose, *, number: int, seconds: int) -> None:
        """Add counted seconds on the same grid; the deadline is never earlier for it."""
        before = row.due_at
        row.left_s += seconds
        row.extra_s += seconds
        self.set_due(row, whose, number=number)
        row.due_at = max(before, row.due_at)

    def stop(self, row: Decision, whose: Whose, *, at: datetime) -> None:
        """Take what has counted up to ``at`` out of the row's clock, which goes on from there."""
        took = self.used(row, whose, at=at)
        row.paused_s += self.pauses(row, whose, at=at)
        row.left_s = max(0, row.left_s - took)
        net = max(0, took - row.extra_s)
        row.extra_s -= took - net
        row.used_s += net

    def used(self, row: Decision, whose: Whose, *, at: datetime) -> int:
        """Counted seconds from counts_from to ``at``, or to when the clocks were stopped."""
        end = self._end(at)
        cap = self._cap(row)
        return min(counted(row.counts_from, end, self.calendar(one), pause_cap_minutes=cap) for one in whose.seats)

    def pauses(self, row: Decision, whose: Whose, *, at: datetime) -> int:
        """Seconds that did not count from counts_from to ``at``: what they have used of the cap on pauses."""
        end = self._end(at)
        cap = self._cap(row)
        return max(paused(row.counts_from, end, self.calendar(one), pause_cap_minutes=cap) for one in whose.seats)

    def _end(self, at: datetime) -> datetime:
        return at if self.race.paused_at is None else min(at, self.race.paused_at)

    def _deadline(self, row: Decision, calendar: Calendar) -> Deadline:
        return deadline(
            start=row.counts_from,
            minutes=0,
            seconds=row.left_s,
            calendar=calendar,
            pause_cap_minutes=self._cap(row),
        )

    def _cap(self, row: Decision) -> int:
        """Minutes of pauses that may still put this clock off."""
        return max(0, self.race.pause_cap_minutes - row.paused_s // 60)

    def _read(self) -> dict[int, Calendar]:
        players = {
            number: seat.player
            for number, seat in self.seats.items()
            if seat.state == "joined" and seat.player is not None
        }
        wants_holidays = self.race.holidays_allowed and self.race.pause_cap_minutes > 0
        # Told with the seats, so that a race of people at home costs no further statement.
        away = [
            player.pk
            for number, player in players.items()
            if wants_holidays and getattr(self.seats[number], "has_holiday", True)
        ]
        holidays = holidays_of(away) if away else {}
        return {
            number: calendar_of(players[number], holidays=holidays.get(players[number].pk, ()))
            if number in players
            else PLAIN
            for number in self.seats
        }


# --- Turns ------------------------------------------------------------------------------


def turn_seconds(race: Race, seat: Seat, *, used_s: int) -> int:
    """Counted seconds that a turn still has: its own hours and the bank's, less what it has taken.

    Whoever is asked anew has at least the time for a reaction, so that a turn never lapses because others took long.
    """
    whole = allotted_s(_bank(race, seat), turn_s=race.turn_minutes * 60)
    return max(race.reaction_minutes * 60, whole - used_s)


def turn_over(race: Race, seats: Mapping[int, Seat]) -> Seat | None:
    """Settle the bank of the turn that race.turn_mark names; the seat whose bank has changed, or None."""
    if race.bank is None or not race.turn_mark:
        return None
    turn, _, number = race.turn_mark.partition(":")
    seat = seats.get(int(number))
    bank = None if seat is None else _bank(race, seat)
    if seat is None or bank is None:
        return None
    is_answered = seat.lapsed_turn != int(turn)
    left = after_turn(bank, turn_s=race.turn_minutes * 60, used_s=race.turn_used_s, is_answered=is_answered)
    if left.balance_s == seat.bank_s:
        return None
    seat.bank_s = left.balance_s
    return seat


def _bank(race: Race, seat: Seat) -> Bank | None:
    if race.bank is None or seat.bank_s is None:
        return None
    return Bank(balance_s=seat.bank_s, increment_s=race.bank["increment_s"], cap_s=race.bank["cap_s"])
