"""A race on the desk: locked, carried from an act to its next question in memory, and written back in few statements.

Everything that moves a race works through here, inside a transaction that its caller opened: acts, lapses, windows
that close, answers that the server gives by itself.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Subquery

from games.engine import codec
from games.engine.contract import JSON, Decision, Ruleset
from games.engine.errors import ActionRefused
from games.models import Decision as DecisionRow
from games.models import Entry, Lapse, OutboxEvent, Race, Receipt, Seat, Snapshot
from games.runtime import rulesets
from games.runtime.errors import RaceFaulty
from games.runtime.play import Given, Line, Started, action_of, apply, check, go_back
from games.runtime.position import Position, faults_told, position_of, race_key, turn_of
from games.runtime.replay import state_at
from games.runtime.words import capital
from games.services.absences import absences_of, lapse_of
from games.services.beforehand import Beforehand, with_beforehand
from games.services.clocks import CLOCK_FIELDS, Clocks, Whose, turn_over, turn_seconds, window_seats
from games.services.notes import race_note
from games.signals import campaign_due, outbox_written
from games.tempo.holds import hold_seconds
from games.tempo.policies import Asked, closes_at
from roadkill_site.accounts.models import Holiday

MOST_ENTRIES: Final = 200
"""Entries that one transaction may add by itself; a race that wants more goes on with the next sweep."""
_NOBODYS: Final = frozenset({"deadline", "rule", "resigned"})
"""Origins of answers that no driver has given."""
AT_THE_SCREEN: Final = frozenset({"player", "api"})
"""Origins of acts whose player sees the next question without a mail."""


def race_lock(race_id: int, *, skip_locked: bool = False) -> Race | None:
    """The race's row, locked until the transaction ends, or None.

    None: there is no such race, or, with ``skip_locked``, somebody else holds it.

    SQLite has no row locks: there the transaction, begun as IMMEDIATE, is the lock.
    """
    skip = skip_locked and connection.features.has_select_for_update_skip_locked
    # The snapshot is not joined but read later, by a statement of its own: one that waits for a lock gives the locked
    # row as it is after the wait, but joined rows as they were before it.
    return Race.objects.select_for_update(skip_locked=skip).filter(pk=race_id).first()


def seats_locked(race: Race, *, receipt_key: str = "") -> list[Seat]:
    """The seats of a locked race under way, by number, with their open decisions.

    Each has attributes ``last_origin`` and ``last_act_at``: how and when its last act came, or None. With
    ``receipt_key`` it has ``first_answer``: what it was answered when it first used this key, or None.
    """
    seats = Seat.objects.filter(race=race, number__isnull=False).select_related("decision", "player").order_by("number")
    last = Receipt.objects.filter(seat_id=OuterRef("pk")).order_by("-pk")
    seats = seats.annotate(has_holiday=Exists(Holiday.objects.filter(user_id=OuterRef("player_id"))))
    seats = seats.annotate(
        last_origin=Subquery(last.values("origin")[:1]), last_act_at=Subquery(last.values("created_at")[:1])
    )
    if receipt_key:
        first = Receipt.objects.filter(seat_id=OuterRef("pk"), idempotency_key=receipt_key)
        seats = seats.annotate(first_answer=Subquery(first.values("answer")[:1]))
    return list(with_beforehand(seats))


class Desk:
    """One race while one transaction works on it.

    ``seats``: by number. ``rows``: the open decisions by seat number. ``acting``: how the act that is being given came,
    by seat number. ``now`` is the one moment at which all of it happens.
    """

    def __init__(self, race: Race, seats: Sequence[Seat], position: Position, now: datetime) -> None:
        self.race = race
        self.now = now
        self.position = position
        self.all_seats = list(seats)
        self.seats = {seat.number: seat for seat in seats if seat.number is not None}
        self.rows = {number: seat.decision for number, seat in self.seats.items() if hasattr(seat, "decision")}
        self.questions = {d.seat: d for d in position.pending()} if self.rows else {}
        self.acting: dict[int, str] = {}
        self.clocks = Clocks(race, self.seats)
        self.lapsed = 0
        self.closed = 0
        self._key = race_key(race, seats)
        self._lines: list[Line] = []
        self._loaded = {row.pk for row in self.rows.values()}
        self._new: set[int] = set()
        self._resealed: set[int] = set()
        self._reclocked: set[int] = set()
        self._window: Whose | None = None
        self._touched: dict[int, Seat] = {}
        self._outbox: list[OutboxEvent] = []
        self._lapses: list[Lapse] = []
        self._notes: list[tuple[str, str]] = []
        self.beforehand = Beforehand(race, self.seats, now)
        self._is_new = False
        self._is_cut_short = False

    @classmethod
    def of(cls, race: Race, now: datetime, seats: Sequence[Seat] | None = None) -> "Desk":
        """The desk of a locked race that is under way; raises RaceFaulty.

        ``seats``: seats_locked(), if read already.
        """
        position = position_of(race, Snapshot.objects.filter(race_id=race.pk).first())
        with faults_told(race):
            return cls(race, seats_locked(race) if seats is None else seats, position, now)

    @classmethod
    def of_start(cls, race: Race, seats: Sequence[Seat], started: Started, now: datetime) -> "Desk":
        """The desk of a race that is just being set up; its seats have their numbers."""
        desk = cls(race, seats, started.position, now)
        desk._lines.append(started.line)
        desk._is_new = True
        return desk

    # --- what happens -------------------------------------------------------------------

    @property
    def ruleset(self) -> Ruleset[Any]:
        """The rules of the race."""
        return self.position.ruleset

    @property
    def is_window(self) -> bool:
        """Whether a window is open."""
        return any(row.window is not None for row in self.rows.values())

    @property
    def last_entry(self) -> int | None:
        """The number of the last entry that was added here."""
        return self._lines[-1].seq if self._lines else None

    def entry_of(self, seat: int) -> int | None:
        """The number of the first entry added here in which this seat acted."""
        return next((line.seq for line in self._lines if any(a["seat"] == seat for a in line.acts)), None)

    def play(self, given: Sequence[Given]) -> None:
        """Add an entry of these answers, after the acts of any seat that waited for one.

        Raises what the rules refuse.
        """
        waiting = [
            Given(number, aside, "player") for number, seat in sorted(self.seats.items()) for aside in seat.asides
        ]
        position, line = apply(self.race, self.position, given, key=self._key, waiting=waiting)
        for seat in self.seats.values():
            if seat.asides:
                seat.asides = []
                self._touched[seat.pk] = seat
        self.position = position
        self._lines.append(line)
        for one in given:
            seat = self.seats[one.seat]
            if seat.absent_player_id is not None and one.origin not in _NOBODYS:
                # Moved by somebody else: whoever was away cannot take the seat back any more. Not before all can see
                # the act, or a page of that player's would tell that an answer lies sealed.
                seat.absent_player = None
                self.touch(seat)
        with faults_told(self.race):
            asides = [self.ruleset.is_aside(action_of(self.ruleset, one.action)) for one in given]
        self._answered({one.seat for one, aside in zip(given, asides, strict=True) if not aside})

    def go_back(self, *, to: int, by: Sequence[int], words: str = "") -> None:
        """Add an entry by which the race goes back to the state after entry ``to``; all open questions are dropped.

        A turn's clock stops where it is. ``by`` and ``words`` as games.runtime.play.back_event. Raises RaceFaulty.
        """
        self.position, line = go_back(self.race, self.position, state_at(self.race, to), to=to, by=by, words=words)
        self._lines.append(line)
        self._window = None
        self._answered(list(self.rows))

    def keep_clock(self, number: int, before: DecisionRow) -> None:
        """Let the clock of a turn go on as it was before the race went back, with what was granted on top."""
        row = self.rows.get(number)
        if row is None or row.window is not None or (row.clock, before.clock) != ("turn", "turn"):
            return
        row.left_s, row.extra_s = before.left_s, before.extra_s
        row.extensions, row.credits = before.extensions, before.credits
        self.clocks.set_due(row, self.whose(number), number=number)

    def say_again(self, asides: Iterable[tuple[int, Mapping[str, JSON]]]) -> None:
        """Let acts without a question that stood in an entry taken back wait for the next one, unless said anew."""
        for number, aside in asides:
            seat = self.seats[number]
            if seat.state == "joined" and all(one["do"] != aside["do"] for one in seat.asides):
                seat.asides = [*seat.asides, dict(aside)]
                self.touch(seat)

    def seal(self, seat: int, action: Mapping[str, JSON], origin: str) -> None:
        """Keep an answer of the open window until it closes; it has been checked."""
        row = self.rows[seat]
        row.sealed_action = dict(action)
        row.sealed_origin = origin
        row.sealed_at = self.now
        if row.pk not in self._new:
            self._resealed.add(seat)

    def unseal(self, seat: int) -> None:
        """Take a kept answer back, so that the question is open again."""
        row = self.rows[seat]
        row.sealed_action, row.sealed_origin, row.sealed_at = None, "", None
        self._resealed.add(seat)

    def check(self, seat: int, action: Any) -> None:
        """Raise what the rules refuse of this answer."""
        check(self.race, self.position, seat, action)

    def lapse(self) -> None:
        """Answer with their defaults the questions, outside windows, whose deadline has passed.

        None has while the clocks are stopped.
        """
        while self.outcome is None and self.race.paused_at is None:
            self._ask()
            due = [n for n, row in self.rows.items() if row.window is None and row.due_at <= self.now]
            if not due:
                return
            self._count_lapse(self.seats[due[0]], self.rows[due[0]])
            who = capital(self.seats[due[0]].actor_words)
            self.note(f"lapse/{self.rows[due[0]].pk}", f"{who} has not answered in time.")
            self.lapsed += 1
            self.play([Given(due[0], self._default(due[0]), "deadline")])

    def settle(self) -> None:
        """Go on until the race waits for somebody, is over, or has had its share: then the next sweep goes on."""
        for _ in range(MOST_ENTRIES):
            if self.outcome is not None:
                self._finish()
                return
            self._ask()
            given = self._ready()
            if not given:
                return
            self.play(given)
        self._is_cut_short = True

    @property
    def outcome(self) -> Any:
        """How the race ended, or None."""
        with faults_told(self.race):
            return self.ruleset.outcome(self.position.state)

    def tell(self, kind: str, seat: Seat, *, decision_id: int = 0, not_before: datetime | None = None) -> None:
        """Put a row into the outbox, unless a bot sits there."""
        if seat.bot or seat.state == "declined" or (seat.state == "invited") != (kind == "invited"):
            return
        self._outbox.append(
            OutboxEvent(
                kind=kind,
                race_id=self.race.pk,
                seat_id=seat.pk,
                decision_id=decision_id,
                not_before=not_before,
                seq=self.position.seq,
                created_at=self.now,
            )
        )

    def tell_all(self, kind: str) -> None:
        """Put a row into the outbox for everybody who still drives, or resigned and may want to know."""
        for seat in self.seats.values():
            if seat.state in {"joined", "resigned"}:
                self.tell(kind, seat)

    def touch(self, seat: Seat) -> None:
        """Write this seat's row at the end."""
        self._touched[seat.pk] = seat

    def give_follow_ups(self, seat: int, orders: Mapping[str, JSON]) -> None:
        """Keep what a seat answers to questions that may follow in this turn: trigger -> action, None: ask me."""
        self.beforehand.give_follow_ups(self.seats[seat], self.turn, orders)

    @property
    def turn(self) -> int:
        """The public number of the turn in progress."""
        with faults_told(self.race):
            return self.position.turn

    # --- asking -------------------------------------------------------------------------

    def _ask(self) -> None:
        """Make the rows fit what the rules now ask: questions that stand are kept, new ones opened, others dropped."""
        with faults_told(self.race):
            pending = self.position.pending()
            view = self.ruleset.view(self.position.state, None) if pending else {}
        self.questions = {d.seat: d for d in pending}
        is_window = any(d.sealed for d in pending)
        turn = turn_of(view)
        if is_window:
            with faults_told(self.race):
                self._window = window_seats(self.position, pending, self.seats, view)
        for number in list(self.rows):
            question = self.questions.get(number)
            if question is None or not _is_same(self.rows[number], question, is_window=is_window):
                del self.rows[number]
        for question in pending:
            if question.seat in self.rows:
                self._recheck(question.seat)
            else:
                self._open(question, turn, is_window=is_window)
        self._one_deadline()
        self._answer_by_itself(turn)

    def _recheck(self, seat: int) -> None:
        """A kept answer that has become illegal is given back."""
        row = self.rows[seat]
        if row.sealed_action is None or not self._lines:
            return
        try:
            self.check(seat, action_of(self.ruleset, row.sealed_action))
        except RaceFaulty:
            raise
        except ActionRefused:
            self.unseal(seat)

    def _open(self, question: Decision, turn: int, *, is_window: bool) -> None:
        race, seat = self.race, self.seats[question.seat]
        is_turn = question.clock == "turn" and not is_window
        if is_turn:
            self._begin_turn(f"{turn}:{question.seat}")
        hold_until = None
        if is_window and race.policy == "paced" and question.singled and self.ruleset.answers_conceal:
            length = hold_seconds(
                secret=bytes(race.secret),
                seat=question.seat,
                turn=turn,
                reaction_seconds=race.reaction_minutes * 60,
            )
            hold_until = self.now + timedelta(seconds=length)
        row = DecisionRow(
            id=_decision_id(race, self.position.seq, question),
            race_id=race.pk,
            seat_id=seat.pk,
            position=self.position.seq,
            key=question.key,
            rule=question.rule,
            kind=question.kind,
            clock=question.clock,
            trigger=question.trigger,
            singled=question.singled,
            is_real=question.is_real,
            window=self.position.seq if is_window else None,
            opened_at=self.now,
            counts_from=self.now,
            used_s=race.turn_used_s if is_turn else 0,
            paused_s=race.turn_paused_s if is_turn else 0,
            hold_until=hold_until,
            bot_at=self.now + timedelta(seconds=seat.bot_delay_s) if seat.bot and seat.state == "joined" else None,
        )
        seconds = turn_seconds(race, seat, used_s=row.used_s) if is_turn else race.reaction_minutes * 60
        self.clocks.start(row, self._whose(question.seat, row), number=question.seat, seconds=seconds)
        self.rows[question.seat] = row
        self._new.add(row.pk)

    def _begin_turn(self, mark: str) -> None:
        """Let another turn's clock begin; the bank of the one before is settled."""
        if self.race.turn_mark == mark:
            return
        settled = turn_over(self.race, self.seats)
        if settled is not None:
            self.touch(settled)
        self.race.turn_mark, self.race.turn_used_s, self.race.turn_paused_s = mark, 0, 0

    def _whose(self, number: int, row: DecisionRow) -> Whose:
        """By whose calendars a question's clock runs."""
        if row.window is None:
            return Whose((number,))
        if self._window is None:
            with faults_told(self.race):
                view = self.ruleset.view(self.position.state, None)
                self._window = window_seats(self.position, list(self.questions.values()), self.seats, view)
        return self._window

    def _one_deadline(self) -> None:
        """All questions of a window close together, those too that come to it later."""
        latest = max((row.due_at for row in self.rows.values() if row.window is not None), default=None)
        for number, row in self.rows.items():
            if latest is not None and row.window is not None and row.due_at < latest:
                row.due_at = latest
                self.reclocked(number)

    def reclocked(self, number: int) -> None:
        """Write this question's clock at the end."""
        if self.rows[number].pk not in self._new:
            self._reclocked.add(number)

    def whose(self, number: int) -> Whose:
        """By whose calendars the clock of this seat's open question runs."""
        return self._whose(number, self.rows[number])

    def _answer_by_itself(self, turn: int) -> None:
        """Seal what needs nobody: seats without a driver, answers that are no choice, answers given beforehand."""
        for number, row in self.rows.items():
            if row.window is None or row.sealed_action is not None:
                continue
            if self.seats[number].state in {"resigned", "removed"}:
                self.seal(number, self._default(number), "resigned")
            elif self._is_no_choice(self.seats[number], row):
                self.seal(number, self._default(number), "rule")
            elif row.pk in self._new:
                told = self.beforehand.reaction(self.position, self.seats[number], self.questions[number], turn)
                if told is not None:
                    self.seal(number, *told)

    def _is_no_choice(self, seat: Seat, row: DecisionRow) -> bool:
        """Whether the server passes for this seat.

        A seat that is asked by its own wish and holds nothing is asked all the same, unless the race is ``open``: its
        wish may be a bluff, and an answer at once would give it away. A singled seat has a hold time (or the
        deadline, in ``strict``), which hides it. Neither hides a bot, whose delay is no secret: it takes as long over
        an answer that is no choice as over one that is.
        """
        if row.is_real:
            return False
        return self._closes_with_last or (row.singled and not seat.bot)

    def ask_anew(self, number: int) -> None:
        """Ask the open question of a seat that changed drivers once more: of whoever sits there now, by the same clock.

        It is another Decision, so that mails and links of the former driver's stand for nothing. An answer that lay
        sealed is dropped with the row, and nobody but its owner has seen that there was one.
        """
        former = self.rows.pop(number, None)
        if former is None:
            return
        seat = self.seats[number]
        row = copy(former)
        row.pk = _anew_id(self.race, former)
        row.sealed_action, row.sealed_origin, row.sealed_at = None, "", None
        row.bot_at = self.now + timedelta(seconds=seat.bot_delay_s) if seat.bot and seat.state == "joined" else None
        self.rows[number] = row
        self._new.add(row.pk)

    # --- handing over -------------------------------------------------------------------

    def _ready(self) -> list[Given]:
        """The answers that take effect now; () while somebody is waited for."""
        if not self.rows:
            return []
        if self.is_window:
            return self._window_if_closed()
        for number, row in self.rows.items():
            if self.seats[number].state in {"resigned", "removed"}:
                return [Given(number, self._default(number), "resigned")]
            if self._closes_with_last and not row.is_real:
                return [Given(number, self._default(number), "rule")]
            # A plan is for one's turn; it waits while upgrades are drafted before the first one.
            is_turn = row.clock == "turn" and row.kind != "draft"
            step = self.beforehand.plan_step(self.position, number, self._lines) if is_turn else None
            if step is not None:
                return [step]
        return []

    def _window_if_closed(self) -> list[Given]:
        closing = self._closing()
        if closing is not None and (self.now < closing or self.race.paused_at is not None):
            return []
        self.closed += 1
        given = []
        # In the order in which the rules name the seats: clockwise from the active one.
        for number in self.questions:
            row = self.rows[number]
            if row.sealed_action is not None:
                given.append(Given(number, row.sealed_action, row.sealed_origin))
            else:
                self.lapsed += 1
                given.append(Given(number, self._default(number), "deadline"))
        return given

    def _closing(self) -> datetime | None:
        policy = self.race.policy if self.ruleset.answers_conceal else "open"
        asked = [Asked(row.due_at, row.hold_until, row.sealed_at is not None) for row in self.rows.values()]
        return closes_at(policy, asked)

    @property
    def closes_by(self) -> datetime | None:
        """The latest time at which the open window closes: all that anybody but the asked may know."""
        return max((row.due_at for row in self.rows.values()), default=None) if self.is_window else None

    @property
    def _closes_with_last(self) -> bool:
        return self.race.policy == "open" or not self.ruleset.answers_conceal

    def _default(self, number: int) -> dict[str, JSON]:
        default: dict[str, JSON] = codec.to_json(self.questions[number].default)
        return default

    def _answered(self, seats: Iterable[int]) -> None:
        """Drop the questions that these seats have answered; a turn's clock stops where it was."""
        for number in seats:
            row = self.rows.pop(number, None)
            if row is not None and row.window is None and row.clock == "turn":
                self.clocks.stop(row, self._whose(number, row), at=self.now)
                self.race.turn_used_s, self.race.turn_paused_s = row.used_s, row.paused_s

    def _count_lapse(self, seat: Seat, row: DecisionRow) -> None:
        """A turn that lapsed is seen by all; after as many absences as the race allows, the seat is offered.

        Its driver is told of the offer or of the lapse, in one mail.
        """
        if not self._is_offered_now(seat, row):
            self.tell("lapsed", seat, decision_id=row.pk)

    def _is_offered_now(self, seat: Seat, row: DecisionRow) -> bool:
        """Count a turn that lapsed; whether the seat is offered for it."""
        turn = self.turn
        if row.clock != "turn" or seat.lapsed_turn == turn or seat.player_id is None:
            return False
        seat.lapses += 1
        seat.lapsed_turn = turn
        self.touch(seat)
        self._lapses.append(lapse_of(seat, row))
        if seat.offered_at is not None:
            return False
        own = [lapse for lapse in self._lapses if lapse.player_id == seat.player_id]
        if absences_of(race=self.race, seat=seat, now=self.now, more=own) < self.race.absences_allowed:
            return False
        seat.offered_at = self.now
        self.note(f"offered/{row.pk}", f"{capital(seat.driver_words)} was away: the seat is offered to others.")
        self.tell("seat_offered", seat, decision_id=row.pk)
        host = next((s for s in self.all_seats if s.player_id == self.race.host_id), None)
        # A host who has gone can be told nothing that the offer does not tell.
        if host is not None and host.pk != seat.pk:
            self.tell("seat_gone", host, decision_id=seat.pk)
        return True

    def back(self, seat: Seat) -> None:
        """The driver of this seat has taken a turn: what lapsed before counts no more, and an offer is over."""
        if seat.offered_at is not None:
            self.note(f"back/{seat.pk}/{self.now.isoformat()}", f"{capital(seat.driver_words)} is back.")
            seat.claims.all().delete()
        seat.lapses, seat.offered_at, seat.back_at = 0, None, self.now
        self.touch(seat)

    def note(self, key: str, text: str) -> None:
        """Add a line to the race's log that is no entry of its record."""
        self._notes.append((key, text))

    def _finish(self) -> None:
        outcome = self.outcome
        self.rows.clear()
        self.race.status = "finished"
        self.race.finished_at = self.now
        self.race.paused_at = None
        self.race.outcome = codec.to_json(outcome)
        self.tell_all("finished")
        race_id = self.race.pk
        transaction.on_commit(lambda: campaign_due.send(sender=Race, race_id=race_id))

    # --- writing ------------------------------------------------------------------------

    def write(self, *, is_sound: bool = False) -> None:
        """Write all that has changed, and send the signal once the transaction is through.

        ``is_sound``: all that was due has been done, so a fault noted earlier is over even if nothing has happened.
        """
        race = self.race
        if self._lines:
            self._write_lines()
            self._note_parts()
        for seat in self.seats.values():
            self.beforehand.plan_over(self.position, seat)
        self.beforehand.write()
        opened = self._write_rows()
        if self._lapses:
            Lapse.objects.bulk_create(self._lapses)
        wake_at = self._wake_at()
        is_over = bool(race.fault) and (is_sound or bool(self._lines))
        if self._lines or is_over or race.wake_at != wake_at:
            race.wake_at = wake_at
            if is_over:
                race.fault, race.fault_at, race.fault_count = "", None, 0
            race.save(update_fields=_RACE_FIELDS)
        for key, text in self._notes:
            race_note(race, key=key, text=text, now=self.now)
        if self._outbox:
            OutboxEvent.objects.bulk_create(self._outbox, ignore_conflicts=True)
        is_bot_due = any(row.bot_at is not None and row.bot_at <= self.now for row in opened)
        if self._outbox or is_bot_due:
            announce(race.pk, bots=is_bot_due)

    def _write_rows(self) -> list[DecisionRow]:
        """Write questions and seats; returns the questions that were opened."""
        kept = {row.pk for row in self.rows.values()}
        if self._loaded - kept:
            DecisionRow.objects.filter(pk__in=self._loaded - kept).delete()
        opened = [row for row in self.rows.values() if row.pk in self._new]
        for row in opened:
            self._tell_question(row)
        if opened:
            DecisionRow.objects.bulk_create(opened)
        for number in self._resealed & set(self.rows):
            self.rows[number].save(update_fields=["sealed_action", "sealed_origin", "sealed_at"])
        for number in self._reclocked & set(self.rows):
            self.rows[number].save(update_fields=CLOCK_FIELDS)
        if self._touched:
            Seat.objects.bulk_update(self._touched.values(), SEAT_FIELDS)
        return opened

    def _note_parts(self) -> None:
        """Note what each seat is by now to a car that it shares."""
        with faults_told(self.race):
            parts = rulesets.parts(self.ruleset, self.position.state)
        for number, part in parts.items():
            if self.seats[number].part != part:
                self.seats[number].part = part
                self.touch(self.seats[number])

    def _write_lines(self) -> None:
        race, position = self.race, self.position
        Entry.objects.bulk_create(
            Entry(
                race_id=race.pk,
                seq=line.seq,
                turn=line.turn,
                acts=line.acts,
                draws=line.draws,
                events=line.events,
                digest=line.digest,
                back=line.back,
                by=line.by,
                may_undo=line.may_undo,
                created_at=self.now,
            )
            for line in self._lines
        )
        if self._is_new:
            Snapshot.objects.create(race=race, seq=position.seq, state=position.data)
        else:
            Snapshot.objects.filter(race_id=race.pk).update(seq=position.seq, state=position.data)
        race.seq = position.seq
        race.chance_at = position.chance_at

    def _tell_question(self, row: DecisionRow) -> None:
        """Tell a player what is asked.

        A question that the server answered since it was no choice is told like one that is, so that who gets a mail
        depends on public facts; its reader is the only one to learn the difference.
        """
        seat = next(seat for seat in self.seats.values() if seat.pk == row.seat_id)
        if seat.state != "joined" or row.sealed_origin in {"order", "standing"}:
            return
        if row.sealed_origin == "rule" and self._closes_with_last:
            return
        kind = "turn" if row.clock == "turn" and row.window is None else "question"
        self.tell(kind, seat, decision_id=row.pk, not_before=self._not_before(row, seat))

    def _not_before(self, row: DecisionRow, seat: Seat) -> datetime | None:
        """When a question may be mailed; None: at once.

        Whoever has just acted on the page or by a program is there and sees what is asked next: the mail waits until so
        long after that act, and no longer than a tenth of the time that the answer has. An act by a mail's link comes
        from a reader of mails, who gets the next one at once.
        """
        origin: str | None = getattr(seat, "last_origin", None)
        at: datetime | None = getattr(seat, "last_act_at", None)
        if seat.number in self.acting:
            origin, at = self.acting[seat.number], self.now
        if origin not in AT_THE_SCREEN or at is None:
            return None
        waited = at + timedelta(minutes=settings.MAIL_WAIT_MINUTES)
        until = min(waited, self.now + (row.due_at - self.now) / 10)
        return until if until > self.now else None

    def _wake_at(self) -> datetime | None:
        """When the race has next to be looked after: a deadline, a window's closing, a bot.

        None when nothing can come due.
        """
        if self.race.status == "finished":
            return None
        if self.race.paused_at is not None:
            return None
        if self._is_cut_short or not self.rows:
            return self.now
        times = [row.bot_at for row in self.rows.values() if row.bot_at is not None and row.sealed_at is None]
        closing = self._closing() if self.is_window else min(row.due_at for row in self.rows.values())
        return min([closing or self.now, *times])


