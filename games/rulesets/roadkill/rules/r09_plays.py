"""Chapter 9, cards and deals that are acts of their own: Fate, supplies, robberies, markers, trading."""

from collections.abc import Callable
from typing import Any

import msgspec

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import Accept, Card, Discard, Loot, Play, Shortcut, Trade
from games.rulesets.roadkill.rules.bt_track import no_such_thing
from games.rulesets.roadkill.rules.r04_cards import (
    discard,
    draw_to_hand,
    hand_limit,
    kind_of,
    lacks,
    lose_at_random,
    no_such_card,
    not_held,
    short,
    take_from_hand,
    wrong_colour,
    wrong_motion,
)
from games.rulesets.roadkill.rules.r06_movement import askers_clockwise, spent
from games.rulesets.roadkill.rules.r06_passing import cannot_reach, counterattack, put_away_answers, swap
from games.rulesets.roadkill.rules.r06_stops import leave_side_road, mend, open_reserve, repairable
from games.rulesets.roadkill.rules.r09_cards import uncover
from games.rulesets.roadkill.rules.r10_upgrades import foiled, upgrade_called
from games.rulesets.roadkill.state import (
    ALARM,
    FLAT_TIRE,
    FUEL_CELL,
    TANK,
    Announced,
    Asked,
    Car,
    Check,
    Fates,
    Looting,
    Position,
    Table,
    Trading,
    ahead_of,
    behind,
    has,
    has_reserve,
)

MOST_PILLS = 3
"""Cards that No Doze Pills draw at most (R-pills)."""
SIPHON = 2
"""Fuel boxes a Siphon Gas gains at most (9.6)."""
MOST_OFFERS = 3
"""Trades a car may offer in one turn; ours, so that a turn ends (R-offers)."""
MOST_WORDS = 500
"""Letters of a trade's promise."""


@rule("9.3")
def fates(table: Table, frame: Fates, heard: Any) -> bool | None:
    """Fate on a card just played, then on that Fate, and so on; of several at once the first clockwise counts (R9.3).

    Passes on to the frame below whether the card it was about is negated: by an odd number of Fates.
    """
    if heard is not None:
        for seat, answer in heard:
            if isinstance(answer, Card):
                play_fate(table, seat, answer, "fate" if frame.count else frame.on)
                table.push(msgspec.structs.replace(frame, owner=seat, count=frame.count + 1))
                return None
        return frame.count % 2 == 1
    askers = tuple(askers_clockwise(table))
    if not askers:
        return frame.count % 2 == 1
    table.push(frame, Asked("fate", askers, card="fate" if frame.count else frame.on))
    return None


def play_fate(table: Table, seat: int, act: Card, on: str) -> None:
    """The Fate leaves the hand and is discarded, whatever becomes of it. ``on``: what it strikes if nothing is said."""
    card = take_from_hand(table, seat, act.card)
    if table.turn.acting and seat == table.turn.seat:
        table.note(played=table.turn.played + 1)
    discard(table, card)
    table.tell("fate", "9.3", seat=seat, on=act.on or on, card=act.card)


def cannot_fate(position: Position, seat: int, act: Card, targets: tuple[str, ...]) -> Refusal | None:
    """Fate strikes one of the cards just played, or the Event just drawn."""
    if act.card != "fate":
        return Refusal("9.3", f"{short(position, act.card)} cannot be played by any driver at any time; Fate can")
    if lacks(position, seat, ("fate",)):
        return Refusal("9.3", "You do not hold Fate")
    if act.on not in targets and not (act.on == "" and len(targets) == 1):
        return Refusal("9.3", "Name the card that Fate strikes: one that has just been played")
    return None


# Black cards that are acts


