"""Scenario files: TOML read into scenarios; complaints name file, line and scenario."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

FILE_KEYS = ("ruleset", "about", "scenario")
SCENARIO_KEYS = ("id", "rules", "cards", "events", "title", "given", "when", "then", "variant")
VARIANT_KEYS = ("name", "title", "rules", "given", "when", "then")
STEP_KEYS = ("order", "go", "until", "next", "refused", "asked", "now", "expect")
CHECKS = ("refused", "asked", "until", "now", "expect")
"""Parts of a step that can fail by themselves."""
ANY, UNREADABLE, NOT_ASKED, OVER = "any", "unreadable", "not asked", "over"
"""What ``refused`` may be besides a rule's number."""

_ORDER = re.compile(r"(?P<seat>[A-Z][A-Za-z]{0,8}\d{0,2}|\d{1,2})\s*:\s*(?P<words>\S.*)", re.DOTALL)
_AT_LINE = re.compile(r"\(at line (\d+)")
_NUMBER_OF_RULE = re.compile(r"(?:R|RBT|RT|BT|T)?\d+(?:\.\d+)?[a-z]?|R-[a-z]+|C\d+[a-z]?")
_ID = re.compile(r"[A-Za-z][\w.-]*")


class MalformedScenario(Exception):
    """A scenario file cannot be used: names the file, the line, the scenario (if one is meant) and the reason."""

    def __init__(self, file: str, line: int, scenario: str, reason: str) -> None:
        super().__init__(file, line, scenario, reason)
        self.file = file
        self.line = line
        self.scenario = scenario
        self.reason = reason

    def __str__(self) -> str:
        whose = f", scenario {self.scenario}" if self.scenario else ""
        return f"{self.file}, line {self.line}{whose}: {self.reason}"


class Order(msgspec.Struct, frozen=True):
    """What a seat says, in the words of a mail. ``seat``: its number, or as the ruleset calls it."""

    seat: str
    words: str

    def __str__(self) -> str:
        return f"{self.seat}: {self.words}"


class Step(msgspec.Struct, frozen=True):
    """One line of ``when``. Its parts work in the order of the fields; None and () for parts that it has not."""

    line: int
    next: tuple[str, ...] = ()
    go: str | None = None
    until: str | None = None
    order: Order | None = None
    refused: str | None = None
    asked: str | None = None
    now: dict[str, Any] | None = None
    expect: dict[str, Any] | None = None

    def __str__(self) -> str:
        words = str(self.order) if self.order else self.go or (f"until {self.until}" if self.until else "")
        return f"«{words}»" if words else "a check"


class Scenario(msgspec.Struct, frozen=True):
    """One run: a position, what is done, what is expected.

    Variants are scenarios of their own, ``A011a``; ``whole`` is the id that they share. ``asked``: the part of ``then``
    that says which questions are open at the end.
    """

    file: str
    line: int
    id: str
    whole: str
    title: str
    ruleset: str
    rules: tuple[str, ...]
    cards: tuple[str, ...]
    events: tuple[str, ...]
    given: dict[str, Any]
    when: tuple[Step, ...]
    then: dict[str, Any]
    asked: str | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """The rules, cards and Events that it names."""
        return (*self.rules, *self.cards, *(f"Event {letter}" for letter in self.events))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """All draws that the scenario fixes, in order, as written."""
        return tuple(words for step in self.when for words in step.next)

    @property
    def words(self) -> str:
        """All that is said and expected, as one text."""
        parts = [str(step.order) for step in self.when if step.order]
        for table in (
            self.given,
            self.then,
            *(t for step in self.when for t in (step.now, step.expect) if t),
        ):
            parts.extend(_texts(table))
        return "\n".join((*parts, *self.outcomes))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def read_files(paths: Sequence[Path]) -> list[Scenario]:
    """All scenarios of these files, and of the TOML files in these folders; raises MalformedScenario."""
    scenarios: list[Scenario] = []
    for path in paths:
        files = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        if not files:
            raise MalformedScenario(str(path), 1, "", "the folder holds no scenario file (*.toml)")
        for file in files:
            scenarios.extend(read_file(file))
    return scenarios


