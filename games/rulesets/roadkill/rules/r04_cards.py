"""Chapter 4: colours, piles, motion, number lines, hand size."""

from collections.abc import Iterable
from functools import lru_cache

from games.engine.errors import Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.rules.r08_roads import is_night
from games.rulesets.roadkill.state import (
    COMPUTER,
    Car,
    Position,
    Table,
    drivers_of,
    find_card,
    hand_of,
    has,
    kinds_of,
    without,
)
from games.rulesets.roadkill.words import no_card_called, plural


def kind_of(position: Position, key: str) -> components.Kind | None:
    """The kind of card with this key, or None if the set has none."""
    return _kinds_by_key(position.components).get(key)


@lru_cache
def _kinds_by_key(set_name: str) -> dict[str, components.Kind]:
    return {kind.key: kind for kind in components.named(set_name).kinds}


def short(position: Position, key: str) -> str:
    """The short name of a kind of card, for sentences."""
    kind = kind_of(position, key)
    return kind.short if kind is not None else key


def no_such_card(position: Position, keys: Iterable[str]) -> Refusal | None:
    """That one of these keys is no card of the box, and what to write instead."""
    for key in keys:
        if kind_of(position, key) is None:
            return Refusal("4", no_card_called(key, example="«move_1» for Move 1"))
    return None


@rule("BT4.1")
@rule("4.1")
def wrong_colour(kind: components.Kind, *, own_turn: bool) -> Refusal | None:
    """Black cards are for one's own Action Phase, red ones for an opponent's; two-coloured ones for either."""
    if own_turn and not kind.black:
        return Refusal("4.1", f"{kind.short} is red: it answers an opponent and is not played in your own turn")
    if not own_turn and not kind.red:
        return Refusal("4.1", f"{kind.short} is black: it is played only in your own turn")
    return None


@rule("BT4.3")
@rule("4.3")
def wrong_motion(kind: components.Kind, car: Car) -> Refusal | None:
    """A dashed border asks for a moving car, a solid one for a stopped car.

    Judged when the card is announced (R4.3).
    """
    if kind.motion == "moving" and not car.moving:
        return Refusal("4.3", f"{kind.short} can be played only by a moving car, and yours stands still")
    if kind.motion == "stopped" and car.moving:
        return Refusal("4.3", f"{kind.short} can be played only by a stopped car, and yours is moving")
    return None


@rule("BT4.2")
@rule("4.2")
def draw_card(table: Table, label: str) -> int:
    """Take a card from the draw pile; an empty pile is refilled from the discards first, as the next deck.

    -1 if both are empty.
    """
    if not table.pile:
        if not table.discards:
            return -1
        table.pile, table.discards = table.discards, b""
        table.deck += 1
        table.tell("new_deck", "4.2", deck=table.deck, cards=len(table.pile))
        night = is_night(table.deck)
        if night != table.night and not table.track:
            table.night = night
            table.tell("nightfall" if night else "daybreak", "8.3")
    pile = table.pile
    place = table.chance.pick(len(pile), label, pile)
    table.pile = pile[:place] + pile[place + 1 :]
    return pile[place]


@rule("BT4.4")
@rule("4.4")
def number(table: Table, column: str) -> int:
    """Draw a card for a random number: read the column of its number line, then discard it.

    With no card left in either pile the number comes from the race's random stream (R4.2).
    """
    card = draw_card(table, f"number {column}")
    if card < 0:
        sides = max(table.set.numbers[column])
        drawn = table.chance.pick(sides, f"number {column} without a card") + 1
        table.tell("number", "4.4", column=column, value=drawn, card="")
        return drawn
    table.discards += bytes((card,))
    value = table.set.numbers[column][card]
    table.tell("number", "4.4", column=column, value=value, card=table.set.card_keys[card])
    return value


def position_number(table: Table, sides: int) -> int:
    """A number from 1 to ``sides`` (2 to 10) from its column."""
    return number(table, components.column_for(sides))