@rule("9.5")
def cannot_play(position: Position, act: Play) -> Refusal | None:
    """Every card must be able to do what it is for; motion, colour and reach come first."""
    seat = position.turn.seat
    car = position.cars[seat - 1]
    kind = kind_of(position, act.card)
    if kind is None:
        return no_such_card(position, (act.card,))
    if lacks(position, seat, (act.card,)):
        return spent(position, act.card) or Refusal("9.5", f"You do not hold {kind.short}")
    refusal = wrong_colour(kind, own_turn=True) or wrong_motion(kind, car)
    if refusal is not None:
        return refusal
    check = PURPOSES.get(act.card)
    if check is None:
        return Refusal("9.5", _WITHOUT_PURPOSE.get(act.card, f"{kind.short} is not played by itself"))
    return _idle_words(act, kind.short) or check(position, car, act)


def _idle_words(act: Play, name: str) -> Refusal | None:
    """A car, a job or a number named with a card that has no use for it: the player means something else."""
    if act.target and act.card not in ROBBERIES:
        return Refusal("9.5", f"{name} is not played on a car")
    if act.job and act.card not in ("spare_parts", "tool_kit"):
        return Refusal("9.5", f"{name} repairs nothing of your choice")
    if act.count != MOST_PILLS and act.card != "no_doze_pills":
        return Refusal("9.5", f"{name} draws no cards")
    return None


_WITHOUT_PURPOSE = {
    "swerve": "Swerve answers an attack or a road hazard; nobody is attacking you",
    "firm_shoulders": "Firm Shoulders answers an attack or a Ditched; neither has struck you",
    "great_reflexes": "Great Reflexes cancels a Damage Check or its result; none has struck you",
    "landmark": "A Landmark is named with an exit attempt",
    "fate": "Fate is played on a card or Event when it is announced",
    "shortcut": "Say how many cars the Shortcut passes",
}


def _red_line(position: Position, car: Car, act: Play) -> Refusal | None:
    if not car.moving:
        return Refusal("9.5", "A stopped car plays Red Line only to start")
    return None


def _camouflage(position: Position, car: Car, act: Play) -> Refusal | None:
    if car.camouflage:
        return Refusal("9.5", "Your car is camouflaged already")
    turn = position.turn
    if not turn.began_stopped and not turn.free_stop:
        return Refusal("9.1", "Camouflage needs a car that began the phase stopped or has stopped by will in it")
    return None


def _target(position: Position, act: Play) -> Refusal | None:
    refusal = cannot_reach_robbed(position, act.target)
    if refusal is not None:
        return refusal
    victim = position.cars[act.target - 1]
    if victim.moving:
        return Refusal("6.5", f"Car {act.target} is moving; this takes an adjacent stopped car")
    if victim.camouflage:
        return Refusal("9.1", f"Car {act.target} is camouflaged")
    return foiled(position, act.target, ALARM, short(position, act.card))


def cannot_reach_robbed(position: Position, target: int) -> Refusal | None:
    """Theft, Sabotage and Siphon Gas reach the car ahead or behind."""
    if not 1 <= target <= len(position.cars):
        return Refusal("6.5", "Say which adjacent car it is played on")
    return cannot_reach(position, "assault_rifle", target)


def _theft(position: Position, car: Car, act: Play) -> Refusal | None:
    refusal = _target(position, act)
    if refusal is None and not position.cars[act.target - 1].hand:
        return Refusal("9.5", f"Car {act.target} holds no cards")
    return refusal


def _sabotage(position: Position, car: Car, act: Play) -> Refusal | None:
    refusal = _target(position, act)
    if refusal is None and position.cars[act.target - 1].sabotage:
        return Refusal("9.5", f"Car {act.target} is sabotaged already")
    return refusal


def _siphon(position: Position, car: Car, act: Play) -> Refusal | None:
    if has(car, FUEL_CELL):
        return Refusal("9.5", f"With {upgrade_called(position, FUEL_CELL)}, your car needs no fuel")
    if car.fuel >= TANK:
        return Refusal("9.5", "Your tank is full")
    if not act.target:
        return None
    refusal = _target(position, act)
    if refusal is None and has(position.cars[act.target - 1], FUEL_CELL):
        return Refusal("9.5", f"With {upgrade_called(position, FUEL_CELL)}, car {act.target} has no fuel to siphon")
    if refusal is None and position.cars[act.target - 1].fuel == 0:
        return Refusal("9.6", f"The tank of car {act.target} is empty")
    return refusal


