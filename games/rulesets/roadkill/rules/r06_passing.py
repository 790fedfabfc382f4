"""Chapter 6, passing and attacking: who may pass whom with what, what may answer it, and what comes of it."""

from typing import Any

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import Attack, Card, GoOn, Pass, Play
from games.rulesets.roadkill.rules.r04_cards import (
    discard,
    kind_of,
    lacks,
    number,
    short,
    wrong_colour,
    wrong_motion,
)
from games.rulesets.roadkill.rules.r06_movement import move_value, note_spent, spent, table_moves
from games.rulesets.roadkill.rules.r07_damage import flat_tire, worn_brakes
from games.rulesets.roadkill.rules.r08_roads import (
    clear_road,
    is_out_of_sight,
    is_wet_or_foggy,
    passes_needed,
    roads_cancel,
)
from games.rulesets.roadkill.rules.r09_cards import is_smoked, sideswiped, uncover
from games.rulesets.roadkill.rules.r10_upgrades import foiled
from games.rulesets.roadkill.rules.r12_teams import fires_moving
from games.rulesets.roadkill.state import (
    NARROW,
    POWER_RAM,
    RADAR,
    ROTOR,
    Announced,
    Asked,
    Attacking,
    AutoPasses,
    Car,
    Check,
    Damages,
    Exchange,
    MoveCard,
    Position,
    Table,
    ahead_of,
    behind,
    has,
)

COUNTERATTACKS = (
    "hand_grenade",
    "hubcap_blades",
    "machine_gun",
    "ram",
    "sideswipe",
    "tire_spikes",
    "assault_rifle",
)
PASS_VOIDERS = ("red_move_1", "smoke_screen")
ROBBERIES = ("theft", "sabotage", "siphon_gas")
RAMS = ("ram", "sideswipe")
EDGE_ATTACKS = ("hand_grenade", "assault_rifle")
"""Attack cards that never pass (R6.43)."""


@rule("BT6.4")
@rule("6.4")
def cannot_pass(position: Position, act: Pass) -> Refusal | None:
    """A car passes the one directly ahead of it with a Move card or an Attack card that has passing value.

    On the Beginner's Track an Attack card passes only by attacking (RBT6.4).
    """
    seat = position.turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None or not (kind.road or kind.attack):
        return Refusal(
            "6.4", f"{short(position, act.card)} passes nobody: it takes a Move card or a passing Attack card"
        )
    if kind.road:
        refusal = _no_value_left(position, act, kind.short)
        if refusal is not None:
            return refusal
    elif act.left:
        return Refusal("6.41", f"{kind.short} is one attempt: no value of it is ever left")
    elif lacks(position, seat, (act.card,)):
        return Refusal("6.43", f"You do not hold {kind.short}")
    refusal = (None if act.left else wrong_colour(kind, own_turn=True)) or wrong_motion(kind, car)
    if refusal is not None:
        return refusal
    if kind.attack and position.track:
        return Refusal("RBT6.4", f"On the Beginner's Track {kind.short} passes only by attacking")
    if kind.attack and not kind.passing:
        return Refusal("6.43", f"{kind.short} is no passing card")
    target = ahead_of(position, seat)
    if not target:
        return Refusal("6.41", "Nobody is directly ahead of you on your Section")
    if act.target not in (0, target):
        return Refusal("6.41", f"Car {act.target} is not directly ahead of you on your Section")
    return cannot_pass_by_value(position, act, target)


def _no_value_left(position: Position, act: Pass, name: str) -> Refusal | None:
    if act.left:
        if not any(move.left > 0 for move in table_moves(position, act.card)):
            return spent(position, act.card) or Refusal("6.41", f"No {name} with value left lies on the table")
    elif lacks(position, position.turn.seat, (act.card,)):
        return spent(position, act.card) or Refusal("6.41", f"You do not hold {name}")
    return None