SEAT_FIELDS: Final = (
    "part",
    "asides",
    "lapses",
    "lapsed_turn",
    "state",
    "bank_s",
    "offered_at",
    "back_at",
    "player",
    "absent_player",
    "bot",
    "bot_delay_s",
    "name",
    "driver_seq",
)
_RACE_FIELDS: Final = (
    "seq",
    "chance_at",
    "status",
    "outcome",
    "finished_at",
    "turn_mark",
    "turn_used_s",
    "turn_paused_s",
    "paused_at",
    "wake_at",
    "fault",
    "fault_at",
    "fault_count",
)


def announce(race_id: int, *, bots: bool) -> None:
    """Send the signal once the transaction is through."""
    transaction.on_commit(lambda: outbox_written.send(sender=Race, race_id=race_id, bots=bots))


def _is_same(row: DecisionRow, question: Decision, *, is_window: bool) -> bool:
    """Whether an open row is this very question: a seat that has not acted since is not asked anew."""
    return (row.key, row.rule, row.trigger, row.window is not None) == (
        question.key,
        question.rule,
        question.trigger,
        is_window,
    )


def _decision_id(race: Race, seq: int, question: Decision) -> int:
    """An id that nobody can count by: HMAC-SHA256 under the race's secret, 53 bits, which every JSON reader keeps."""
    return _derived_id(race, f"decision/{race.public_id}/{seq}/{question.seat}/{question.key}")


def _anew_id(race: Race, former: DecisionRow) -> int:
    return _derived_id(race, f"decision/{race.public_id}/anew/{former.pk}")


def _derived_id(race: Race, text: str) -> int:
    return int.from_bytes(hmac.digest(bytes(race.secret), text.encode(), "sha256")[:8], "big") >> 11
