"""Races for a viewer: one, the open ones, one's own; and the presentation that all readers show."""

from collections import defaultdict
from typing import Any, Final

from django.db.models import Q

from games.models import Race, Seat
from games.models.people import Person
from games.models.seat import PAST
from games.runtime.errors import RaceFaulty
from games.runtime.position import ruleset_of
from games.runtime.present import (
    decision_row,
    present,
    race_part,
    result_part,
    seats_part,
    waiting_part,
)
from games.runtime.words import stamp
from games.selectors.errors import RaceUnknown
from games.selectors.invitations import invitation_seat_id, seat_kept_for

LISTED_MOST: Final = 200
_ORDER: Final = ("running", "open", "finished", "abandoned")


def race_get(*, public_id: str, user: Person | None = None, invitation: str = "") -> Race:
    """The race, if this person may see it; raises RaceUnknown.

    Public races are for all; others for who takes part, hosts, is invited, or bears an invitation.
    """
    race = Race.objects.select_related("host").filter(public_id=public_id).first()
    if race is None or not _may_see(race, user, invitation):
        raise RaceUnknown("There is no such race, or it is private.")
    return race


def race_for_operator(*, public_id: str) -> Race:
    """The race, whoever may see it; raises RaceUnknown."""
    race = Race.objects.select_related("host").filter(public_id=public_id).first()
    if race is None:
        raise RaceUnknown(f"There is no race “{public_id}”.")
    return race


def race_invited_to(*, public_id: str, user: Person | None = None, invitation: str = "") -> tuple[Race, Seat]:
    """The race and the seat in it that is, or until it was declined was, kept for this person; raises RaceUnknown.

    A race to which nobody invited this person looks like one that is none.
    """
    race = Race.objects.select_related("host").filter(public_id=public_id).first()
    seat = None if race is None else seat_kept_for(race=race, user=user, invitation=invitation)
    if race is None or seat is None:
        raise RaceUnknown("There is no such race, or you are not invited to it.")
    return race, seat


def race_present(*, race: Race, viewer: Seat | None, log_last: int | None = 60) -> dict[str, Any]:
    """All that a viewer (a seat of this race, or None: a spectator) may know: see games.runtime.present.present.

    ``log_last``: at most so many of the latest entries and lines; None for all. Raises RaceFaulty.
    """
    return present(race, viewer, log_last=log_last)


def race_list_open(*, user: Person | None = None) -> list[dict[str, Any]]:
    """Public races that may still be joined, newest first, each as a summary (see race_summary); 200 at most."""
    races = Race.objects.filter(status="open", is_public=True).order_by("-created_at", "-pk")
    found = _summaries(list(races.select_related("host")[:LISTED_MOST]), user)
    return [one for one in found if len(one["seats"]) < one["race"]["seats_wanted"] or one["you_are_in"]]


def race_list_mine(*, user: Person) -> list[dict[str, Any]]:
    """Races in which this person sits, that he hosts, or to which his mail address is invited; under way first.

    Each as a summary.
    """
    mine = (
        Q(seats__player_id=user.pk)
        | Q(host_id=user.pk)
        | Q(seats__state="invited", seats__invited_email=user.email.lower())
    )
    races = Race.objects.filter(mine).distinct().select_related("host").order_by("-created_at", "-pk")
    found = _summaries(list(races[:LISTED_MOST]), user)
    return sorted(found, key=lambda one: _ORDER.index(one["race"]["status"]))


def race_summary(*, race: Race, user: Person | None) -> dict[str, Any]:
    """What a list shows of a race.

    {"race", "seats", "waiting", "result": as in the presentation; "you": seat number or None, "you_are_in": bool,
    "your_state": "" or the state of one's seat ("invited" by mail address too), "is_host", "asked": whether something
    is asked of this person and not yet answered, "due_at": until when, or None}
    """
    return _summaries([race], user)[0]


def _summaries(races: list[Race], user: Person | None) -> list[dict[str, Any]]:
    by_race: dict[int, list[Seat]] = defaultdict(list)
    seats = Seat.objects.filter(race__in=races).exclude(PAST).select_related("player", "decision")
    for seat in seats.order_by("race_id", "number", "joined_order"):
        by_race[seat.race_id].append(seat)
    return [_summary(race, by_race[race.pk], user) for race in races]


def _summary(race: Race, seats: list[Seat], user: Person | None) -> dict[str, Any]:
    own = next((seat for seat in seats if user is not None and _is_own(seat, user)), None)
    title, result = race.ruleset, None
    try:
        ruleset = ruleset_of(race)
        title, result = ruleset.title, result_part(race, ruleset, seats)
    except RaceFaulty:
        # A list shows every race; the race's own page says what is wrong with this one.
        pass
    row = decision_row(own)
    asked = row is not None and row.sealed_at is None and own is not None and own.state == "joined"
    return {
        "race": race_part(race, seats, title=title),
        "seats": seats_part(race, seats, own),
        "waiting": waiting_part(seats),
        "result": result,
        "you": None if own is None else own.number,
        "you_are_in": own is not None and own.state == "joined",
        "your_state": "" if own is None else own.state,
        "is_host": user is not None and race.host_id == user.pk,
        "asked": asked,
        "due_at": stamp(row.due_at) if asked and row is not None else None,
    }


def _is_own(seat: Seat, user: Person) -> bool:
    return seat.player_id == user.pk or (seat.state == "invited" and seat.invited_email == user.email.lower())


def _may_see(race: Race, user: Person | None, invitation: str) -> bool:
    if race.is_public:
        return True
    if user is not None:
        if race.host_id == user.pk:
            return True
        if any(_is_own(seat, user) for seat in Seat.objects.filter(race=race).exclude(PAST)):
            return True
    invited = invitation_seat_id(invitation)
    return invited is not None and Seat.objects.filter(race=race, pk=invited, state="invited").exists()