@rule("BT6.41")
@rule("6.41")
def cannot_pass_by_value(position: Position, act: Pass, target: int) -> Refusal | None:
    """A Move card passes as many cars, one after the other, as its value.

    A Move 0 only one stopped car (7.1, R6.41b).
    """
    if act.units not in (1, 2):
        return Refusal("8.5", "One pass takes one value, or two on a Narrow Road")
    if act.units == 2 and passes_needed(position, position.turn.seat, target) < 2:
        return Refusal("8.5", "Two values are needed only to pass a moving car on a Narrow Road")
    kind = kind_of(position, act.card)
    assert kind is not None
    if not kind.road:
        return None if act.units == 1 else Refusal("8.5", "An Attack card is one attempt, not two")
    if act.left:
        value = max(move.left for move in table_moves(position, act.card))
    else:
        value = announced_value(position, act.card)
    if value == 0 and not position.cars[target - 1].moving and not act.left:
        return None
    if value < act.units:
        if value == 0:
            return Refusal("7.1", "With Engine Wear this card is a Move 0: it passes only a stopped car")
        return Refusal("8.5", f"{kind.short} has not two values left")
    return None


def announced_value(position: Position, key: str) -> int:
    """The Move value that a card of this kind would have if it were played now."""
    kind = kind_of(position, key)
    assert kind is not None
    card = next(c for c in position.cars[position.turn.seat - 1].hand if _key(position, c) == key)
    return move_value(position, card)


def _key(position: Position, card: int) -> str:
    return components.named(position.components).card_keys[card]


@rule("6.43")
def cannot_attack(position: Position, act: Attack) -> Refusal | None:
    """Attack or plain pass is declared at once.

    Ram and Sideswipe attack only a moving car; camouflage forbids all but passing cards.
    """
    seat = position.turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None or not kind.attack:
        return Refusal("6.5", f"{short(position, act.card)} is no card to attack a car with")
    if lacks(position, seat, (act.card,)):
        return Refusal("6.5", f"You do not hold {kind.short}")
    refusal = (
        wrong_colour(kind, own_turn=True)
        or _motion_bars(position, kind, car)
        or cannot_reach(position, act.card, act.target)
    )
    if refusal is not None:
        return refusal
    target = position.cars[act.target - 1]
    if not kind.passing and target.camouflage:
        return Refusal("9.1", f"Car {act.target} is camouflaged: only a passing card may be spent on it")
    if act.card in RAMS and not target.moving:
        if position.track:
            return Refusal("RBT6.4", f"{kind.short} attacks only a moving car, and car {act.target} stands still")
        return Refusal("6.43", f"{kind.short} attacks only a moving car; a stopped one you may only pass with it")
    return None


@rule("6.5")
def cannot_reach(position: Position, key: str, target: int) -> Refusal | None:
    """An attack strikes an adjacent car.

    Passing cards the one ahead, a Hand Grenade the one behind, an Assault Rifle either (R6.5).
    """
    seat = position.turn.seat
    if any(1 <= s <= len(position.cars) and position.cars[s - 1].side >= 0 for s in (seat, target)):
        return Refusal("6.71", "Cars on Side Roads neither attack nor are attacked")
    ahead, rear = ahead_of(position, seat), behind(position, seat)
    if target == 0 or target not in (ahead, rear):
        return Refusal("6.5", f"Car {target} is not adjacent to yours")
    if key == "hand_grenade" and target != rear:
        return Refusal("6.5", "A Hand Grenade is thrown at the car directly behind you")
    if key not in EDGE_ATTACKS and target != ahead:
        return Refusal("6.5", f"{short(position, key)} attacks the car directly ahead of you")
    return None


@rule("BT6.5")
def may_answer(position: Position, frame: Announced) -> bool:
    """R5.2c by public facts alone: whether something could answer, so that the target is asked.

    Never looks into a hand. On the Beginner's Track only a passed car counterattacks; an attack without a pass is
    answered by a Swerve alone, which a stopped car cannot play (RBT6.5).
    """
    if not frame.target:
        return False
    target = position.cars[frame.target - 1]
    if not target.hand or not target.present:
        return False
    if frame.main >= 0 and (frame.main, frame.target) in position.turn.answered:
        return False
    act = frame.act
    if target.moving:
        if isinstance(act, Attack) and act.card in EDGE_ATTACKS:
            return worn_brakes(position, target, "swerve") is None or fires_moving(position, target, "assault_rifle")
        return True
    if position.track and isinstance(act, Attack) and act.card in EDGE_ATTACKS:
        return False
    return not is_unseen_pass(position, frame)


