"""The answers a question offers.

Every act worth naming that flow.refusal() lets through, and forms for those with parts.
"""

from functools import lru_cache
from typing import Any

from games.engine.contract import Decision, Field, Form
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.flow import QUESTIONS, allowed_acts, default_of
from games.rulesets.roadkill.rules.r04_cards import hand_limit
from games.rulesets.roadkill.rules.r05_turn import draw_allowance, fate_targets
from games.rulesets.roadkill.rules.r06_movement import STARTERS_BARRED, leads_lead_section
from games.rulesets.roadkill.rules.r06_passing import may_answer, may_react
from games.rulesets.roadkill.rules.r06_stops import has_benefit, is_resting, needs_fuel, repairable
from games.rulesets.roadkill.rules.r07_damage import can_pay_exit, exit_cost
from games.rulesets.roadkill.rules.r09_plays import MOST_OFFERS, MOST_WORDS, PURPOSES, ROBBERIES, loot_choices
from games.rulesets.roadkill.rules.r10_upgrades import draft_choices, points_left
from games.rulesets.roadkill.rules.r12_teams import both_hands, fires_moving, partner_of, shares
from games.rulesets.roadkill.sheet import on_the_sheet
from games.rulesets.roadkill.state import (
    FLAT_TIRE,
    SUPERCHARGER,
    TANK,
    Announced,
    Asked,
    Car,
    Drafting,
    Position,
    Sharing,
    State,
    Trading,
    ahead_of,
    behind,
    hand_of,
    has,
    is_dry,
    kinds_of,
    seat_of,
)

HANDS_KEPT = 4096
"""Hands whose kinds are remembered: the same hand is asked again and again."""


@lru_cache(HANDS_KEPT)
def _kinds_in(set_name: str, kinds: bytes) -> tuple[components.Kind, ...]:
    box = components.named(set_name)
    return tuple([box.kinds[index] for index in dict.fromkeys(kinds)])


def kinds_in_hand(position: Position, car: Car) -> tuple[components.Kind, ...]:
    """Each kind in the hand once, in the order of the hand."""
    return _kinds_in(position.components, kinds_of(position, car.hand))


def keys_in_hand(position: Position, who: int) -> list[str]:
    """The key of each kind in a driver's hand once, in the order of the hand."""
    return [kind.key for kind in _kinds_in(position.components, kinds_of(position, hand_of(position, who)))]


def decision(position: State, asked: Asked, seat: int) -> Decision:
    """The open question of one seat with everything it may answer."""
    key = question_key(asked, seat)
    question = QUESTIONS[key]
    menu, forms = MENUS[asked.kind](position, asked, seat)
    active = position.turn.seat
    clock = question.clock
    return Decision(
        key=key,
        seat=seat_of(position, seat),
        rule=on_the_sheet(question.rule) if position.track else question.rule,
        menu=tuple(menu),
        default=default_of(position, asked),
        forms=tuple(forms),
        kind=question.kind,
        clock=clock,
        singled=seat != active and key not in NOT_SINGLED,
        sealed=len(asked.seats) > 1 or clock == "reaction",
        trigger=f"avert_{asked.letter}" if key == "avert" else key,
        about=about(position, asked, seat),
    )


NOT_SINGLED = ("fate", "canyon", "draft")
"""Questions that no public fact of the table turns on one seat: who wishes is asked, or everybody in order."""


def question_key(asked: Asked, seat: int) -> str:
    """What the question is called for this seat: in a window others than the one it is about are asked for Fate."""
    if asked.kind in ("answer", "reaction") and seat != asked.seat:
        return "fate"
    return asked.kind


def about(position: State, asked: Asked, seat: int) -> dict[str, Any]:
    """The public facts of the question."""
    facts: dict[str, Any] = {"active": position.turn.seat, "seat": asked.seat}
    if position.track:
        facts["track"] = position.track
    if asked.card:
        facts["card"] = asked.card
    if asked.letter:
        facts["event"] = asked.letter
    frame = position.stack[-2] if len(position.stack) > 1 else None
    if isinstance(frame, Announced):
        facts["announced"] = announcement(position, frame)
    if isinstance(frame, Sharing):
        facts["left"] = frame.left
    if asked.kind == "draft":
        assert isinstance(frame, Drafting)
        facts["points"] = points_left(position, frame, asked.seat) if frame.points else None
    if isinstance(frame, Trading):
        offer = frame.offer
        facts["offer"] = {
            "give": list(offer.give),
            "want": list(offer.want),
            "any_cards": offer.any_cards,
            "words": offer.words,
        }
    return facts


