"""What a player reads is what he may write: the words of every answer mean that answer and no other."""

from collections.abc import Iterator
from random import Random

from games.engine.bots import random_fill
from games.engine.contract import Decision
from games.engine.errors import Ambiguous, Malformed
from tests.conformance.subject import Step, Subject, Trail

JUNK = (
    "",
    " ",
    ".",
    "!",
    "…",
    "end end",
    "play",
    "with",
    "1",
    "\x00",
    "pass 99999999999999999999999 with Move 1",
    "\uff30\uff41\uff53\uff53",
    "x" * 600,
)


def decisions_in(trails: list[Trail], every: int) -> Iterator[tuple[Trail, Step, Decision]]:
    """Every so-manieth decision of all races."""
    found = [(race, step, one) for race in trails for step in race.steps for one in step.decisions]
    yield from found[::every]


def test_the_words_of_every_offered_answer_mean_it(subject: Subject, trails: list[Trail]) -> None:
    ruleset = subject.ruleset
    for race, step, decision in decisions_in(trails, every=29):
        view = ruleset.view(step.state, decision.seat)
        for action in decision.menu:
            words = ruleset.say(view, action)
            assert ruleset.read(view, words) == action, f"race {race.number}, {decision.key}: «{words}»"


def test_case_spaces_and_a_final_mark_do_not_matter(subject: Subject, trails: list[Trail]) -> None:
    ruleset = subject.ruleset
    for _, step, decision in decisions_in(trails, every=199):
        view = ruleset.view(step.state, decision.seat)
        for action in decision.menu:
            words = ruleset.say(view, action)
            for spelling in (words.upper(), words.replace(" ", "  "), f" {words}.", f"{words}!"):
                assert ruleset.read(view, spelling) == action, spelling


def test_the_words_of_a_filled_in_form_mean_it(subject: Subject, trails: list[Trail]) -> None:
    ruleset = subject.ruleset
    rng = Random("forms")
    filled = 0
    for _, step, decision in decisions_in(trails, every=29):
        view = ruleset.view(step.state, decision.seat)
        for form in decision.forms:
            action = random_fill(form, rng)
            if ruleset.verify(step.state, decision.seat, action) is None:
                words = ruleset.say(view, action)
                assert ruleset.read(view, words) == action, f"«{words}»"
                filled += 1
    assert filled > 50


def test_no_two_answers_have_the_same_words(subject: Subject, trails: list[Trail]) -> None:
    for _, step, decision in decisions_in(trails, every=29):
        view = subject.ruleset.view(step.state, decision.seat)
        words = [subject.ruleset.say(view, action) for action in decision.menu]
        assert len(set(words)) == len(words), words


def test_asides_have_words_too(subject: Subject, trails: list[Trail]) -> None:
    rng = Random("asides")
    view = subject.ruleset.view(trails[0].begin, 1)
    for _ in range(200):
        action = subject.aside(rng)
        assert subject.ruleset.read(view, subject.ruleset.say(view, action)) == action


def test_every_question_is_asked_in_a_sentence(subject: Subject, trails: list[Trail]) -> None:
    for _, step, decision in decisions_in(trails, every=13):
        words = subject.ruleset.ask(subject.ruleset.view(step.state, decision.seat), decision)
        assert words[0].isupper() or words[0] == "«"
        assert words.endswith("?")


def test_every_event_is_told_with_its_rule_to_every_viewer(subject: Subject, trails: list[Trail]) -> None:
    told = 0
    for race in trails[::3]:
        for step in race.steps:
            for event in step.events:
                for viewer in (None, *range(1, race.seats + 1)):
                    sentence = subject.ruleset.tell(event.seen_by(viewer))
                    if sentence:
                        told += 1
                        assert sentence.endswith(f"({event.rule})")
                        assert not sentence[0].islower()
    assert told > 1000


def test_what_cannot_be_read_is_refused_and_breaks_nothing(subject: Subject, trails: list[Trail]) -> None:
    """Pieces of orders, orders with letters lost or doubled, and junk: an action or a refusal in words comes of it."""
    ruleset = subject.ruleset
    rng = Random("misread")
    refusals = []
    for _, step, decision in decisions_in(trails, every=97):
        view = ruleset.view(step.state, decision.seat)
        words = ruleset.say(view, rng.choice(decision.menu))
        cut = rng.randint(0, len(words))
        for text in (*JUNK, words[:cut], words[cut:], words[:cut] + words, words[:cut] + words[cut + 1 :]):
            try:
                ruleset.read(view, text)
            except (Malformed, Ambiguous) as error:
                refusals.append(error.text)
    assert len(refusals) > 100
    assert not any(text == "" or text[0].islower() for text in refusals)
