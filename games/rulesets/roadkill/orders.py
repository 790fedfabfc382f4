"""The words of orders, both ways: what pages, mails and scenarios show is what a player may write."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from games.engine.contract import JSON
from games.engine.errors import Ambiguous, Malformed
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.sheet import BEGINNER
from games.rulesets.roadkill.words import JOBS, card, cards, count, listed, no_card_called, section

LONGEST = 700
"""Letters of one order; a trade with its promise is the longest."""


# Saying


def say(view: JSON, action: Any) -> str:
    """Put an order into words, from which read() gives the same action back."""
    return SAY[type(action)](view, action)


def _own(view: JSON) -> dict[str, Any] | None:
    viewer = view["viewer"]
    return view["cars"][viewer - 1] if viewer else None


def _verb(view: JSON) -> str:
    """How an exit is called: the leader of the lead Section lays, others enter, from a Side Road one returns.

    On the Beginner's Track nobody lays, and who leaves the last Section crosses the Finish Line.
    """
    car = _own(view)
    if car is None:
        return "exit with"
    if car["side_road"]:
        return f"return to {section(car['section'])} with"
    if car["section"] == view["course"][0]["number"]:
        return "cross the Finish Line with" if view["track"] == BEGINNER else "lay"
    return f"enter {section(car['section'] + 1)} with"


def _leads_to(view: JSON) -> int:
    """The number of the Section to which an exit would bring the viewer's car; -1 for a spectator."""
    car = _own(view)
    return -1 if car is None else int(car["section"]) + (not car["side_road"])


def _exit(view: JSON, act: a.Exit) -> str:
    extras = cards(("landmark",) * act.landmarks + ("red_line",) * act.red_lines)
    rest = "the rest of " if act.left else ""
    return f"{_verb(view)} {rest}{card(act.card)}" + ("" if extras == "nothing" else f" with {extras}")


def _pass(view: JSON, act: a.Pass) -> str:
    amount = "both values of " if act.units == 2 else ""
    rest = "the rest of " if act.left else ""
    target = act.target or _ahead(view)
    box = components.named(view["components"])
    is_attack = act.card in box.kind_index and box.kinds[box.kind_index[act.card]].attack
    return f"pass car {target} with {amount}{rest}{card(act.card)}{' without attacking it' if is_attack else ''}"


def _ahead(view: JSON) -> int:
    car = _own(view)
    if car is None:
        return 0
    line = next(section["cars"] for section in view["course"] if section["number"] == car["section"])
    place = line.index(car["seat"]) if car["seat"] in line else 0
    return line[place - 1] if place else 0


def _play(view: JSON, act: a.Play) -> str:
    words = f"play {card(act.card)}"
    if act.job and not (act.card == "tool_kit" and act.job == "damage"):
        words += f" on {JOBS[act.job]}"
    if act.target:
        words += f" on car {act.target}"
    if act.card == "no_doze_pills":
        words += f", draw {act.count}"
    return words


def _trade(view: JSON, act: a.Trade) -> str:
    wanted = [cards(act.want)] if act.want else []
    if act.any_cards:
        wanted.append(f"{count(act.any_cards, 'card')} of their choice")
    promise = f": {act.words}" if act.words else ""
    return f"trade with car {act.target}: give {cards(act.give)} for {listed(wanted) or 'nothing'}{promise}"


def _end(view: JSON, act: a.End) -> str:
    """All that ending a turn does: with the Rest Stop, a rest, discards, and how many cards are drawn."""
    car = _own(view)
    at_stop = car is not None and car["at_rest_stop"]
    parts = ["end my turn"]
    if act.rest:
        parts.append("rest instead of using the Rest Stop" if at_stop else "rest")
    if act.job:
        parts.append(f"use the Rest Stop to repair {JOBS[act.job]}")
    elif act.at_stop:
        parts.append("use the Rest Stop")
    elif at_stop and not act.rest:
        parts = ["end my turn at the Rest Stop"]
    if act.discard:
        parts.append(f"discard {cards(act.discard)}")
    if act.share:
        return f"{', '.join(parts)}{',' if len(parts) > 1 else ''} and draw or pass cards one by one"
    drawn = "draw all I may" if act.draw < 0 else f"draw at most {act.draw}" if act.draw else "draw nothing"
    return f"{', '.join(parts)}{',' if len(parts) > 1 else ''} and {drawn}"