def event_letter(table: Table) -> str:
    """Draw a card and read its Event column (5.1)."""
    card = draw_card(table, "number event")
    if card < 0:
        letter = table.set.letters[table.chance.pick(len(table.set.letters), "number event without a card")]
        table.tell("number", "4.4", column="event", value=letter, card="")
        return letter
    table.discards += bytes((card,))
    letter = table.set.letters[card]
    table.tell("number", "4.4", column="event", value=letter, card=table.set.card_keys[card])
    return letter


@rule("BT4.5")
@rule("4.5")
def hand_limit(car: Car) -> int:
    """Seven cards, one less for each Damage point; nobody holds more, even for a moment.

    One more with a Computer Guidance System (10.3 A).
    """
    return 8 - car.damage if car.fitted and has(car, COMPUTER) else 7 - car.damage


def room(car: Car) -> int:
    """How many cards the hand can still take."""
    return max(0, hand_limit(car) - len(car.hand))


def draw_to_hand(table: Table, seat: int, count: int, rule_number: str) -> int:
    """Draw up to ``count`` cards into a hand, within its limit.

    Returns how many came (none if both piles are empty, R4.2).
    """
    car = table.car(seat)
    drawn: list[int] = []
    for _ in range(min(count, room(car))):
        card = draw_card(table, "card")
        if card < 0:
            table.tell("piles_empty", "4.2", seat=seat)
            break
        drawn.append(card)
    if drawn:
        table.change(seat, hand=car.hand + bytes(drawn))
    if drawn or count:
        table.tell(
            "draws",
            rule_number,
            {seat: {"cards": [table.key(card) for card in drawn]}},
            seat=seat,
            count=len(drawn),
        )
    return len(drawn)


def take_from_hand(table: Table, seat: int, key: str) -> int:
    """Take one card of this kind out of a hand; AssertionError if it is not there (verified before)."""
    hand = hand_of(table, seat)
    card = find_card(table, hand, key)
    assert card >= 0, f"seat {seat} holds no {key}"
    table.set_hand(seat, without(hand, card))
    return card


def play_from_hand(table: Table, seat: int, key: str) -> int:
    """As take_from_hand, and counted as played in one's own Action Phase (R5.4)."""
    card = take_from_hand(table, seat, key)
    count_as_played(table, seat, 1)
    return card


def count_as_played(table: Table, seat: int, cards: int) -> None:
    """R5.4: what leaves the hand in one's own Action Phase to have an effect counts against the draw."""
    turn = table.turn
    if turn.acting and seat == turn.seat:
        table.note(played=turn.played + cards)


def discard(table: Table, *cards: int) -> None:
    """Put cards on the discard pile; -1 stands for none."""
    table.discards += bytes([card for card in cards if card >= 0])


def lose_at_random(table: Table, seat: int, count: int, rule_number: str) -> None:
    """So many cards, drawn at random, leave a hand for the discards (7.3, 9.4)."""
    for _ in range(count):
        hand = hand_of(table, seat)
        place = table.chance.pick(len(hand), "lose", hand)
        card = hand[place]
        table.set_hand(seat, hand[:place] + hand[place + 1 :])
        discard(table, card)
        table.tell("loses_card", rule_number, seat=seat, card=table.key(card))


def lose_excess(table: Table, car: int, rule_number: str) -> None:
    """What a hand holds above its limit is lost at random; in a team by both partners, the Driver first (R12)."""
    limit = hand_limit(table.car(car))
    for who in drivers_of(table, car):
        excess = len(hand_of(table, who)) - limit
        if excess > 0:
            lose_at_random(table, who, excess, rule_number)


def lacks(position: Position, seat: int, keys: tuple[str, ...]) -> str:
    """The first of these keys that the hand does not hold often enough, "" if it holds them all."""
    indices = components.named(position.components).kind_index
    held = kinds_of(position, hand_of(position, seat))
    for key in keys:
        if key not in indices or held.count(indices[key]) < keys.count(key):
            return key or NAMELESS
    return ""


NAMELESS = "a card without a name"


def not_held(position: Position, seat: int, keys: tuple[str, ...]) -> str:
    """Of which of these keys the hand has too few, in a sentence; "" if it holds them all."""
    key = lacks(position, seat, keys)
    if not key:
        return ""
    wanted = keys.count(key)
    return f"You do not hold {f'{wanted} {plural(short(position, key))}' if wanted > 1 else short(position, key)}"
