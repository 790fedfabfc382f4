"""Every scenario in tests/rulesets/<ruleset>/scenarios passes; their reader and runner find what is wrong."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from games.engine import codec
from games.rulesets.roadkill import components
from games.rulesets.roadkill.flow import QUESTIONS
from games.rulesets.roadkill.scenario.bench import BENCH
from games.rulesets.roadkill.scenario.expectation import THEN_KEYS
from games.rulesets.roadkill.scenario.position import GIVEN_KEYS
from games.rulesets.roadkill.scenario.soundness import cards_in, unsound
from games.rulesets.roadkill.state import State
from games.rulesets.thunder_road import flow as thunder_road_flow
from games.rulesets.thunder_road.scenario import expectation as thunder_road_expectation
from games.rulesets.thunder_road.scenario import position as thunder_road_position
from games.runtime.scenarios import running
from games.runtime.scenarios.benches import BENCHES
from games.runtime.scenarios.reading import (
    SCENARIO_KEYS,
    STEP_KEYS,
    MalformedScenario,
    Scenario,
    read_files,
    read_text,
)
from games.runtime.scenarios.telling import told

HERE = Path(__file__).parent
SCENARIOS = read_files(sorted(folder for folder in HERE.glob("*/scenarios") if folder.is_dir()))
OF_ROADKILL = [scenario for scenario in SCENARIOS if scenario.ruleset == "roadkill"]
HANDED = [*(f"A{number:03}" for number in (*range(1, 102), 103, *range(107, 115))), "A102a", "A102b"]

HEAD = 'ruleset = "roadkill"\n'
GOOD = """
[[scenario]]
id = "T1"
rules = ["6.41"]
given.course = "S1: 2m 1m; S0: 3s"
given.turn = "Turn 1"
given.c1 = "hand(3) [Move 1, Machine Gun, +1]"
given.c2 = "hand(3)"
"""


def one(text: str) -> Scenario:
    (scenario,) = read_text(HEAD + text, "made_up.toml")
    return scenario


def outcome_of(steps: str) -> running.Result:
    return running.run(one(GOOD + steps))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.id for scenario in SCENARIOS])
def test_scenario(scenario: Scenario) -> None:
    result = running.run(scenario)
    assert result.passed, "\n" + told(result)


def test_every_handed_case_but_those_of_campaigns_is_a_scenario() -> None:
    whole = {scenario.whole for scenario in SCENARIOS}
    assert [case for case in HANDED if case not in whole] == []


def test_every_handed_case_of_thunder_road_is_a_scenario() -> None:
    whole = {scenario.whole for scenario in SCENARIOS if scenario.ruleset == "thunder_road"}
    assert [case for case in (f"C{number:02}" for number in range(1, 28)) if case not in whole] == []


def test_ids_are_unique_over_all_files_of_a_ruleset() -> None:
    ids = [(scenario.ruleset, scenario.id) for scenario in SCENARIOS]
    assert sorted({scenario_id for scenario_id in ids if ids.count(scenario_id) > 1}) == []


def test_the_examples_in_the_readme_run() -> None:
    text = (HERE / "README.md").read_text("utf-8")
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[scenario]]" in block]
    assert len(blocks) >= 4
    for number, block in enumerate(blocks):
        source = block if "ruleset" in tomllib.loads(block) else HEAD + block
        for scenario in read_text(source, f"README example {number}"):
            result = running.run(scenario)
            assert result.passed, told(result)


def test_the_readme_names_every_key_question_and_card() -> None:
    text = (HERE / "README.md").read_text("utf-8")
    words = (*GIVEN_KEYS, *THEN_KEYS, *STEP_KEYS, *QUESTIONS, *SCENARIO_KEYS)
    assert [word for word in words if not re.search(rf"`[^`]*\b{word}\b[^`]*`", text)] == []
    names = [kind.short for kind in components.named("classic").kinds if not kind.road]
    assert [name for name in names if name not in text] == []


def test_the_readme_names_every_key_and_question_of_thunder_road() -> None:
    text = (HERE / "README.md").read_text("utf-8").split("\n## Thunder Road\n")[1]
    quoted = " ".join(re.findall(r"`[^`]*`", text))
    words = (*thunder_road_position.GIVEN_KEYS, *thunder_road_expectation.THEN_KEYS, *thunder_road_flow.QUESTIONS)
    letters = ("A", "B", "C", "D", "E", "F")
    assert [word for word in words if word not in letters and not re.search(rf"\b{word}\b", quoted)] == []


# --- What is wrong with a file ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("ruleset = roadkill", 1, "this is not TOML"),
        ("[[scenario]]", 1, "whose rules"),
        ('ruleset = "roadkill"', 1, "holds no [[scenario]]"),
        ('ruleset = "roadkill"\nscenarios = []', 1, "«scenarios» is not known in a scenario file"),
        (HEAD + "[[scenario]]\ngiven.new = 2", 2, "needs an id"),
        (HEAD + '[[scenario]]\nid = "T"\ngiven.new = 2', 2, "names the rules, cards or events it is about"),
        (HEAD + '[[scenario]]\nid = "T"\nrules = ["six"]', 2, "«six» is no rule or ruling"),
        (HEAD + '[[scenario]]\nid = "T"\nrules = ["3"]\nthen.deck = 1', 2, "given is missing"),
        (HEAD + GOOD, 3, "expects nothing, so it could not fail"),
        (HEAD + GOOD + "wenn = []", 3, "«wenn» is not known in a scenario"),
        (HEAD + GOOD + "then.deck = 1\n" + GOOD + "then.deck = 1", 12, "the id T1 stands in this file twice"),
        (HEAD + GOOD + 'when = [\n  "1: end",\n  3,\n]', 11, "step 2 should be a text"),
        (HEAD + GOOD + 'when = [\n  { order = "end" },\n]', 11, "an order starts with its car"),
        (HEAD + GOOD + 'when = [\n  { refused = "6.1" },\n]', 11, "refused stands beside the order"),
        (HEAD + GOOD + 'when = [\n  { orders = "1: end" },\n]', 11, "«orders» is not known in step 1"),
        (HEAD + GOOD + "when = [{}]", 3, "step 1 is empty"),
        (HEAD + GOOD + "[[scenario.variant]]\nthen.deck = 1", 10, "a variant needs a name"),
        (HEAD + GOOD + '[[scenario.variant]]\nname = "a"\nid = "B"', 10, "«id» is not known in a variant"),
    ],
)
def test_a_fault_in_a_file_is_told_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(MalformedScenario) as caught:
        read_text(text, "made_up.toml")
    assert caught.value.file == "made_up.toml"
    assert caught.value.line == line
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"made_up.toml, line {line}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ('given.course = "S1: 2m 1m"\ngiven.turn = "Turn 3"', "turn is car 3's, and there is no such car"),
        ('given.course = "S1: 2m 1x"\ngiven.turn = "Turn 1"', "«1x» in «S1: 2m 1x» is no car"),
        ('given.course = "S1: 2m 2m"\ngiven.turn = "Turn 1"', "car 2 stands on the course twice"),
        ('given.course = "S1: 1m 3m"\ngiven.turn = "Turn 1"', "numbered from 1 without a gap"),
        ('given.course = "S1: 1m"\ngiven.turn = "Turn 1"', "a race has 2 to 10 cars"),
        ('given.course = "S3: 1m; S1: 2m"\ngiven.turn = "Turn 1"', "S2 is missing"),
        ('given.course = "S1: 1m; S1: 2m"\ngiven.turn = "Turn 1"', "S1 stands in the course twice"),
        ('given.course = "S1(5): 1m 2m"\ngiven.turn = "Turn 1"', "a value from 1 to 4"),
        ('given.course = "S1(4,RS): 1m 2m"\ngiven.turn = "Turn 1"', "no Road card of value 4 with a Rest Stop"),
        ('given.course = "S2(4): 1m; S1(4): 2m"\ngiven.turn = "Turn 1"', "the box holds only 1 Move 4"),
        ('given.course = "S1(XS): 1m 2m"\ngiven.turn = "Turn 1"', "«XS» in «S1(XS): 1m 2m» is unknown"),
        ('given.course = "S1: 1m(C) 2m"\ngiven.turn = "Turn 1"', "so it cannot be camouflaged"),
        ('given.course = "S1: 1m(N)(W) 2m"\ngiven.turn = "Turn 1"', "a Narrow and a Wide Road at once"),
        ('given.course = "S1(Sign): 1m 2m"\ngiven.turn = "Turn 1"', "say which car placed it"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Now"', "turn is «Turn 1»"),
        ('given.course = "S1: 1m 2m"', "given needs a course and a turn"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c3 = "F2"', "car 3 is not on the course"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "F9"', "F goes from 0 to 8, and here it is 9"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "fast"', "I do not understand «fast»"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "F1 F2"', "says the same twice: «F2»"),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "P Rust"',
            "after P comes a Mechanical Problem",
        ),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "[Move 9]"', "«Move 9» is no card"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "hand(1) [2 Ram]"', "its list makes 2 cards"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "hand(8)"', "its limit is 7"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "D3 hand(5)"', "its limit is 4"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "[2 Box Canyon]"', "holds only 1 Box Canyon"),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "upgrades K"',
            "after upgrades come their letters",
        ),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "upgrades"',
            "after upgrades come their letters",
        ),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "Reserve used"', "c1 has no Reserve Tank"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "upgrades G F0"', "say «Reserve used»"),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "upgrades A, D"\ngiven.c2 = "upgrades D"',
            "c1 and c2 both have the upgrade D",
        ),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.c1 = "upgrades A hand(9)"', "its limit is 8"),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.upgrades = "draft"',
            "«upgrades» is not known in given",
        ),
        ("given.new = 3\ngiven.upgrades = 'all'", "no such race can begin"),
        (
            'given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.track = "beginners"',
            "track is one of open, beginner",
        ),
        (
            'given.course = "S2(2): 1m 2m"\ngiven.turn = "Turn 1"\ngiven.track = "beginner"',
            "the course is the printed one",
        ),
        (
            'given.course = "S2: 1m(N) 2m"\ngiven.turn = "Turn 1"\ngiven.track = "beginner"',
            "no Narrow or Wide Road",
        ),
        (
            'given.course = "S2: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.track = "beginner"\ngiven.sections = 5',
            "does not go with the Beginner's Track",
        ),
        (
            'given.course = "S2: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.track = "beginner"\ngiven.c1 = "[Siphon Gas]"',
            "Siphon Gas",
        ),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.lights = "day"', "«lights» is not known in given"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.light = "dusk"', "light is «day» or «night»"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.light = "day"\ngiven.deck = 3', "played by night"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.weather = "Hail on S1"', "weather is «Fog on S2»"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.weather = "Fog on S4"', "not on the course"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.pile = "some"', "a pile is a number of cards"),
        ('given.course = "S9: 1m 2m"\ngiven.turn = "Turn 1"', "the race ends with Section 8"),
        ('given.course = "S1: 1m 2m"\ngiven.turn = "Turn 1"\ngiven.components = "mine"', 'no component set "mine"'),
        ("given.new = 1", "no such race can begin"),
        ('given.new = 3\ngiven.course = "S0: 1s 2s 3s"', "«course» does not go with new"),
    ],
)
def test_a_fault_in_a_position_is_told_in_a_sentence(change: str, reason: str) -> None:
    scenario = one(f'[[scenario]]\nid = "T1"\nrules = ["3"]\n{change}\nthen.deck = 1')
    with pytest.raises(MalformedScenario) as caught:
        running.run(scenario)
    assert reason in caught.value.reason
    assert caught.value.scenario == "T1"


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("then.curse = 1", "«curse» is not known in an expectation"),
        ("then.c9 = 'F1'", "c9: there is no such car"),
        ("then.turn = 'mine'", "turn is «Turn 2» or «Event 2»"),
        ("then.leader = 'one'", "leader is a list of car numbers"),
        ("then.table = 'Move 3'", "a list like «Move 3 (2)»"),
        ("then.events = ['Stops!']", "«Stops!» is no event"),
        ("then.pile = '[Fate]'", "nobody knows what is in it"),
        ("then.shows = {red = ['Fate']}", "a viewer is the number of a car or «public»"),
        ("when = ['now go']\nthen.deck = 1", "«now go» is neither an order"),
        ("when = ['Event 1']\nthen.deck = 1", "cannot be a step: the Event is drawn as soon as"),
        ("when = ['9: end']\nthen.deck = 1", "there is no car 9"),
        ("when = ['Turn 4']\nthen.deck = 1", "there is no car 4"),
        ("when = [{ next = 'Check' }]\nthen.deck = 1", "«Check» fixes no draw"),
        ("when = [{ next = 'Luck=3' }]\nthen.deck = 1", "«Luck» in «Luck=3» is no column"),
        ("when = [{ next = 'Attack=6' }]\nthen.deck = 1", "bears the numbers 1 to 5"),
        ("when = [{ next = 'Event=1' }]\nthen.deck = 1", "the Event column bears the letters"),
        ("when = [{ asked = 'everybody' }]", "does not say who is asked"),
        ("when = [{ go = 'Turn 2' }, { now = { deck = 'one' } }]", "deck is a number"),
    ],
)
def test_a_fault_in_steps_and_expectations_is_told_in_a_sentence(steps: str, reason: str) -> None:
    with pytest.raises(MalformedScenario) as caught:
        running.run(one(GOOD + steps))
    assert reason in caught.value.reason


def test_an_unknown_ruleset_is_told_with_those_there_are() -> None:
    (scenario,) = read_text('ruleset = "chess"\n' + GOOD + "then.deck = 1", "made_up.toml")
    with pytest.raises(MalformedScenario, match="«chess» is not known; there is roadkill"):
        running.run(scenario)


JUNK = [
    *('""', "3", "-1", "[]", "{}", "true", '"x"', '"Turn 9"', '"hand("', '"P"', '"[Fate"', '"Event="', '"1:"'),
    *('"2: no card"', '"1: pass 99 with Move 1"', '"1: end, discard Fate"', '"1: accept"', '"1: Fate on Fate"'),
    *('"1: play Theft on 1"', '"1: shortcut past 0 cars"', '"1: withdraw"', '"1: exit"', '"S1: 1m"'),
    *('"S0/SR: 1m; S0: 2s"', '"wreck"', '"Lose=Fate"'),
    *('"M 3-5"', '"M 9-9, dice 7"', '"B: M 1 F"', '"A: coast"', '"A: shoot B.M"', '"Turn A"', '"A turn"', '"3-5=rock"'),
    *('"slam=top"', '"hazard="', '"only"', '"chopper"', '"moved"', '"damage none"', '"rig 1-1, steering"', '"A=B"'),
]


@pytest.mark.parametrize("seed", range(300))
def test_junk_anywhere_in_a_scenario_is_told_and_never_a_crash(seed: int) -> None:
    rng = random.Random(seed)
    key = rng.choice(sorted(BENCHES))
    file = rng.choice(sorted((HERE / key / "scenarios").glob("*.toml")))
    block = rng.choice(file.read_text("utf-8").split("[[scenario]]")[1:])
    for _ in range(rng.randint(1, 3)):
        texts = list(re.finditer(r'"[^"\n]*"', block))
        place = rng.choice(texts)
        block = block[: place.start()] + rng.choice(JUNK) + block[place.end() :]
    text = "no complaint"
    try:
        text = "\n".join(
            told(running.run(each)) for each in read_text(f'ruleset = "{key}"\n[[scenario]]{block}', "junk.toml")
        )
    except MalformedScenario as error:
        text = error.reason
    assert text


# --- What comes out otherwise -----------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("then.course = 'S1: 1m 2m; S0: 3s'", ("expected  S1: 1m 2m; S0: 3s", "actual    S1: 2m 1m; S0: 3s")),
        ("then.course = 'S1: 2m 1m'", ("expected  S1: 2m 1m", "actual    S1: 2m 1m; S0: 3s")),
        ("then.course = 'S2: -; S1: 2m 1m; S0: 3s'", ("there is no S2: -",)),
        ("then.course = 'S1(2): 2m 1m; S0: 3s'", ("expected  S1(2): 2m 1m; S0: 3s",)),
        ("then.course = 'S1: 2m 1m(N); S0: 3s'", ("expected  S1: 2m 1m(N); S0: 3s",)),
        ("then.course = 'S1: 2m 1s; S0: 3s'", ("expected  S1: 2m 1s; S0: 3s",)),
        ("then.course = 'S1: removed; S0: 3s 2m 1m'", ("expected  S1: removed; S0: 3s 2m 1m",)),
        ("then.c1 = 'F7'", ("c1 F", "expected  7", "actual    8")),
        ("then.c1 = 'L+1'", ("c1 L (Road Log)", "expected  +1", "actual    0")),
        ("then.c1 = 'P Flat Tire'", ("expected  Flat Tire", "actual    none")),
        ("then.c1 = 'at Rest Stop'", ("c1 at the Rest Stop", "expected  yes", "actual    no")),
        ("then.c1 = 'Sabotage'", ("c1 Sabotage", "expected  yes")),
        ("then.c1 = 'wreck'", ("c1 wreck", "expected  yes")),
        ("then.c1 = 'limit 6'", ("c1 hand limit", "expected  6", "actual    7")),
        ("then.c1 = 'hand(2)'", ("c1 cards in hand", "expected  2", "actual    3")),
        ("then.c1 = '[Fate]'", ("with Fate among them", "actual    hand(3) [Move 1, ")),
        ("then.c1 = '[2 Move 1]'", ("with Move 1 among them",)),
        ("then.c1 = 'no [Move 1]'", ("without Move 1",)),
        ("then.leader = 1", ("leader", "expected  1", "actual    2")),
        ("then.order = '1, 2, 3'", ("expected  1, 2, 3", "actual    2, 1, 3")),
        ("then.turn = 'Turn 2'", ("expected  Turn 2", "actual    Turn 1")),
        ("then.light = 'night'", ("expected  night", "actual    day")),
        ("then.deck = 2", ("expected  2", "actual    1")),
        ("then.weather = 'Rain on S1'", ("expected  Rain on S1", "actual    none")),
        ("then.pile = 3", ("draw pile", "expected  3", "actual    118")),
        ("then.discards = '(1) [Fate]'", ("expected  1", "actual    0", "with Fate among them")),
        ("then.table = 'Move 1 (1)'", ("expected  Move 1 (1)", "actual    none")),
        ("then.landmarks = 1", ("landmarks", "expected  1", "actual    0")),
        ("then.numbers = 1", ("numbers", "expected  1", "actual    0")),
        ("then.event_draws = 1", ("event_draws", "expected  1", "actual    0")),
        ("then.outcome = '2, 1, 3'", ("expected  2, 1, 3", "actual    none")),
        ("then.ending = 'finish'", ("expected  finish", "actual    none")),
        ("then.log = 'Night falls'", ("tells «Night falls»", "does not")),
        ("then.events = 'stops seat=1'", ("one like stops seat=1", "no event stops")),
        ("then.shows = { 2 = ['Machine Gun'] }", ("what car 2 sees", "sees Machine Gun", "does not")),
        ("then.hides = { 1 = ['Machine Gun'] }", ("what car 1 sees", "does not see Machine Gun", "does")),
        ("then.asked = '2 answer'", ("expected  2 answer", "actual    1 act")),
        (
            "when = ['1: pass 2 with Move 1']\nthen.no_log = 'passes car 2'",
            ("does not tell «passes car 2»", "Car 1 passes car 2"),
        ),
        ("when = ['1: pass 2 with Move 1']\nthen.no_events = 'passes seat=1'", ("none like passes seat=1",)),
    ],
)
def test_what_differs_is_told_with_expected_and_actual(steps: str, words: tuple[str, ...]) -> None:
    result = outcome_of(steps)
    assert not result.passed
    text = told(result)
    assert text.startswith("FAIL T1 (made_up.toml, line 3)")
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("when = ['1: start with Move 1']\nthen.deck = 1", "it should have been accepted; refused:"),
        ("when = [{ order = '1: end', refused = '6.6' }]", "it should have been refused (6.6) and was accepted"),
        ("when = [{ order = '1: lay Move 1', refused = '7.2' }]", "it should have been refused (7.2); refused:"),
        ("when = ['3: end']\nthen.deck = 1", "nothing is asked of this car; open: 1 act"),
        ("when = ['1: fly']\nthen.deck = 1", "the words of the order cannot be read"),
        (
            "when = ['1: attack 2 with Machine Gun']\nthen.deck = 1",
            "column Attack was drawn here, but next has nothing left",
        ),
        (
            "when = [{ next = 'Check=3', order = '1: attack 2 with Machine Gun' }]\nthen.deck = 1",
            "column Attack was drawn here, but next has Check=3 first",
        ),
        (
            "when = [{ next = 'Check=3', order = '1: end' }]\nthen.deck = 1",
            "not all draws of next were needed: Check=3",
        ),
        ("when = [{ until = '2 avert' }]", "2 avert was never asked; now open: 1 act"),
        ("given.pile = 0\nwhen = [{ next = 'Attack=1', order = '1: attack 2 with Ram' }]\nthen.deck = 1", "Ram"),
    ],
)
def test_a_step_that_comes_out_otherwise_fails_the_scenario(steps: str, reason: str) -> None:
    result = outcome_of(steps)
    assert not result.passed
    assert reason in told(result)


def test_a_number_that_no_card_of_the_pile_shows_is_told() -> None:
    result = outcome_of(
        "given.pile = '(1) [Move 4]'\nwhen = [{ next = 'Attack=3, Attack=3', order = '1: attack 2 with Machine Gun' }]"
        "\nthen.deck = 1"
    )
    assert "was wanted, but of 1 cards that the draw pile holds none shows it" in told(result)


def test_the_line_of_the_step_that_failed_is_told() -> None:
    result = outcome_of("when = [\n  { asked = '1 act' },\n  '1: stop',\n  { now = { leader = 1 } },\n]")
    assert [failure.line for failure in result.failures] == [13]


def test_other_differences_of_a_scenario_are_told_as_well() -> None:
    result = outcome_of("when = [{ now = { leader = 1 } }]\nthen.deck = 2")
    assert len(result.failures) == 2


def test_a_turn_that_has_just_begun_is_that_turn_already_and_one_begun_is_not() -> None:
    assert outcome_of("when = ['Turn 1']\nthen.c1 = 'L0'").passed
    assert outcome_of("when = ['1: pass 2 with Move 1', 'Turn 1']\nthen.c1 = 'L+1'").passed
    assert outcome_of("when = ['1: end', 'Turn 2', '2: stop']\nthen.course = 'S1: 2s 1m; S0: 3s'").passed
    assert outcome_of("when = [{ go = 'Turn 2' }, { go = 'Turn 2' }]\nthen.c1 = 'L+1'").passed


def test_the_story_tells_orders_and_log() -> None:
    result = outcome_of("when = ['1: pass 2 with Move 1', '1: end']\nthen.turn = 'Turn 2'")
    assert result.passed
    text = told(result, story=True)
    assert "> 1: pass 2 with Move 1" in text
    assert "Car 1 passes car 2. (6.41)" in text
    assert told(result) == "pass T1 (made_up.toml, line 3) 6.41"


# --- Positions --------------------------------------------------------------------------


def state_of(given: Mapping[str, object], outcomes: tuple[str, ...] = (), words: str = "") -> State:
    state = BENCH.start(given, outcomes=outcomes, words=words).state
    assert isinstance(state, State)
    return state


@pytest.mark.parametrize("scenario", OF_ROADKILL, ids=[scenario.id for scenario in OF_ROADKILL])
def test_every_card_is_in_one_place(scenario: Scenario) -> None:
    outcomes = [word for words in scenario.outcomes for word in BENCH.outcomes(words)]
    state = state_of(scenario.given, tuple(outcomes), scenario.words)
    cards = cards_in(state)
    assert len(set(cards)) == len(cards)
    if "pile" not in scenario.given:
        assert len(cards) == (124 if state.track else 128)
    again = codec.load(State, codec.dump(state))
    assert again == state


def test_hands_are_filled_with_cards_that_the_scenario_does_not_speak_of() -> None:
    box = components.named("classic")
    given = {"course": "S1: 1m 2m", "turn": "Turn 1", "c1": "hand(7)", "c2": "hand(7)"}
    state = state_of(given, words="1: attack 2 with Smoke Screen, Sideswipe or Machine Gun")
    held = {box.card_keys[card] for car in state.cars for card in car.hand}
    assert held.isdisjoint({"smoke_screen", "sideswipe", "machine_gun"})
    assert {box.kinds[box.kind_index[key]].symbol for key in held} == {"attack"}


def test_a_small_pile_shows_the_draws_to_come() -> None:
    box = components.named("classic")
    given = {"course": "S1: 1m 2m", "turn": "Turn 1", "pile": 2, "discards": 3}
    state = state_of(given, outcomes=("Check=1", "Event=Z", "Wrench=6", "Card=Box Canyon"))
    assert sorted((1 in box.numbers["check"][card : card + 1], box.letters[card] == "Z") for card in state.pile) == [
        (False, True),
        (True, False),
    ]
    assert any(box.numbers["wrench"][card] == 6 for card in state.discards)
    assert any(box.card_keys[card] == "box_canyon" for card in state.discards)


def test_a_card_that_a_later_draw_needs_is_not_drawn_into_a_hand() -> None:
    result = running.run(
        one(
            """
