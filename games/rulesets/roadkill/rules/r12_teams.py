"""Chapter 12: two players a car, who of them answers, passing cards, changing drivers.

Seats 1 to n are the first Drivers of cars 1 to n, seats n + 1 to 2n their Assistant Drivers. How the rules know them is
told at games.rulesets.roadkill.state.Teams.
"""

from typing import Any

import msgspec

from games.engine.errors import Malformed, Refusal
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.actions import ChangeDrivers, DrawCards, End, Keep, NoMore, PassCard
from games.rulesets.roadkill.rules.r04_cards import draw_to_hand, hand_limit, not_held, short, take_from_hand
from games.rulesets.roadkill.state import (
    Asked,
    Car,
    Keeping,
    Partner,
    Position,
    Sharing,
    Table,
    Teams,
    car_of,
    drivers_of,
    find_card,
    hand_of,
    role_of,
    seat_of,
    teams_of,
    without,
)

FEWEST, MOST = 4, 20
"""Players of a race of teams: two to ten cars (R12)."""


@rule("12.1")
def cars_of(players: int) -> int:
    """How many cars so many players drive in teams of two; raises Malformed if that cannot be."""
    if players % 2 or not FEWEST <= players <= MOST:
        raise Malformed(f"Teams are an even number of drivers, {FEWEST} to {MOST}: two for each car.", rule="12.1")
    return players // 2


@rule("12.2")
def seated(cars: int) -> Teams:
    """Round the table sit the Drivers in the order of their cars, then the Assistant Drivers in the same order.

    The Driver of the lead car has the pawn (R12.6).
    """
    return Teams(
        player=1,
        partners=(Partner(),) * cars,
        drivers=tuple(range(1, cars + 1)),
        pawn=1,
        alone=(0,) * cars,
    )


def partner_of(position: Position, who: int) -> int:
    """The number of a driver's partner; 0 without teams, or if he drives alone."""
    if not position.teams or position.teams.alone[car_of(position, who) - 1]:
        return 0
    count = len(position.cars)
    return who + count if who <= count else who - count


@rule("12.3")
def next_player(table: Table) -> int:
    """The car whose turn is next: play passes clockwise from seat to seat, and each partner has turns of his own.

    Past every seat the partners of its car change places: the other one is now the first clockwise (12.31). Seats that
    nobody plays any more are left out.
    """
    count = len(table.cars)
    teams = teams_of(table)
    player = teams.player
    while True:
        _change_places(table, car_of(table, player))
        player = player % (2 * count) + 1
        table.teams = msgspec.structs.replace(teams_of(table), player=player)
        car = car_of(table, player)
        if not table.car(car).withdrawn and teams.alone[car - 1] in (0, player):
            return car


@rule("12.31")
def _change_places(table: Table, car: int) -> None:
    """Of a car's partners the one closest clockwise from the active player answers for it; Fate, either may play.

    So past each seat the partners of its car change places, with hand, wish and all that is a partner's own; who drives
    alone keeps his.
    """
    teams = teams_of(table)
    if teams.alone[car - 1]:
        return
    here = table.car(car)
    there = teams.partners[car - 1]
    table.change_partner(car + len(table.cars), hand=here.hand, wishes=here.wishes, leaving=here.leaving)
    table.change(car, hand=there.hand, wishes=there.wishes, leaving=there.leaving)


def wishing_partners(position: Position) -> list[int]:
    """12.31: of those who play no car in this turn, who asked to be asked and holds a card, clockwise from the active.

    Any player may play Fate or Box Canyon at any time.
    """
    count = len(position.cars)
    partners = teams_of(position).partners
    active = position.turn.seat
    order = [(active - 1 + step) % count for step in range(count)]
    return [
        place + 1 + count
        for place in order
        if partners[place].wishes and partners[place].hand and position.cars[place].present
    ]


def clockwise_from_player(position: Position, who: int) -> int:
    """How many seats clockwise from the active player a driver sits."""
    count = len(position.cars)
    if not position.teams:
        return (who - position.turn.seat) % count
    return (seat_of(position, who) - position.teams.player) % (2 * count)


@rule("12.32")
def fires_moving(position: Position, car: Car, key: str) -> bool:
    """The Assistant Driver may play the Assault Rifle even while the car moves, black or red (R12.32)."""
    return (
        key == "assault_rifle"
        and bool(position.teams)
        and role_of(position, seat_of(position, car.seat)) == "assistant"
    )


# 12.4 Pass/Draw


@rule("12.4")
def share(table: Table, allowance: int) -> None:
    """Draw and pass one by one, instead of drawing at once, as often as one might draw."""
    table.push(Sharing(allowance))


def sharing(table: Table, frame: Sharing, heard: Any) -> None:
    """Ask until nothing is left, nothing more can be done, or nothing more is wanted (R12.4)."""
    seat = table.turn.seat
    left = frame.left
    if heard is not None:
        act = heard[0][1]
        if isinstance(act, NoMore):
            return
        if isinstance(act, PassCard):
            _pass_card(table, seat, act.card)
            left -= 1
        else:
            most = drawable(table, frame)
            left -= draw_to_hand(table, seat, most if act.count < 0 else act.count, "12.4")
            if act.count < 0:
                return
    after = Sharing(left)
    if left > 0 and (drawable(table, after) or _can_pass(table, seat)):
        table.push(after, Asked("draw_or_pass", (seat,), seat=seat))


