"""Seats whose drivers were away, and who would drive on."""

from typing import Any

from games.models import Race, Seat, SeatClaim
from games.models.people import Person
from games.runtime.rulesets import seat_words
from games.runtime.words import stamp


def seats_offered(*, user: Person) -> list[dict[str, Any]]:
    """Offered seats of public races that this person may take, the longest offered first.

    Each: {"race": {"id", "name", "ruleset"}, "host", "car", "words": what it drives, "part": which of two drivers of
    it, in words, or "", "id": the seat's, "since", "is_first_come", "is_asked": whether this person has asked for it}
    """
    own = Race.objects.filter(seats__player_id=user.pk).values("pk")
    away = Race.objects.filter(seats__absent_player_id=user.pk).values("pk")
    seats = Seat.objects.filter(
        offered_at__isnull=False, state="joined", race__status="running", race__is_public=True
    ).exclude(race__in=own)
    asked = set(SeatClaim.objects.filter(player_id=user.pk).values_list("seat_id", flat=True))
    return [
        {
            "race": {"id": seat.race.public_id, "name": seat.race.name, "ruleset": seat.race.ruleset},
            "host": seat.race.host.display_name,
            "car": seat.car,
            "words": seat_words(seat.race.ruleset, seat.car),
            "part": seat.part,
            "id": seat.pk,
            "since": stamp(seat.offered_at),
            "is_first_come": seat.race.substitutes == "first" or seat.race.host_id == user.pk,
            "is_asked": seat.pk in asked,
        }
        for seat in seats.exclude(race__in=away).select_related("race", "race__host").order_by("offered_at", "pk")
        if seat.offered_at is not None
    ]


def claims_of(*, race: Race) -> list[dict[str, Any]]:
    """Who would drive on in this race, for its host: {"id", "car", "part", "seat": id, "name", "at"}."""
    claims = SeatClaim.objects.filter(seat__race=race, seat__offered_at__isnull=False)
    return [
        {
            "id": claim.pk,
            "car": claim.seat.car,
            "part": claim.seat.part,
            "seat": claim.seat_id,
            "name": claim.player.display_name,
            "at": stamp(claim.at),
        }
        for claim in claims.select_related("seat", "player").order_by("at", "pk")
    ]


def may_take_back(*, race: Race, user: Person) -> bool:
    """Whether this person's seat is offered, or was taken over and not moved yet."""
    if race.status != "running":
        return False
    own = Seat.objects.filter(race=race, player_id=user.pk, state="joined", offered_at__isnull=False)
    return own.exists() or Seat.objects.filter(race=race, absent_player_id=user.pk).exists()
