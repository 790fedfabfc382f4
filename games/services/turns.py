"""The one door for every act."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.engine import codec
from games.engine.contract import JSON
from games.engine.errors import ActionRefused
from games.models import Receipt, Seat
from games.runtime import rulesets
from games.runtime.errors import RaceFaulty
from games.runtime.play import Given, action_of
from games.runtime.position import faults_told
from games.runtime.present import names_of, question_for
from games.runtime.questions import follow_action
from games.runtime.words import optional_stamp
from games.services.acting import AnsweredBefore, desk_for, key_check
from games.services.desk import Desk
from games.services.errors import (
    Malformed,
    NotYourDecision,
    StaleAnswer,
)
from games.services.faults import fault_mark
from games.services.incoming import action_incoming, words_incoming

WITHDRAW: Final = "withdraw"
"""The one act without a question that takes effect at once; any other (a wish) waits for the race's next entry."""
MOST_ASIDES: Final = 20
_ONE_OF_TWO: Final = "Give an act or the words of one, not both and not neither."


def action_submit(
    *,
    race_id: int,
    seat_id: int,
    expected_seq: int,
    idempotency_key: str,
    action: Mapping[str, Any] | None = None,
    words: str | None = None,
    origin: str = "player",
    follow_ups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Give one seat's answer: page, API, mail, link, bot and resignation all come through here.

    ``race_id`` and ``seat_id`` are row ids (Race.pk, Seat.pk); the caller has made sure that the acting person holds
    the seat (games.selectors.seats.seat_of). Exactly one of ``action`` (JSON, {"do": …}) and ``words`` ("pass 2 with
    Move 2"). ``expected_seq`` is question["position"] of the presentation on which the answer was composed.
    ``idempotency_key``: 1 to 100 characters, made anew for every form that is shown; the same key again gives the
    first answer again. ``origin``: player, link, mail, api or bot. ``follow_ups``: trigger -> value, both from
    question["follow"].

    Returns the receipt: {"status": "applied" | "sealed" | "noted", "words": str, "position": int (the race's,
    afterwards), "entry": int or None (the record's entry in which the answer stands), "closes_by": "…Z" or None
    (latest, while it is sealed)}. "noted" is an act that needs no question and will stand in the next entry.

    Raises StaleAnswer (with the present question), NotYourDecision, RuleViolation, Malformed, Ambiguous, RaceOver,
    RaceNotRunning, RaceUnknown, NotYourSeat, KeyMissing, RaceFaulty. After a refusal nothing has changed.
    """
    key_check(idempotency_key)
    if (action is None) == (words is None):
        raise Malformed(_ONE_OF_TWO)
    # Before the race is touched: what the rules have not looked at must not be able to stop it.
    action = None if action is None else action_incoming(action)
    words = None if words is None else words_incoming(words)
    now = timezone.now()
    try:
        with transaction.atomic():
            return _submit(
                race_id=race_id,
                seat_id=seat_id,
                expected_seq=expected_seq,
                key=idempotency_key,
                action=action,
                words=words,
                origin=origin,
                follow_ups=follow_ups or {},
                now=now,
            )
    except AnsweredBefore as before:
        return before.receipt
    except RaceFaulty as fault:
        fault_mark(race_id=race_id, error=fault, now=now, by_player=origin != "bot")
        raise


def _submit(
    *,
    race_id: int,
    seat_id: int,
    expected_seq: int,
    key: str,
    action: Mapping[str, Any] | None,
    words: str | None,
    origin: str,
    follow_ups: Mapping[str, str],
    now: datetime,
) -> dict[str, Any]:
    desk, seat, number = desk_for(race_id=race_id, seat_id=seat_id, key=key, origin=origin, now=now)
    turn = _Turn(desk, seat, number)
    act = turn.read(action, words, expected_seq)
    said = turn.words_of(act)
    with faults_told(desk.race):
        is_aside = desk.ruleset.is_aside(act)
    if is_aside:
        receipt = turn.take_aside(act, origin)
    else:
        turn.refuse_stale(expected_seq)
        receipt = turn.take(act, origin, follow_ups)
    receipt = {
        **receipt,
        "words": said,
        "position": desk.race.seq,
        "closes_by": optional_stamp(desk.closes_by) if receipt["status"] == "sealed" else None,
    }
    Receipt.objects.create(seat=seat, idempotency_key=key, answer=receipt, origin=origin, created_at=now)
    return receipt


class _Turn:
    """One seat's act on the desk."""

    def __init__(self, desk: Desk, seat: Seat, number: int) -> None:
        self.desk = desk
        self.seat = seat
        self.number = number
        with faults_told(desk.race):
            self.view = desk.ruleset.view(desk.position.state, number)

    def read(self, action: Mapping[str, Any] | None, words: str | None, expected_seq: int) -> Any:
        """The act, from JSON or from the words of a player.

        What cannot be read may have meant something on the position it was composed on: if that has passed, it is the
        position that is refused.
        """
        try:
            return self._read(action, words)
        except RaceFaulty:
            raise
        except ActionRefused:
            self.refuse_stale(expected_seq)
            raise

    def _read(self, action: Mapping[str, Any] | None, words: str | None) -> Any:
        ruleset = self.desk.ruleset
        if action is not None:
            return action_of(ruleset, action)
        assert words is not None
        if not words.strip():
            raise Malformed("Say what you do, such as one of the answers under the question.")
        with faults_told(self.desk.race):
            return ruleset.read(self.view, words)

    def words_of(self, act: Any) -> str:
        """How the ruleset says this act."""
        with faults_told(self.desk.race):
            return self.desk.ruleset.say(self.view, act)

    def refuse_stale(self, expected_seq: int) -> None:
        """Refuse an answer to another question than the present one."""
        row = self.desk.rows.get(self.number)
        accepted = {self.desk.race.seq} if row is None else {row.position, self.desk.race.seq}
        if expected_seq not in accepted:
            raise StaleAnswer(
                "The race has moved on since; nothing was played. Look at what is asked now.",
                position=self.desk.race.seq,
                question=question_asked(self.desk, self.number),
            )
        if row is None:
            raise NotYourDecision("Nothing is asked of you now.")

    def take(self, act: Any, origin: str, follow_ups: Mapping[str, str]) -> dict[str, Any]:
        """Apply the answer, or seal it if it is one of a window."""
        desk = self.desk
        desk.check(self.number, act)
        orders = self._orders(follow_ups)
        if orders:
            desk.give_follow_ups(self.number, orders)
        plain = codec.to_json(act)
        is_sealed = desk.rows[self.number].window is not None
        if is_sealed:
            desk.seal(self.number, plain, origin)
        else:
            desk.play([Given(self.number, plain, origin)])
            self._was_here()
        desk.settle()
        desk.write()
        entry = desk.entry_of(self.number)
        return {"status": "sealed" if is_sealed and entry is None else "applied", "entry": entry}

    def take_aside(self, act: Any, origin: str) -> dict[str, Any]:
        """Apply a withdrawal; keep any other act without a question for the next entry."""
        desk = self.desk
        plain = codec.to_json(act)
        if plain["do"] != WITHDRAW:
            if len(self.seat.asides) >= MOST_ASIDES:
                raise Malformed("You have said this often enough; it will stand in the race's next entry.")
            self.seat.asides = [*(one for one in self.seat.asides if one["do"] != plain["do"]), plain]
            desk.touch(self.seat)
            desk.write()
            return {"status": "noted", "entry": None}
        desk.play([Given(self.number, plain, origin)])
        self.seat.state, self.seat.driver_seq = "resigned", desk.position.seq
        desk.touch(self.seat)
        desk.beforehand.drop_plan(self.seat)
        desk.settle()
        desk.write()
        return {"status": "applied", "entry": desk.entry_of(self.number)}

    def _was_here(self) -> None:
        """A turn that is taken ends a row of lapsed ones; a sealed answer must not, since all can see who has gone."""
        if self.seat.lapses or self.seat.offered_at is not None:
            self.desk.back(self.seat)

    def _orders(self, follow_ups: Mapping[str, str]) -> dict[str, JSON]:
        """Trigger -> action as JSON (None: ask me), from what the present question offers."""
        if not follow_ups:
            return {}
        desk = self.desk
        orders: dict[str, JSON] = {}
        with faults_told(desk.race):
            offered = {
                one.trigger: one for one in rulesets.follows(desk.ruleset, self.view, desk.questions[self.number])
            }
            for trigger, value in follow_ups.items():
                if trigger not in offered:
                    raise Malformed(f"Nothing that may follow is called “{trigger}” here.")
                try:
                    chosen = follow_action(desk.ruleset, self.view, offered[trigger], value)
                except KeyError as unknown:
                    raise Malformed(f"“{value}” is no answer to what may follow here.") from unknown
                orders[trigger] = None if chosen is None else codec.to_json(chosen)
        return orders


def question_asked(desk: Desk, number: int) -> dict[str, Any] | None:
    """What is asked of this seat now, as in a presentation, or None."""
    row = desk.rows.get(number)
    if row is None:
        return None
    with faults_told(desk.race):
        view = desk.ruleset.view(desk.position.state, number)
        return question_for(desk.position, desk.seats[number], row, view=view, names=names_of(desk.all_seats).cars)
