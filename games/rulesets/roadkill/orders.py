"""The words of orders, both ways: what pages, mails and scenarios show is what a player may write."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from games.engine.contract import JSON
from games.engine.errors import Ambiguous, Malformed
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components
from games.rulesets.roadkill.words import JOBS, card, cards, count, listed

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
    """How an exit is called: the leader of the lead Section lays, others enter, from a Side Road one returns."""
    car = _own(view)
    if car is None:
        return "exit with"
    if car["side_road"]:
        return "return with"
    return "lay" if car["section"] == view["course"][0]["number"] else "enter with"


def _exit(view: JSON, act: a.Exit) -> str:
    extras = cards(("landmark",) * act.landmarks + ("red_line",) * act.red_lines)
    rest = "the rest of " if act.left else ""
    return f"{_verb(view)} {rest}{card(act.card)}" + ("" if extras == "nothing" else f" with {extras}")


def _pass(view: JSON, act: a.Pass) -> str:
    amount = "both values of " if act.units == 2 else ""
    rest = "the rest of " if act.left else ""
    target = act.target or _ahead(view)
    return f"pass {target} with {amount}{rest}{card(act.card)}"


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
        words += f" on {act.target}"
    if act.card == "no_doze_pills":
        words += f", draw {act.count}"
    return words


def _trade(view: JSON, act: a.Trade) -> str:
    wanted = [cards(act.want)] if act.want else []
    if act.any_cards:
        wanted.append(count(act.any_cards, "card"))
    promise = f": {act.words}" if act.words else ""
    return f"trade with {act.target}: give {cards(act.give)} for {listed(wanted) or 'nothing'}{promise}"


def _end(view: JSON, act: a.End) -> str:
    parts = ["end"]
    if act.rest:
        parts.append("rest")
    if act.job:
        parts.append(f"rest stop {JOBS[act.job]}")
    if act.discard:
        parts.append(f"discard {cards(act.discard)}")
    if act.draw >= 0:
        parts.append(f"draw {act.draw}")
    return ", ".join(parts)


def _accept(view: JSON, act: a.Accept) -> str:
    if act.job:
        return f"accept, {JOBS[act.job]}"
    return f"accept, give {cards(act.give)}" if act.give else "accept"


def _card(view: JSON, act: a.Card) -> str:
    if not act.on:
        return card(act.card)
    return f"{card(act.card)} on {'the event' if act.on == 'event' else card(act.on)}"


def _discard(view: JSON, act: a.Discard) -> str:
    return f"discard {cards(act.cards)}" if act.cards else "discard at random"


SAY: dict[type, Callable[[JSON, Any], str]] = {
    a.Start: lambda view, act: f"start with {card(act.card)}",
    a.Exit: _exit,
    a.Pass: _pass,
    a.Attack: lambda view, act: f"attack {act.target} with {card(act.card)}",
    a.Shortcut: lambda view, act: f"shortcut past {count(act.cars, 'car')}",
    a.Play: _play,
    a.Stop: lambda view, act: "stop",
    a.Forage: lambda view, act: f"forage with {card(act.card)}",
    a.Repair: lambda view, act: f"repair {JOBS[act.job]}",
    a.Trade: _trade,
    a.End: _end,
    a.GoOn: lambda view, act: "go on",
    a.AutoExit: lambda view, act: f"exit with {card(act.card)}" if act.card else "exit",
    a.Decline: lambda view, act: "decline",
    a.Accept: _accept,
    a.Risk: lambda view, act: "risk",
    a.NoCard: lambda view, act: "no card",
    a.Card: _card,
    a.Loot: lambda view, act: f"take {card(act.card)}" if act.card else "take all Supply cards",
    a.Discard: _discard,
    a.Wish: lambda view, act: "ask me about Fate" if act.fate else "do not ask me about Fate",
    a.Withdraw: lambda view, act: "withdraw",
}


# Reading


def clean(text: str) -> str:
    """Compatibility characters made plain.

    Spaces collapsed, case folded, a final full stop or exclamation mark dropped.
    """
    text = unicodedata.normalize("NFKC", text[: LONGEST + 1])
    return " ".join(text.split()).casefold().rstrip(".!").rstrip()


def read(view: JSON, text: str) -> Any:
    """The action that words mean in the viewer's position; raises Malformed, or Ambiguous where they could mean two."""
    if len(text) > LONGEST:
        raise Malformed(f"An order has at most {LONGEST} letters.")
    words = clean(text)
    for pattern, make in PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            return make(_Reader(view, text), match)
    return _bare_card(_Reader(view, text), words)