def _accept(view: JSON, act: a.Accept) -> str:
    if act.job:
        return f"accept, repair {JOBS[act.job]}"
    return f"accept, give {cards(act.give)}" if act.give else "accept"


def _card(view: JSON, act: a.Card) -> str:
    if not act.on:
        return card(act.card)
    return f"{card(act.card)} on {'the Event' if act.on == 'event' else card(act.on)}"


def _discard(view: JSON, act: a.Discard) -> str:
    return f"discard {cards(act.cards)}" if act.cards else "discard at random"


def _draft(view: JSON, act: a.Draft) -> str:
    upgrade = components.named(view["components"]).upgrades.get(act.letter)
    return f"draft {act.letter}, {upgrade.name}" if upgrade is not None else f"draft {act.letter}"


SAY: dict[type, Callable[[JSON, Any], str]] = {
    a.Start: lambda view, act: f"start with {card(act.card)}",
    a.Exit: _exit,
    a.Pass: _pass,
    a.Attack: lambda view, act: f"attack car {act.target} with {card(act.card)}",
    a.Shortcut: lambda view, act: f"shortcut past {count(act.cars, 'car')}",
    a.Play: _play,
    a.Stop: lambda view, act: "stop my car",
    a.Forage: lambda view, act: f"forage with {card(act.card)}",
    a.Repair: lambda view, act: f"repair {JOBS[act.job]}",
    a.Trade: _trade,
    a.End: _end,
    a.GoOn: lambda view, act: f"go on and pass car {ahead}" if (ahead := _ahead(view)) else "go on",
    a.AutoExit: lambda view, act: f"exit without a draw{f' and lay {card(act.card)}' if act.card else ''}",
    a.Decline: lambda view, act: "draft nothing" if view.get("asking") == "draft" else "decline",
    a.Accept: _accept,
    a.Risk: lambda view, act: "risk it",
    a.NoCard: lambda view, act: "no card",
    a.Card: _card,
    a.Loot: lambda view, act: f"take {card(act.card)}" if act.card else "take all Supply cards",
    a.Discard: _discard,
    a.Supercharge: lambda view, act: "use the Supercharger",
    a.Draft: _draft,
    a.DrawCards: lambda view, act: "draw all I may" if act.count < 0 else f"draw {count(act.count, 'card')}",
    a.PassCard: lambda view, act: f"pass {card(act.card)} to my partner",
    a.NoMore: lambda view, act: "nothing more",
    a.ChangeDrivers: lambda view, act: "change drivers",
    a.Keep: lambda view, act: "leave both hands as they are" if act.as_they_are else f"keep {cards(act.cards)}",
    a.Wish: lambda view, act: "ask me about Fate" if act.fate else "do not ask me about Fate",
    a.Withdraw: lambda view, act: "withdraw",
}


# Reading


NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
A_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})"
QUOTES = str.maketrans(
    {
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
        "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
        "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{EN DASH}": "-",
    }
)
PAIRS = re.compile(r'"([^"]*)"')


def clean(text: str) -> str:
    """What does not matter is made plain.

    Compatibility characters, case, blanks, quotation marks around the whole or a card, "I", "please", closing marks.
    """
    text = unicodedata.normalize("NFKC", text[: LONGEST + 1]).translate(QUOTES)
    text = PAIRS.sub(r"\1", text)
    text = " ".join(text.split()).casefold().rstrip(".!,; ")
    text = re.sub(r"^(?:please,? |i |i'll |i will )+|,? please$", "", text)
    return text.rstrip(".!,; ")


def read(view: JSON, text: str) -> Any:
    """The action that words mean in the viewer's position; raises Malformed, or Ambiguous where they could mean two."""
    if len(text) > LONGEST:
        raise Malformed(f"An order has at most {LONGEST} letters.")
    words = clean(text)
    try:
        return _read(_Reader(view, text), words)
    except Malformed as error:
        if re.search(r";|\bthen\b", words) or "\n" in text.strip():
            raise Malformed("One act at a time: each may be answered before the next is played.") from error
        raise