def read_file(path: Path) -> list[Scenario]:
    """The scenarios of one file in its order; raises MalformedScenario."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MalformedScenario(str(path), 1, "", "there is no such file") from None
    except IsADirectoryError:
        raise MalformedScenario(str(path), 1, "", "this is a folder") from None
    except UnicodeDecodeError as error:
        raise MalformedScenario(str(path), 1, "", "this is not UTF-8 text; save the file as UTF-8") from error
    return read_text(text, str(path))


def read_text(text: str, file: str) -> list[Scenario]:
    """The scenarios of a file's text; ``file`` is its name for complaints."""
    return _Reader(text, file).scenarios()


class _Reader:
    """Reads one file; keeps what it needs to say where something stands."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = text.splitlines()
        self.line = 1
        self.name = ""
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = _AT_LINE.search(str(error))
            self.line = int(found.group(1)) if found else len(self.lines)
            raise self.fault(f"this is not TOML: {error}") from error

    def fault(self, reason: str) -> MalformedScenario:
        """A complaint about where the reader is."""
        return MalformedScenario(self.file, self.line, self.name, reason)

    def only(self, what: str, table: dict[str, Any], known: tuple[str, ...]) -> None:
        """Refuse keys that nobody reads."""
        for key in table:
            if key not in known:
                raise self.fault(f"«{key}» is not known in {what}; known are {', '.join(known)}")

    def part(self, table: dict[str, Any], key: str, kind: type[Any], default: Any) -> Any:
        """A part of this type, or the default."""
        value = table.get(key, default)
        if not isinstance(value, kind):
            words = "a text" if kind is str else "a list" if kind is list else "a table"
            raise self.fault(f"{key} should be {words} and is {value!r}")
        return value

    def texts(self, table: dict[str, Any], key: str) -> tuple[str, ...]:
        """A text, or a list of texts, as a tuple."""
        value = table.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self.fault(f"{key} should be a text or a list of texts and is {value!r}")
        return tuple(values)

    def seats(self, table: dict[str, Any], key: str) -> str | None:
        """Who is asked, as one text: ``"2 answer, 3"``, ``["2 answer", 3]`` or just ``2``; None if it is not said."""
        if key not in table:
            return None
        value = table[key]
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(each, str | int) and not isinstance(each, bool) for each in values):
            raise self.fault(f"{key} should be a text like «2 answer, 3 fate» and is {value!r}")
        return ", ".join(str(each) for each in values)

    def find(self, words: str, start: int) -> int:
        """The number of the first line from ``start`` on that holds these words, else ``start``."""
        for number in range(start, len(self.lines) + 1):
            if words in self.lines[number - 1]:
                return number
        return start

    def scenarios(self) -> list[Scenario]:
        """All of the file's scenarios; ids are unique in it."""
        self.only("a scenario file", self.data, FILE_KEYS)
        ruleset = self.part(self.data, "ruleset", str, "")
        if not ruleset:
            raise self.fault('the file does not say whose rules it plays by; add ruleset = "roadkill"')
        tables = self.part(self.data, "scenario", list, [])
        if not tables:
            raise self.fault("the file holds no [[scenario]]")
        read: list[Scenario] = []
        start = 0
        for table in tables:
            start = self.find("[[scenario]]", start + 1)
            self.line, self.name = start, ""
            if not isinstance(table, dict):
                raise self.fault("a scenario is a table: [[scenario]]")
            for scenario in self.scenario(table, ruleset):
                if any(scenario.id == other.id for other in read):
                    raise self.fault(f"the id {scenario.id} stands in this file twice")
                read.append(scenario)
        return read

    def scenario(self, table: dict[str, Any], ruleset: str) -> Iterator[Scenario]:
        """A scenario, or its variants if it has any."""
        self.name = self.part(table, "id", str, "")
        if not _ID.fullmatch(self.name):
            raise self.fault('a scenario needs an id: a letter, then letters and digits, like id = "A027"')
        self.only("a scenario", table, SCENARIO_KEYS)
        rules = self.texts(table, "rules")
        if not (rules or table.get("cards") or table.get("events")):
            raise self.fault('a scenario names the rules, cards or events it is about, like rules = ["6.41", "R5.2a"]')
        for rule in rules:
            if not _NUMBER_OF_RULE.fullmatch(rule):
                raise self.fault(f"«{rule}» is no rule or ruling; write 6.41, R6.41a, R-box, C6, BT6.2, T17 or RT17")
        base = Scenario(
            file=self.file,
            line=self.line,
            id=self.name,
            whole=self.name,
            title=self.part(table, "title", str, ""),
            ruleset=ruleset,
            rules=rules,
            cards=self.texts(table, "cards"),
            events=self.texts(table, "events"),
            given=self.part(table, "given", dict, {}),
            when=self.steps(self.part(table, "when", list, [])),
            then=self.part(table, "then", dict, {}),
        )
        variants = self.part(table, "variant", list, [])
        if not variants:
            yield self.checked(base)
        for variant in variants:
            yield self.checked(self.variant(base, variant))

    def variant(self, base: Scenario, table: Any) -> Scenario:
        """The shared parts and a variant's own: its steps come after the shared ones, its keys replace shared ones."""
        self.line = self.find("[[scenario.variant]]", self.line + 1)
        self.name = base.id
        if not isinstance(table, dict):
            raise self.fault("a variant is a table: [[scenario.variant]]")
        name = self.part(table, "name", str, "")
        if not re.fullmatch(r"[a-z0-9]+", name):
            raise self.fault('a variant needs a name of small letters or digits, like name = "a"')
        self.name = base.id + name
        self.only("a variant", table, VARIANT_KEYS)
        return msgspec.structs.replace(
            base,
            id=self.name,
            line=self.line,
            title=self.part(table, "title", str, base.title),
            rules=(*base.rules, *self.texts(table, "rules")),
            given=base.given | self.part(table, "given", dict, {}),
            when=base.when + self.steps(self.part(table, "when", list, [])),
            then=base.then | self.part(table, "then", dict, {}),
        )

    def checked(self, scenario: Scenario) -> Scenario:
        """Refuse a scenario without a position or that could not fail; take ``asked`` out of ``then``."""
        if not scenario.given:
            raise self.fault("given is missing: the position from which the scenario starts")
        if not scenario.then and not any(
            getattr(step, check) is not None for step in scenario.when for check in CHECKS
        ):
            raise self.fault("it expects nothing, so it could not fail; add a then, a refused or an asked")
        if "asked" not in scenario.then:
            return scenario
        then = {key: value for key, value in scenario.then.items() if key != "asked"}
        return msgspec.structs.replace(scenario, then=then, asked=self.seats(scenario.then, "asked"))

    def steps(self, steps: list[Any]) -> tuple[Step, ...]:
        """The steps of ``when``, each with its line."""
        read: list[Step] = []
        header, line = self.line, self.line
        for number, step in enumerate(steps, 1):
            self.line = line
            if not isinstance(step, str | dict):
                raise self.fault(f"step {number} should be a text like «1: end» or a table, and is {step!r}")
            line = self.find(_hint(step), line)
            self.line = line
            read.append(self.step(number, step, line))
        self.line = header
        return tuple(read)

    def step(self, number: int, step: str | dict[str, Any], line: int) -> Step:
        """One step; a text is an order or says how far to go."""
        if isinstance(step, str):
            found = _ORDER.fullmatch(step.strip())
            return Step(line, order=_order(found)) if found else Step(line, go=step.strip())
        what = f"step {number}"
        self.only(what, step, STEP_KEYS)
        order = None
        if "order" in step:
            found = _ORDER.fullmatch(self.part(step, "order", str, "").strip())
            if found is None:
                raise self.fault(f"{what}: an order starts with its car, like «1: pass 2 with Move 3»")
            order = _order(found)
        if "refused" in step and order is None:
            raise self.fault(f"{what}: refused stands beside the order that is refused")
        if not step:
            raise self.fault(f"{what} is empty")
        texts = {key: self.part(step, key, str, "") or None for key in ("go", "refused")}
        texts |= {key: self.seats(step, key) for key in ("until", "asked")}
        tables = {key: self.part(step, key, dict, {}) or None for key in ("now", "expect")}
        return Step(line, next=self.texts(step, "next"), order=order, **texts, **tables)


def _order(found: re.Match[str]) -> Order:
    return Order(found["seat"], found["words"].strip())


def _hint(step: str | dict[str, Any]) -> str:
    """Words by which the step's line is found."""
    if isinstance(step, str):
        return step
    for key in ("order", "go", "until", "asked"):
        if isinstance(step.get(key), str):
            return str(step[key])
    return next(iter(step), "")