def is_unseen_pass(position: Position, frame: Announced) -> bool:
    """8.6: a pass without an attack, an automatic one too, that a Wide Road hides from the car passed."""
    return isinstance(frame.act, Pass | GoOn) and is_out_of_sight(position, position.turn.seat, frame.target)


def cannot_answer(position: Position, frame: Announced, act: Card) -> Refusal | None:
    """What the car passed or attacked may play (R5.2c).

    By colour, motion, kind of act, Wide Road (8.6), brakes (7.1) and what the passer has on board (10.3).
    """
    target = position.cars[frame.target - 1]
    kind = kind_of(position, act.card)
    if kind is None or lacks(position, frame.target, (act.card,)):
        return Refusal("5.2", f"You do not hold {short(position, act.card)}")
    refusal = wrong_colour(kind, own_turn=False)
    if refusal is not None:
        return refusal
    if act.card not in _answers_to(position, frame):
        return Refusal("RBT6.5" if position.track else "R5.2c", f"{kind.short} does not answer this")
    refusal = _motion_bars(position, kind, target) or worn_brakes(position, target, act.card)
    if refusal is not None:
        return refusal
    if act.card in COUNTERATTACKS and is_unseen_pass(position, frame):
        return Refusal("8.6", "A pass without an attack on a Wide Road cannot be counterattacked")
    upgrade = FOILED_BY.get(act.card)
    return None if upgrade is None else foiled(position, position.turn.seat, upgrade, f"A {kind.short}")


def _motion_bars(position: Position, kind: components.Kind, car: Car) -> Refusal | None:
    return None if fires_moving(position, car, kind.key) else wrong_motion(kind, car)


FOILED_BY = {"smoke_screen": RADAR, "tire_spikes": ROTOR}
"""The upgrade of the Active car that foils an answer (10.3 C and I)."""


def _answers_to(position: Position, frame: Announced) -> tuple[str, ...]:
    act = frame.act
    if isinstance(act, Play):
        return ("assault_rifle",)
    if isinstance(act, Attack):
        if act.card in EDGE_ATTACKS:
            return ("swerve",) if position.track else ("swerve", "assault_rifle")
        shoulders = ("firm_shoulders",) if act.card == "hubcap_blades" else ()
        return (*PASS_VOIDERS, *COUNTERATTACKS, "swerve", *shoulders)
    return (*PASS_VOIDERS, *COUNTERATTACKS)


@rule("BT6.51")
@rule("6.51")
def may_react(position: Position, frame: Announced) -> bool:
    """By public facts: whether the Active car may react to the counterattack just revealed.

    With one Swerve or Firm Shoulders.
    """
    car = position.cars[position.turn.seat - 1]
    key = _key(position, frame.red)
    if not car.hand or not car.moving or not car.present or key not in COUNTERATTACKS:
        return False
    return key in ("hubcap_blades", "tire_spikes") or worn_brakes(position, car, "swerve") is None


def cannot_react(position: Position, frame: Announced, act: Card) -> Refusal | None:
    """6.51: Swerve against any counterattack, Firm Shoulders against Hubcap Blades and Tire Spikes."""
    seat = position.turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None or lacks(position, seat, (act.card,)):
        return Refusal("6.51", f"You do not hold {short(position, act.card)}")
    if act.card not in ("swerve", "firm_shoulders"):
        return Refusal("6.51", f"{kind.short} is no reaction to a counterattack: Swerve and Firm Shoulders are")
    if act.card == "firm_shoulders" and _key(position, frame.red) not in ("hubcap_blades", "tire_spikes"):
        return Refusal("6.51", "Firm Shoulders helps only against Hubcap Blades and Tire Spikes")
    return wrong_motion(kind, car) or worn_brakes(position, car, act.card)


@rule("BT6.43")
@rule("6.44")
def voided_units(table: Table, frame: Announced) -> int:
    """How many values of the pass the answer voids: a red Move/Road 1 one of them, a Smoke Screen all (9.2)."""
    if is_smoked(table, frame):
        return frame.units
    return 1 if frame.red >= 0 and table.key(frame.red) == "red_move_1" else 0


