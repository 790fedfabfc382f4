"""Chapter 5: the sequence of play, how a card is announced and answered, discarding and drawing."""

from typing import Any, TypeAlias

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import Attack, Card, End, Exit, Pass
from games.rulesets.roadkill.rules.r04_cards import (
    discard,
    draw_to_hand,
    hand_limit,
    lacks,
    not_held,
    play_from_hand,
    room,
    take_from_hand,
)
from games.rulesets.roadkill.rules.r06_movement import (
    askers_clockwise,
    has_automatic_exit,
    log_after_turn,
    note_spent,
    table_moves,
)
from games.rulesets.roadkill.rules.r06_passing import announce_pass, may_answer, may_react, note_answered
from games.rulesets.roadkill.rules.r06_stops import is_resting, stop, use_rest_stop, uses_rest_stop
from games.rulesets.roadkill.rules.r07_damage import leave_course, start_anew
from games.rulesets.roadkill.rules.r08_events import draw_event, event_due, turns_before_events
from games.rulesets.roadkill.rules.r12_teams import lose_partners, next_player, share
from games.rulesets.roadkill.state import (
    COOLANT_LEAK,
    Acts,
    Announced,
    Asked,
    AutoPasses,
    Car,
    ExitOffer,
    Fates,
    Phase,
    Position,
    Removing,
    Table,
    Turn,
    is_dry,
    race_order,
)

OPEN, ANSWERED, FATED, REACTED, RED_FATED, REACTION_FATED, RESOLVE = range(7)
"""Stages of an announced act; what is above RESOLVE belongs to the act itself."""


@rule("5")
def begin_turn(table: Table) -> None:
    """Play passes clockwise; a wreck starts anew at the beginning of its turn (7.5)."""
    seat = table.turn.seat
    car = table.car(seat)
    if car.at_stop:
        table.note(benefit=True)
    table.tell("turn", "5", seat=seat, number=table.turn.number)
    if car.wreck:
        start_anew(table, seat)
    if table.teams and not table.car(seat).moving:
        table.note(fresh=False)


@rule("BT5")
@rule("5.1")
def event_phase(table: Table) -> None:
    """The leader draws an Event; everybody else skips this phase, which a turn on the Beginner's Track has not (RBT3).

    It may wreck a car or move one, so it is followed, like an act, by a look at passed Sections and the pawn (R6.22).
    """
    if not table.track and event_due(table):
        table.push(Removing())
        draw_event(table)


def begin_action_phase(table: Table) -> None:
    """6.61: automatic passes come first."""
    car = table.car(table.turn.seat)
    table.note(acting=True, began_stopped=not car.moving)
    if car.moving:
        table.push(AutoPasses())


def offer_automatic_exit(table: Table) -> None:
    """R6.25: after automatic passes, before any other act."""
    if has_automatic_exit(table):
        table.push(ExitOffer(), Asked("auto_exit", (table.turn.seat,), seat=table.turn.seat))


def begin_acts(table: Table) -> None:
    """The acts themselves, until the active player ends them."""
    if table.car(table.turn.seat).present:
        table.push(Acts())


def acts(table: Table, frame: Acts, heard: Any) -> None:
    """Between two acts the active player is asked for the next; a stopped car may still place Camouflage (R6.6)."""
    if not table.turn.ending and table.car(table.turn.seat).present:
        table.push(frame, Asked("act", (table.turn.seat,), seat=table.turn.seat))


def end_acts(table: Table, act: End) -> None:
    """6.63: who started with an empty tank and did not forage stops now."""
    car = table.car(table.turn.seat)
    if table.turn.thirsty and car.moving and is_dry(car) and car.side < 0:
        stop(table, car.seat)
    table.note(ending=(act,))


def rest_stop(table: Table) -> None:
    """R5: after the acts the Rest Stop serves a car that has been there since its turn began (6.7).

    On the Beginner's Track it leaves a rest a rest (RBT6.7).
    """
    end = ending(table)
    if table.car(table.turn.seat).present and uses_rest_stop(table, end):
        use_rest_stop(table, end)
        if not table.track:
            table.note(acted=True)


