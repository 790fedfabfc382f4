"""The sequence of play as lists: phases of a turn, what each frame does, what each act does, and who is asked what.

Nothing here is a rule; it says which rule comes when.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec import UNSET

from games.engine.contract import Clock, Kind
from games.engine.errors import Refusal
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.rules import (
    r05_turn,
    r06_movement,
    r06_passing,
    r06_stops,
    r07_damage,
    r08_events,
    r09_plays,
    r10_upgrades,
    r12_teams,
)
from games.rulesets.roadkill.rules.r04_cards import discard, kind_of, lacks, no_such_card, short
from games.rulesets.roadkill.sheet import on_the_sheet
from games.rulesets.roadkill.state import (
    Acts,
    Announced,
    Asked,
    Attacking,
    AutoPasses,
    Check,
    Damages,
    Drafting,
    Entered,
    EventCard,
    Exchange,
    ExitOffer,
    Fates,
    Keeping,
    Leaving,
    Looting,
    Phase,
    Position,
    RedLines,
    Removing,
    Result,
    Sharing,
    Starting,
    Table,
    Trading,
    Trouble,
    ahead_of,
    is_dry,
)

SEQUENCE: tuple[tuple[str, Callable[[Table], None]], ...] = (
    ("begin", r05_turn.begin_turn),
    ("event", r05_turn.event_phase),
    ("passes", r05_turn.begin_action_phase),
    ("exit", r05_turn.offer_automatic_exit),
    ("acts", r05_turn.begin_acts),
    ("rest_stop", r05_turn.rest_stop),
    ("discard", r05_turn.discard_phase),
    ("draw", r05_turn.draw_phase),
    ("log", r05_turn.road_log),
    ("next", r05_turn.next_turn),
)
"""R5: a player's turn from its beginning to the next player's."""


LAST = len(SEQUENCE) - 1
FROM_PHASE = tuple(
    tuple((SEQUENCE[step][1], Phase(step + 1)) for step in range(first, LAST)) for first in range(LAST + 1)
)
"""From each phase on, up to the last: what it does, and the frame of the next one."""


def phase(table: Table, frame: Phase, heard: Any) -> None:
    """One phase, with the next one waiting below whatever it starts; if it starts nothing, the next one at once."""
    stack = table.stack
    below = len(stack)
    for begin, after in FROM_PHASE[frame.step]:
        begin(table)
        if table.winner:
            return
        if len(stack) > below:
            stack.insert(below, after)
            return
    SEQUENCE[LAST][1](table)


def acts(table: Table, frame: Acts, heard: Any) -> None:
    """5.2: do what was answered, then ask again."""
    if heard is not None:
        table.push(frame)
        perform(table, heard[0][1])
        return
    r05_turn.acts(table, frame, heard)


def automatic_passes(table: Table, frame: AutoPasses, heard: Any) -> None:
    """6.61: the chain goes on until nobody stopped is directly ahead."""
    if heard is None:
        r06_passing.automatic_passes(table, frame, heard)
        return
    table.push(frame)
    act = heard[0][1]
    if isinstance(act, a.GoOn):
        table.push(Removing(), Announced(act, target=r06_passing.automatic_target(table)))
    else:
        perform(table, act)


def exit_offer(table: Table, frame: ExitOffer, heard: Any) -> None:
    """6.25: leave without a draw, if wanted."""
    act = heard[0][1]
    if not isinstance(act, a.AutoExit):
        return
    if act.card:
        r05_turn.announce(table, act, act.card)
    else:
        table.push(Removing(), Leaving(table.turn.seat, -1, automatic=True))


def announced(table: Table, frame: Announced, heard: Any) -> None:
    """5.2: windows first, then what the act does."""
    if frame.stage < r05_turn.RESOLVE:
        settled = r05_turn.settle(table, frame, heard)
        if settled is None:
            return
        frame, heard = settled, None
    RESOLVE[type(frame.act)](table, frame, heard)


STEPS: dict[type, Callable[[Table, Any, Any], Any]] = {
    Phase: phase,
    Acts: acts,
    AutoPasses: automatic_passes,
    ExitOffer: exit_offer,
    Announced: announced,
    Fates: r09_plays.fates,
    Attacking: r06_passing.attacking,
    Exchange: r06_passing.exchange,
    Damages: r07_damage.damages,
    Check: r07_damage.check,
    Result: r07_damage.result,
    Trouble: r07_damage.trouble,
    RedLines: r07_damage.red_lines,
    Starting: r06_movement.starting,
    Leaving: r06_movement.leaving,
    Entered: r06_movement.entered,
    EventCard: r08_events.event,
    Looting: r09_plays.looting,
    Trading: r09_plays.trading,
    Drafting: r10_upgrades.drafting,
    Sharing: r12_teams.sharing,
    Keeping: r12_teams.keeping,
    Removing: r06_movement.removing,
}
"""What each frame does when it is on top."""


# Acts of the active player: how they begin …


def _start(table: Table, act: a.Start) -> None:
    r05_turn.announce(table, act, act.card)


def _exit(table: Table, act: a.Exit) -> None:
    r05_turn.announce_move(table, act, 0, *("landmark",) * act.landmarks, *("red_line",) * act.red_lines)


def _pass(table: Table, act: a.Pass) -> None:
    r05_turn.announce_move(table, act, ahead_of(table, table.turn.seat))


def _attack(table: Table, act: a.Attack) -> None:
    r05_turn.announce(table, act, act.card, target=act.target)


def _shortcut(table: Table, act: a.Shortcut) -> None:
    r05_turn.announce(table, act, "shortcut")


def _play(table: Table, act: a.Play) -> None:
    r05_turn.announce(table, act, act.card, target=r09_plays.robbed(act))


def _forage(table: Table, act: a.Forage) -> None:
    r05_turn.announce(table, act, act.card)


def _stop(table: Table, act: a.Stop) -> None:
    r06_stops.stop(table, table.turn.seat, by_will=True)


PERFORM: dict[type, Callable[[Table, Any], None]] = {
    a.Start: _start,
    a.Exit: _exit,
    a.Pass: _pass,
    a.Attack: _attack,
    a.Shortcut: _shortcut,
    a.Play: _play,
    a.Forage: _forage,
    a.Stop: _stop,
    a.Repair: r07_damage.attempt_repair,
    a.Trade: r09_plays.offer_trade,
    a.Supercharge: r10_upgrades.supercharge,
    a.ChangeDrivers: r12_teams.change_drivers,
    a.End: r05_turn.end_acts,
}


def perform(table: Table, act: Any) -> None:
    """Begin an act of the active player; drivers change right after the start or not at all (R12.5)."""
    if table.turn.fresh:
        table.note(fresh=UNSET)
    PERFORM[type(act)](table, act)


# … and what they do once nobody has stopped them


def _resolve_start(table: Table, frame: Announced, heard: Any) -> None:
    discard(table, frame.main)
    table.push(Starting(table.turn.seat))
    if table.key(frame.main) == "red_line":
        table.push(Check(table.turn.seat, 0))


def _resolve_forage(table: Table, frame: Announced, heard: Any) -> None:
    seat = table.turn.seat
    section = table.car(seat).section
    r06_stops.enter_side_road(table, seat, frame.main)
    table.tell("forages", "6.72", seat=seat, card=table.key(frame.main), section=section)
    r06_stops.stop(table, seat)


def _resolve_auto_exit(table: Table, frame: Announced, heard: Any) -> None:
    table.push(Leaving(table.turn.seat, frame.main, automatic=True))


RESOLVE: dict[type, Callable[[Table, Announced, Any], None]] = {
    a.Start: _resolve_start,
    a.Exit: r06_movement.resolve_exit,
    a.Pass: r06_passing.resolve_pass,
    a.Attack: r06_passing.resolve_attack,
    a.Shortcut: r09_plays.resolve_shortcut,
    a.Play: r09_plays.resolve_play,
    a.Forage: _resolve_forage,
    a.GoOn: r06_passing.resolve_automatic_pass,
    a.AutoExit: _resolve_auto_exit,
}


# What may be answered


def cannot_act(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    """Why the active player may not do this now."""
    turn = position.turn
    check = ACT_CHECKS.get(type(act))
    if check is None:
        return _no_end(position, act) if isinstance(act, a.End) else _no_act(position, act)
    if turn.attempted:
        return Refusal("7.4", "A repair attempt is the only act of an Action Phase: end your turn")
    if turn.over and not (turn.free_stop and isinstance(act, a.Play) and act.card == "camouflage"):
        return Refusal("6.6", "Your car has stopped in this Action Phase: its acts are over")
    car = position.cars[turn.seat - 1]
    if car.fuel == 0 and is_dry(car) and not _is_free_of_fuel(act):
        return r06_stops.out_of_gas(position, act) or check(position, act)
    return check(position, act)


FREE_OF_FUEL = (a.Start, a.Forage, a.Stop, a.ChangeDrivers)


def _is_free_of_fuel(act: Any) -> bool:
    return isinstance(act, FREE_OF_FUEL) or (isinstance(act, a.Play) and act.card == "siphon_gas")


def allowed_acts(position: Position, asked: Asked, acts: Iterable[Any]) -> list[Any]:
    """Those acts of a turn that cannot_act() lets through; what bars an Action Phase as a whole is looked at once."""
    turn = position.turn
    seat = turn.seat
    if turn.attempted or turn.over or position.cars[seat - 1].fuel == 0:
        return [act for act in acts if cannot_act(position, asked, seat, act) is None]
    return [act for act in acts if ACT_CHECKS[type(act)](position, act) is None]


def _no_end(position: Position, act: a.End) -> Refusal | None:
    return (
        r06_stops.no_rest_stop_job(position, act)
        or r05_turn.cannot_discard(position, act)
        or _no_draw(act)
        or (r12_teams.cannot_share_at_end(position, act) if act.share else None)
    )


def _no_draw(act: a.End) -> Refusal | None:
    return None if -1 <= act.draw <= 10 else Refusal("5.4", "Draw from 0 to 10 cards")


def _no_act(position: Position, act: Any) -> Refusal:
    if isinstance(act, a.Card) and act.card in ("swerve", "firm_shoulders") and position.turn.reacted:
        return Refusal("6.51", "Only one card reacts to a counterattack, and yours is played")
    if isinstance(act, a.Card):
        return r09_plays.cannot_play(position, a.Play(act.card)) or Refusal(
            "9.5", f"Say what {short(position, act.card)} is to do"
        )
    if isinstance(act, a.AutoExit):
        return r06_movement.no_automatic_exit(position)
    return Refusal("5.2", "That is no act of a turn: it answers a question that is not asked now")


def _cannot_stop(position: Position, act: a.Stop) -> Refusal | None:
    if position.cars[position.turn.seat - 1].moving:
        return None
    return Refusal("6.6", "Your car stands still already")


ACT_CHECKS: dict[type, Callable[[Position, Any], Refusal | None]] = {
    a.Start: r06_movement.cannot_start,
    a.Exit: r06_movement.cannot_exit,
    a.Pass: r06_passing.cannot_pass,
    a.Attack: r06_passing.cannot_attack,
    a.Shortcut: r09_plays.cannot_shortcut,
    a.Play: r09_plays.cannot_play,
    a.Forage: r06_stops.no_foraging,
    a.Stop: _cannot_stop,
    a.Repair: r07_damage.no_repair_attempt,
    a.Trade: r09_plays.cannot_trade,
    a.Supercharge: r10_upgrades.cannot_supercharge,
    a.ChangeDrivers: r12_teams.cannot_change,
}


def _wrong_kind(rule_number: str) -> Refusal:
    return Refusal(rule_number, "That does not answer what you are asked")


def _auto_pass(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.GoOn | a.Stop):
        return None
    if isinstance(act, a.End):
        return Refusal("6.61", "You cannot stay behind a stopped car and keep moving: go on, stop, or attack it")
    if isinstance(act, a.Attack) or (isinstance(act, a.Pass) and not _is_road(position, act.card)):
        if position.track:
            return Refusal("RBT6.4", "On the Beginner's Track no Attack card is played instead of an automatic pass")
        refusal = cannot_act(position, asked, seat, act)
        if refusal is None and act.target not in (0, asked.seat):
            return Refusal("6.61", f"The automatic pass is past car {asked.seat}")
        return refusal or _passes_nobody(position, act.card)
    if isinstance(act, a.Card):
        return _no_act(position, act)
    return Refusal("6.61", "First the car ahead is passed: go on, stop, or pass it with an Attack card")


def _passes_nobody(position: Position, key: str) -> Refusal | None:
    """An Assistant Driver fires the Assault Rifle while moving, and it passes no car (R6.43)."""
    kind = kind_of(position, key)
    if kind is None or kind.passing:
        return None
    return Refusal("6.61", f"{kind.short} passes nobody: go on, stop, or pass the car with an Attack card that does")


def _is_road(position: Position, key: str) -> bool:
    kind = kind_of(position, key)
    return kind is not None and kind.road


def _auto_exit(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.Decline):
        return None
    if isinstance(act, a.AutoExit):
        return r06_movement.cannot_auto_exit(position, act)
    return _wrong_kind("6.25")


def _answer(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    frame = position.stack[-2]
    assert isinstance(frame, Announced)
    if not isinstance(act, a.Card):
        return _wrong_kind("5.2")
    if act.card == "fate" or seat != asked.seat:
        return r09_plays.cannot_fate(position, seat, act, r05_turn.fate_targets(position, frame))
    if not r06_passing.may_answer(position, frame):
        return Refusal("5.2", "You have answered this card already, or nothing answers it")
    return r06_passing.cannot_answer(position, frame, act)


def _reaction(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    frame = position.stack[-2]
    assert isinstance(frame, Announced)
    if not isinstance(act, a.Card):
        return _wrong_kind("6.51")
    if act.card == "fate" or seat != position.turn.seat:
        return r09_plays.cannot_fate(position, seat, act, r05_turn.fate_targets(position, frame))
    if not r06_passing.may_react(position, frame):
        return Refusal("6.51", "Nothing of yours reacts to this card")
    return r06_passing.cannot_react(position, frame, act)


def _fate(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    if not isinstance(act, a.Card):
        return _wrong_kind("9.3")
    return r09_plays.cannot_fate(position, seat, act, (asked.card,))


def _canyon(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    if not isinstance(act, a.Card) or act.card != "box_canyon":
        return Refusal("6.71", "Only Box Canyon answers a Section that has been laid")
    return Refusal("6.71", "You do not hold Box Canyon") if lacks(position, seat, ("box_canyon",)) else None


def _reflexes(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    return r07_damage.cannot_cancel_check(position, seat, act) if isinstance(act, a.Card) else _wrong_kind("7.3")


def _avert(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    return r07_damage.cannot_avert(position, seat, asked.letter, act) if isinstance(act, a.Card) else _wrong_kind("7.3")


def _dodge(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    return r08_events.cannot_dodge(position, seat, asked.letter, act) if isinstance(act, a.Card) else _wrong_kind("8")


def _evil(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    return None if isinstance(act, a.Stop | a.Risk) else _wrong_kind("8")


def _offer(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.Decline):
        return None
    return (
        r08_events.cannot_accept(position, seat, asked.letter, act) if isinstance(act, a.Accept) else _wrong_kind("8.8")
    )


def _wrong_road(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.NoCard):
        return None
    if not isinstance(act, a.Card) or act.card != "road_map":
        return Refusal("C6a", "Only a Road Map shows the way past a Changed Road Sign")
    return Refusal("C6a", "You do not hold Road Map") if lacks(position, seat, ("road_map",)) else None


def _loot(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    return r09_plays.cannot_loot(position, asked.seat, act) if isinstance(act, a.Loot) else _wrong_kind("R-theft")


def _excess(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    return r09_plays.cannot_discard_excess(position, seat, act) if isinstance(act, a.Discard) else _wrong_kind("4.5")


def _trade(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.Decline):
        return None
    frame = position.stack[-2]
    assert isinstance(frame, Trading)
    return (
        r09_plays.cannot_accept_trade(position, frame.offer, act) if isinstance(act, a.Accept) else _wrong_kind("9.7")
    )


def _draft(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    if isinstance(act, a.Decline):
        return None
    frame = position.stack[-2]
    assert isinstance(frame, Drafting)
    return r10_upgrades.cannot_draft(position, frame, seat, act) if isinstance(act, a.Draft) else _wrong_kind("10.1")


def _draw_or_pass(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    frame = position.stack[-2]
    assert isinstance(frame, Sharing)
    return r12_teams.cannot_share(position, frame, act)


def _keep(position: Position, asked: Asked, seat: int, act: Any) -> Refusal | None:
    return r12_teams.cannot_keep(position, act) if isinstance(act, a.Keep) else _wrong_kind("12.5")


class Question(NamedTuple):
    """One kind of question: its rule, clock, kind and default answer, and why an answer to it is not allowed."""

    rule: str
    clock: Clock
    kind: Kind
    default: Any
    refuse: Callable[[Position, Asked, int, Any], Refusal | None]


QUESTIONS: dict[str, Question] = {
    "act": Question("5.2", "turn", "turn", a.End(), cannot_act),
    "auto_pass": Question("6.61", "turn", "turn", a.GoOn(), _auto_pass),
    "auto_exit": Question("6.25", "turn", "turn", a.Decline(), _auto_exit),
    "answer": Question("5.2", "reaction", "reaction", a.NoCard(), _answer),
    "fate": Question("9.3", "reaction", "reaction", a.NoCard(), _fate),
    "canyon": Question("6.71", "reaction", "reaction", a.NoCard(), _canyon),
    "reaction": Question("6.51", "reaction", "reaction", a.NoCard(), _reaction),
    "reflexes": Question("7.3", "reaction", "reaction", a.NoCard(), _reflexes),
    "avert": Question("7.3", "reaction", "reaction", a.NoCard(), _avert),
    "dodge": Question("8", "reaction", "reaction", a.NoCard(), _dodge),
    "evil": Question("8", "reaction", "choice", a.Stop(), _evil),
    "offer": Question("8.8", "reaction", "choice", a.Decline(), _offer),
    "wrong_road": Question("C6a", "reaction", "reaction", a.NoCard(), _wrong_road),
    "loot": Question("R-theft", "turn", "choice", a.Loot(), _loot),
    "excess": Question("4.5", "turn", "choice", a.Discard(), _excess),
    "trade": Question("9.7", "reaction", "trade", a.Decline(), _trade),
    "draft": Question("10.1", "turn", "draft", a.Decline(), _draft),
    "draw_or_pass": Question("12.4", "turn", "choice", a.DrawCards(), _draw_or_pass),
    "keep": Question("12.5", "turn", "choice", a.Keep(as_they_are=True), _keep),
}
"""Every question the game can ask."""


def default_of(position: Position, asked: Asked) -> Any:
    """What a question is answered with if nobody does: where no card can be drawn, none is (12.4)."""
    if asked.kind == "draw_or_pass":
        frame = position.stack[-2]
        assert isinstance(frame, Sharing)
        return QUESTIONS[asked.kind].default if r12_teams.drawable(position, frame) else a.NoMore()
    return QUESTIONS[asked.kind].default


def refusal(position: Position, seat: int, act: Any) -> Refusal | None:
    """Why this seat, which is asked, may not answer so: a sentence, even where it begins with the name «red 1»."""
    asked = position.stack[-1]
    assert isinstance(asked, Asked)
    found = QUESTIONS[asked.kind].refuse(position, asked, seat, act)
    # A name that no card has is what is wrong, whatever else is.
    found = found and (no_such_card(position, a.cards_named(act)) or found)
    if found is None:
        return None
    number = on_the_sheet(found.rule) if position.track else found.rule
    return Refusal(number, found.text[:1].upper() + found.text[1:])


def missing(asked: Asked) -> tuple[int, ...]:
    """Seats that still owe an answer."""
    if not asked.given:
        return asked.seats
    if len(asked.given) == len(asked.seats):
        return ()
    given = [seat for seat, _ in asked.given]
    return tuple([seat for seat in asked.seats if seat not in given])


def run(table: Table) -> None:
    """Go on until somebody owes an answer or the race is over.

    A driver who has given up is answered for with the default.
    """
    heard: Any = None
    stack = table.stack
    while stack and not table.winner:
        frame = stack[-1]
        if type(frame) is Asked:
            open_seats = missing(frame)
            if open_seats:
                quitters = [seat for seat in open_seats if r12_teams.is_leaving(table, seat)]
                if not quitters:
                    return
                default = default_of(table, frame)
                stack[-1] = give(frame, *((seat, default) for seat in quitters))
                continue
            stack.pop()
            heard = in_turn_order(table, frame.given)
            continue
        stack.pop()
        heard = STEPS[type(frame)](table, frame, heard)


def in_turn_order(position: Position, given: tuple[tuple[int, Any], ...]) -> tuple[tuple[int, Any], ...]:
    """Answers clockwise from the active player, whoever was quicker: of several Fates the first so counts (R9.3)."""
    if len(given) < 2:
        return given
    return tuple(sorted(given, key=lambda answer: r12_teams.clockwise_from_player(position, answer[0])))


def give(asked: Asked, *answers: tuple[int, Any]) -> Asked:
    """The question with these answers added."""
    return Asked(asked.kind, asked.seats, (*asked.given, *answers), asked.seat, asked.card, asked.letter)
