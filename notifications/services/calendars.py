"""A player's deadlines as a calendar (RFC 5545): a secret address, and entries that a program recognises again.

What the calendar has been told is remembered, so that an entry keeps its UID, a deadline that moves is an update of
it, and a question that was answered is a cancellation.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

import icalendar
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import salted_hmac

from games.selectors.reminders import Deadline, deadlines_of
from notifications.models import CalendarEntry, Wishes
from notifications.selectors import wishes_of
from roadkill_site.accounts.models import User

SALT: Final = "notifications.services.calendars"
CANCELLED_KEPT: Final = dt.timedelta(days=14)
"""How long a calendar is told that an entry is no more."""
REFRESH: Final = dt.timedelta(hours=1)


@dataclass(frozen=True)
class _Shown:
    """One entry as the calendar is told it."""

    row: CalendarEntry
    deadline: Deadline | None


def calendar_address(*, player_id: int) -> str:
    """The whole secret address of this player's calendar."""
    token = signing.dumps([player_id, wishes_of(player_id).calendar_number], salt=SALT)
    return settings.SITE_URL + reverse("notifications:calendar", args=[token])


def calendar_player(token: str) -> User | None:
    """Whose calendar it is; None for an address that was not made here, or was closed."""
    try:
        player_id, number = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    player = User.objects.filter(pk=player_id, is_active=True).first()
    return player if player is not None and wishes_of(player.pk).calendar_number == number else None


@transaction.atomic
def calendar_renew(*, player_id: int) -> None:
    """Close the calendar's address; the new one is told by calendar_address."""
    Wishes.objects.get_or_create(player_id=player_id)
    row = Wishes.objects.select_for_update().get(player_id=player_id)
    row.calendar_number += 1
    row.save(update_fields=["calendar_number"])


ASKED: Final = {"turn": "Your turn", "purchase": "Your purchase"}
"""What is asked, by its clock; anything else is a question."""


@transaction.atomic
def calendar_print(*, player: User, now: dt.datetime) -> bytes:
    """The calendar as it is now; what it says is remembered. Times are in the player's own zone."""
    shown = _brought_up_to_date(player, now)
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Roadkill//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Roadkill: deadlines")
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    zone = ZoneInfo(player.time_zone)
    for one in shown:
        calendar.add_component(_event(one, zone))
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())


def _brought_up_to_date(player: User, now: dt.datetime) -> list[_Shown]:
    deadlines = {one.decision_id: one for one in deadlines_of(player_id=player.pk)}
    # Whoever reads the calendar twice at once must not count a change twice.
    User.objects.select_for_update().get(pk=player.pk)
    rows = {row.decision_id: row for row in CalendarEntry.objects.filter(player=player)}
    for decision_id, deadline in deadlines.items():
        row = rows.get(decision_id)
        if row is None:
            row = CalendarEntry(player=player, decision_id=decision_id, race_name=deadline.race_name)
            rows[decision_id] = row
        elif row.due_at != deadline.due_at or row.is_cancelled:
            row.sequence += 1
        else:
            continue
        row.due_at, row.is_cancelled, row.changed_at = deadline.due_at, False, now
        row.save()
    for decision_id, row in rows.items():
        if decision_id not in deadlines and not row.is_cancelled:
            row.is_cancelled, row.changed_at = True, now
            row.sequence += 1
            row.save()
    CalendarEntry.objects.filter(player=player, is_cancelled=True, changed_at__lt=now - CANCELLED_KEPT).delete()
    kept = [row for row in rows.values() if not row.is_cancelled or row.changed_at >= now - CANCELLED_KEPT]
    kept.sort(key=lambda row: (row.due_at, row.decision_id))
    return [_Shown(row, deadlines.get(row.decision_id)) for row in kept]


def _event(one: _Shown, zone: ZoneInfo) -> icalendar.Event:
    row, deadline = one.row, one.deadline
    event = icalendar.Event()
    mark = salted_hmac(SALT, f"{row.player_id}:{row.decision_id}", algorithm="sha256").hexdigest()[:40]
    event.add("uid", f"{mark}@{settings.REPLY_DOMAIN}")
    event.add("dtstamp", row.changed_at.astimezone(dt.UTC))
    event.add("last-modified", row.changed_at.astimezone(dt.UTC))
    event.add("sequence", row.sequence)
    event.add("dtstart", row.due_at.astimezone(zone))
    event.add("summary", f"Answer by now: {row.race_name}")
    event.add("status", "CANCELLED" if row.is_cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT")
    event.add("class", "PRIVATE")
    if deadline is not None:
        address = settings.SITE_URL + reverse("games:race", args=[deadline.race_id])
        asked = ASKED.get(deadline.clock, "A question to you")
        event.add("description", f"{asked} in {row.race_name}.\n{address}")
        event.add("url", address)
    return event
