"""Acts: what is asked of me, and answering it through the one door."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import Pages, PlayerOperation, RaceOperation
from games.api.operations.described import described
from games.selectors.decisions import decisions_of
from games.selectors.races import race_present
from games.services.errors import Malformed, NotYourSeat, RaceFaulty, RaceUnknown, StaleAnswer
from games.services.turns import action_submit


class MyDecisions(PlayerOperation):
    """What is asked of the asking player, over all races."""

    pagination_class = Pages

    @described(shapes.Asked(many=True), operation_id="my_decisions_list")
    def get(self, request: Request) -> Response:
        """List what is asked of you, soonest deadline first."""
        found = decisions_of(user=self.player)
        return self.get_paginated_response(self.paginate_queryset(found))


class ActSubmit(RaceOperation):
    """An answer to the present question."""

    serializer_class = shapes.ActGiven

    @described(shapes.ReceiptShape, request=shapes.ActGiven, operation_id="acts_create")
    def post(self, request: Request, public_id: str) -> Response:
        """Answer the question that is asked of you. A refusal changes nothing and says what is asked now."""
        race = self.race
        seat = self.seat(race)
        if seat is None:
            raise NotYourSeat("You hold no seat in this race.")
        told = self.told()
        given = self._answer(race, seat, told)
        try:
            receipt = action_submit(
                race_id=race.pk,
                seat_id=seat.pk,
                expected_seq=told["position"],
                idempotency_key=told["key"],
                origin="api",
                follow_ups=told.get("follow"),
                **(given or {"words": f"answer {told['number']}"}),
            )
        except Malformed:
            if given is not None:
                raise
            raise StaleAnswer("The question that this number answers is over.", **self.present_question()) from None
        return Response(receipt)

    def present_question(self) -> dict[str, Any]:
        """What is asked of the acting seat now, and the race's position: members of a refusal.

        Nothing where the race itself is what cannot be shown: it is none, not theirs to see, or faulty.
        """
        try:
            race = self.race
            seat = self.seat(race)
            if seat is None:
                return {}
            shown = race_present(race=race, viewer=seat, log_last=0)
        except (RaceUnknown, RaceFaulty):
            return {}
        return {"position": shown["race"]["position"], "question": shown["question"]}

    def _answer(self, race: Any, seat: Any, told: dict[str, Any]) -> dict[str, Any] | None:
        """The answer in one of the two ways that the door takes: an action, or words.

        None for a number of an earlier question, which means nothing without its list. The door is asked all the
        same: if the key was used before, it gives the first answer again.
        """
        if "number" not in told:
            return {name: told[name] for name in ("action", "words") if name in told}
        question = race_present(race=race, viewer=seat, log_last=0)["question"]
        if question is None or question["position"] != told["position"]:
            return None
        if question["decision"] != told["decision"]:
            raise Malformed(f"Question {told['decision']} is not asked of you; {question['decision']} is.")
        for answer in question["answers"]:
            if answer["number"] == told["number"]:
                return {"action": answer["action"]}
        if any(form["number"] == told["number"] for form in question["forms"]):
            raise Malformed(f"Answer {told['number']} has parts: send its action with its fields filled in.")
        raise Malformed(f"There is no answer {told['number']}; there are {len(question['answers'])}.")
