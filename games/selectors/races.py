"""Races for a viewer: one, the open ones, one's own; and the presentation that all readers show."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, overload

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When

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
from games.runtime.rulesets import RULESETS, board_words
from games.runtime.words import stamp
from games.selectors.errors import RaceUnknown
from games.selectors.invitations import invitation_seat_id, seat_kept_for
from games.selectors.league_access import is_of_own_league, league_of_race
from games.selectors.log import Place, place_now

LISTED_MOST: Final = 200
"""Races on a page; a program may read on."""
_ORDER: Final = ("running", "open", "finished", "abandoned")


def race_get(*, public_id: str, user: Person | None = None, invitation: str = "") -> Race:
    """The race, if this person may see it; raises RaceUnknown.

    Public races are for all; others for who takes part, hosts, is invited, or bears an invitation, and those that a
    league has made for whoever is in that league.
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


def race_ids_of(*, user: Person) -> dict[str, int]:
    """The races that this person is in or hosts: public id -> row id."""
    mine = Race.objects.filter(Q(host_id=user.pk) | Q(seats__player_id=user.pk, seats__state="joined"))
    return dict(mine.values_list("public_id", "pk"))


def race_names_of(*, user: Person) -> dict[str, str]:
    """The races under way that this person drives in: public id -> name, the newest first."""
    seats = Seat.objects.filter(player_id=user.pk, state="joined", race__status__in=["open", "running"])
    return dict(seats.order_by("-race_id").values_list("race__public_id", "race__name"))


def seat_ids_of(*, user: Person) -> dict[str, int]:
    """The seats of this person in those races: the race's public id -> the seat's row id."""
    seats = Seat.objects.filter(player_id=user.pk, state="joined", race__status__in=["open", "running"])
    return dict(seats.values_list("race__public_id", "pk"))


def race_names_followed(*, user: Person) -> dict[str, str]:
    """Own races not yet over whose public log this person may pass on: public id -> name, the newest first."""
    own = Q(seats__player_id=user.pk, seats__state="joined", is_public=True) | Q(host_id=user.pk)
    races = Race.objects.filter(own, status__in=["open", "running"]).order_by("-pk").distinct()
    return dict(races.values_list("public_id", "name"))


def race_id_followed(*, public_id: str, user: Person) -> tuple[int, Place] | None:
    """Row id of a race whose public log this person may pass on, and the log's end: a public race, or one's own."""
    race = Race.objects.filter(Q(is_public=True) | Q(host_id=user.pk), public_id=public_id).first()
    return None if race is None else (race.pk, place_now(race))


def race_present(*, race: Race, viewer: Seat | None, log_last: int | None = 60) -> dict[str, Any]:
    """All that a viewer (a seat of this race, or None: a spectator) may know: see games.runtime.present.present.

    ``log_last``: at most so many of the latest entries and lines; None for all. Raises RaceFaulty.
    """
    return present(race, viewer, log_last=log_last)


def race_shown(*, race: Race, viewer: Seat | None, user: Person | None, **more: Any) -> dict[str, Any]:
    """The same with "league", the league that made the race, if this person may see it: see league_access._named."""
    return {**race_present(race=race, viewer=viewer, **more), "league": league_of_race(race=race, user=user)}


def board_told(*, ruleset: str, view: dict[str, Any]) -> dict[str, Any]:
    """The table of a view in words, as a presentation's "board"; of a race that is in no database."""
    return dict(board_words(RULESETS[ruleset], view))


class Summaries(Sequence[dict[str, Any]]):
    """Races in an order, each as a summary (see race_summary): ``len`` counts them, a slice reads its rows alone."""

    def __init__(self, races: QuerySet[Race], user: Person | None) -> None:
        """Of these races, as this person may see them."""
        self._races = races.select_related("host")
        self._user = user

    @cached_property
    def _count(self) -> int:
        return self._races.count()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        """One summary, or those of a slice."""
        if isinstance(place, int):
            return _summaries([self._races[place]], self._user)[0]
        return _summaries(list(self._races[place]), self._user)


def races_open(*, user: Person | None = None) -> Summaries:
    """Public races that may still be joined or that this person has joined, newest first."""
    is_taken = ~Q(seats__state__in=["left", "declined"])
    races = Race.objects.filter(status="open", is_public=True).alias(taken=Count("seats", filter=is_taken))
    taken_by = Q(pk__in=[]) if user is None else Q(player_id=user.pk, state="joined")
    is_own = Exists(Seat.objects.filter(taken_by, race=OuterRef("pk")))
    races = races.filter(Q(taken__lt=F("seats_wanted")) | is_own).exclude(_waits_for_campaign())
    return Summaries(races.order_by("-created_at", "-pk"), user)


def races_mine(*, user: Person) -> Summaries:
    """Races in which this person sits, that he hosts, or to which his mail address is invited; under way first."""
    mine = (
        Q(seats__player_id=user.pk)
        | Q(host_id=user.pk)
        | Q(seats__state="invited", seats__invited_email=user.email.lower())
    )
    rank = Case(*(When(status=status, then=Value(place)) for place, status in enumerate(_ORDER)))
    found = Race.objects.filter(pk__in=Race.objects.filter(mine).values("pk")).exclude(_waits_for_campaign())
    return Summaries(found.order_by(rank, "-created_at", "-pk"), user)


def _waits_for_campaign() -> Q:
    """Races whose cars are drawn and that begin once the upgrades are bought: their campaign shows them."""
    return Q(Exists(Seat.objects.filter(race=OuterRef("pk"), race__status="open", number__isnull=False)))


def race_list_open(*, user: Person | None = None) -> list[dict[str, Any]]:
    """The first of races_open, as many as a page shows."""
    return races_open(user=user)[:LISTED_MOST]


def race_list_mine(*, user: Person) -> list[dict[str, Any]]:
    """The first of races_mine, as many as a page shows."""
    return races_mine(user=user)[:LISTED_MOST]


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
        "waiting": waiting_part(race.ruleset, seats),
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
        seats = Seat.objects.filter(race=race).exclude(PAST)
        if any(_is_own(seat, user) or seat.absent_player_id == user.pk for seat in seats):
            return True
        if is_of_own_league(race=race, user=user):
            return True
    invited = invitation_seat_id(invitation)
    return invited is not None and Seat.objects.filter(race=race, pk=invited, state="invited").exists()