[[scenario]]
id = "T2"
rules = ["4.2"]
given.course = "S1: 1m 2s; S0: 3s"
given.turn = "Turn 2"
given.pile = 4
given.c1 = "hand(7)"
given.c2 = "hand(4)"
when = ["2: end", { now = { pile = 1, c2 = "hand(7)" } }, { next = "Event=Z", order = "3: end, draw 0" }]
then.log = "Event Z"
"""
        )
    )
    assert result.passed, told(result)


def test_a_lost_card_an_overfull_hand_and_a_car_in_two_places_are_unsound() -> None:
    state = state_of({"course": "S1: 1m 2m; S0: 3s", "turn": "Turn 1", "c1": "D1 hand(6)"})
    assert unsound(state, state) == ""
    first, *others = state.cars
    replace = msgspec.structs.replace
    assert "cards have gone astray" in unsound(state, replace(state, pile=state.pile[1:]))
    assert "doubled" in unsound(state, replace(state, discards=state.pile[:1]))
    overfull = (replace(first, hand=first.hand + state.pile[:1]), *others)
    assert "more than its limit of 6" in unsound(state, replace(state, cars=overfull, pile=state.pile[1:]))
    twice = (replace(state.course[0], line=(3, 1)), *state.course[1:])
    assert "car 1 stands in 2 places" in unsound(state, replace(state, course=twice))
    elsewhere = (replace(first, section=0), *others)
    assert "not in its line" in unsound(state, replace(state, cars=elsewhere))


def test_a_scenario_fails_when_the_race_becomes_unsound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BENCH, "unsound", lambda begun, state: "a wheel came off")
    result = outcome_of("when = ['1: stop']\nthen.deck = 1")
    assert "the race is unsound now: a wheel came off" in told(result)


# --- The command ------------------------------------------------------------------------


def test_the_command_passes_and_fails_by_its_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.toml"
    good.write_text(HEAD + GOOD + "then.leader = 2", "utf-8")
    call_command("scenario", str(good))
    assert "1 scenario passed" in capsys.readouterr().out

    bad = tmp_path / "bad.toml"
    bad.write_text(HEAD + GOOD + "then.leader = 1", "utf-8")
    with pytest.raises(CommandError, match="1 of 2 scenarios failed"):
        call_command("scenario", str(tmp_path))
    out = capsys.readouterr().out
    assert f"FAIL T1 ({bad}, line 3)" in out
    assert "expected  1" in out


def test_the_command_counts_a_scenario_that_cannot_be_used_as_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd.toml"
    odd.write_text(HEAD + GOOD.replace("Move 1", "Move 7") + "then.leader = 2", "utf-8")
    with pytest.raises(CommandError, match="1 of 1 scenarios failed"):
        call_command("scenario", str(odd))
    assert f"FAULT {odd}, line 3, scenario T1: «Move 7» is no card" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing.toml"], "there is no such file"),
        ([str(HERE / "roadkill" / "scenarios"), "--id", "A999"], "no scenario here has the id A999"),
    ],
)
def test_the_command_says_what_it_cannot_find(arguments: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("scenario", *arguments)


def test_the_command_lists_and_chooses(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(HERE / "roadkill" / "scenarios")
    call_command("scenario", folder, "--list", "--id", "A056")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["A056a", "A056b", "A056c"]
    call_command("scenario", folder, "--id", "A056a", "--story")
    assert "> 1: play Siphon Gas on 2" in capsys.readouterr().out