def shift_of(table: Table, card: int, attack_key: str) -> int:
    """What a Swerve (-1) or Firm Shoulders (-2 against Hubcap Blades and Tire Spikes) takes off an attack draw."""
    if card < 0:
        return 0
    key = table.key(card)
    if key == "swerve":
        return -1
    return -2 if key == "firm_shoulders" and attack_key in ("hubcap_blades", "tire_spikes") else 0


def counterattack(table: Table, frame: Announced) -> Attacking | None:
    """The answer as an attack on the Active car.

    If it is one and counts (9.1: not when prompted by a camouflaged attacker).
    """
    if frame.red < 0:
        return None
    key = table.key(frame.red)
    if key not in COUNTERATTACKS:
        return None
    return Attacking(frame.target, table.turn.seat, key, shift_of(table, frame.react, key))


def put_away_answers(table: Table, frame: Announced) -> None:
    """The windows are closed: the answer and the reaction go to the discards."""
    discard(table, frame.red, frame.react)


def resolve_pass(table: Table, frame: Announced, heard: Any) -> None:
    """6.41, 6.43: the value is used up, then the counterattack strikes, then the places are exchanged."""
    put_away_answers(table, frame)
    use_value(table, frame, all_of_it=is_smoked(table, frame))
    units = frame.units - voided_units(table, frame)
    if units > 0:
        table.push(Exchange(table.turn.seat, frame.target, units, target_was_moving=frame.target_was_moving))
    counter = counterattack(table, frame)
    if counter is not None:
        table.push(counter)


def use_value(table: Table, frame: Announced, *, all_of_it: bool) -> None:
    """R6.41a: take the passes off the Move card; what is left stays on the table; an Attack card is discarded."""
    kind = table.set.kinds[table.set.card_kind[frame.main]]
    if not kind.road:
        discard(table, frame.main)
        return
    moves = list(table.turn.moves)
    move = next((m for m in moves if m.card == frame.main), None)
    if move is None:
        full = move_value(table, frame.main)
        move = MoveCard(frame.main, full, full)
    else:
        moves.remove(move)
    left = 0 if all_of_it else max(0, move.left - frame.units)
    if left:
        moves.append(MoveCard(move.card, left, move.full))
    else:
        discard(table, frame.main)
        note_spent(table, frame.main, "9.2" if all_of_it else "6.41")
    table.note(moves=tuple(moves))


@rule("BT6.42")
@rule("6.42")
def resolve_attack(table: Table, frame: Announced, heard: Any) -> None:
    """A passing attack strikes first.

    Then the counterattack in full, then the places are exchanged whatever happened (R6.42).
    """
    act = frame.act
    assert isinstance(act, Attack)
    seat = table.turn.seat
    put_away_answers(table, frame)
    discard(table, frame.main)
    kind = kind_of(table, act.card)
    assert kind is not None
    hidden = uncover(table, seat)
    units = frame.units - voided_units(table, frame)
    if kind.passing and units > 0:
        table.push(Exchange(seat, frame.target, units, target_was_moving=frame.target_was_moving, attack=True))
    counter = None if hidden else counterattack(table, frame)
    if counter is not None:
        table.push(counter)
    if is_smoked(table, frame):
        return
    if table.car(frame.target).camouflage:
        table.tell("camouflage_protects", "9.1", seat=frame.target)
        return
    table.push(Attacking(seat, frame.target, act.card, shift_of(table, frame.red, act.card)))


def attacking(table: Table, frame: Attacking, heard: Any) -> None:
    """6.5: draw on the Attack column, modify, read the card's table.

    Below its first row counts as the first, above its last as the last.
    """
    by, target = frame.by, frame.target
    if by:
        uncover(table, by)
    if not table.car(target).present:
        return
    shift = frame.shift + attack_modifier(table, by, target, frame.key)
    drawn = number(table, "attack")
    rows = table.set.attacks[frame.key]
    row = min(max(drawn + shift, 1), len(rows))
    effects = rows[row - 1]
    table.tell(
        "attack",
        "6.5",
        by=by,
        target=target,
        card=frame.key,
        drawn=drawn,
        modifier=shift,
        effects=list(effects),
    )
    for effect in reversed(effects):
        _push_effect(table, frame, effect)
    if "target_flat_tire" in effects:
        flat_tire(table, target)