def ending(table: Table) -> End:
    """What the End act asked for; the plain one if acts were cut short by a wreck."""
    return table.turn.ending[0] if table.turn.ending else End()


@rule("BT5.2")
@rule("5.3")
def discard_phase(table: Table) -> None:
    """Who played no card in his Action Phase may discard any number."""
    end = ending(table)
    seat = table.turn.seat
    if not end.discard or not table.car(seat).present:
        return
    for key in end.discard:
        discard(table, take_from_hand(table, seat, key))
    table.tell("discards", "5.3", seat=seat, cards=list(end.discard))


def cannot_discard(position: Position, end: End) -> Refusal | None:
    """Why End may not throw these cards away."""
    if not end.discard:
        return None
    if position.turn.played:
        return Refusal("5.3", "You played a card in your Action Phase, so you discard none")
    missing = not_held(position, position.turn.seat, end.discard)
    return Refusal("5.3", missing) if missing else None


@rule("BT5.3")
@rule("5.4")
def draw_allowance(position: Position, end: End) -> int:
    """Three cards (two for a moving car at night, 8.3), one less with a Coolant Leak while moving, less those played.

    A rest fills the hand.
    """
    car = position.cars[position.turn.seat - 1]
    if is_resting(position, end):
        return hand_limit(car)
    allowance = 2 if position.night and car.moving else 3
    if car.moving and car.problems & COOLANT_LEAK:
        allowance -= 1
    return max(0, allowance - position.turn.played)


def draw_phase(table: Table) -> None:
    """Draw what is allowed and wanted, within the hand limit."""
    end = ending(table)
    seat = table.turn.seat
    car = table.car(seat)
    if not car.present:
        return
    if end.share:
        share(table, max(3, room(car)) if is_resting(table, end) else draw_allowance(table, end))
        return
    count = min(draw_allowance(table, end), room(car))
    if end.draw >= 0:
        count = min(count, end.draw)
    if count:
        draw_to_hand(table, seat, count, "5.4")


def road_log(table: Table) -> None:
    """6.23: time passes on the road."""
    log_after_turn(table)


def next_turn(table: Table) -> None:
    """Clear the table, take withdrawn cars off the course, and pass play clockwise."""
    turn = table.turn
    if turn.landmarks or turn.red_lines or turn.moves:
        discard(table, *turn.landmarks, *turn.red_lines, *(move.card for move in turn.moves))
        table.note(landmarks=b"", red_lines=b"", moves=())
    _withdraw(table)
    if table.winner:
        return
    if table.teams:
        before = table.teams.player
        seat = next_player(table)
        round_over = table.teams.player <= before
    else:
        count = len(table.cars)
        seat = turn.seat % count + 1
        while table.car(seat).withdrawn:
            seat = seat % count + 1
        round_over = seat <= turn.seat
    # Whoever has left has no turn that the first Event would wait for: with the first round its wait is over (R5.1).
    least = turns_before_events(table) if round_over else 0
    table.turn = Turn(max(turn.number + 1, least), seat)
    table.push(Phase(0), Removing())


def _withdraw(table: Table) -> None:
    """R-withdraw: a driver who gave up takes no more part; the last one left has won."""
    if table.teams:
        lose_partners(table)
    leaving = [car for car in table.cars if car.leaving and not car.withdrawn]
    if not leaving:
        return
    order = race_order(table)
    for car in leaving:
        leave_course(table, car)
        table.cars[car.seat - 1] = Car(
            seat=car.seat, section=car.section, withdrawn=True, leaving=True, fitted=car.fitted
        )
        table.tell("withdraws", "R-withdraw", seat=car.seat)
    left = [car.seat for car in table.cars if not car.withdrawn]
    if len(left) <= 1:
        table.winner = left[0] if left else order[0]
        table.ending = "last_driver" if left else "nobody_left"
        table.stack.clear()
        table.tell("finish", "R-withdraw", seat=table.winner, order=race_order(table))


# Announcing