def cannot_share_at_end(position: Position, act: End) -> Refusal | None:
    """Why cards cannot be drawn and passed one by one when this turn ends."""
    if not position.teams:
        return Refusal("12", "There are no teams in this race: there is no partner to pass cards to")
    if not partner_of(position, position.turn.seat):
        return Refusal("12.4", "You drive this car alone: your partner has given up")
    if act.draw >= 0:
        return Refusal("12.4", "Draw and pass cards one by one, or say how many you draw: not both")
    return None


def _room(position: Position, who: int) -> int:
    return max(0, hand_limit(position.cars[car_of(position, who) - 1]) - len(hand_of(position, who)))


def drawable(position: Position, frame: Sharing) -> int:
    """How many cards may be drawn before one is passed: by the options left, the free places and the piles."""
    return min(frame.left, _room(position, position.turn.seat), len(position.pile) + len(position.discards))


def _can_pass(position: Position, seat: int) -> bool:
    partner = partner_of(position, seat)
    return bool(partner and hand_of(position, seat)) and _room(position, partner) > 0


def _pass_card(table: Table, seat: int, key: str) -> None:
    partner = partner_of(table, seat)
    card = take_from_hand(table, seat, key)
    table.set_hand(partner, hand_of(table, partner) + bytes((card,)))
    known = {"cards": [key]}
    table.tell("hands_over", "12.4", {seat: known, partner: known}, seat=seat, count=1)


def cannot_share(position: Position, frame: Sharing, act: Any) -> Refusal | None:
    """Why this cannot be drawn or passed now: options, hand limits, cards."""
    seat = position.turn.seat
    if isinstance(act, NoMore):
        return None
    if isinstance(act, PassCard):
        missing = not_held(position, seat, (act.card,))
        if missing:
            return Refusal("12.4", missing)
        if not _can_pass(position, seat):
            return Refusal("12.4", "Your partner's hand is full")
        return None
    if isinstance(act, DrawCards):
        return _cannot_draw(position, frame, act)
    return Refusal("12.4", "Draw cards, pass one to your partner, or nothing more")


def _cannot_draw(position: Position, frame: Sharing, act: DrawCards) -> Refusal | None:
    most = drawable(position, frame)
    if not most:
        full = _room(position, position.turn.seat) == 0
        return Refusal("12.4", "Your hand is full: pass a card first" if full else "There is no card left to draw")
    if act.count == -1 or 0 < act.count <= most:
        return None
    if act.count <= 0:
        return Refusal("12.4", "Draw one card or more, or nothing more")
    if act.count > frame.left:
        return Refusal("12.4", f"Of what you may draw and pass, {frame.left} {'is' if frame.left == 1 else 'are'} left")
    if act.count > _room(position, position.turn.seat):
        return Refusal("12.4", "Your hand has no place for that: pass a card first")
    return Refusal("12.4", "There are not so many cards left to draw")


def shares(position: Position, frame: Sharing) -> list[Any]:
    """What may be drawn and passed: all, one card fewer and so on, each kind of card in the hand, nothing more.

    The first ends it: where nothing can be drawn it is nothing more.
    """
    seat = position.turn.seat
    most = drawable(position, frame)
    passes: list[Any] = []
    if _can_pass(position, seat):
        keys = components.named(position.components).card_keys
        passes.extend(PassCard(key) for key in dict.fromkeys(keys[card] for card in hand_of(position, seat)))
    if not most:
        return [NoMore(), *passes]
    return [DrawCards(), *(DrawCards(count) for count in range(1, most + 1)), *passes, NoMore()]


# 12.5 Changing Drivers


@rule("12.5")
def cannot_change(position: Position, act: ChangeDrivers) -> Refusal | None:
    """Only right after a Driving card has got the car going again, in a turn that it began stopped (R12.5)."""
    if not position.teams:
        return Refusal("12", "There are no teams in this race: nobody else drives your car")
    if not partner_of(position, position.turn.seat):
        return Refusal("12.5", "You drive this car alone: your partner has given up")
    if position.turn.fresh is not True or not position.cars[position.turn.seat - 1].moving:
        return Refusal(
            "12.5", "Drivers change right after a Driving card has started a car that stood when its turn began"
        )
    return None


def change_drivers(table: Table, act: ChangeDrivers) -> None:
    """The partners change roles; then the active player chooses from both hands."""
    seat = table.turn.seat
    teams = teams_of(table)
    driver = next(
        seat_of(table, who) for who in drivers_of(table, seat) if role_of(table, seat_of(table, who)) == "assistant"
    )
    drivers = tuple(driver if car == seat else old for car, old in enumerate(teams.drivers, 1))
    table.teams = msgspec.structs.replace(teams, drivers=drivers)
    table.tell("changes_drivers", "12.5", seat=seat, driver=driver)
    table.push(Keeping(), Asked("keep", (seat,), seat=seat))


