"""Keeping and dropping standing orders."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from django.db import transaction
from django.utils import timezone

from games.engine import codec
from games.engine.errors import ActionRefused, Malformed
from games.engine.standing import MOST_ORDERS, THIS_TURN, StandingOrder
from games.models import Race, Seat
from games.models import StandingOrder as StandingRow
from games.runtime.beforehand import only_passes_what_is_wished, order_of, standing_read, wish_for
from games.runtime.position import ruleset_of
from games.services.desk import Desk, race_lock, seats_locked
from games.services.errors import NotYourDecision, NotYourSeat, RaceNotRunning, RaceOver, RaceUnknown
from games.services.incoming import words_incoming

LATEST: Final = timedelta(days=366)
"""So far ahead may a standing order run."""


class OrderUnknown(ActionRefused):
    """There is no such standing order of this seat (404)."""

    code = "unknown_order"


@dataclass(frozen=True)
class Saved:
    """What was kept: the row, and the one it took the place of.

    ``is_idle``: it passes, and no more, on what only those are asked who wish it.
    """

    row: StandingRow
    replaced: bool
    is_idle: bool = False


@transaction.atomic
def standing_save(*, race_id: int, seat_id: int, texts: Sequence[str]) -> list[Saved]:
    """Keep these standing orders in front of the others; one for the same moment takes the other's place.

    All or nothing. Orders count from the next question on; one that stands open is not answered by them. An order for
    a moment at which only who wishes is asked carries the wish. Raises Malformed, Ambiguous, and what seat_at_work
    raises.
    """
    race, seats, seat = seat_at_work(race_id, seat_id)
    desk = Desk.of(race, timezone.now(), seats)
    view = desk.ruleset.view(desk.position.state, seat.number)
    kept = list(StandingRow.objects.filter(seat=seat))
    saved = []
    for text in texts:
        order = standing_read(race, view, words_incoming(text), seats=len(seats))
        saved.append(_keep(desk, seat, kept, order))
        wish = wish_for(desk.ruleset, order)
        if wish is not None:
            seat.asides = [*(one for one in seat.asides if one["do"] != wish["do"]), wish]
            desk.touch(seat)
    if len(kept) > MOST_ORDERS:
        raise Malformed(f"A driver keeps at most {MOST_ORDERS} standing orders; take some back first.")
    desk.write()
    return saved


@transaction.atomic
def standing_move(*, race_id: int, seat_id: int, order_id: int, place: int) -> None:
    """Put one standing order at this place of the list, counted from 1; beyond the end is the end.

    Of two that fit a moment the first counts, from the next question on. Raises OrderUnknown, Malformed (place) and
    what seat_at_work raises.
    """
    _, _, seat = seat_at_work(race_id, seat_id)
    if place < 1:
        raise Malformed("The first place of the list is 1.")
    rows = list(StandingRow.objects.filter(seat=seat))
    moved = next((row for row in rows if row.pk == order_id), None)
    if moved is None:
        raise OrderUnknown("You have no such standing order; it may be gone already.")
    # In front of all that there is, so that no rank is taken twice on the way.
    lowest = min(row.rank for row in rows) - len(rows)
    rows.remove(moved)
    rows.insert(place - 1, moved)
    for rank, row in enumerate(rows, start=lowest):
        row.rank = rank
    StandingRow.objects.bulk_update(rows, ["rank"])


@transaction.atomic
def standing_remove(*, race_id: int, seat_id: int, order_id: int) -> bool:
    """Take one standing order back; raises OrderUnknown and what seat_at_work raises.

    True: it had asked, as the last that needs it, that its driver be asked where only who wishes it is. That wish
    stays: the driver may have made it otherwise too, and is the one to take it back.
    """
    race, _, seat = seat_at_work(race_id, seat_id)
    row = StandingRow.objects.filter(seat=seat, pk=order_id).first()
    if row is None:
        raise OrderUnknown("You have no such standing order; it may be gone already.")
    row.delete()
    return _wishes(race, [row]) and not _wishes(race, StandingRow.objects.filter(seat=seat))


@transaction.atomic
def standing_clear(*, race_id: int, seat_id: int) -> bool:
    """Take all standing orders back; True as for standing_remove."""
    race, _, seat = seat_at_work(race_id, seat_id)
    rows = list(StandingRow.objects.filter(seat=seat))
    StandingRow.objects.filter(seat=seat).delete()
    return _wishes(race, rows)


def _wishes(race: Race, rows: Iterable[StandingRow]) -> bool:
    ruleset = ruleset_of(race)
    return any(wish_for(ruleset, order_of(row)) is not None for row in rows)


def seat_at_work(race_id: int, seat_id: int) -> tuple[Race, list[Seat], Seat]:
    """A locked race under way, its seats, and the one whose driver gives orders.

    Raises RaceUnknown, RaceOver, RaceNotRunning, NotYourSeat, NotYourDecision.
    """
    race = race_lock(race_id)
    if race is None:
        raise RaceUnknown("There is no such race.")
    if race.status == "finished":
        raise RaceOver("The race is over.")
    if race.status != "running":
        raise RaceNotRunning("The race has not started, or was called off: orders are for a race under way.")
    seats = seats_locked(race)
    seat = next((one for one in seats if one.pk == seat_id), None)
    if seat is None or seat.player_id is None:
        raise NotYourSeat("There is no such seat in this race.")
    if seat.state != "joined":
        raise NotYourDecision("This driver is out of the race.")
    return race, seats, seat


def _keep(desk: Desk, seat: Seat, kept: list[StandingRow], order: StandingOrder) -> Saved:
    same = next((row for row in kept if order_of(row).is_of_same_moment(order)), None)
    if same is not None:
        same.delete()
        kept.remove(same)
    row = StandingRow(
        seat=seat,
        rank=min((one.rank for one in kept), default=1) - 1,
        order=codec.to_json(msgspec.structs.replace(order, until="")),
        until_at=_until_at(order, seat, desk.now),
        turn=desk.turn if order.until == THIS_TURN else None,
        created_at=desk.now,
    )
    row.save()
    kept.insert(0, row)
    return Saved(row, same is not None, is_idle=only_passes_what_is_wished(desk.ruleset, order))


def _until_at(order: StandingOrder, seat: Seat, now: datetime) -> datetime | None:
    """The end of the day that an order names, in its owner's time zone."""
    if order.until in ("", THIS_TURN):
        return None
    try:
        day = date.fromisoformat(order.until)
    except ValueError as error:
        raise Malformed(f"There is no day {order.until}; write it as 2026-12-24.") from error
    player: Any = seat.player
    end = datetime.combine(day + timedelta(days=1), time(), tzinfo=ZoneInfo(player.time_zone))
    if end <= now:
        raise Malformed(f"{order.until} has gone by.")
    if end > now + LATEST:
        raise Malformed("A standing order runs for a year at most; leave the date out to keep it for the whole race.")
    return end