def _read(reader: "_Reader", words: str) -> Any:
    if reader.asking == "draft" and (letter := _upgrade_letter(reader, words)):
        return a.Draft(letter)
    for pattern, make in PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            return make(reader, match)
    return _bare_card(reader, words)


ALIASES = {
    "rifle": "assault_rifle",
    "grenade": "hand_grenade",
    "toolkit": "tool_kit",
    "smokescreen": "smoke_screen",
    "spikes": "tire_spikes",
    "blades": "hubcap_blades",
    "reflexes": "great_reflexes",
    "shoulders": "firm_shoulders",
    "pills": "no_doze_pills",
}
CAR = rf"(?:car )?(?:#|no\. ?)?({A_NUMBER})"
OWNERS = r"(?:a|an|the|one|my|your|his|her|their|its|this|that)"


class _Reader:
    """What reading needs to know: names of cards, the viewer's hand and the table."""

    def __init__(self, view: JSON, text: str) -> None:
        self.view = view
        self.text = text
        self.asking: str = view.get("asking", "")
        self._names = _card_names(view["components"])

    def key(self, name: str) -> str:
        """The key of one card by its short name, long name or key; a plural without a number could mean any."""
        name = plain_name(name)
        found = self._known(name)
        if found:
            return found
        if self._known(name.removesuffix("s")):
            raise Ambiguous(f"Say how many: «2 {name}».")
        raise Malformed(f"{no_card_called(name, example='«Move 1»')}.")

    def keys(self, names: str) -> tuple[str, ...]:
        """Several cards: "swerve, 2 landmarks and move 1", "both rams"; "nothing" for none."""
        out: list[str] = []
        if names.strip() in ("nothing", "no card", "no cards"):
            return ()
        for part in re.split(r"\s*(?:,\s*and\b|,|\band\b|\+|&|\bplus\b)\s*", names.strip()):
            if part:
                out.extend(self._counted(part))
        return tuple(out)

    def _counted(self, part: str) -> list[str]:
        """Read "2 swerves", "two swerves", "2x swerve", "swerve x2", "all my swerves"."""
        match = re.fullmatch(r"(?:all|both)(?: (?:of )?(?:the|my))? (\D.*)", part)
        if match:
            key = self._one_of(match[1])
            held = next((card["count"] for card in self.view["hand"] if card["key"] == key), 0)
            return [key] * (max(1, held) if part.startswith("all") else 2)
        for pattern, number, name in ((COUNT_FIRST, 1, 2), (COUNT_LAST, 2, 1)):
            match = pattern.fullmatch(part)
            if match and not self._known(plain_name(part)):
                key = self._one_of(match[name])
                return [key] * min(_number(match[number]), 20)
        return [self.key(part)]

    def _one_of(self, name: str) -> str:
        """The kind of card that a name in the singular or plural means."""
        name = plain_name(name)
        for form in (name, name.removesuffix("s"), re.sub(r"^(\D+)s( \d)$", r"\1\2", name)):
            if self._known(form):
                return self._known(form)
        raise Malformed(f"{no_card_called(name, example='«Move 1»')}.")

    def _known(self, name: str) -> str:
        """The key of a card by this very name, "" if there is none; "firm shoulder" is as good as "firm shoulders"."""
        return self._names.get(name) or self._names.get(f"{name}s", "")

    def car(self, number: str) -> int:
        """A car by its number."""
        car = _number(number)
        if not 1 <= car <= len(self.view["cars"]):
            raise Malformed(f"There is no car {car}.")
        return car

    def kind(self, key: str) -> components.Kind:
        """The kind of card with this key."""
        box = components.named(self.view["components"])
        return box.kinds[box.kind_index[key]]

    def holds(self, key: str) -> bool:
        """Whether the viewer holds such a card."""
        return any(held["key"] == key for held in self.view["hand"])

    def on_table(self, key: str) -> bool:
        """Whether such a card lies on the table with value left."""
        return any(move["key"] == key for move in self.view["table"])

    def left(self, key: str, *, rest: bool) -> bool:
        """Whether the card meant is the one on the table: said so, or none is held and one lies there."""
        return rest or (not self.holds(key) and self.on_table(key))

    def the_rest(self) -> str:
        """The one Move card that has value left."""
        left = {move["key"] for move in self.view["table"]}
        if len(left) != 1:
            raise Ambiguous("Say with which card: «pass 2 with Move 1».")
        return str(left.pop())

    def job(self, name: str) -> str:
        """The key of a thing to repair."""
        name = re.sub(rf"^(?:{OWNERS}|1) ", "", name.strip())
        name = re.sub(r"^damage points?$|^point of damage$", "damage", name.replace("tyre", "tire"))
        for key, words in JOBS.items():
            if name in (words.casefold(), key):
                return key
        raise Malformed(f"«{name}» is nothing to repair: Damage, Sabotage or a Mechanical Problem by its name.")