class _Reader:
    """What reading needs to know: names of cards, the viewer's hand and the table."""

    def __init__(self, view: JSON, text: str) -> None:
        self.view = view
        self.text = text
        self._names = _card_names(view["components"])

    def key(self, name: str) -> str:
        """The key of a card by its short name, long name, plural or key."""
        name = name.strip()
        for form in (name, name.removeprefix("a "), name.removeprefix("the "), name.removesuffix("s")):
            if form in self._names:
                return self._names[form]
        raise Malformed(f"There is no card «{name}».")

    def keys(self, names: str) -> tuple[str, ...]:
        """Several cards: "swerve, 2 landmarks and move 1"; "nothing" for none."""
        out: list[str] = []
        if names.strip() == "nothing":
            return ()
        for part in re.split(r"\s*(?:,|\band\b|\+|&)\s*", names.strip()):
            match = re.fullmatch(r"(\d+)\s*(?:x\s*)?(\D.*)", part)
            if match and part not in self._names:
                out.extend([self.key(match[2])] * min(int(match[1]), 20))
            elif part:
                out.append(self.key(part))
        return tuple(out)

    def holds(self, key: str) -> bool:
        """Whether the viewer holds such a card."""
        return any(held["key"] == key for held in self.view["hand"])

    def on_table(self, key: str) -> bool:
        """Whether such a card lies on the table with value left."""
        return any(move["key"] == key for move in self.view["table"])

    def left(self, key: str, *, rest: bool) -> bool:
        """Whether the card meant is the one on the table: said so, or none is held and one lies there."""
        return rest or (not self.holds(key) and self.on_table(key))

    def job(self, name: str) -> str:
        """The key of a thing to repair."""
        for key, words in JOBS.items():
            if words.casefold() == name.strip() or key == name.strip():
                return key
        raise Malformed(f"«{name}» is nothing to repair: Damage, Sabotage or a Mechanical Problem by its name.")


