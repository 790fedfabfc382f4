"""Seats: who sits where, bots, and what a host may do about a seat."""

from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import PlayerOperation, RaceOperation
from games.api.operations.described import described
from games.selectors.offers import claims_of, seats_offered
from games.services import seats as services
from games.services import substitutes


class SeatList(RaceOperation):
    """The seats of a race."""

    @described(shapes.SeatShape(many=True), operation_id="seats_list")
    def get(self, request: Request, public_id: str) -> Response:
        """List the seats of a race; at most ten, so in one piece."""
        return Response(self.presented(self.race, log_last=0)["seats"])


class SeatBot(RaceOperation):
    """A bot for a free seat."""

    serializer_class = shapes.BotSeated

    @described(shapes.Presentation, status=201, request=shapes.BotSeated, operation_id="seats_bot")
    def post(self, request: Request, public_id: str) -> Response:
        """Let a bot take a free seat before the start; host only."""
        services.seat_add_bot(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed(status=201)


class SeatRemove(RaceOperation):
    """Taking a seat away."""

    @described(None, status=204, operation_id="seats_remove")
    def delete(self, request: Request, public_id: str, seat_id: int) -> Response:
        """Take a seat away; host only: any but your own before the start, later one whose driver has gone."""
        services.seat_remove(race_id=self.race.pk, by=self.player, seat_id=seat_id)
        return Response(status=204)


class SeatReplace(RaceOperation):
    """Somebody else for a seat."""

    serializer_class = shapes.Replacement

    @described(shapes.Presentation, request=shapes.Replacement, operation_id="seats_replace")
    def post(self, request: Request, public_id: str, seat_id: int) -> Response:
        """Give a seat whose driver has gone to a bot, or offer it to somebody by mail; host only."""
        services.seat_replace(race_id=self.race.pk, by=self.player, seat_id=seat_id, **self.told())
        return self.changed()


class SeatsOffered(PlayerOperation):
    """Seats that need a driver."""

    @described(shapes.OfferShape(many=True), operation_id="seats_offered")
    def get(self, request: Request) -> Response:
        """List the seats of public races whose drivers were away and which you may take."""
        return Response(seats_offered(user=self.player))


class SeatClaim(RaceOperation):
    """Driving on in an absent driver's place."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="seats_claim")
    def post(self, request: Request, public_id: str, seat_id: int) -> Response:
        """Take an offered seat over, or ask its race's host for it, as the race has agreed."""
        substitutes.seat_claim(race_id=self.race.pk, by=self.player, seat_id=seat_id)
        return self.changed()


class SeatClaims(RaceOperation):
    """Who would drive on."""

    @described(shapes.ClaimShape(many=True), operation_id="seats_claims")
    def get(self, request: Request, public_id: str) -> Response:
        """List who would drive on in the place of a driver who was away; empty for all but the host."""
        race = self.race
        is_host = self.user is not None and race.host_id == self.user.pk
        return Response(claims_of(race=race) if is_host else [])


class SeatClaimAccept(RaceOperation):
    """Choosing who drives on."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="seats_claim_accept")
    def post(self, request: Request, public_id: str, claim_id: int) -> Response:
        """Let one of those who would drive on take the seat; host only."""
        substitutes.seat_claim_accept(race_id=self.race.pk, by=self.player, claim_id=claim_id)
        return self.changed()


class SeatTakeBack(RaceOperation):
    """Coming back."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="seats_take_back")
    def post(self, request: Request, public_id: str) -> Response:
        """Take your seat back: while it is offered, or taken over and not moved yet."""
        substitutes.seat_take_back(race_id=self.race.pk, by=self.player)
        return self.changed()
