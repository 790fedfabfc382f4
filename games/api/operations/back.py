"""Going back: one's own last act, and a race that goes back with everybody's consent."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import RaceOperation
from games.api.operations.described import described
from games.selectors.rewinds import rewind_of
from games.services import rewinds
from games.services.errors import NotYourSeat
from games.services.undo import act_undo


class ActUndo(RaceOperation):
    """Taking back."""

    serializer_class = shapes.UndoGiven

    @described(shapes.UndoneShape, request=shapes.UndoGiven, operation_id="act_undo")
    def post(self, request: Request, public_id: str) -> Response:
        """Take back your last act, if `undo` of the presentation offers it; once more takes the act before."""
        race = self.race
        seat = self.seat(race)
        if seat is None:
            raise NotYourSeat("You hold no seat in this race.")
        told = self.told()
        receipt = act_undo(
            race_id=race.pk,
            seat_id=seat.pk,
            expected_seq=told["position"],
            idempotency_key=told["key"],
            origin="api",
        )
        return Response(receipt)


def _waiting(operation: RaceOperation, race: Any) -> Response:
    """The host's request as it stands now."""
    race.refresh_from_db()
    return Response({"position": race.seq, "rewind": rewind_of(race=race, user=operation.user)})


class RewindShow(RaceOperation):
    """Looking at it."""

    @described(shapes.RewindTold, operation_id="rewind_read")
    def get(self, request: Request, public_id: str) -> Response:
        """Say where the host asks to go back to, and who has agreed."""
        return _waiting(self, self.race)


class RewindAsk(RaceOperation):
    """Asking."""

    serializer_class = shapes.RewindGiven

    @described(shapes.RewindTold, request=shapes.RewindGiven, operation_id="rewind_ask")
    def post(self, request: Request, public_id: str) -> Response:
        """Ask all drivers to go back to an entry; host only. It is done when the last has agreed; bots always do."""
        race = self.race
        told = self.told()
        rewinds.rewind_ask(
            race_id=race.pk, by=self.player, to_seq=told["to"], key=told["key"], reason=told.get("reason", "")
        )
        return _waiting(self, race)


class RewindAgree(RaceOperation):
    """Agreeing."""

    serializer_class = shapes.Nothing

    @described(shapes.RewindTold, request=None, operation_id="rewind_agree")
    def post(self, request: Request, public_id: str, ask_id: int) -> Response:
        """Agree to going back; with the last consent the race goes back at once."""
        race = self.race
        rewinds.rewind_agree(race_id=race.pk, by=self.player, ask_id=ask_id)
        return _waiting(self, race)


class RewindThinkAgain(RaceOperation):
    """Agreeing no more."""

    serializer_class = shapes.Nothing

    @described(shapes.RewindTold, request=None, operation_id="rewind_think_again")
    def post(self, request: Request, public_id: str, ask_id: int) -> Response:
        """Withdraw your consent while the request waits."""
        race = self.race
        rewinds.rewind_think_again(race_id=race.pk, by=self.player, ask_id=ask_id)
        return _waiting(self, race)


class RewindDrop(RaceOperation):
    """Asking no more."""

    serializer_class = shapes.Nothing

    @described(shapes.RewindTold, request=None, operation_id="rewind_drop")
    def delete(self, request: Request, public_id: str, ask_id: int) -> Response:
        """Take the request back; host only."""
        race = self.race
        rewinds.rewind_drop(race_id=race.pk, by=self.player, ask_id=ask_id)
        return _waiting(self, race)