def announcement(position: State, frame: Announced) -> dict[str, Any]:
    """An announced act as everybody sees it."""
    keys = components.named(position.components).card_keys
    cards = [keys[card] for card in frame.cards]
    if frame.main >= 0 and frame.main not in frame.cards:
        cards.insert(0, keys[frame.main])
    return {
        "act": type(frame.act).__struct_config__.tag,
        "seat": position.turn.seat,
        "cards": cards,
        "target": frame.target,
        "red": keys[frame.red] if frame.red >= 0 else "",
    }


Offered = tuple[list[Any], list[Form]]


def _act(position: State, asked: Asked, seat: int) -> Offered:
    """Cards first, then the end of the turn, and after it what nobody should do who takes the first answer there is."""
    candidates: list[Any] = []
    aside: list[Any] = []
    turn = position.turn
    car = position.cars[seat - 1]
    acting = not turn.over and not turn.attempted
    if acting:
        collect = _moving_acts if car.moving else _standing_acts
        collect(position, car, kinds_in_hand(position, car), candidates)
        if car.moving:
            aside.append(a.Stop())
        if car.fitted and has(car, SUPERCHARGER):
            aside.append(a.Supercharge())
        if turn.fresh:
            aside.append(a.ChangeDrivers())
    elif turn.free_stop and "camouflage" in keys_in_hand(position, seat):
        candidates.append(a.Play("camouflage"))
    menu = allowed_acts(position, asked, candidates)
    ends, forms = _ends(position, car)
    menu.extend(ends)
    menu.extend(allowed_acts(position, asked, aside))
    if acting and not car.moving and car.present and not position.track and not is_dry(car):
        forms.extend(_trades(position, car))
    return menu, forms


def _moving_acts(position: State, car: Car, held: tuple[components.Kind, ...], out: list[Any]) -> None:
    ahead = ahead_of(position, car.seat)
    keys = components.named(position.components).card_keys
    if (car.side >= 0 or position.course[car.section].line[0] == car.seat) and (
        car.fuel >= exit_cost(position, car) or can_pay_exit(position, car)
    ):
        _all_exits(position, car, held, out)
    elif ahead:
        for key in dict.fromkeys(keys[move.card] for move in position.turn.moves):
            out.extend((a.Pass(key, ahead, left=True), a.Pass(key, ahead, left=True, units=2)))
    needs = car.fuel < TANK or car.damage or car.problems or needs_fuel(car)
    needy = not position.track and car.side < 0 and bool(needs)
    marked = bool(ahead and (car.road or position.cars[ahead - 1].road))
    for kind in held:
        key = kind.key
        if kind.road:
            if ahead:
                out.append(a.Pass(key, ahead))
                if marked:
                    out.append(a.Pass(key, ahead, units=2))
            if needy:
                out.append(a.Forage(key))
        elif kind.attack:
            _attacks(position, car, kind, ahead, out)
        elif key == "shortcut":
            out.extend(a.Shortcut(n) for n in range(1, position.course[car.section].value + 1))
        elif key == "red_line":
            out.append(a.Play(key))


def _attacks(position: State, car: Car, kind: components.Kind, ahead: int, out: list[Any]) -> None:
    if kind.passing and ahead:
        out.extend((a.Attack(kind.key, ahead), a.Pass(kind.key, ahead)))
    rear = behind(position, car.seat)
    if kind.key == "hand_grenade" and rear:
        out.append(a.Attack(kind.key, rear))
    if fires_moving(position, car, kind.key):
        out.extend(a.Attack(kind.key, seat) for seat in (ahead, rear) if seat)