def announce(table: Table, act: Any, *keys: str, target: int = 0, main: int = -1) -> None:
    """Put cards on the table, the main one first, and let them be answered (5.2).

    ``main``: a Move card that lies there already.
    """
    seat = table.turn.seat
    cards = bytes(play_from_hand(table, seat, key) for key in keys)
    table.note(acted=True)
    shown = [table.key(main)] if main >= 0 else []
    units = act.units if isinstance(act, Pass) else 1
    frame = Announced(
        act, cards=cards, main=main if main >= 0 else (cards[0] if cards else -1), target=target, units=units
    )
    if isinstance(act, Pass | Attack):
        frame = announce_pass(table, frame)
    table.tell(
        "announces",
        "5.2",
        seat=seat,
        act=type(act).__struct_config__.tag,
        cards=[*shown, *keys],
        target=target,
        left=main >= 0,
    )
    table.push(Removing(), frame)


Going: TypeAlias = tuple[Announced, Any] | None
"""The act and what it heard, to go on with; None while a window is open or if Fate has struck the act."""


@rule("BT5.1")
@rule("5.2")
def settle(table: Table, frame: Announced, heard: Any) -> Announced | None:
    """Windows on an announced act.

    First Fates and the red card, sealed side by side; then Fate on the red card and the Active car's reaction; then
    Fate on the reaction (R5.2b). Returns the act when all is settled and it is to be resolved, None while a window is
    open or if Fate has struck it.
    """
    while frame.stage < RESOLVE:
        going = STAGES[frame.stage](table, frame, heard)
        if going is None:
            return None
        frame, heard = going
    return frame


def _open(table: Table, frame: Announced, heard: Any) -> Going:
    seats = _answerers(table, frame)
    frame = _at(frame, ANSWERED)
    if not seats:
        return frame, ()
    table.push(frame, Asked("answer", seats, seat=frame.target))
    return None


def _answered(table: Table, frame: Announced, heard: Any) -> Going:
    struck = _first_fate(table, frame, heard)
    frame = _at(frame, FATED, sealed=_sealed_card(heard, frame.target), fated=struck)
    if struck:
        _under_fate(table, frame)
        return None
    return frame, False


def _fated(table: Table, frame: Announced, heard: Any) -> Going:
    if heard:
        if not _goes_on_without(table, frame):
            return None
        frame = _without_fated(table, frame)
    frame = _reveal(table, frame)
    if frame.red < 0:
        return _at(frame, RESOLVE), None
    frame = _at(frame, REACTED)
    seats = _reactors(table, frame)
    if not seats:
        return frame, ()
    table.push(frame, Asked("reaction", seats, seat=table.turn.seat, card=table.key(frame.red)))
    return None


def _reacted(table: Table, frame: Announced, heard: Any) -> Going:
    struck = _first_fate(table, frame, heard)
    frame = _at(frame, RED_FATED, sealed=_sealed_card(heard, table.turn.seat), fated=struck)
    if struck:
        _under_fate(table, frame)
        return None
    return frame, False


def _red_fated(table: Table, frame: Announced, heard: Any) -> Going:
    if heard:
        table.tell("negated", "9.3", card=table.key(frame.red))
        discard(table, frame.red)
        return _at(frame, RESOLVE, red=-1), None
    if not frame.sealed:
        return _at(frame, RESOLVE), None
    seat = table.turn.seat
    card = play_from_hand(table, seat, frame.sealed)
    table.note(reacted=True)
    table.tell("reacts", "6.51", seat=seat, card=frame.sealed)
    table.push(_at(frame, REACTION_FATED, react=card), Fates(frame.sealed, seat))
    return None


def _reaction_fated(table: Table, frame: Announced, heard: Any) -> Going:
    if not heard:
        return _at(frame, RESOLVE), None
    table.tell("negated", "9.3", card=table.key(frame.react))
    discard(table, frame.react)
    return _at(frame, RESOLVE, react=-1), None


STAGES = (_open, _answered, _fated, _reacted, _red_fated, _reaction_fated)
"""What happens at each stage of an announced act, from OPEN on."""


