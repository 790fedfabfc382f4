"""Seats: who sits where, bots, and what a host may do about a seat."""

from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import RaceOperation
from games.api.operations.described import described
from games.services import seats as services


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