def _spare_parts(position: Position, car: Car, act: Play) -> Refusal | None:
    jobs = [job for job in repairable(car) if job != "damage"]
    if not jobs:
        return Refusal("9.5", "Your car has no Mechanical Problem")
    if act.job and act.job not in jobs:
        return Refusal("9.5", "Your car has no such problem")
    if not act.job and len(jobs) > 1:
        return Refusal("9.5", "Say which problem Spare Parts mend")
    return None


def _spare_tire(position: Position, car: Car, act: Play) -> Refusal | None:
    if car.problems & FLAT_TIRE:
        return None
    return Refusal("9.5", "Your car has no Flat Tire")


def _tool_kit(position: Position, car: Car, act: Play) -> Refusal | None:
    if act.job == "sabotage":
        return None if car.sabotage else Refusal("9.5", "Your car is not sabotaged")
    if act.job not in ("", "damage"):
        return Refusal("9.5", "A Tool Kit mends Damage")
    if not car.damage and not (car.sabotage and not act.job):
        return Refusal("9.5", "Your car has no Damage")
    return None


def _pills(position: Position, car: Car, act: Play) -> Refusal | None:
    if not 1 <= act.count <= MOST_PILLS:
        return Refusal("9.5", "No Doze Pills draw one to three cards")
    return None


def _road_map(position: Position, car: Car, act: Play) -> Refusal | None:
    if car.side < 0 or not car.canyon:
        return Refusal("9.5", "In your own turn a Road Map helps only out of a Box Canyon")
    return None


def _road_sign(position: Position, car: Car, act: Play) -> Refusal | None:
    if car.side >= 0:
        return Refusal("C6a", "A Changed Road Sign is not placed from a Side Road")
    return None


PURPOSES: dict[str, Callable[[Position, Car, Play], Refusal | None]] = {
    "red_line": _red_line,
    "camouflage": _camouflage,
    "theft": _theft,
    "sabotage": _sabotage,
    "siphon_gas": _siphon,
    "spare_parts": _spare_parts,
    "spare_tire": _spare_tire,
    "tool_kit": _tool_kit,
    "no_doze_pills": _pills,
    "road_map": _road_map,
    "changed_road_sign": _road_sign,
}
ROBBERIES = ("theft", "sabotage", "siphon_gas")


def robbed(act: Play) -> int:
    """The car a card is played on, 0 for none: those that may answer with an Assault Rifle."""
    return act.target if act.card in ROBBERIES else 0


CHECKED = 9
"""Stage of an announced card whose own Damage Check is over (Red Line, Shortcut)."""


def resolve_play(table: Table, frame: Announced, heard: Any) -> None:
    """What the card does; a robbery that an Assault Rifle answered is void whatever the rifle's draw (R6.5).

    From a camouflaged robber the rifle gets nothing, and the robber loses the marker (R9.1).
    """
    act = frame.act
    assert isinstance(act, Play)
    seat = table.turn.seat
    if act.card == "red_line":
        resolve_red_line(table, frame)
        return
    put_away_answers(table, frame)
    discard(table, frame.main)
    hidden = bool(act.target) and uncover(table, seat)
    if frame.red < 0 or hidden:
        EFFECTS[act.card](table, act)
        return
    table.tell("robbery_void", "6.5", seat=seat, target=frame.target, card=act.card)
    counter = counterattack(table, frame)
    if counter is not None:
        table.push(counter)


def resolve_red_line(table: Table, frame: Announced) -> None:
    """R-red: its check first; then it lies on the table for the rest of the turn, if the car still drives."""
    seat = table.turn.seat
    if frame.stage != CHECKED:
        table.push(msgspec.structs.replace(frame, stage=CHECKED), Check(seat, 0))
    elif table.car(seat).moving:
        table.note(red_lines=table.turn.red_lines + frame.cards)
        table.tell("red_line", "6.24", seat=seat)
    else:
        discard(table, frame.main)