def _card_names(set_name: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for kind in components.named(set_name).kinds:
        for name in (kind.short, kind.name, kind.key, kind.key.replace("_", " ")):
            out[clean(name)] = kind.key
        if kind.rest_stop:
            out[clean(f"Rest Stop Move {kind.value}")] = kind.key
            out[clean(f"RS Move/Road {kind.value}")] = kind.key
        if kind.key == "red_move_1":
            out["red move 1"] = kind.key
            out["red 1"] = kind.key
    return out


def _read_exit(reader: _Reader, match: re.Match[str]) -> Any:
    if match["card"] is None:
        return a.AutoExit()
    key = reader.key(match["card"])
    extras = reader.keys(match["extras"]) if match["extras"] else ()
    if any(extra not in ("landmark", "red_line") for extra in extras):
        raise Malformed("Only Landmarks and Red Lines are named with an exit.")
    auto = reader.view.get("asking") == "auto_exit"
    if auto and not extras and not match["rest"]:
        return a.AutoExit(key)
    return a.Exit(
        key,
        left=reader.left(key, rest=bool(match["rest"])),
        landmarks=extras.count("landmark"),
        red_lines=extras.count("red_line"),
    )


def _read_pass(reader: _Reader, match: re.Match[str]) -> Any:
    target = int(match["target"] or 0)
    units = 2 if match["both"] else 1
    if match["card"] is None:
        left = {move["key"] for move in reader.view["table"]}
        if len(left) != 1:
            raise Ambiguous("Say with which card you pass: «pass 2 with Move 1».")
        return a.Pass(left.pop(), target, left=True, units=units)
    key = reader.key(match["card"])
    return a.Pass(key, target, left=reader.left(key, rest=bool(match["rest"])), units=units)


def _read_play(reader: _Reader, match: re.Match[str]) -> Any:
    name, on, drawn = match["card"], match["on"], match["count"]
    key = reader.key(name)
    if reader.view.get("asking") in ANSWERING:
        return a.Card(key, _fated(reader, on) if on else "")
    if key == "fate":
        return a.Card(key, _fated(reader, on) if on else "")
    target, job = 0, ""
    if on and re.fullmatch(r"(?:car )?\d{1,3}", on):
        target = int(on.removeprefix("car "))
    elif on:
        job = reader.job(on)
    elif key == "tool_kit":
        job = _tool_kit_job(reader.view)
    return a.Play(key, target=target, job=job, count=int(drawn) if drawn else 3)


def _tool_kit_job(view: JSON) -> str:
    """What a Tool Kit mends when its player does not say: Damage, unless there is only Sabotage to mend."""
    car = _own(view)
    return "sabotage" if car is not None and car["sabotage"] and not car["damage"] else "damage"


ANSWERING = frozenset(("answer", "fate", "canyon", "reaction", "reflexes", "avert", "dodge", "wrong_road"))


def _fated(reader: _Reader, on: str) -> str:
    return "event" if on in ("event", "the event") else reader.key(on)


def _read_fate(reader: _Reader, match: re.Match[str]) -> Any:
    return a.Card("fate", _fated(reader, match["on"]) if match["on"] else "")


def _read_trade(reader: _Reader, match: re.Match[str]) -> Any:
    want: list[str] = []
    number = 0
    for part in re.split(r"\s*(?:,|\band\b)\s*", match["want"].strip()):
        cards_match = re.fullmatch(r"(\d+|a|one) cards?", part)
        if cards_match:
            number += int(cards_match[1]) if cards_match[1].isdigit() else 1
        elif part and part != "nothing":
            want.extend(reader.keys(part))
    words = ""
    if match["words"]:
        words = reader.text.split(":", 2)[2].strip() if reader.text.count(":") >= 2 else match["words"]
    return a.Trade(
        int(match["target"]), give=reader.keys(match["give"]), want=tuple(want), any_cards=number, words=words
    )


def _read_end(reader: _Reader, match: re.Match[str]) -> Any:
    job, rest, drawn = "", False, -1
    thrown: tuple[str, ...] = ()
    text = match["parts"] or ""
    for part in re.split(r"\s*,\s*(?=rest|discard|draw)", text.strip(" ,")):
        if not part:
            continue
        if part == "rest":
            rest = True
        elif part.startswith("rest stop"):
            job = reader.job(part.removeprefix("rest stop").strip(" :"))
        elif part.startswith("discard "):
            thrown = reader.keys(part.removeprefix("discard "))
        elif re.fullmatch(r"draw \d{1,2}", part):
            drawn = int(part.removeprefix("draw "))
        else:
            raise Malformed(f"«{part}» is no part of ending a turn: rest, rest stop …, discard …, draw …")
    return a.End(job=job, rest=rest, discard=thrown, draw=drawn)


def _read_accept(reader: _Reader, match: re.Match[str]) -> Any:
    what = (match["what"] or "").strip()
    if what.startswith("give "):
        return a.Accept(give=reader.keys(what.removeprefix("give ")))
    return a.Accept(job=reader.job(what)) if what else a.Accept()


def _read_stop_or_go(reader: _Reader, match: re.Match[str]) -> Any:
    return a.Stop()


def _read_none(reader: _Reader, match: re.Match[str]) -> Any:
    """Read "pass" and "no": nothing, whatever is asked."""
    asking = reader.view.get("asking", "")
    if asking == "auto_pass" and match[0] == "pass":
        return a.GoOn()
    if asking in ("auto_exit", "offer", "trade"):
        return a.Decline()
    return a.NoCard()


def _read_take(reader: _Reader, match: re.Match[str]) -> Any:
    name = match["what"]
    return (
        a.Loot()
        if re.fullmatch(r"(?:all )?(?:the )?supply(?: cards)?|all supplies|nothing", name)
        else a.Loot(reader.key(name))
    )


def _read_discard(reader: _Reader, match: re.Match[str]) -> Any:
    asking = reader.view.get("asking", "")
    if match["what"] == "at random":
        return a.Discard()
    keys = reader.keys(match["what"])
    if asking == "excess":
        return a.Discard(keys)
    if asking == "act":
        return a.End(discard=keys)
    if len(keys) == 1:
        return a.Card(keys[0])
    return a.Discard(keys)


def _bare_card(reader: _Reader, words: str) -> Any:
    try:
        return a.Card(reader.key(words))
    except Malformed as error:
        raise Malformed(f"«{reader.text.strip()[:80]}» is no order of this game.") from error


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.DOTALL)


