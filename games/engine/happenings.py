"""What a scenario expects to be told of a race: sentences of its public log, and events by kind and facts."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from games.engine.contract import JSON, Ruleset
from games.engine.scenarios import Difference, Moment, ScenarioFault

TOLD_KEYS = ("log", "no_log", "events", "no_events")
"""Keys of an expectation that read_told() reads."""

_EVENT = re.compile(r"(?P<kind>[a-z_]+)(?P<facts>(?:\s+[a-z_]+=\S+)*)")


class EventWords(msgspec.Struct, frozen=True):
    """An event by its kind and some of its facts, as text."""

    kind: str
    facts: dict[str, str]

    def __str__(self) -> str:
        return " ".join((self.kind, *(f"{key}={value}" for key, value in self.facts.items())))


class Told(msgspec.Struct, frozen=True):
    """What is to be told since the scenario began, and what not."""

    log: tuple[str, ...] = ()
    no_log: tuple[str, ...] = ()
    events: tuple[EventWords, ...] = ()
    no_events: tuple[EventWords, ...] = ()


def read_told(then: Mapping[str, JSON]) -> Told:
    """The part of an expectation that TOLD_KEYS name; raises ScenarioFault."""
    readers = (read_texts, read_texts, read_events, read_events)
    read: Any = {key: reader(key, then[key]) for key, reader in zip(TOLD_KEYS, readers, strict=True) if key in then}
    return Told(**read)


def read_texts(what: str, value: object) -> tuple[str, ...]:
    """A text or a list of texts, none of them empty; raises ScenarioFault."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ScenarioFault(f"{what} is a text or a list of texts, not {value!r}")
    return tuple(texts)


def read_events(what: str, value: object) -> tuple[EventWords, ...]:
    """Events as ``stops seat=2 rule=6.6``; raises ScenarioFault."""
    read = []
    for text in read_texts(what, value):
        found = _EVENT.fullmatch(text.strip())
        if found is None:
            raise ScenarioFault(f"«{text}» is no event; write its kind and facts like «stops seat=2 rule=6.6»")
        facts = dict(fact.split("=", 1) for fact in found["facts"].split())
        read.append(EventWords(found["kind"], facts))
    return tuple(read)


def untold(ruleset: Ruleset[Any], told: Told, moment: Moment) -> Iterator[Difference]:
    """What is told otherwise than expected; of sentences a part is enough, in any case of letters."""
    sentences = [ruleset.tell(event.seen_by(None)) for event in moment.events] if told.log or told.no_log else []
    for words in told.log:
        if not any(words.casefold() in sentence.casefold() for sentence in sentences):
            yield Difference("log", f"tells «{words}»", "does not")
    for words in told.no_log:
        found = [sentence for sentence in sentences if words.casefold() in sentence.casefold()]
        if found:
            yield Difference("log", f"does not tell «{words}»", found[0])
    yield from _otherwise(told, [event.seen_by(None) for event in moment.events])


def _otherwise(told: Told, happened: list[Mapping[str, JSON]]) -> Iterator[Difference]:
    for wanted in told.events:
        if not any(_matches(wanted, seen) for seen in happened):
            alike = [seen for seen in happened if seen["kind"] == wanted.kind]
            shown = "; ".join(json.dumps(seen) for seen in alike) or f"no event {wanted.kind}"
            yield Difference("events", f"one like {wanted}", shown)
    for wanted in told.no_events:
        if one := next((seen for seen in happened if _matches(wanted, seen)), None):
            yield Difference("events", f"none like {wanted}", json.dumps(one))


def _matches(words: EventWords, seen: Mapping[str, JSON]) -> bool:
    if seen["kind"] != words.kind:
        return False
    return all(_fact(seen.get(key)) == value.casefold() for key, value in words.facts.items())


def _fact(value: JSON) -> str:
    return value.casefold() if isinstance(value, str) else json.dumps(value)