def _all_exits(position: State, car: Car, held: tuple[components.Kind, ...], out: list[Any]) -> None:
    """Every exit attempt with every number of Landmarks (none at night, 9.8) and Red Lines."""
    box = components.named(position.components)
    keys = box.card_keys
    hand = kinds_of(position, car.hand)
    landmarks = 0 if position.night else hand.count(box.kind_index["landmark"])
    reds = hand.count(box.kind_index["red_line"])
    for key in dict.fromkeys(keys[move.card] for move in position.turn.moves):
        _exits(key, landmarks, reds, out, left=True)
    for kind in held:
        if kind.road:
            _exits(kind.key, landmarks, reds, out)


def _exits(key: str, landmarks: int, reds: int, out: list[Any], *, left: bool = False) -> None:
    for red in range(reds + 1):
        out.extend(a.Exit(key, left=left, landmarks=mark, red_lines=red) for mark in range(landmarks + 1))


def _standing_acts(position: State, car: Car, held: tuple[components.Kind, ...], out: list[Any]) -> None:
    for kind in held:
        if kind.symbol != "driving":
            out.extend(_standing_plays(position, car, kind))
        elif kind.key not in STARTERS_BARRED and not car.problems & FLAT_TIRE:
            out.append(a.Start(kind.key))
    if position.turn.began_stopped and not position.turn.acted and not car.at_stop:
        out.extend(a.Repair(job) for job in repairable(car))


def _standing_plays(position: State, car: Car, kind: components.Kind) -> list[Any]:
    """What a stopped car might do with a card that is no Driving card."""
    key = kind.key
    if key in ROBBERIES or (kind.attack and kind.motion != "moving"):
        neighbours = [seat for seat in (ahead_of(position, car.seat), behind(position, car.seat)) if seat]
        if kind.attack:
            return [a.Attack(key, seat) for seat in neighbours]
        robberies = [a.Play(key, target=seat) for seat in neighbours]
        return [*robberies, a.Play(key)] if key == "siphon_gas" else robberies
    if key == "spare_parts":
        return [a.Play(key, job=job) for job in repairable(car) if job != "damage"]
    if key == "tool_kit":
        return [a.Play(key, job=job) for job, ails in (("damage", car.damage), ("sabotage", car.sabotage)) if ails]
    if key == "no_doze_pills":
        return [a.Play(key, count=number) for number in (3, 2, 1)]
    idle = (key == "spare_tire" and not car.problems & FLAT_TIRE) or (key == "road_map" and not car.canyon)
    return [a.Play(key)] if key in PURPOSES and not idle else []


DRAW_AT_MOST = tuple(
    Field("draw", "Draw at most", "number", (), 0, most, "as many as the rules allow") for most in range(9)
)
"""The field of how many cards to draw, by the most that may be drawn."""
PLAIN_END = a.End()
RESTING_END = a.End(rest=True)
SHARING_END = a.End(share=True)
SHARING_REST = a.End(rest=True, share=True)


def _ends(position: State, car: Car) -> Offered:
    """The plain end of a turn, one for each job of a Rest Stop, a rest in place of it, and the form for discards."""
    benefit = has_benefit(position)
    jobs = repairable(car) if benefit else []
    ends: list[Any] = [a.End(job=job) for job in jobs] if len(jobs) > 1 else [PLAIN_END]
    may_rest = benefit and not position.track and (needs_fuel(car) or jobs) and is_resting(position, RESTING_END)
    if may_rest:
        ends.append(RESTING_END)
    shares = bool(partner_of(position, car.seat))
    if shares:
        ends.extend((SHARING_END, SHARING_REST) if may_rest else (SHARING_END,))
    fields: list[Field] = []
    if not position.turn.played and car.hand:
        fields.append(Field("discard", "Discard", "some", _cards(position, car), 0, len(car.hand)))
    if jobs:
        fields.append(Field("job", "The Rest Stop repairs", "one", ("", *jobs)))
    allowance = draw_allowance(position, PLAIN_END)
    if not allowance and not fields:
        return ends, []
    sharing = [Form(SHARING_END, tuple(fields), SHARING_LABELS[fields[0].name])] if shares and fields else []
    fields.append(DRAW_AT_MOST[max(allowance, 3)])
    return ends, [Form(PLAIN_END, tuple(fields), END_LABELS[fields[0].name]), *sharing]