def _do_camouflage(table: Table, act: Play) -> None:
    table.change(table.turn.seat, camouflage=True)
    table.tell("camouflaged", "9.1", seat=table.turn.seat)


def _do_theft(table: Table, act: Play) -> None:
    seat = table.turn.seat
    hand = [table.key(card) for card in table.car(act.target).hand]
    if not hand:
        return
    table.tell(
        "inspects",
        "R-theft",
        {seat: {"cards": hand}, act.target: {"cards": hand}},
        seat=seat,
        target=act.target,
    )
    table.push(Looting(seat, act.target, stage=1), Asked("loot", (seat,), seat=act.target))


def _do_sabotage(table: Table, act: Play) -> None:
    table.change(act.target, sabotage=True)
    table.tell("sabotages", "C6b", seat=table.turn.seat, target=act.target)


@rule("9.6")
def _do_siphon(table: Table, act: Play) -> None:
    """Two boxes at most, as far as there is room; a robbed car loses what the robber gains and has to give (R9.6)."""
    seat = table.turn.seat
    car = table.car(seat)
    gain = min(SIPHON, TANK - car.fuel)
    if act.target:
        gain = min(gain, table.car(act.target).fuel)
        table.change(act.target, fuel=table.car(act.target).fuel - gain)
    table.change(seat, fuel=car.fuel + gain)
    table.tell("siphons", "9.6", seat=seat, target=act.target, gain=gain)
    if act.target and table.car(act.target).fuel == 0 and has_reserve(table.car(act.target)):
        open_reserve(table, act.target)


def _do_spare_parts(table: Table, act: Play) -> None:
    seat = table.turn.seat
    jobs = [job for job in repairable(table.car(seat)) if job != "damage"]
    mend(table, seat, act.job or jobs[0], "9.5")


def _do_spare_tire(table: Table, act: Play) -> None:
    mend(table, table.turn.seat, "flat_tire", "9.5")


def _do_tool_kit(table: Table, act: Play) -> None:
    seat = table.turn.seat
    mend(table, seat, act.job or ("damage" if table.car(seat).damage else "sabotage"), "9.5")


def _do_pills(table: Table, act: Play) -> None:
    draw_to_hand(table, table.turn.seat, act.count, "R-pills")


def _do_road_map(table: Table, act: Play) -> None:
    """C6: back to the front of the Section the canyon hangs on, without draw or fuel."""
    seat = table.turn.seat
    section = table.car(seat).section
    leave_side_road(table, seat)
    table.section(section, line=(seat, *table.course[section].line))
    table.change(seat, log=-table.course[section].value, at_stop=False, entered_on=-1)
    table.tell("out_of_canyon", "C6c", seat=seat, section=section)


def _do_road_sign(table: Table, act: Play) -> None:
    seat = table.turn.seat
    section = table.car(seat).section
    table.section(section, signs=(*table.course[section].signs, seat))
    table.tell("road_sign", "C6a", seat=seat, section=section)


EFFECTS: dict[str, Callable[[Table, Play], None]] = {
    "camouflage": _do_camouflage,
    "theft": _do_theft,
    "sabotage": _do_sabotage,
    "siphon_gas": _do_siphon,
    "spare_parts": _do_spare_parts,
    "spare_tire": _do_spare_tire,
    "tool_kit": _do_tool_kit,
    "no_doze_pills": _do_pills,
    "road_map": _do_road_map,
    "changed_road_sign": _do_road_sign,
}


# Shortcut


