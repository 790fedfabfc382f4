"""Chapter 3: preparing to play."""

from msgspec import UNSET

from games.engine.chance import Chance
from games.engine.rulebook import rule
from games.rulesets.roadkill import components
from games.rulesets.roadkill.rules.bt_track import prepared
from games.rulesets.roadkill.rules.r04_cards import draw_card
from games.rulesets.roadkill.rules.r10_upgrades import NONE, Brought, equip
from games.rulesets.roadkill.rules.r12_teams import cars_of, seated
from games.rulesets.roadkill.sheet import BEGINNER, OPEN
from games.rulesets.roadkill.state import Car, Phase, Section, State, Table, Turn

FIRST_HAND = 7


@rule("3")
def set_up(
    set_name: str,
    players: int,
    length: int,
    chance: Chance,
    upgrades: str | Brought = NONE,
    *,
    track: str = OPEN,
    teams: bool = False,
) -> Table:
    """Cars 1 to n stand on Road 0 in the order of their numbers, undamaged, tanks full.

    Seven cards to each player, in teams to both of a car (R12), as long as there are any (R4.2); car 1 is on turn (R3).
    Upgrades, if any, come last: seven cards are dealt all the same (R10.3). On the Beginner's Track the course lies
    there already (BT3).
    """
    box = components.named(set_name)
    seats = cars_of(players) if teams else players
    if track == BEGINNER:
        course, pile = prepared(box, seats)
    else:
        course, pile = (Section(line=tuple(range(1, seats + 1))),), bytes(range(len(box.card_kind)))
    state = State(
        components=set_name,
        length=length,
        cars=tuple(Car(seat=seat) for seat in range(1, seats + 1)),
        course=course,
        pile=pile,
        discards=b"",
        deck=1,
        night=False,
        weather=0,
        weather_at=0,
        turn=Turn(0, 1),
        stack=(Phase(0),),
        track=BEGINNER if track == BEGINNER else UNSET,
        teams=seated(seats) if teams else UNSET,
    )
    table = Table(state, chance)
    for player in range(1, players + 1):
        hand = bytes(draw_card(table, "card") for _ in range(min(FIRST_HAND, len(table.pile))))
        table.set_hand(player, hand)
        known = {"cards": [table.key(card) for card in hand]}
        table.tell("dealt", "3", {player: known}, seat=player, count=len(hand))
    equip(table, upgrades)
    return table