END_LABELS = {
    "discard": "end my turn, choosing what to discard and how many cards to draw",
    "job": "end my turn, choosing what the Rest Stop repairs and how many cards to draw",
    "draw": "end my turn, choosing how many cards to draw",
}
"""The label of the form that ends a turn, by its first field."""
SHARING_LABELS = {
    "discard": "end my turn, choosing what to discard, and draw or pass cards one by one",
    "job": "end my turn, choosing what the Rest Stop repairs, and draw or pass cards one by one",
}
"""The same for a turn whose cards are then drawn and passed one by one (12.4)."""


def _cards(position: State, car: Car) -> tuple[str, ...]:
    """The hand card by card, those of a kind side by side."""
    return _keys_of(position.components, kinds_of(position, car.hand))


@lru_cache(HANDS_KEPT)
def _keys_of(set_name: str, kinds: bytes) -> tuple[str, ...]:
    box = components.named(set_name)
    return tuple([box.kinds[index].key for index in sorted(kinds)])


@lru_cache
def _kinds_of_the_box(name: str) -> tuple[str, ...]:
    """Every kind of card that there is in a set."""
    return tuple(kind.key for kind in components.named(name).kinds if kind.count)


@lru_cache
def _wanted(set_name: str, most: int) -> Field:
    """The field of the cards asked for by name."""
    return Field("want", "For these cards", "some", _kinds_of_the_box(set_name), 0, most)


SO_MANY_OF_THEIRS = tuple(
    Field("any_cards", "And so many cards of their choice", "number", (), 0, most, "none") for most in range(9)
)
"""The field of how many cards are asked for without a name, by the most that may be."""
PROMISE = Field("words", "A promise, or anything you want to say", "text", (), 0, MOST_WORDS)


def _trades(position: State, car: Car) -> list[Form]:
    if position.turn.offers >= MOST_OFFERS:
        return []
    out = []
    for other in (ahead_of(position, car.seat), behind(position, car.seat)):
        if not other or position.cars[other - 1].moving:
            continue
        theirs = len(position.cars[other - 1].hand)
        fields = (
            Field("give", "Give", "some", _cards(position, car), 0, len(car.hand)),
            _wanted(position.components, min(3, theirs)),
            SO_MANY_OF_THEIRS[min(theirs, hand_limit(car))],
            PROMISE,
        )
        out.append(Form(a.Trade(other), fields, f"offer car {other} a trade", linked=True))
    return out


def _auto_pass(position: State, asked: Asked, seat: int) -> Offered:
    menu: list[Any] = [a.GoOn(), a.Stop()]
    for kind in kinds_in_hand(position, position.cars[seat - 1]):
        if kind.passing:
            menu.extend((a.Attack(kind.key, asked.seat), a.Pass(kind.key, asked.seat)))
    return _allowed(position, asked, seat, menu), []


def _allowed(position: State, asked: Asked, seat: int, menu: list[Any]) -> list[Any]:
    refuse = QUESTIONS[asked.kind].refuse
    return [act for act in menu if refuse(position, asked, seat, act) is None]


def _auto_exit(position: State, asked: Asked, seat: int) -> Offered:
    car = position.cars[seat - 1]
    if leads_lead_section(position, car):
        menu: list[Any] = [a.AutoExit(kind.key) for kind in kinds_in_hand(position, car) if kind.road]
    else:
        menu = [a.AutoExit()]
    return [*menu, a.Decline()], []


def _answer(position: State, asked: Asked, seat: int) -> Offered:
    frame = position.stack[-2]
    assert isinstance(frame, Announced)
    menu: list[Any] = []
    keys = keys_in_hand(position, seat)
    if seat == asked.seat and may_answer(position, frame):
        menu.extend(a.Card(key) for key in keys if key != "fate")
    return [
        a.NoCard(),
        *_allowed(position, asked, seat, menu),
        *_fates(keys, fate_targets(position, frame)),
    ], []


def _fates(keys: list[str], targets: tuple[str, ...]) -> list[Any]:
    return [a.Card("fate", on) for on in targets] if "fate" in keys else []