PATTERNS: tuple[tuple[re.Pattern[str], Callable[[_Reader, re.Match[str]], Any]], ...] = (
    (_pattern(r"start with (?P<card>.+)"), lambda r, m: a.Start(r.key(m["card"]))),
    (_pattern(r"start"), lambda r, m: _only_starter(r)),
    (
        _pattern(
            r"(?:lay|enter(?: with)?|exit with|leave with|return with|move on with) (?P<rest>the rest of )?"
            r"(?P<card>.+?)(?: (?:with|and) (?P<extras>(?:\d+ )?(?:landmark|red line|a landmark|a red line).*))?"
        ),
        _read_exit,
    ),
    (_pattern(r"(?P<card>\b\B)?(?P<extras>\b\B)?(?P<rest>\b\B)?(?:exit|leave|automatic exit)"), _read_exit),
    (
        _pattern(
            r"pass (?:car )?(?P<target>\d{1,3})"
            r"(?: with (?P<both>both values of |2 values of )?(?P<rest>the rest of )?(?P<card>.+))?"
        ),
        _read_pass,
    ),
    (
        _pattern(r"attack (?:car )?(?P<target>\d{1,3}) with (?P<card>.+)"),
        lambda r, m: a.Attack(r.key(m["card"]), int(m["target"])),
    ),
    (_pattern(r"(?:play )?shortcut past (?P<cars>\d{1,3})(?: cars?)?"), lambda r, m: a.Shortcut(int(m["cars"]))),
    (_pattern(r"(?:play )?fate(?: on (?P<on>.+))?"), _read_fate),
    (_pattern(r"play (?P<card>.+?)(?: on (?P<on>.+?))?(?:, draw (?P<count>\d{1,3}))?"), _read_play),
    (_pattern(r"stop"), _read_stop_or_go),
    (_pattern(r"forage with (?P<card>.+)"), lambda r, m: a.Forage(r.key(m["card"]))),
    (_pattern(r"repair (?P<job>.+)"), lambda r, m: a.Repair(r.job(m["job"]))),
    (
        _pattern(
            r"trade with (?:car )?(?P<target>\d{1,3}): ?give (?P<give>.+?) for (?P<want>[^:]+?)(?:: ?(?P<words>.+))?"
        ),
        _read_trade,
    ),
    (_pattern(r"(?:end|end my turn|end turn)(?P<parts>,.*)?"), _read_end),
    (_pattern(r"rest"), lambda r, m: a.End(rest=True)),
    (_pattern(r"go on|let it happen"), lambda r, m: a.GoOn()),
    (_pattern(r"decline|refuse"), lambda r, m: a.Decline()),
    (_pattern(r"(?:accept|yes)(?:, ?(?P<what>.+))?"), _read_accept),
    (
        _pattern(r"risk|risk it|jump|race|race the train|take the leak|take the coolant leak"),
        lambda r, m: a.Risk(),
    ),
    (_pattern(r"no card|nothing|pass|no"), _read_none),
    (_pattern(r"take (?P<what>.+)"), _read_take),
    (_pattern(r"discard (?P<what>.+)"), _read_discard),
    (_pattern(r"ask me about fate"), lambda r, m: a.Wish(fate=True)),
    (_pattern(r"do not ask me about fate|don't ask me about fate"), lambda r, m: a.Wish(fate=False)),
    (_pattern(r"withdraw|resign"), lambda r, m: a.Withdraw()),
)


def _only_starter(reader: _Reader) -> Any:
    raise Ambiguous("Say with which card you start: «start with Landmark».")
