"""Absences: told from the turns of a player that lapsed, over all races, less what was not the player's fault."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from games.models import Decision, Lapse, MailFailure, Outage, Race, Seat
from games.tempo import absences as pure
from games.tempo.absences import Interval

LONGEST_EXCUSE: Final = timedelta(days=7)
"""For so long at most mail that fails excuses a player, or a broken address would keep a seat from others for good."""


def absences_of(*, race: Race, seat: Seat, now: datetime, more: Iterable[Lapse] = ()) -> int:
    """How often the driver of this seat was away since the last turn that was taken in it.

    Turns that lapsed in the player's other races meanwhile count too, but those that overlap are one absence.
    ``more``: lapses that are not written yet.
    """
    since = seat.back_at or seat.joined_at or race.created_at
    lapses = [*Lapse.objects.filter(player_id=seat.player_id, due_at__gt=since), *more]
    if not lapses:
        return 0
    begin = min(lapse.opened_at for lapse in lapses)
    excluded = [Interval(one.start, one.end) for one in Outage.objects.filter(end__gt=begin)]
    failures = MailFailure.objects.filter(Q(until__isnull=True) | Q(until__gt=begin), player_id=seat.player_id)
    excluded += [
        Interval(one.since, max(one.since, min(one.until or now, one.since + LONGEST_EXCUSE))) for one in failures
    ]
    asked = [pure.Lapse(Interval(one.opened_at, one.due_at), one.is_real) for one in lapses]
    return pure.absences(asked, excluded=excluded)


def lapse_of(seat: Seat, row: Decision) -> Lapse:
    """What is kept of a turn that lapsed; a player sits there."""
    assert seat.player_id is not None
    return Lapse(
        player_id=seat.player_id, seat_id=seat.pk, opened_at=row.opened_at, due_at=row.due_at, is_real=row.is_real
    )


@transaction.atomic
def mail_failed(*, seat_id: int, since: datetime) -> None:
    """Note that our mail to the player of this seat does not arrive: told by whoever sends it."""
    player_id = Seat.objects.filter(pk=seat_id).values_list("player_id", flat=True).first()
    if player_id is not None:
        MailFailure.objects.get_or_create(player_id=player_id, until=None, defaults={"since": since})


@transaction.atomic
def mail_arrived(*, seat_id: int, at: datetime) -> None:
    """Note that our mail to the player of this seat arrives again."""
    player_id = Seat.objects.filter(pk=seat_id).values_list("player_id", flat=True).first()
    if player_id is not None:
        MailFailure.objects.filter(player_id=player_id, until=None).update(until=at)
