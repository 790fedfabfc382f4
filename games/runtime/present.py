"""A race as one viewer may see it, as plain JSON: everything that pages, mails and the API show."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine.contract import JSON, Ruleset
from games.models import Decision, Entry, FollowUp, Race, Seat
from games.models.race import hours_of
from games.runtime.agreed import clock_texts
from games.runtime.play import Given, apply
from games.runtime.position import Position, drivers, faults_told, pairs_of, position_of, ruleset_of, turn_of
from games.runtime.questions import question
from games.runtime.rulesets import BOT_TITLES, board_words, conceals, reason_words, seat_sign, seat_words
from games.runtime.story import lines_of, notes_of
from games.runtime.undo import undo_for
from games.runtime.words import Names, optional_stamp, stamp
from games.tempo.policies import POLICIES
from games.tempo.tempos import tempo_key

READS_MOST = 3
"""So often a race is read again when acts keep coming in between."""
_MAILED = frozenset({"invited", "declined"})
NOTHING_CONCEALED = "Nothing is hidden in this game, so every answer counts as soon as it is given."
FAULT_TEXT = (
    "This race has stopped: something in its record is broken. Nothing is lost, and who runs this server has been told."
)


def present(race: Race, viewer: Seat | None, *, log_last: int | None = 60) -> dict[str, JSON]:
    """The presentation of a race for one of its seats, or for a spectator (None).

    Outside games, ask games.selectors.races.race_present. Six statements. Raises RaceFaulty. The shape:

    {"race": race_part(), "seats": seats_part(), "you": seat number or None, "your_place": order of joining or None,
    "names": {"1": who drives car 1, both where two do}, "drivers": {"1": who sits at seat 1}, "car": one's car's
    number or None, "your_car": it in words, "car 3" or where two drive it "car 3, Assistant Driver", or "", "partner":
    who drives it too, or "", "view": the ruleset's view, or None before the start, "board": the same in words
    (games.engine.extras.Extras.board_words) or None, "question": None or {"decision", "key", "kind", "clock", "rule",
    "text", "what_now" ("" unless its seat is guided), "position", "due_at", "due_rule", "otherwise", "is_window",
    "answers": [{"number", "words", "rule", "action", "cards", "risks": sentences}], "forms": [{"number", "label",
    "rule", "action", "cards", "fields": [{"name", "label", "kind", "values", "least", "most", "empty"}]}], "sealed":
    None or {"words", "action", "origin", "at"}, "follow": [{"trigger", "label", "answers": [{"value", "words"}],
    "chosen": value}]}, "waiting": waiting_part(), "log": [{"entry", "at", "turn", "kind", "rule", "text"}],
    "log_left_out": earlier entries not in it, "result": None or result_part(), "undo": None or {"to": entry, "words"}:
    the viewer's last act, if it may be taken back}
    """
    rows = _read(race.pk, viewer, log_last)
    for _ in range(READS_MOST):
        # Read in several statements: if an act came in between, they do not fit together.
        if Race.objects.values_list("seq", "status").get(pk=race.pk) == (rows.race.seq, rows.race.status):
            break
        rows = _read(race.pk, viewer, log_last)
    return _present(rows, viewer, log_last)


@dataclass(frozen=True)
class _Rows:
    """What a presentation is made of."""

    race: Race
    seats: list[Seat]
    own: Seat | None
    chosen: list[FollowUp]
    entries: list[Entry]


def _read(race_id: int, viewer: Seat | None, log_last: int | None) -> _Rows:
    race = Race.objects.select_related("snapshot", "host").get(pk=race_id)
    seats = seats_read(race)
    own = next((seat for seat in seats if viewer is not None and seat.pk == viewer.pk), None)
    entries = Entry.objects.filter(race=race).order_by("-seq").only("race_id", "seq", "turn", "events", "created_at")
    is_asked = decision_row(own) is not None
    return _Rows(
        race=race,
        seats=seats,
        own=own,
        chosen=list(FollowUp.objects.filter(seat=own)) if is_asked else [],
        entries=list(entries if log_last is None else entries[:log_last])[::-1],
    )


def _present(rows: _Rows, viewer: Seat | None, log_last: int | None) -> dict[str, JSON]:
    race, seats, own = rows.race, rows.seats, rows.own
    ruleset = ruleset_of(race)
    names = names_of(seats)
    out: dict[str, JSON] = {
        "race": race_part(race, seats, title=ruleset.title),
        "seats": seats_part(race, seats, viewer),
        "pairs": pairs_part(race, seats),
        "you": None if own is None else own.number,
        "your_place": None if own is None else own.joined_order,
        "names": names.cars,
        "drivers": names.drivers,
        "car": None if own is None else own.car,
        "your_car": "" if own is None else seat_words(race.ruleset, own.car, own.part),
        "partner": partner_of(seats, own),
        "view": None,
        "board": None,
        "question": None,
        "undo": None,
        "waiting": waiting_part(race.ruleset, seats),
        "log": [],
        "log_left_out": 0,
        "result": result_part(race, ruleset, seats),
    }
    if race.started_at is None:
        return out
    position = position_of(race, getattr(race, "snapshot", None))
    row = decision_row(own)
    with faults_told(race):
        out["view"] = view_for(race, position, own)
        out["board"] = board_words(ruleset, out["view"])
        if own is not None and row is not None:
            out["question"] = question_for(position, own, row, view=out["view"], names=names.cars, chosen=rows.chosen)
            out["undo"] = _undo_part(position, own, seats, race=race, view=out["view"])
    notes = notes_of(race, since=rows.entries[0].seq if rows.entries else 0)
    log = lines_of(race, ruleset, rows.entries, viewer=out["you"], names=names, notes=notes)
    out["log"] = log if log_last is None else log[-log_last:] if log_last else []
    out["log_left_out"] = rows.entries[0].seq if rows.entries else race.seq + 1
    return out


def _undo_part(
    position: Position, own: Seat, seats: Sequence[Seat], *, race: Race, view: JSON
) -> dict[str, JSON] | None:
    """What the viewer may take back: {"to", "words"}, or None."""
    asked = {seat.number: row for seat in seats if seat.number is not None and (row := decision_row(seat)) is not None}
    undo = undo_for(race, position.ruleset, own, asked, turn=position.turn, view=view)
    return None if undo is None else {"to": undo.to, "words": undo.words}


def seats_read(race: Race) -> list[Seat]:
    """The seats but those that were left, with player and open decision: by number, before the start by joining.

    Before the start those whose invitation was declined are among them: seats_part shows them to the host alone.
    """
    seats = Seat.objects.filter(race=race).exclude(state="left").select_related("player", "decision")
    return sorted(seats, key=lambda seat: (seat.number or 0, seat.joined_order))


def decision_row(seat: Seat | None) -> Decision | None:
    """What is asked of a seat that was read by seats_read."""
    return None if seat is None else getattr(seat, "decision", None)


def names_of(seats: Sequence[Seat]) -> Names:
    """The names of all drivers, by car and by seat; who has given up is not named with the partner who drives on."""
    numbered = sorted((seat for seat in seats if seat.number is not None), key=lambda seat: seat.number or 0)
    cars: dict[str, list[Seat]] = defaultdict(list)
    for seat in numbered:
        cars[str(seat.car)].append(seat)
    return Names(
        cars={car: " and ".join(seat.shown_name for seat in _who_stays(both)) for car, both in cars.items()},
        drivers={str(seat.number): seat.shown_name for seat in numbered},
        parts=frozenset(seat.part for seat in numbered if seat.part),
    )


def _who_stays(seats: Sequence[Seat]) -> Sequence[Seat]:
    return [seat for seat in seats if seat.state not in {"resigned", "removed"}] or seats


def partner_of(seats: Sequence[Seat], own: Seat | None) -> str:
    """With whom the viewer shares a car, by name; "" without, or if the partner has given up."""
    if own is None or own.number is None:
        return ""
    others = (seat for seat in seats if seat.car == own.car and seat.pk != own.pk)
    return next((seat.shown_name for seat in others if seat.state not in {"resigned", "removed"}), "")


def race_part(race: Race, seats: Sequence[Seat], *, title: str) -> dict[str, JSON]:
    """What is said of a race itself.

    "id", "name", "ruleset", "title", "status" (open, running, finished, abandoned), "position", "policy",
    "policy_text", "tempo", "turn_hours", "reaction_hours", "pause_cap_hours", "bank", "holidays_allowed", "absences",
    "substitutes", "bot_takeover", "extension_cap_hours", "clock_texts" (what was agreed about clocks, a sentence
    each), "paused_at" (since when the clocks stand still, or None), "components", "sections", "options",
    "seats_wanted", "seats_taken", "starts_when_full", "bots_allowed", "is_public", "commitment",
    "secret" (hexadecimal, once it is over), "host" (name), "fault" ("" or a sentence for anybody),
    "created_at", "started_at", "finished_at".
    """
    return {
        "id": race.public_id,
        "name": race.name,
        "ruleset": race.ruleset,
        "title": title,
        "status": race.status,
        "position": race.seq,
        "policy": race.policy,
        "policy_text": POLICIES[race.policy] if conceals(race.ruleset) else NOTHING_CONCEALED,
        "tempo": tempo_key(turn=race.turn_minutes, reaction=race.reaction_minutes),
        "turn_hours": race.turn_hours,
        "reaction_hours": race.reaction_hours,
        "components": race.options.get("components", ""),
        "sections": race.options.get("sections"),
        "options": race.options,
        "pause_cap_hours": hours_of(race.pause_cap_minutes),
        "bank": race.bank is not None,
        "holidays_allowed": race.holidays_allowed,
        "absences": race.absences_allowed,
        "substitutes": race.substitutes,
        "bot_takeover": race.bot_takeover,
        "extension_cap_hours": hours_of(race.extension_cap_minutes),
        "clock_texts": clock_texts(race),
        "paused_at": optional_stamp(race.paused_at),
        "seats_wanted": race.seats_wanted,
        "seats_taken": sum(seat.state == "joined" for seat in seats),
        "starts_when_full": race.starts_when_full,
        "bots_allowed": race.bots_allowed,
        "is_public": race.is_public,
        "commitment": race.commitment,
        "secret": bytes(race.secret).hex() if race.status == "finished" else None,
        "host": race.host.display_name,
        "fault": FAULT_TEXT if race.fault else "",
        "created_at": stamp(race.created_at),
        "started_at": optional_stamp(race.started_at),
        "finished_at": optional_stamp(race.finished_at),
    }


def seats_part(race: Race, seats: Sequence[Seat], viewer: Seat | None) -> list[dict[str, JSON]]:
    """The seats of the race.

    Each: {"seat": number or None before the start, "car": its car's number or None, "part": which of two drivers of
    the car it is, in words, or "", "car_words": both in words, "sign": what stands on its sign, "place": order of
    joining, "id": row id, "name", "address", "kind", "you", "is_host", "state", "words", "bot": the kind of bot in
    words, "slow", "bank_s": seconds or None, "gone", "offered": to others, its driver having been away}.

    ``address``: where an invitation went, for the host's eyes only, else "". ``kind``: player, bot or invited. A seat
    whose invitation was declined before the start has become free; the host alone is shown that it was.
    ``words`` are told once nobody can add any more. ``slow``: a bot that takes its time. ``gone``: the host may
    remove or replace it.
    """
    is_for_host = viewer is not None and viewer.player_id == race.host_id
    return [
        {
            "seat": seat.number,
            "car": seat.car,
            "part": seat.part,
            "car_words": seat_words(race.ruleset, seat.car, seat.part),
            "sign": "" if seat.car is None else seat_sign(race.ruleset, seat.car),
            "partner_wish": seat.partner_wish_id if race.started_at is None else None,
            "place": seat.joined_order,
            "id": seat.pk,
            "name": seat.shown_name,
            "address": seat.invited_email if is_for_host and seat.state in _MAILED else "",
            "kind": "bot" if seat.bot else "invited" if seat.state in _MAILED else "player",
            "you": viewer is not None and seat.pk == viewer.pk,
            "is_host": seat.player_id == race.host_id,
            "state": seat.state,
            "words": seat.words if race.started_at is not None else "",
            "bot": BOT_TITLES.get(seat.bot, seat.bot),
            "slow": seat.bot_delay_s > 0,
            "bank_s": seat.bank_s,
            "gone": is_gone(race, seat),
            "offered": race.status == "running" and seat.state == "joined" and seat.offered_at is not None,
        }
        for seat in seats
        if is_for_host or seat.state != "declined" or seat.number is not None
    ]


def pairs_part(race: Race, seats: Sequence[Seat]) -> list[list[int]]:
    """Before the start: who would share a car as things are, each pair by the seats' ids; see position.pairs_of."""
    if race.started_at is not None:
        return []
    joined = drivers(seats)
    return [[joined[one - 1].pk, joined[other - 1].pk] for one, other in pairs_of(race, seats)]


def is_gone(race: Race, seat: Seat) -> bool:
    """Whether a driver has gone: was away too often, resigned, was removed, or never took up an offered seat."""
    return race.status == "running" and (seat.state != "joined" or seat.offered_at is not None)


def waiting_part(ruleset: str, seats: Sequence[Seat]) -> dict[str, JSON] | None:
    """What everybody may know of what the race waits for; ``ruleset``: its key.

    {"kind": "turn", "seat", "car": its car in words, "due_at"} for a question whose answer takes effect at once,
    {"kind": "window", "closes_by"} while a window is open, None when nothing is asked. All decisions of a window have
    one deadline, so nobody can tell from it who was asked.
    """
    rows = [row for row in map(decision_row, seats) if row is not None]
    if not rows:
        return None
    if any(row.window is not None for row in rows):
        return {"kind": "window", "closes_by": stamp(max(row.due_at for row in rows))}
    first = min(rows, key=lambda row: row.due_at)
    seat = next(seat for seat in seats if seat.pk == first.seat_id)
    return {
        "kind": "turn",
        "seat": seat.number,
        "car": seat_words(ruleset, seat.car, seat.part),
        "due_at": stamp(first.due_at),
    }


def result_part(race: Race, ruleset: Ruleset[Any], seats: Sequence[Seat]) -> dict[str, JSON] | None:
    """How the race ended.

    {"places": [[{"seat", "car", "name"}]], "teams": whether who shares a place has shared a car, "reason": words}
    """
    if race.outcome is None:
        return None
    found = {seat.number: seat for seat in seats}
    return {
        "places": [
            [{"seat": seat, "car": found[seat].car, "name": found[seat].shown_name} for seat in group]
            for group in race.outcome["places"]
        ],
        "teams": bool(race.outcome.get("teams")),
        "reason": reason_words(ruleset, race.outcome["reason"]),
    }


def view_for(race: Race, position: Position, own: Seat | None) -> JSON:
    """The ruleset's view; the viewer's own acts that wait for the next entry are shown as done."""
    if own is None or own.number is None:
        return position.ruleset.view(position.state, None)
    if own.asides and race.status == "running":
        given = [Given(own.number, aside, "player") for aside in own.asides]
        # A wish draws nothing, so any key will do.
        position, _ = apply(race, position, given, key=b"")
    return position.ruleset.view(position.state, own.number)


def question_for(
    position: Position,
    seat: Seat,
    row: Decision,
    *,
    view: JSON,
    names: Mapping[str, str],
    chosen: Sequence[FollowUp] = (),
) -> dict[str, JSON] | None:
    """What is asked of this seat, or None if the rules ask nothing of it."""
    decision = next((d for d in position.pending() if d.seat == seat.number), None)
    if decision is None:
        return None
    turn = turn_of(view)
    return question(
        position.ruleset,
        view,
        decision,
        row,
        names=names,
        chosen=[one for one in chosen if one.turn == turn],
        guided=seat.guided,
    )