def _sealed_card(heard: Any, seat: int) -> str:
    """The card, other than Fate, that a seat's sealed answer names; "" for none."""
    return next((a.card for s, a in heard if s == seat and isinstance(a, Card) and a.card != "fate"), "")


def _at(frame: Announced, stage: int, **fields: Any) -> Announced:
    return msgspec.structs.replace(frame, stage=stage, **fields)


def _answerers(table: Table, frame: Announced) -> tuple[int, ...]:
    """Who is asked when an act is announced: the car it is aimed at, and who asked to be asked.

    Never by what a hand holds.
    """
    seats = askers_clockwise(table) if frame.cards or frame.main >= 0 else []
    if frame.target not in seats and may_answer(table, frame):
        seats.append(frame.target)
    return tuple(seats)


def _reactors(table: Table, frame: Announced) -> tuple[int, ...]:
    seats = askers_clockwise(table)
    if table.turn.seat not in seats and may_react(table, frame):
        seats.insert(0, table.turn.seat)
    return tuple(seats)


def _first_fate(table: Table, frame: Announced, heard: Any) -> str:
    """Play the first Fate clockwise from the active player; the others stay in their hands (R9.3).

    Returns the key it strikes.
    """
    for seat, answer in heard:
        if isinstance(answer, Card) and answer.card == "fate":
            card = play_from_hand(table, seat, "fate")
            discard(table, card)
            on = answer.on or fate_targets(table, frame)[0]
            table.tell("fate", "9.3", seat=seat, on=on, card="fate")
            table.push(Fates("fate", seat, 1))
            return on
    return ""


def _under_fate(table: Table, frame: Announced) -> None:
    """Put the act under the Fate that was just pushed."""
    fate = table.stack.pop()
    table.push(frame, fate)


def fate_targets(position: Position, frame: Announced) -> tuple[str, ...]:
    """The keys of the cards that Fate may strike in the present window."""
    keys = components.named(position.components).card_keys
    if frame.stage >= REACTED:
        return (keys[frame.red],)
    cards = frame.cards if frame.main < 0 or frame.main in frame.cards else bytes((frame.main, *frame.cards))
    return tuple(dict.fromkeys(keys[card] for card in cards))


def _goes_on_without(table: Table, frame: Announced) -> bool:
    """R9.3: Fate stands. If it struck the main card, what was announced with it returns.

    True if the act goes on without the card struck.
    """
    key = frame.fated
    table.tell("negated", "9.3", card=key)
    if key != table.key(frame.main):
        return True
    seat = table.turn.seat
    back = bytes(card for card in frame.cards if card != frame.main)
    if back:
        table.change(seat, hand=table.car(seat).hand + back)
        table.note(played=table.turn.played - len(back))
        table.tell("returns", "9.3", seat=seat, cards=[table.key(card) for card in back])
    table.note(moves=tuple(move for move in table.turn.moves if move.card != frame.main))
    discard(table, frame.main)
    note_spent(table, frame.main, "9.3")
    return False


def _without_fated(table: Table, frame: Announced) -> Announced:
    card = next(c for c in frame.cards if table.key(c) == frame.fated)
    discard(table, card)
    return msgspec.structs.replace(frame, cards=bytes(c for c in frame.cards if c != card))


def _reveal(table: Table, frame: Announced) -> Announced:
    key = frame.sealed
    if not key or lacks(table, frame.target, (key,)):
        return frame
    card = take_from_hand(table, frame.target, key)
    note_answered(table, frame)
    table.tell("answers", "5.2", seat=frame.target, card=key)
    return msgspec.structs.replace(frame, red=card, sealed="")


def announce_move(table: Table, act: Exit | Pass, target: int, *extra: str) -> None:
    """Announce with a Move card from the hand, or with one that lies on the table with value left."""
    if act.left:
        main = max(table_moves(table, act.card), key=lambda move: move.left).card
        announce(table, act, *extra, target=target, main=main)
    else:
        announce(table, act, act.card, *extra, target=target)