def cannot_shortcut(position: Position, act: Shortcut) -> Refusal | None:
    """R-short: a moving car passes as many cars as it announces, up to the value of its Section; Road 0 allows none."""
    seat = position.turn.seat
    car = position.cars[seat - 1]
    if lacks(position, seat, ("shortcut",)):
        return Refusal("6.4", "You do not hold Shortcut")
    kind = kind_of(position, "shortcut")
    assert kind is not None
    refusal = wrong_motion(kind, car)
    if refusal is not None:
        return refusal
    if car.side >= 0:
        return Refusal("6.4", "From a Side Road nobody is passed")
    section = position.course[car.section]
    if not 1 <= act.cars <= section.value:
        return Refusal("R-short", f"On this Section a Shortcut passes at most {section.value} cars")
    if act.cars > section.line.index(seat):
        return Refusal("R-short", "There are not so many cars ahead of you on your Section")
    return None


def resolve_shortcut(table: Table, frame: Announced, heard: Any) -> None:
    """R-short: the Damage Check first.

    If the car still drives, the cars are passed unattacked; Narrow and Wide markers stay (8.7).
    """
    seat = table.turn.seat
    act = frame.act
    assert isinstance(act, Shortcut)
    if frame.stage != CHECKED:
        table.push(msgspec.structs.replace(frame, stage=CHECKED), Check(seat, 0))
        return
    discard(table, frame.main)
    car = table.car(seat)
    if not car.moving:
        return
    line = table.course[car.section].line
    swap(table, seat, line[line.index(seat) - act.cars])
    table.tell("shortcut", "R-short", seat=seat, cars=act.cars)


# Theft


def looting(table: Table, frame: Looting, heard: Any) -> None:
    """R-theft: all Supply cards or one other.

    Then down to the limit from the whole hand, at random if the thief does not choose.
    """
    seat, victim = frame.seat, frame.victim
    if frame.stage == 1:
        _take_loot(table, seat, victim, heard[0][1])
        car = table.car(seat)
        if len(car.hand) > hand_limit(car):
            table.push(Looting(seat, victim, stage=2), Asked("excess", (seat,), seat=seat))
        return
    act: Discard = heard[0][1]
    for key in act.cards:
        card = take_from_hand(table, seat, key)
        discard(table, card)
        table.tell("discards", "R-theft", seat=seat, cards=[key])
    car = table.car(seat)
    lose_at_random(table, seat, max(0, len(car.hand) - hand_limit(car)), "R-theft")


def _take_loot(table: Table, seat: int, victim: int, act: Loot) -> None:
    hand = table.car(victim).hand
    box = table.set
    if act.card:
        taken = bytes((next(card for card in hand if box.card_keys[card] == act.card),))
    else:
        taken = bytes(card for card in hand if box.kinds[box.card_kind[card]].symbol == "supply")
    left = bytes(card for card in hand if card not in taken)
    table.change(victim, hand=left)
    table.change(seat, hand=table.car(seat).hand + taken)
    names = {"cards": [table.key(card) for card in taken]}
    table.tell("takes", "R-theft", {seat: names, victim: names}, seat=seat, target=victim, count=len(taken))


def cannot_loot(position: Position, victim: int, act: Loot) -> Refusal | None:
    """All Supply cards, or one card of another kind."""
    if not act.card:
        return None
    if lacks(position, victim, (act.card,)):
        return Refusal("R-theft", f"Car {victim} does not hold {short(position, act.card)}")
    kind = kind_of(position, act.card)
    assert kind is not None
    if kind.symbol == "supply":
        return Refusal("R-theft", "Take all Supply cards, or one card of another kind")
    return None


def loot_choices(position: Position, victim: int) -> list[Loot]:
    """Every way to take."""
    box = components.named(position.components)
    keys = dict.fromkeys(box.card_keys[card] for card in position.cars[victim - 1].hand)
    return [Loot(), *(Loot(key) for key in keys if box.kinds[box.kind_index[key]].symbol != "supply")]


def cannot_discard_excess(position: Position, seat: int, act: Discard) -> Refusal | None:
    """So many that the limit is kept, or none to leave it to chance."""
    car = position.cars[seat - 1]
    excess = len(car.hand) - hand_limit(car)
    if not act.cards:
        return None
    if len(act.cards) != excess:
        return Refusal("4.5", f"Discard exactly {excess}")
    missing = not_held(position, seat, act.cards)
    return Refusal("4.5", missing) if missing else None


