"""Every answer a driver can give, one Struct an act.

Cards are named by their kind's key ("move_2"), cars by their number.
"""

from typing import TypeAlias

from games.engine.contract import Action

Key: TypeAlias = str
"""The key of a kind of card."""


class Start(Action, frozen=True, gc=False, tag="start"):
    """6.1: set a stopped car going with a Driving card."""

    card: Key


class Exit(Action, frozen=True, gc=False, tag="exit"):
    """6.21, 6.22, 6.24, 6.71: try to leave the Section or Side Road.

    ``left``: with the value left on a Move card on the table.
    """

    card: Key
    left: bool = False
    landmarks: int = 0
    red_lines: int = 0


class Pass(Action, frozen=True, gc=False, tag="pass"):
    """6.41, 6.43: pass the car ahead without attacking it.

    ``units``: values of the one Move card announced together (8.5).
    """

    card: Key
    target: int = 0
    left: bool = False
    units: int = 1


class Attack(Action, frozen=True, gc=False, tag="attack"):
    """6.42, 6.5: attack an adjacent car; a passing card passes it too."""

    card: Key
    target: int


class Shortcut(Action, frozen=True, gc=False, tag="shortcut"):
    """The card Shortcut: pass this many cars at once."""

    cars: int


class Play(Action, frozen=True, gc=False, tag="play"):
    """Any other black card: supplies, theft, markers.

    ``job``: what to repair; ``count``: cards to draw with No Doze Pills.
    """

    card: Key
    target: int = 0
    job: str = ""
    count: int = 3


class Stop(Action, frozen=True, gc=False, tag="stop"):
    """6.6: stop by will; also the answer that stops in Events D, H and X and before an automatic pass."""


class Forage(Action, frozen=True, gc=False, tag="forage"):
    """6.72: lay a Road card as one's own Side Road."""

    card: Key


class Repair(Action, frozen=True, gc=False, tag="repair"):
    """7.4: a roadside repair attempt. ``job``: "damage", "sabotage" or a problem's key."""

    job: str


class Trade(Action, frozen=True, gc=False, tag="trade"):
    """9.7: offer cards to the adjacent stopped car ``target``.

    ``any_cards``: how many more of its choice are asked for.
    """

    target: int
    give: tuple[Key, ...] = ()
    want: tuple[Key, ...] = ()
    any_cards: int = 0
    words: str = ""


class End(Action, frozen=True, gc=False, tag="end"):
    """5.3, 5.4, 6.62, 6.7: end the acts of one's turn.

    ``job``: what the Rest Stop repairs ("" = the usual order of R5); ``rest``: rest instead of using it; ``discard``:
    cards thrown away; ``draw``: at most so many cards, -1 = all that is allowed; ``at_stop``: the Rest Stop was asked
    for without a job, so the act is refused where there is none to use; ``share``: in a team, cards are then drawn and
    passed to the partner one by one (12.4), and ``draw`` says nothing.
    """

    job: str = ""
    rest: bool = False
    discard: tuple[Key, ...] = ()
    draw: int = -1
    at_stop: bool = False
    share: bool = False


class GoOn(Action, frozen=True, gc=False, tag="go_on"):
    """6.61: let the automatic pass happen."""


class AutoExit(Action, frozen=True, gc=False, tag="auto_exit"):
    """6.25: leave without a draw; the leader of the lead Section names the Road card it lays."""

    card: Key = ""


class Decline(Action, frozen=True, gc=False, tag="decline"):
    """No to an offer."""


class Accept(Action, frozen=True, gc=False, tag="accept"):
    """Yes to an offer. ``job``: what the Repair Truck repairs; ``give``: the cards for a trade's ``any_cards``."""

    job: str = ""
    give: tuple[Key, ...] = ()


class Risk(Action, frozen=True, gc=False, tag="risk"):
    """Events D, H, X: jump the bridge, take the Coolant Leak, race the train."""


class NoCard(Action, frozen=True, gc=False, tag="no_card"):
    """Play nothing in answer."""


class Card(Action, frozen=True, gc=False, tag="card"):
    """Play or discard this card in answer. ``on``: for Fate, the key of the card it strikes, or "event"."""

    card: Key
    on: Key = ""


class Loot(Action, frozen=True, gc=False, tag="loot"):
    """Theft: take this one card, or with "" all Supply cards."""

    card: Key = ""


class Discard(Action, frozen=True, gc=False, tag="discard"):
    """Throw away these cards; () leaves the choice to chance."""

    cards: tuple[Key, ...] = ()


class Supercharge(Action, frozen=True, gc=False, tag="supercharge"):
    """10.3 H: use the Supercharger for the rest of this turn."""


class Draft(Action, frozen=True, gc=False, tag="draft"):
    """10.1: pick the upgrade of this letter. A Decline picks none."""

    letter: str


class DrawCards(Action, frozen=True, gc=False, tag="draw_cards"):
    """12.4: draw so many cards and be asked again; -1: all that is allowed, and nothing more."""

    count: int = -1


class PassCard(Action, frozen=True, gc=False, tag="pass_card"):
    """12.4: pass this card to one's partner in place of drawing one."""

    card: Key


class NoMore(Action, frozen=True, gc=False, tag="no_more"):
    """12.4: neither draw nor pass any more."""


class ChangeDrivers(Action, frozen=True, gc=False, tag="change_drivers"):
    """12.5: the partners of the active car change roles."""


class Keep(Action, frozen=True, gc=False, tag="keep"):
    """12.5: keep these cards of both hands and return the rest; or leave both hands ``as_they_are``."""

    cards: tuple[Key, ...] = ()
    as_they_are: bool = False


class Wish(Action, frozen=True, gc=False, tag="wish"):
    """Aside: whether this seat wants to be asked where any player may play a card (Fate, Box Canyon)."""

    fate: bool


class Withdraw(Action, frozen=True, gc=False, tag="withdraw"):
    """Aside: this driver gives up; the car leaves the course for good when the present turn ends."""


AnyAction: TypeAlias = (
    Start
    | Exit
    | Pass
    | Attack
    | Shortcut
    | Play
    | Stop
    | Forage
    | Repair
    | Trade
    | End
    | GoOn
    | AutoExit
    | Decline
    | Accept
    | Risk
    | NoCard
    | Card
    | Loot
    | Discard
    | Supercharge
    | Draft
    | DrawCards
    | PassCard
    | NoMore
    | ChangeDrivers
    | Keep
    | Wish
    | Withdraw
)


OPTIONAL: dict[type[Action], tuple[str, ...]] = {Loot: ("card",), AutoExit: ("card",), Card: ("on",)}
"""Acts in which a card may be left out, and the field that names it."""
NAMING_SOME = ("discard", "cards", "give", "want")
"""Fields that name any number of cards."""


def cards_named(act: AnyAction) -> tuple[Key, ...]:
    """Every key of a card that an answer names; those that may be left out only if they are not."""
    optional = OPTIONAL.get(type(act), ())
    named: list[Key] = []
    for field in act.__struct_fields__:
        value = getattr(act, field)
        if field in NAMING_SOME:
            named.extend(value)
        elif field == "card" or (field == "on" and value != "event"):
            named.extend((value,) if value or field not in optional else ())
    return tuple(named)
