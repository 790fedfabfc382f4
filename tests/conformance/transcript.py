"""A recorded race as text, all viewers side by side, and how many answers it offers: both kept and compared."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from games.engine import codec
from games.engine.contract import Decision, Event, Ruleset
from games.engine.record import Entry, Record, Step, replay
from tests.conformance.subject import Subject

Moment = tuple[Entry, Step]


def moments(ruleset: Ruleset[Any], record: Record) -> list[Moment]:
    """Every entry with what came of it."""
    steps: list[Step] = []
    replay(ruleset, record, steps.append)
    return list(zip(record.entries, steps, strict=True))


def transcript(subject: Subject, record: Record) -> str:
    """Entry by entry: who said what, what everybody read of it, what each sees now, and who is asked what."""
    ruleset = subject.ruleset
    seats = range(1, record.seats + 1)
    options = ", ".join(f"{name} {value}" for name, value in sorted(record.options.items()))
    lines = [f"{ruleset.title}: {record.seats} seats, {options}"]
    before: Step | None = None
    for entry, step in moments(ruleset, record):
        lines += ["", *_said(ruleset, entry, before)]
        lines += [f"  {line}" for event in step.events for line in _told(ruleset, event, seats)]
        lines += [f"  {subject.glance(ruleset.view(step.state, viewer))}" for viewer in (None, *seats)]
        lines += [f"  {line}" for one in ruleset.pending(step.state) for line in _asked(ruleset, step, one)]
        before = step
    outcome = ruleset.outcome(before.state) if before is not None else None
    lines += ["", f"Over: {outcome.reason}, places {outcome.places}" if outcome is not None else "Not over"]
    return "\n".join(lines) + "\n"


def _said(ruleset: Ruleset[Any], entry: Entry, before: Step | None) -> Iterator[str]:
    if before is None:
        yield f"[{entry.seq}] The deal"
    for act in entry.acts:
        assert before is not None
        view = ruleset.view(before.state, act.seat)
        action = codec.action_from_json(ruleset.action_type, act.action)
        yield f"[{entry.seq}] Seat {act.seat}: {ruleset.say(view, action)}"


def _told(ruleset: Ruleset[Any], event: Event, seats: range) -> Iterator[str]:
    """The sentence that everybody reads, then those of viewers who read another one."""
    public = ruleset.tell(event.seen_by(None))
    if public:
        yield f"| {public}"
    for seat in seats:
        sentence = ruleset.tell(event.seen_by(seat))
        if sentence != public:
            yield f"|   seat {seat} reads: {sentence}"


def _asked(ruleset: Ruleset[Any], step: Step, decision: Decision) -> Iterator[str]:
    view = ruleset.view(step.state, decision.seat)
    marks = "".join(
        f", {word}" for word, holds in (("sealed", decision.sealed), ("singled out", decision.singled)) if holds
    )
    facts = f"{decision.rule}, {decision.clock}{marks}"
    yield f"? seat {decision.seat}, {decision.key} ({facts}): {ruleset.ask(view, decision)}"
    words = [ruleset.say(view, action) for action in decision.menu]
    yield f"    {' · '.join(words)}; by default {ruleset.say(view, decision.default)}"
    for form in decision.forms:
        yield f"    form: {form.label} [{', '.join(one.label for one in form.fields)}]"


def offered(subject: Subject, record: Record) -> dict[str, dict[str, int]]:
    """By question: how often it is asked, how many answers and forms are offered in all."""
    counts: dict[str, Counter[str]] = {}
    for _, step in moments(subject.ruleset, record):
        for decision in subject.ruleset.pending(step.state):
            count = counts.setdefault(decision.key, Counter())
            count["asked"] += 1
            count["answers"] += len(decision.menu)
            count["forms"] += len(decision.forms)
    return {key: dict(sorted(count.items())) for key, count in sorted(counts.items())}
