"""What was answered beforehand, while a race is on the desk: follow-ups of this turn, standing orders, plans.

All of it is read once a transaction, and only when a seat has any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.engine import codec
from games.engine.contract import JSON, Decision
from games.engine.errors import ActionRefused
from games.engine.standing import StandingOrder
from games.models import Entry, FollowUp, Plan, Race, Seat
from games.models import StandingOrder as StandingRow
from games.runtime.beforehand import Stopped, orders_in_force, plan_next
from games.runtime.play import Given, Line, action_of
from games.runtime.position import Position, faults_told
from games.runtime.reactions import standing_answer


def with_beforehand(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Note on each seat whether it has standing orders or a waiting plan, so that only then they are read."""
    return seats.annotate(
        has_standing=Exists(StandingRow.objects.filter(seat=OuterRef("pk"))),
        has_plan=Exists(Plan.objects.filter(seat=OuterRef("pk"), state="waiting")),
    )


def beforehand_forget(seat: Seat) -> None:
    """Delete all that a driver has answered beforehand: who takes the seat over neither sees nor does it."""
    seat.follow_ups.all().delete()
    seat.standing_orders.all().delete()
    seat.plans.all().delete()


@dataclass
class Beforehand:
    """The answers given beforehand by the drivers of one race. ``now``: the moment of the transaction."""

    race: Race
    seats: Mapping[int, Seat]
    now: datetime
    _follow: dict[int, dict[int, dict[str, JSON]]] = field(default_factory=dict)
    _standing: dict[int, list[StandingRow]] | None = None
    _plans: dict[int, Plan] | None = None
    _changed: list[Plan] = field(default_factory=list)

    # --- reactions ----------------------------------------------------------------------

    def reaction(self, position: Position, seat: Seat, decision: Decision, turn: int) -> tuple[JSON, str] | None:
        """What a driver answers to a reaction, as JSON with its origin ("order", "standing"); None: ask.

        What was said for this turn goes before what stands.
        """
        if seat.player_id is None or seat.state != "joined":
            return None
        ruleset = position.ruleset
        told = self._follow_ups(turn).get(seat.pk, {}).get(decision.trigger) if decision.trigger else None
        if told is not None and self._is_legal(position, decision, told):
            return told, "order"
        orders = self._orders(seat, turn)
        if not orders:
            return None
        with faults_told(self.race):
            view = ruleset.view(position.state, decision.seat)
            answer = standing_answer(ruleset, position.state, view, decision, orders)
        return None if answer is None else (codec.to_json(answer), "standing")

    def give_follow_ups(self, seat: Seat, turn: int, orders: Mapping[str, JSON]) -> None:
        """Keep what a seat answers to questions that may follow in this turn: trigger -> action, None: ask me."""
        # What was said for turns gone by means nothing any more.
        FollowUp.objects.filter(~Q(turn=turn) | Q(trigger__in=orders), seat=seat).delete()
        FollowUp.objects.bulk_create(
            FollowUp(seat=seat, turn=turn, trigger=trigger, action=action)
            for trigger, action in orders.items()
            if action is not None
        )
        self._follow.pop(turn, None)

    def _follow_ups(self, turn: int) -> dict[int, dict[str, JSON]]:
        if turn not in self._follow:
            given: dict[int, dict[str, JSON]] = {}
            for one in FollowUp.objects.filter(seat__race_id=self.race.pk, turn=turn):
                given.setdefault(one.seat_id, {})[one.trigger] = one.action
            self._follow[turn] = given
        return self._follow[turn]

    def _orders(self, seat: Seat, turn: int) -> list[StandingOrder]:
        if not getattr(seat, "has_standing", False):
            return []
        if self._standing is None:
            self._standing = {}
            for row in StandingRow.objects.filter(seat__race_id=self.race.pk):
                self._standing.setdefault(row.seat_id, []).append(row)
        return orders_in_force(self._standing.get(seat.pk, ()), now=self.now, turn=turn)

    def _is_legal(self, position: Position, decision: Decision, plain: JSON) -> bool:
        try:
            action = action_of(position.ruleset, plain)
        except ActionRefused:
            return False
        with faults_told(self.race):
            return position.ruleset.verify(position.state, decision.seat, action) is None

    # --- plans --------------------------------------------------------------------------

    def plan_of(self, seat: Seat) -> Plan | None:
        """The plan of this seat that waits, if any."""
        if not getattr(seat, "has_plan", False):
            return None
        if self._plans is None:
            rows = Plan.objects.filter(seat__race_id=self.race.pk, state="waiting")
            self._plans = {row.seat_id: row for row in rows}
        return self._plans.get(seat.pk)

    def take_up(self, plan: Plan) -> None:
        """A plan just kept waits from now on."""
        self._plans = {**(self._plans or {}), plan.seat_id: plan}
        seat = next(seat for seat in self.seats.values() if seat.pk == plan.seat_id)
        seat.has_plan = True  # type: ignore[attr-defined]

    def plan_step(self, position: Position, seat: int, lines: Sequence[Line]) -> Given | None:
        """The next order of this driver's plan, for the question just asked; None: ask.

        ``lines``: entries added in this transaction, which the database does not hold yet.
        """
        row = self.seats[seat]
        plan = self.plan_of(row)
        if plan is None or row.state != "joined":
            return None
        with faults_told(self.race):
            step = plan_next(position.ruleset, position.state, seat, plan, self._since(plan, seat, lines))
        if step is None:
            self._end(plan, "done")
            return None
        if isinstance(step, Stopped):
            plan.turn = position.turn
            self._end(plan, "stopped", step.why)
            return None
        plan.at = step.at
        plan.turn = position.turn
        plan.last = codec.to_json(step.action)
        plan.last_seq = position.seq + 1
        self._note(plan)
        return Given(seat, plan.last, "plan")

    def plan_over(self, position: Position, seat: Seat) -> None:
        """End a plan with no steps left, or whose turn has gone by: nobody need be asked for that."""
        plan = self.plan_of(seat)
        if plan is None or plan.turn is None:
            return
        if plan.at >= len(plan.steps):
            self._end(plan, "done")
        elif self.race.status == "finished":
            self._end(plan, "cancelled")
        elif plan.turn != position.turn:
            self._end(plan, "stopped", "Your turn was over before all of the plan was done.")

    def forget(self, seat: Seat) -> None:
        """Delete all that this seat's driver has answered beforehand, since somebody else drives from now on."""
        beforehand_forget(seat)
        seat.has_standing = seat.has_plan = False  # type: ignore[attr-defined]
        self._changed = [plan for plan in self._changed if plan.seat_id != seat.pk]
        (self._plans or {}).pop(seat.pk, None)
        self._follow.clear()

    def drop_plan(self, seat: Seat) -> None:
        """Cancel the plan that waits, if any."""
        plan = self.plan_of(seat)
        if plan is not None:
            self._end(plan, "cancelled")

    def forget_turn(self, seat: Seat, why: str) -> bool:
        """Drop a driver's follow-ups and plan, since the turn is not as it was; whether there was anything.

        ``why``: a sentence for the driver. Standing orders stay.
        """
        dropped = FollowUp.objects.filter(seat=seat).delete()[0]
        self._follow.clear()
        plan = self.plan_of(seat)
        if plan is not None:
            self._end(plan, "stopped", why)
        return dropped > 0 or plan is not None

    def _since(self, plan: Plan, seat: int, lines: Sequence[Line]) -> list[dict[str, JSON]]:
        if plan.last_seq is None:
            return []
        first = min((line.seq for line in lines), default=None)
        rows = Entry.objects.filter(race_id=self.race.pk, seq__gte=plan.last_seq).order_by("seq").only("events")
        stored = [] if first is not None and first <= plan.last_seq else [row.events for row in rows]
        fresh = [line.events for line in lines if line.seq >= plan.last_seq]
        return [
            {"kind": event["kind"], **event["public"], **event["private"].get(str(seat), {})}
            for events in (*stored, *fresh)
            for event in events
        ]

    def _end(self, plan: Plan, state: str, why: str = "") -> None:
        plan.state, plan.why, plan.ended_at = state, why[:400], self.now
        assert self._plans is not None
        del self._plans[plan.seat_id]
        self._note(plan)

    def _note(self, plan: Plan) -> None:
        if plan not in self._changed:
            self._changed.append(plan)

    def write(self) -> None:
        """Write the plans that went on."""
        for plan in self._changed:
            plan.save(update_fields=["at", "turn", "last", "last_seq", "state", "why", "ended_at"])
        self._changed.clear()