# Trading


@rule("9.7")
def cannot_trade(position: Position, act: Trade) -> Refusal | None:
    """Two adjacent stopped cars may trade in either's Action Phase; neither hand may go over its limit (4.5, R9.7)."""
    seat = position.turn.seat
    car = position.cars[seat - 1]
    if position.track or car.moving:
        moving = Refusal("9.7", "Only stopped cars trade, and yours is moving")
        return no_such_thing("trading") if position.track else moving
    if act.target == 0 or act.target not in (ahead_of(position, seat), behind(position, seat)):
        return Refusal("9.7", f"Car {act.target} is not adjacent to yours")
    other = position.cars[act.target - 1]
    if other.moving:
        return Refusal("9.7", f"Only stopped cars trade, and car {act.target} is moving")
    if not 0 <= act.any_cards <= hand_limit(other) or len(act.words) > MOST_WORDS:
        return Refusal("9.7", f"Ask for 0 to {hand_limit(other)} cards, with a promise of at most {MOST_WORDS} letters")
    if not act.give and not act.want and not act.any_cards:
        return Refusal("9.5", "An offer must move a card")
    missing = not_held(position, seat, act.give)
    if missing:
        return Refusal("9.7", missing)
    unknown = no_such_card(position, act.want)
    if unknown:
        return unknown
    asked = len(act.want) + act.any_cards
    if asked > len(other.hand):
        return Refusal("9.7", f"Car {act.target} holds only {len(other.hand)} cards")
    if len(car.hand) - len(act.give) + asked > hand_limit(car):
        return Refusal("4.5", "You would hold more cards than your limit")
    if len(other.hand) - asked + len(act.give) > hand_limit(other):
        return Refusal("4.5", f"Car {act.target} would hold more cards than its limit")
    if position.turn.offers >= MOST_OFFERS:
        return Refusal("R-offers", f"At most {MOST_OFFERS} trades are offered in a turn")
    return None


def offer_trade(table: Table, act: Trade) -> None:
    """Put the offer to the other player. What is named for it only the two of them learn."""
    seat = table.turn.seat
    table.note(offers=table.turn.offers + 1)
    words = {"give": list(act.give), "want": list(act.want), "words": act.words}
    asked = len(act.want) + act.any_cards
    table.tell(
        "offers_trade",
        "9.7",
        {seat: words, act.target: words},
        seat=seat,
        target=act.target,
        gives=len(act.give),
        asks=asked,
    )
    table.push(Trading(act, seat), Asked("trade", (act.target,), seat=seat))


def cannot_accept_trade(position: Position, offer: Trade, act: Accept) -> Refusal | None:
    """The other must hold what is asked for by name, and name as many cards more as are asked for by number."""
    if act.job:
        return Refusal("9.7", "A trade repairs nothing")
    missing = not_held(position, offer.target, (*offer.want, *act.give))
    if missing:
        return Refusal("9.7", missing)
    if len(act.give) != offer.any_cards:
        return Refusal("9.7", f"Name the {offer.any_cards} cards that you give as well")
    return None


def trading(table: Table, frame: Trading, heard: Any) -> None:
    """Cards change hands at once, or the offer is off."""
    offer = frame.offer
    answer = heard[0][1]
    seat, other = frame.seat, offer.target
    if not isinstance(answer, Accept):
        table.tell("trade_off", "9.7", seat=other, target=seat)
        return
    table.note(acted=True)
    given = bytes(take_from_hand(table, seat, key) for key in offer.give)
    got = bytes(take_from_hand(table, other, key) for key in (*offer.want, *answer.give))
    table.change(seat, hand=table.car(seat).hand + got)
    table.change(other, hand=table.car(other).hand + given)
    words = {"gave": [table.key(c) for c in given], "got": [table.key(c) for c in got]}
    table.tell("trade", "9.7", {seat: words, other: words}, seat=seat, target=other, gave=len(given), got=len(got))