def _reaction(position: State, asked: Asked, seat: int) -> Offered:
    frame = position.stack[-2]
    assert isinstance(frame, Announced)
    keys = keys_in_hand(position, seat)
    menu: list[Any] = []
    if seat == position.turn.seat and may_react(position, frame):
        menu.extend(a.Card(key) for key in keys if key in ("swerve", "firm_shoulders"))
    return [
        a.NoCard(),
        *_allowed(position, asked, seat, menu),
        *_fates(keys, fate_targets(position, frame)),
    ], []


def _fate(position: State, asked: Asked, seat: int) -> Offered:
    return [a.NoCard(), *_fates(keys_in_hand(position, seat), (asked.card,))], []


def _by_card(position: State, asked: Asked, seat: int) -> Offered:
    keys = keys_in_hand(position, seat)
    return [a.NoCard(), *_allowed(position, asked, seat, [a.Card(key) for key in keys])], []


def _evil(position: State, asked: Asked, seat: int) -> Offered:
    return [a.Stop(), a.Risk()], []


def _offer(position: State, asked: Asked, seat: int) -> Offered:
    jobs = repairable(position.cars[seat - 1]) if asked.letter == "repair_truck" else []
    accepts = [a.Accept(job) for job in jobs] or [a.Accept()]
    return [*accepts, a.Decline()], []


def _loot(position: State, asked: Asked, seat: int) -> Offered:
    return list(loot_choices(position, asked.seat)), []


def _excess(position: State, asked: Asked, seat: int) -> Offered:
    car = position.cars[seat - 1]
    excess = len(car.hand) - hand_limit(car)
    form = Form(
        a.Discard(),
        (Field("cards", "Discard", "some", _cards(position, car), excess, excess),),
        "choose what to discard",
    )
    return [a.Discard()], [form]


def _trade(position: State, asked: Asked, seat: int) -> Offered:
    frame = position.stack[-2]
    assert isinstance(frame, Trading)
    offer = frame.offer
    menu: list[Any] = [a.Decline()]
    if not offer.any_cards:
        return menu + _allowed(position, asked, seat, [a.Accept()]), []
    own = list(_cards(position, position.cars[seat - 1]))
    for key in offer.want:
        if key not in own:
            return menu, []
        own.remove(key)
    count = offer.any_cards
    field = Field("give", "Give as well", "some", tuple(own), count, count)
    return menu, [
        Form(
            a.Accept(give=tuple(own[:count])),
            (field,),
            "accept the trade, choosing the cards you give as well",
        )
    ]


def _draft(position: State, asked: Asked, seat: int) -> Offered:
    frame = position.stack[-2]
    assert isinstance(frame, Drafting)
    return [*(a.Draft(letter) for letter in draft_choices(position, frame, seat)), a.Decline()], []


def _draw_or_pass(position: State, asked: Asked, seat: int) -> Offered:
    frame = position.stack[-2]
    assert isinstance(frame, Sharing)
    return shares(position, frame), []


def _keep(position: State, asked: Asked, seat: int) -> Offered:
    both = both_hands(position)
    limit = hand_limit(position.cars[seat - 1])
    keys = _keys_of(position.components, kinds_of(position, both))
    field = Field("cards", "Keep", "some", keys, max(0, len(both) - limit), min(limit, len(both)))
    as_they_are = a.Keep(as_they_are=True)
    return [as_they_are], [Form(a.Keep(), (field,), "choose what to keep of both hands")]


MENUS = {
    "act": _act,
    "auto_pass": _auto_pass,
    "auto_exit": _auto_exit,
    "answer": _answer,
    "fate": _fate,
    "canyon": _by_card,
    "reaction": _reaction,
    "reflexes": _by_card,
    "avert": _by_card,
    "dodge": _by_card,
    "evil": _evil,
    "offer": _offer,
    "wrong_road": _by_card,
    "loot": _loot,
    "excess": _excess,
    "trade": _trade,
    "draft": _draft,
    "draw_or_pass": _draw_or_pass,
    "keep": _keep,
}
"""What each kind of question offers: menu and forms."""