COUNT_FIRST = re.compile(rf"({A_NUMBER})\s*(?:x\s*)?(\D.*)")
COUNT_LAST = re.compile(r"(.*\D)\s*\bx\s*(\d+)")


def _number(word: str) -> int:
    return NUMBERS[word] if word in NUMBERS else int(word)


def plain_name(name: str) -> str:
    """A card's name without article, owner, colour that goes without saying, or the word card."""
    name = name.replace("-", " ").replace("tyre", "tire").strip()
    name = re.sub(rf"^(?:{OWNERS} )+(?:own )?(?=\S)", "", name)
    name = re.sub(r"^black (?=(?:move|road)\b)", "", name)
    name = re.sub(r"(?<=\S) cards?$", "", name)
    name = re.sub(r"^(.*move|.*road|red|rs)(\d)$", r"\1 \2", name)
    return re.sub(rf"(?<=move |road )({'|'.join(NUMBERS)})$", lambda match: str(NUMBERS[match[1]]), name)


def _card_names(set_name: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for kind in components.named(set_name).kinds:
        for name in (kind.short, kind.name, kind.key, kind.key.replace("_", " ")):
            out[plain_name(clean(name))] = kind.key
        if kind.rest_stop:
            for name in ("rest stop move", "rest stop move/road", "rs move/road", "rest stop road", "rest stop", "rs"):
                out[f"{name} {kind.value}"] = kind.key
        elif kind.key == f"move_{kind.value}":
            out[f"road {kind.value}"] = kind.key
        elif kind.key == "red_move_1":
            out["red move 1"] = out["red 1"] = out["red road 1"] = kind.key
    known = components.named(set_name).kind_index
    out.update({name: key for name, key in ALIASES.items() if key in known})
    return out


def _read_exit(reader: _Reader, match: re.Match[str]) -> Any:
    name, rest = match["card"], bool(match["rest"])
    _check_destination(reader, match["to"])
    if match["bare"]:
        key, rest = reader.the_rest(), True
    else:
        key = reader.key(name)
    extras = reader.keys(match["extras"]) if match["extras"] else ()
    if any(extra not in ("landmark", "red_line") for extra in extras):
        raise Malformed("Only Landmarks and Red Lines are named with an exit.")
    if reader.asking == "auto_exit" and not extras and not rest:
        return a.AutoExit(key)
    return a.Exit(
        key,
        left=reader.left(key, rest=rest),
        landmarks=extras.count("landmark"),
        red_lines=extras.count("red_line"),
    )


def _check_destination(reader: _Reader, to: str | None) -> None:
    """Refuse an exit to another Section than the one it leads to."""
    there = _leads_to(reader.view)
    if to is not None and _number(to) != there:
        ends = reader.view["track"] == BEGINNER and there > reader.view["sections_to_win"]
        following = "the Finish Line" if ends else section(there)
        raise Malformed(f"Your car does not come to {section(_number(to))} now: the next is {following}.")


def _read_automatic_exit(reader: _Reader, match: re.Match[str]) -> Any:
    return a.AutoExit(reader.key(match["card"])) if match["card"] else a.AutoExit()


def _read_go_on(reader: _Reader, match: re.Match[str]) -> Any:
    if match["target"] and reader.car(match["target"]) != _ahead(reader.view):
        raise Malformed(f"Car {_number(match['target'])} is not directly ahead of you.")
    return a.GoOn()


def _read_pass(reader: _Reader, match: re.Match[str]) -> Any:
    target = reader.car(match["target"])
    units = 2 if match["both"] else 1
    if match["card"] is None and reader.asking == "auto_pass" and target == _ahead(reader.view):
        return a.GoOn()
    if match["card"] is None or match["card"] == "the rest":
        return a.Pass(reader.the_rest(), target, left=True, units=units)
    key = reader.key(match["card"])
    return a.Pass(key, target, left=reader.left(key, rest=bool(match["rest"])), units=units)


def _read_two_passes(reader: _Reader, match: re.Match[str]) -> Any:
    raise Malformed("One pass at a time: «pass 2 with Move 2», and when it is done «pass 3 with the rest of Move 2».")


def _read_play(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "play …": an answer if one is asked for, an attack if it is an Attack card aimed at a car, else an act."""
    on, drawn = match["on"], match["count"]
    key = reader.key(match["card"])
    aimed = re.fullmatch(CAR, on) if on else None
    if reader.asking in ANSWERING or key == "fate":
        if aimed and key != "fate" and reader.car(aimed[1]) == reader.view["active"]:
            return a.Card(key)
        return a.Card(key, _fated(reader, on) if on else "")
    target = reader.car(aimed[1]) if aimed else 0
    if target and reader.kind(key).attack:
        return a.Attack(key, target)
    job = reader.job(on) if on and not aimed else ""
    if key == "tool_kit" and not on:
        job = _tool_kit_job(reader.view)
    return a.Play(key, target=target, job=job, count=_number(drawn) if drawn else 3)


def _tool_kit_job(view: JSON) -> str:
    """What a Tool Kit mends when its player does not say: Damage, unless there is only Sabotage to mend."""
    car = _own(view)
    return "sabotage" if car is not None and car["sabotage"] and not car["damage"] else "damage"


def _read_attack(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "attack 2 with …": an answer if one is asked for and car 2 is the active one."""
    if reader.asking in ANSWERING:
        return _read_play(reader, match)
    aimed = re.fullmatch(CAR, match["on"])
    assert aimed is not None
    return a.Attack(reader.key(match["card"]), reader.car(aimed[1]))


ANSWERING = frozenset(("answer", "fate", "canyon", "reaction", "reflexes", "avert", "dodge", "wrong_road"))
YES = {
    "auto_exit": a.AutoExit(),
    "fate": a.Card("fate"),
    "canyon": a.Card("box_canyon"),
    "reflexes": a.Card("great_reflexes"),
    "wrong_road": a.Card("road_map"),
}
"""What a plain "yes" means where a question asks for one thing."""


def _fated(reader: _Reader, on: str) -> str:
    return "event" if on in ("event", "the event", "this event") else reader.key(on)


def _read_fate(reader: _Reader, match: re.Match[str]) -> Any:
    return a.Card("fate", _fated(reader, match["on"]) if match["on"] else "")


def _read_trade(reader: _Reader, match: re.Match[str]) -> Any:
    want: list[str] = []
    number = 0
    for part in re.split(r"\s*(?:,\s*and\b|,|\band\b)\s*", match["want"].strip()):
        any_cards = re.fullmatch(
            rf"(?:any )?(a|an|{A_NUMBER})(?: more)? cards?(?: of (?:your|their|its|his|her) choice)?", part
        )
        if any_cards:
            number += 1 if any_cards[1] in ("a", "an") else _number(any_cards[1])
        elif part and part != "nothing":
            want.extend(reader.keys(part))
    words = ""
    if match["words"]:
        words = reader.text.split(":", 2)[2].strip() if reader.text.count(":") >= 2 else match["words"]
    return a.Trade(
        reader.car(match["target"]), give=reader.keys(match["give"]), want=tuple(want), any_cards=number, words=words
    )


def _read_end(reader: _Reader, match: re.Match[str]) -> Any:
    """The parts of ending a turn, each at most once, in any order."""
    said: dict[str, Any] = {}
    text = re.sub(r"^\s*(?:,|;|:|and\b)\s*", "", match["parts"] or "").strip(" ,")
    for part in ENDS_APART.split(text) if text else []:
        name, value = _end_part(reader, part)
        if name in said:
            raise Ambiguous(f"«{part}»: this is said twice.")
        said[name] = value
    job = said.get("job", "")
    return a.End(
        job=job,
        rest=said.get("rest", False),
        discard=said.get("discard", ()),
        draw=said.get("draw", -1),
        at_stop="job" in said and not job,
        share=said.get("share", False),
    )


ENDS_APART = re.compile(
    r"\s*(?:,\s*and|,|;|\band)\s+"
    r"(?=rest$|rest[ ,]*(?:,|;|and\b)|rest instead of|(?:use the )?rest stop(?! (?:move|road|\d))|discard |draw )"
)


def _end_part(reader: _Reader, part: str) -> tuple[str, Any]:
    if part in ("rest", "rest instead of using the rest stop"):
        return "rest", True
    match = re.fullmatch(r"(?:use the )?rest stop(?: *[:,]? *(?:to )?(?:repair |for |on )?(?P<job>.+))?", part)
    if match:
        return "job", reader.job(match["job"]) if match["job"] else ""
    match = re.fullmatch(r"discard (?P<cards>.+)", part)
    if match and re.fullmatch(r"everything|all(?: (?:my |the )?cards)?|(?:all )?my (?:whole )?hand", match["cards"]):
        return "discard", tuple(card["key"] for card in reader.view["hand"] for _ in range(card["count"]))
    if match:
        return "discard", reader.keys(match["cards"])
    if SHARING.fullmatch(part):
        return "share", True
    match = re.fullmatch(rf"draw (?:at most )?(?P<count>none|nothing|no|all|{A_NUMBER})(?: cards?)?(?: i may)?", part)
    if match:
        word = match["count"]
        return "draw", {"none": 0, "nothing": 0, "no": 0, "all": -1}[word] if not _is_number(word) else _number(word)
    raise Malformed(f"«{part}» is no part of ending a turn: rest, rest stop …, discard …, draw …")


SHARING = re.compile(r"draw (?:or|and) pass(?: cards?)?(?: one by one)?(?: with my partner)?")


def _read_draw(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "draw 2 cards", "draw all I may", "draw nothing" where cards are drawn and passed one by one (12.4)."""
    word = match["drawn"]
    if word in ("none", "nothing", "no"):
        return a.NoMore()
    return a.DrawCards() if word == "all" else a.DrawCards(_number(word))


def _is_number(word: str) -> bool:
    return word in NUMBERS or word.isdecimal()


def _read_accept(reader: _Reader, match: re.Match[str]) -> Any:
    what = (match["what"] or "").strip()
    if not what:
        return YES.get(reader.asking, a.Accept())
    if what.startswith("give "):
        return a.Accept(give=reader.keys(what.removeprefix("give ")))
    return a.Accept(job=reader.job(re.sub(r"^(?:repair|for) ", "", what)))


def _read_none(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "pass" and "no": nothing, whatever is asked."""
    if reader.asking == "auto_pass" and match[0] == "pass":
        return a.GoOn()
    if reader.asking in ("auto_exit", "offer", "trade", "draft"):
        return a.Decline()
    if reader.asking == "draw_or_pass":
        if match[0] == "pass":
            raise Ambiguous("Say which card: «pass Move 1 to my partner».")
        return a.NoMore()
    return a.NoCard()


def _read_draft(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "draft A", "pick the Rotor", "draft nothing"."""
    if match["what"] in ("nothing", "none", "no upgrade"):
        return a.Decline()
    letter = _upgrade_letter(reader, match["what"])
    if letter:
        return a.Draft(letter)
    upgrades = components.named(reader.view["components"]).upgrades
    there = ", ".join(f"{letter} ({upgrade.name})" for letter, upgrade in sorted(upgrades.items()))
    raise Malformed(f"«{match['what'][:40]}» is no upgrade: {there or 'this box has none'}.")


def _upgrade_letter(reader: _Reader, words: str) -> str:
    """The letter of an upgrade by its letter, its name or both; "" for other words."""
    words = re.sub(r"^(?:the |upgrade )+", "", words)
    for letter, upgrade in components.named(reader.view["components"]).upgrades.items():
        small, name = letter.casefold(), upgrade.name.casefold()
        if words in (small, name, f"{small}, {name}", f"{small}, the {name}", f"{small} {name}"):
            return letter
    return ""


def _read_take(reader: _Reader, match: re.Match[str]) -> Any:
    name = match["what"] or match["bare"]
    if re.fullmatch(r"(?:all )?(?:of )?(?:the |his |her |their |its )?(?:supply cards|supplies)", name):
        return a.Loot()
    if name in ("nothing", "no card", "none", "everything", "all", "all cards"):
        raise Malformed("Take all Supply cards (none, if there is none), or one card of another kind by its name.")
    return a.Loot(reader.key(name))


THROWING = frozenset(("avert", "dodge", "reflexes"))
"""Questions that are answered by throwing a card away, or by playing it: the two are the same there."""


def _read_discard(reader: _Reader, match: re.Match[str]) -> Any:
    what = match["what"]
    if what == "at random":
        return a.Discard()
    if reader.asking == "act":
        return _read_end(reader, match)
    keys = reader.keys(what)
    if reader.asking in THROWING and len(keys) == 1:
        return a.Card(keys[0])
    return a.Discard(keys)


def _bare_card(reader: _Reader, words: str) -> Any:
    try:
        return a.Card(reader.key(words))
    except Ambiguous:
        raise
    except Malformed as error:
        raise Malformed(f"«{reader.text.strip()[:80]}» is no order of this game.") from error


def _only_starter(reader: _Reader) -> Any:
    raise Ambiguous("Say with which card you start: «start with Landmark».")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


TARGET_WORDS = rf"(?:car )?(?:#|no\. ?)?{A_NUMBER}"
TARGET = rf"(?:car )?(?:#|no\. ?)?(?P<target>{A_NUMBER})"
WITH = r"(?:with|using|by)"
REST = r"(?P<rest>(?:the )?(?:rest|remainder) of )?"
BOTH = r"(?P<both>(?:both|2|two) values of )?"
EXTRAS = (
    r"(?:,? (?:with|and|plus)|,| ?\+) ?(?P<extras>"
    rf"(?:(?:{A_NUMBER}|all my|all|both|an|a|the|my) ?(?:x ?)?)?(?:landmark|red line).*)"
)

PATTERNS: tuple[tuple[re.Pattern[str], Callable[[_Reader, re.Match[str]], Any]], ...] = (
    (
        _pattern(r"(?:pass|hand|give) (?P<card>.+?)(?: over)? to (?:my )?partner"),
        lambda r, m: a.PassCard(r.key(m["card"])),
    ),
    (
        _pattern(r"(?:change|switch|swap)(?: the)? (?:drivers|roles)(?: with my partner)?"),
        lambda r, m: a.ChangeDrivers(),
    ),
    (
        _pattern(r"(?:leave|keep)(?: both| our| the| all)* hands(?: as they are)?"),
        lambda r, m: a.Keep(as_they_are=True),
    ),
    (_pattern(r"keep (?P<cards>.+)"), lambda r, m: a.Keep(r.keys(m["cards"]))),
    (_pattern(rf"draw (?P<drawn>all|none|nothing|no|{A_NUMBER})(?: more)?(?: cards?)?(?: i may)?"), _read_draw),
    (_pattern(r"(?:nothing|no) more|enough|done"), lambda r, m: a.NoMore()),
    (_pattern(rf"start(?: the car| my car)? {WITH} (?P<card>.+)"), lambda r, m: a.Start(r.key(m["card"]))),
    (_pattern(r"(?:play|use) (?P<card>.+) to start"), lambda r, m: a.Start(r.key(m["card"]))),
    (_pattern(r"start(?: the car| my car)?"), lambda r, m: _only_starter(r)),
    (
        _pattern(
            rf"(?:(?:enter|return to) (?:section|road) (?P<to>{A_NUMBER}) {WITH}"
            rf"|lay|enter(?: {WITH})?|(?:exit|leave|return|move on|cross(?: the)? finish(?: line)?) {WITH})"
            rf" (?:(?P<bare>the rest)|{REST}(?P<card>.+?))(?:{EXTRAS})?"
        ),
        _read_exit,
    ),
    (
        _pattern(
            r"(?:exit|leave|(?:take )?(?:the |an )?automatic exit)(?: without (?:a|the|an exit) draw)?"
            r"(?:,? (?:and lay|laying) (?P<card>.+))?"
        ),
        _read_automatic_exit,
    ),
    (
        _pattern(
            rf"(?:pass|overtake) {TARGET}"
            rf"(?: {WITH} {BOTH}{REST}(?P<card>.+?)(?:,? without (?:attacking|an attack)(?: it)?)?)?"
        ),
        _read_pass,
    ),
    (
        _pattern(rf"(?:play|use) {BOTH}{REST}(?P<card>.+?),? (?:to|and) (?:pass|overtake) {TARGET}"),
        _read_pass,
    ),
    (
        _pattern(rf"(?:pass|overtake) (?:cars? )?{A_NUMBER}(?:, ?| and | & |, and )(?:car )?{A_NUMBER}\b.*"),
        _read_two_passes,
    ),
    (
        _pattern(rf"(?P<count>\b\B)?(?:counter)?attack (?P<on>{TARGET_WORDS}) {WITH} (?P<card>.+)"),
        _read_attack,
    ),
    (
        _pattern(rf"(?:(?:play|use) )?(?:the |a )?shortcut past (?P<cars>{A_NUMBER})(?: cars?)?"),
        lambda r, m: a.Shortcut(_number(m["cars"])),
    ),
    (_pattern(r"(?:play )?(?:a |the |my )?fate(?: card)?(?: on (?P<on>.+))?"), _read_fate),
    (
        _pattern(r"(?:(?:use|play|declare|engage|switch on) )?(?:the |my )?supercharger|supercharge"),
        lambda r, m: a.Supercharge(),
    ),
    (
        _pattern(
            rf"(?:play|use|throw|fire) (?P<card>.+?)(?: (?:on|at|against) (?P<on>.+?))?"
            rf"(?:(?:,| and|, and) draw (?P<count>{A_NUMBER})(?: cards?)?)?"
        ),
        _read_play,
    ),
    (
        _pattern(rf"(?P<count>\b\B)?(?P<card>.+?) (?:on|at|against) (?P<on>{TARGET_WORDS})"),
        _read_play,
    ),
    (_pattern(r"stop(?: here| now| the car| my car)?"), lambda r, m: a.Stop()),
    (_pattern(rf"forage {WITH} (?P<card>.+)"), lambda r, m: a.Forage(r.key(m["card"]))),
    (
        _pattern(r"(?:(?:attempt|try) to )?repair(?: attempt)?(?: on|:)? (?P<job>.+)"),
        lambda r, m: a.Repair(r.job(m["job"])),
    ),
    (
        _pattern(rf"trade with {TARGET} ?[:,] ?(?:i )?give (?P<give>.+?) for (?P<want>[^:]+?)(?: ?: ?(?P<words>.+))?"),
        _read_trade,
    ),
    (
        _pattern(r"(?:end|end my turn|end the turn|end turn)(?: at the rest stop)?(?P<parts>(?:,|;|:| and\b).*)?"),
        _read_end,
    ),
    (_pattern(r"(?P<parts>rest(?: stop(?! (?:move|road|\d))\b.*|(?:,|;| and\b).+)?)"), _read_end),
    (
        _pattern(rf"(?:go|go on|go ahead|continue|let it happen)(?: and (?:pass|overtake) {TARGET})?"),
        _read_go_on,
    ),
    (_pattern(r"(?:decline|refuse)(?: it| the (?:offer|trade|exit))?"), lambda r, m: a.Decline()),
    (_pattern(r"(?:accept|yes)(?: it| the (?:offer|trade))?(?:(?:, and|,|:| and)? (?P<what>.+))?"), _read_accept),
    (
        _pattern(r"risk(?: it)?|jump(?: it| the drawbridge)?|race(?: it| the train)?|take (?:the|a) (?:coolant )?leak"),
        lambda r, m: a.Risk(),
    ),
    (_pattern(r"no card|nothing|none|pass|no|no,? (?:thanks|thank you)|play (?:nothing|no card)"), _read_none),
    (_pattern(r"take (?P<what>.+)|(?P<bare>all (?:the )?supply cards)"), _read_take),
    (_pattern(r"(?P<parts>discard (?P<what>.+))"), _read_discard),
    (_pattern(r"(?:draft|pick|choose) (?P<what>.+)"), _read_draft),
    (_pattern(r"ask me about fate"), lambda r, m: a.Wish(fate=True)),
    (_pattern(r"do not ask me about fate|don't ask me about fate"), lambda r, m: a.Wish(fate=False)),
    (_pattern(r"withdraw|resign"), lambda r, m: a.Withdraw()),
)
