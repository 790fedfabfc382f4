"""The clocks of a race: more time, and all of them stopped."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import RaceOperation
from games.api.operations.described import described
from games.selectors.calendars import deadlines_ahead
from games.selectors.clocks import clock_of
from games.services import extensions, pauses


def _clock(operation: RaceOperation, race: Any) -> Response:
    """The clocks as they are now."""
    race.refresh_from_db()
    return Response(clock_of(race=race, user=operation.user))


class ClockShow(RaceOperation):
    """Looking at them."""

    @described(shapes.ClockShape, operation_id="clock_read")
    def get(self, request: Request, public_id: str) -> Response:
        """Say how far the open question was put off, and who asks for more time."""
        return _clock(self, self.race)


class ClockPause(RaceOperation):
    """Stopping them."""

    serializer_class = shapes.Nothing

    @described(shapes.ClockShape, request=None, operation_id="clock_pause")
    def post(self, request: Request, public_id: str) -> Response:
        """Stop all clocks; host only. Whoever wants to may still answer."""
        return _clock(self, pauses.race_pause(race_id=self.race.pk, by=self.player))


class ClockResume(RaceOperation):
    """Letting them go on."""

    serializer_class = shapes.Nothing

    @described(shapes.ClockShape, request=None, operation_id="clock_resume")
    def post(self, request: Request, public_id: str) -> Response:
        """Let the clocks go on, each with the time that it had; host only."""
        return _clock(self, pauses.race_resume(race_id=self.race.pk, by=self.player))


class ClockExtend(RaceOperation):
    """More time by the host."""

    serializer_class = shapes.MoreTime

    @described(shapes.ClockShape, request=shapes.MoreTime, operation_id="clock_extend")
    def post(self, request: Request, public_id: str) -> Response:
        """Give more time for what the race waits for; host only. The same key again changes nothing."""
        return _clock(self, extensions.extension_grant(race_id=self.race.pk, by=self.player, **self.told()))


class ClockAsk(RaceOperation):
    """More time by consent."""

    serializer_class = shapes.MoreTime

    @described(shapes.ClockShape, request=shapes.MoreTime, operation_id="clock_ask")
    def post(self, request: Request, public_id: str) -> Response:
        """Ask the other drivers for more time; it is given once all have agreed. The same key is the same request."""
        race = self.race
        extensions.extension_ask(race_id=race.pk, by=self.player, **self.told())
        return _clock(self, race)


class ClockAgree(RaceOperation):
    """Agreeing."""

    serializer_class = shapes.Nothing

    @described(shapes.ClockShape, request=None, operation_id="clock_agree")
    def post(self, request: Request, public_id: str, ask_id: int) -> Response:
        """Agree to a driver's request for more time."""
        race = self.race
        extensions.extension_agree(race_id=race.pk, by=self.player, ask_id=ask_id)
        return _clock(self, race)


class DeadlinesAhead(RaceOperation):
    """What a tempo means for you."""

    @described(shapes.AheadShape(many=True), operation_id="clock_ahead")
    def get(self, request: Request, public_id: str) -> Response:
        """List your next ten deadlines before the start, in your own time; empty unless you have a seat."""
        race = self.race
        if self.user is None:
            return Response([])
        ahead = deadlines_ahead(race=race, user=self.user, now=timezone.now())
        return Response(
            [
                {
                    "asked_at": one.asked_at.isoformat(timespec="seconds"),
                    "due_at": one.due_at.isoformat(timespec="seconds"),
                    "paused_s": one.paused_s,
                    "marks": list(one.marks),
                    "rule": one.rule,
                }
                for one in ahead
            ]
        )