def both_hands(position: Position) -> bytes:
    """The cards of both partners of the active car, of which its player keeps some (12.5)."""
    seat = position.turn.seat
    return hand_of(position, seat) + hand_of(position, partner_of(position, seat))


def cannot_keep(position: Position, act: Keep) -> Refusal | None:
    """What is kept and what is returned must both fit the limit (R12.5)."""
    if act.as_they_are:
        return Refusal("12.5", "Name cards, or leave both hands as they are") if act.cards else None
    left = both_hands(position)
    for key in act.cards:
        card = find_card(position, left, key)
        if card < 0:
            wanted = act.cards.count(key)
            return Refusal("12.5", f"Your two hands have not {wanted} {short(position, key)}")
        left = without(left, card)
    limit = hand_limit(position.cars[position.turn.seat - 1])
    if len(act.cards) > limit:
        return Refusal("12.5", f"You may keep {limit} cards at most")
    if len(left) > limit:
        return Refusal("12.5", f"Keep {len(both_hands(position)) - limit} cards or more: your partner takes {limit}")
    return None


def keeping(table: Table, frame: Keeping, heard: Any) -> None:
    """The active player keeps the cards named and returns the rest to his partner."""
    seat = table.turn.seat
    partner = partner_of(table, seat)
    act = heard[0][1]
    if not act.as_they_are:
        kept, left = b"", both_hands(table)
        for key in act.cards:
            card = find_card(table, left, key)
            kept, left = kept + bytes((card,)), without(left, card)
        table.set_hand(seat, kept)
        table.set_hand(partner, left)
    mine, theirs = (hand_of(table, who) for who in (seat, partner))
    private = {
        seat: {"kept": [table.key(card) for card in mine], "returned": [table.key(card) for card in theirs]},
        partner: {"returned": [table.key(card) for card in theirs]},
    }
    table.tell("keeps", "12.5", private, seat=seat, keeps=len(mine), returns=len(theirs))


# 12.6 Events


@rule("12.6")
def draws_events(position: Position) -> bool:
    """Whether the active player, and not his partner, has the pawn."""
    teams = teams_of(position)
    return teams.pawn == teams.player


def give_pawn(table: Table, car: int) -> None:
    """The lead car's player has it: the active one who passed the leader, else its partner first clockwise (R12.6)."""
    table.teams = msgspec.structs.replace(teams_of(table), pawn=seat_of(table, car))


# Giving up


def lose_partners(table: Table) -> None:
    """R-withdraw: who gives up leaves the car to a partner who goes on, and his hand to the discards.

    A car whose partners have both given up is marked as leaving, and goes as other cars do.
    """
    for car in table.cars:
        teams, place = teams_of(table), car.seat - 1
        other = teams.partners[place]
        alone = teams.alone[place]
        if car.withdrawn or alone or not (car.leaving or other.leaving):
            continue
        if car.leaving and other.leaving:
            continue
        _leave_to(table, car, other)


def _leave_to(table: Table, car: Car, other: Partner) -> None:
    count = len(table.cars)
    gone, stays = (car.seat, car.seat + count) if car.leaving else (car.seat + count, car.seat)
    seat, left = seat_of(table, stays), seat_of(table, gone)
    table.discards += hand_of(table, gone)
    table.tell("leaves_to_partner", "R-withdraw", seat=gone)
    kept = other if car.leaving else Partner(car.hand, car.wishes)
    table.change(car.seat, hand=kept.hand, wishes=kept.wishes, leaving=False)
    table.change_partner(car.seat + count, hand=b"", wishes=False, leaving=True)
    teams = teams_of(table)
    table.teams = msgspec.structs.replace(
        teams,
        alone=tuple(seat if number == car.seat else old for number, old in enumerate(teams.alone, 1)),
        pawn=seat if teams.pawn == left else teams.pawn,
    )


def gives_up(table: Table, who: int) -> bool:
    """Note that this driver gives up; False if he had said so before."""
    count = len(table.cars)
    if who > count:
        if teams_of(table).partners[who - count - 1].leaving:
            return False
        table.change_partner(who, leaving=True)
        return True
    if table.car(who).leaving:
        return False
    table.change(who, leaving=True)
    return True


def note_wish(table: Table, who: int, *, wishes: bool) -> None:
    """Whether this driver wants to be asked where any player may play a card."""
    if who <= len(table.cars):
        table.change(who, wishes=wishes)
    else:
        table.change_partner(who, wishes=wishes)


def hands(position: Position) -> list[bytes]:
    """All hands that there are."""
    partners = position.teams.partners if position.teams else ()
    return [holder.hand for holder in (*position.cars, *partners)]


def is_leaving(position: Position, who: int) -> bool:
    """Whether this driver gives up: from then on the default is answered for him."""
    count = len(position.cars)
    if who <= count:
        return position.cars[who - 1].leaving
    return teams_of(position).partners[who - count - 1].leaving
