"""What a driver answers beforehand: standing orders and the plan, for the seat's own driver alone."""

from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import DriverOperation
from games.api.operations.described import described
from games.selectors.beforehand import beforehand_of, plan_of, standing_tried
from games.services.plans import plan_cancel, plan_save
from games.services.standing import standing_clear, standing_move, standing_remove, standing_save


class OrdersShow(DriverOperation):
    """All that is answered beforehand."""

    @described(shapes.Beforehand, operation_id="orders_read")
    def get(self, request: Request, public_id: str) -> Response:
        """Show your standing orders, your plan, what may be ordered, and what has been done. Nobody else can."""
        race, seat = self.driver()
        return Response(beforehand_of(race=race, seat=seat))


class OrdersSave(DriverOperation):
    """Standing orders to keep."""

    serializer_class = shapes.OrdersGiven

    @described(shapes.Beforehand, request=shapes.OrdersGiven, operation_id="orders_create")
    def post(self, request: Request, public_id: str) -> Response:
        """Keep standing orders, the last in front; one for the same moment takes the other's place. All or none."""
        race, seat = self.driver()
        standing_save(race_id=race.pk, seat_id=seat.pk, texts=self.told()["texts"])
        return Response(beforehand_of(race=race, seat=seat))


class OrdersClear(DriverOperation):
    """No standing orders any more."""

    @described(None, status=204, operation_id="orders_clear")
    def delete(self, request: Request, public_id: str) -> Response:
        """Take all your standing orders back."""
        race, seat = self.driver()
        standing_clear(race_id=race.pk, seat_id=seat.pk)
        return Response(status=204)


class OrdersTry(DriverOperation):
    """Standing orders on trial."""

    serializer_class = shapes.OrdersGiven

    @described(shapes.OrdersTried, request=shapes.OrdersGiven, operation_id="orders_try")
    def post(self, request: Request, public_id: str) -> Response:
        """Show what these orders would have done in your last windows, in front of those kept. Nothing is kept."""
        race, seat = self.driver()
        return Response(standing_tried(race=race, seat=seat, texts=self.told()["texts"]))


class OrderRemove(DriverOperation):
    """One standing order less."""

    @described(None, status=204, operation_id="orders_remove")
    def delete(self, request: Request, public_id: str, order_id: int) -> Response:
        """Take one of your standing orders back."""
        race, seat = self.driver()
        standing_remove(race_id=race.pk, seat_id=seat.pk, order_id=order_id)
        return Response(status=204)


class OrderMove(DriverOperation):
    """One standing order at another place."""

    serializer_class = shapes.OrderPlace

    @described(shapes.Beforehand, request=shapes.OrderPlace, operation_id="orders_move")
    def patch(self, request: Request, public_id: str, order_id: int) -> Response:
        """Put one of your standing orders at a place of the list, from 1; of two that fit a moment the first counts."""
        race, seat = self.driver()
        standing_move(race_id=race.pk, seat_id=seat.pk, order_id=order_id, place=self.told()["place"])
        return Response(beforehand_of(race=race, seat=seat))


class PlanShow(DriverOperation):
    """The plan."""

    @described(shapes.PlanKept, operation_id="plan_read")
    def get(self, request: Request, public_id: str) -> Response:
        """Show your last plan, how far it has come, and what a plan may branch on. Nobody else can."""
        race, seat = self.driver()
        return Response(plan_of(race=race, seat=seat))


class PlanSave(DriverOperation):
    """A plan to carry out."""

    serializer_class = shapes.PlanGiven

    @described(shapes.PlanTold, request=shapes.PlanGiven, operation_id="plan_update")
    def put(self, request: Request, public_id: str) -> Response:
        """Queue the rest of your turn, or your next one, in place of what is queued; it begins at once if it can."""
        race, seat = self.driver()
        told = self.told()
        return Response(plan_save(race_id=race.pk, seat_id=seat.pk, lines=told["lines"], idempotency_key=told["key"]))


class PlanCancel(DriverOperation):
    """No plan any more."""

    @described(None, status=204, operation_id="plan_delete")
    def delete(self, request: Request, public_id: str) -> Response:
        """Cancel the plan that waits, if one does; what it has done stays done."""
        race, seat = self.driver()
        plan_cancel(race_id=race.pk, seat_id=seat.pk)
        return Response(status=204)