def attack_modifier(position: Position, by: int, target: int, key: str) -> int:
    """Night -1 on all but Tire Spikes (8.3).

    Narrow Road +1 on Hubcap Blades and Tire Spikes (8.5); Fog, Rain or Night +1 on Spikes, once; a Power Ram +1 on Ram
    and Sideswipe (10.3 E).
    """
    hit = position.cars[target - 1]
    modifier = 0
    if key == "tire_spikes":
        if position.night or is_wet_or_foggy(position, hit):
            modifier += 1
    elif position.night:
        modifier -= 1
    if key in ("tire_spikes", "hubcap_blades"):
        cars = (hit, position.cars[by - 1]) if by else (hit,)
        if any(car.road == NARROW for car in cars):
            modifier += 1
    elif by and key in RAMS and has(position.cars[by - 1], POWER_RAM):
        modifier += 1
    return modifier


def _push_effect(table: Table, frame: Attacking, effect: str) -> None:
    if effect == "target_check":
        table.push(Check(frame.target, 0))
    elif effect == "target_damage":
        table.push(Damages(frame.target, 1))
    elif effect == "own_damage":
        table.push(Damages(frame.by, 1))
    elif effect == "both_check":
        table.push(Check(frame.by, 0), Check(frame.target, 0))
    elif effect == "target_loses_card":
        sideswiped(table, frame.target)


def exchange(table: Table, frame: Exchange, heard: Any) -> None:
    """The places are exchanged even if the passer was stopped (R6.41a).

    On a Narrow Road only once enough was played (8.5).
    """
    by, target = frame.by, frame.target
    if not table.car(by).present:
        return
    if not table.car(target).present:
        table.tell("passes", "6.42", seat=by, target=target, wrecked=True)
        if frame.target_was_moving:
            clear_road(table, by)
        return
    needed = 1 if frame.auto else passes_needed(table, by, target)
    units = dict(table.turn.units)
    total = units.pop(target, 0) + frame.units
    if total < needed:
        units[target] = total
        table.note(units=tuple(units.items()))
        table.tell("half_passed", "8.5", seat=by, target=target)
        return
    table.note(units=tuple(units.items()))
    swap(table, by, target)
    table.tell("passes", "6.61" if frame.auto else "6.41", seat=by, target=target)
    if frame.target_was_moving and not frame.auto:
        clear_road(table, by)
        clear_road(table, target)


def swap(table: Table, by: int, target: int) -> None:
    """The passer takes the place directly ahead of the car it passes."""
    section = table.car(by).section
    line = [seat for seat in table.course[section].line if seat != by]
    line.insert(line.index(target), by)
    table.section(section, line=tuple(line))


def automatic_passes(table: Table, frame: AutoPasses, heard: Any) -> None:
    """6.61: at the start of its Action Phase a moving car passes stopped cars directly ahead.

    One by one, nearest first (R6.61).
    """
    target = automatic_target(table)
    if not target:
        return
    table.push(frame, Asked("auto_pass", (table.turn.seat,), seat=target))


@rule("BT6.61")
@rule("6.61")
def automatic_target(position: Position) -> int:
    """The stopped car that would be passed automatically now, 0 if there is none."""
    turn = position.turn
    car = position.cars[turn.seat - 1]
    if turn.over or not car.moving or not car.present:
        return 0
    target = ahead_of(position, turn.seat)
    return target if target and not position.cars[target - 1].moving else 0


def resolve_automatic_pass(table: Table, frame: Announced, heard: Any) -> None:
    """The passed car's answer strikes; then the places are exchanged."""
    put_away_answers(table, frame)
    table.push(Exchange(table.turn.seat, frame.target, auto=True))
    counter = counterattack(table, frame)
    if counter is not None:
        table.push(counter)


def announce_pass(table: Table, frame: Announced) -> Announced:
    """8.7: Narrow against Wide cancels before the attempt; note whether the car ahead is moving."""
    if not (isinstance(frame.act, Attack) and frame.act.card in EDGE_ATTACKS):
        roads_cancel(table, table.turn.seat, frame.target)
    return msgspec.structs.replace(frame, target_was_moving=table.car(frame.target).moving)


def note_answered(table: Table, frame: Announced) -> None:
    """5.2: one red card for each black card, however many passes it attempts."""
    if frame.main >= 0:
        table.note(answered=(*table.turn.answered, (frame.main, frame.target)))
