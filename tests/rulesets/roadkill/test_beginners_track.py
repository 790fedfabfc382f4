"""The Beginner's Track beyond its scenarios: options, other races' states, words, standing orders, bots, the guide."""

import re
from typing import Any

import pytest

from games.engine import codec
from games.engine.chance import Stream
from games.engine.contract import Act, Decision
from games.engine.errors import Malformed
from games.engine.play import play, start
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill import components, guide
from games.rulesets.roadkill.bot import Driver
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.sheet import ON_THE_SHEET
from games.runtime import rulebooks
from tests.conformance.subject import trail
from tests.rulesets.roadkill.subject import BEGINNERS_TRACK

ON_THE_MAP: dict[str, Any] = RULESET.options({"track": "beginner"})


def begun(options: dict[str, Any], seats: int = 4) -> Any:
    return start(RULESET, seats, options, Stream(bytes(32))).state


def test_the_option_is_completed_with_the_length_of_the_map_and_stays_as_it_is() -> None:
    assert ON_THE_MAP == {"sections": 8, "components": "classic", "track": "beginner"}
    assert RULESET.options(ON_THE_MAP) == ON_THE_MAP


def test_the_open_road_is_the_default_and_is_left_out() -> None:
    assert RULESET.options({"track": "open"}) == RULESET.options({}) == {"sections": 8, "components": "classic"}


@pytest.mark.parametrize(
    ("given", "says", "rule"),
    [
        ({"track": "beginner", "sections": 5}, "has 8 Sections", "BT1"),
        ({"track": "beginner", "upgrades": "draft"}, "no upgrades on the Beginner's Track", "RBT3"),
        ({"track": "beginners"}, "«open», or «beginner»", "BT1"),
        ({"track": 1}, "«open», or «beginner»", "BT1"),
    ],
)
def test_what_does_not_go_with_it_is_refused_in_a_sentence(given: dict[str, Any], says: str, rule: str) -> None:
    with pytest.raises(Malformed, match=says) as refused:
        RULESET.options(given)
    assert refused.value.rule == rule


def test_a_set_without_a_map_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = components.named("classic").__class__
    plain = {name: getattr(components.named("classic"), name) for name in bare.__struct_fields__}
    monkeypatch.setattr(components, "named", lambda name: bare(**{**plain, "tracks": {}}))
    with pytest.raises(Malformed, match="has no Beginner's Track"):
        RULESET.options({"track": "beginner"})


def test_the_states_of_other_races_do_not_speak_of_it() -> None:
    assert b"track" not in codec.dump(begun(RULESET.options({})))
    assert b'"track":"beginner"' in codec.dump(begun(ON_THE_MAP))


def test_rbt3__the_cards_put_aside_are_nowhere() -> None:
    state = begun(ON_THE_MAP)
    cards = state.pile + b"".join(car.hand for car in state.cars)
    keys = components.named("classic").card_keys
    assert len(cards) == len(set(cards)) == 124
    assert not {keys[card] for card in cards} & set(components.PUT_ASIDE)


def test_the_numbers_of_the_sheet_are_numbers_of_the_book() -> None:
    book = rulebooks.book_of("roadkill").rules
    assert set(ON_THE_SHEET) | set(ON_THE_SHEET.values()) <= set(book)
    assert {book[number].part[:2] for number in ON_THE_SHEET.values()} == {"BT"}


def test_refusals_questions_and_events_cite_the_sheet() -> None:
    for number in (0, 1):
        for step in trail(BEGINNERS_TRACK, number).steps:
            cited = {event.rule for event in step.events} | {decision.rule for decision in step.decisions}
            assert not cited & set(ON_THE_SHEET)


def test_an_answer_is_shown_under_the_number_of_the_sheet() -> None:
    (asked,) = RULESET.pending(begun(ON_THE_MAP))
    assert RULESET.rule_of(asked, a.Exit("move_1")) == "BT6.23"
    (elsewhere,) = RULESET.pending(begun(RULESET.options({})))
    assert RULESET.rule_of(elsewhere, a.Exit("move_1")) == "6.24"


def test_standing_orders_know_no_moment_that_never_comes() -> None:
    on_map, open_road = (
        {one.key for one in RULESET.standing.occasions(RULESET.view(begun(options), 1))}
        for options in (ON_THE_MAP, RULESET.options({}))
    )
    assert open_road - on_map == {"event_strikes", "event_choice", "event_offer", "trade_offered", "section_laid"}
    assert on_map < open_road


def test_bt3__nobody_sees_fuel_where_the_gauge_is_ignored() -> None:
    on_map, open_road = (RULESET.view(begun(options), 1)["cars"][0] for options in (ON_THE_MAP, RULESET.options({})))
    assert (on_map["fuel"], on_map["tank"]) == (None, None)
    assert (open_road["fuel"], open_road["tank"]) == (8, 8)


def test_the_panel_has_no_fuel_and_the_whole_map_is_told() -> None:
    words = RULESET.board_words(RULESET.view(begun(ON_THE_MAP), 1))
    assert "Fuel" not in [figure["label"] for figure in words["figures"]]
    assert "out of gas" not in str(words)
    assert [section["name"] for section in words["sections"]][-1] == "Start line"
    assert words["sections"][0]["facts"] == ["value 2", "the Finish Line at its end"]
    assert [section["number"] for section in words["sections"] if "Rest Stop" in section["facts"]] == [6, 3]


def test_bt6_2__what_is_said_of_the_end_is_true_of_the_printed_map_too() -> None:
    """The Finish Line lies behind Section 8; on the open road the race ends where the last Section is entered."""
    for ending in RULESET.endings:
        assert "entered" not in RULESET.reason_words(ending)
    assert RULESET.reason_words("exit_draw") != RULESET.reason_words("automatic_exit")


@pytest.mark.parametrize("seats", [2, 6, 10])
def test_bots_drive_to_the_finish(seats: int) -> None:
    for seed in range(3):
        stream = Stream(bytes([seed]) * 32)
        state = start(RULESET, seats, ON_THE_MAP, stream).state
        for _ in range(4000):
            decisions = RULESET.pending(state)
            if not decisions:
                break
            acts = [Act(one.seat, Driver().choose(RULESET.view(state, one.seat), one)) for one in decisions]
            state = play(RULESET, state, acts, stream).state
        assert state.ending in ("exit_draw", "automatic_exit")
        assert state.cars[state.winner - 1].section == 8


# --- The guide --------------------------------------------------------------------------


def pattern(words: str) -> re.Pattern[str]:
    """What the words look like once their figures are in."""
    return re.compile(".*".join(re.escape(part) for part in re.split(r"\{\w+\}", words)))


def test_every_question_of_the_track_has_its_words_and_they_change_nothing() -> None:
    said: set[str] = set()
    for number in range(6):
        for step in trail(BEGINNERS_TRACK, number).steps[::3]:
            for decision in step.decisions:
                text = RULESET.what_now(RULESET.view(step.state, decision.seat), decision)
                assert text, decision.key
                assert "{" not in text
                said.add(next(key for key, words in guide.TEXTS.items() if pattern(words).fullmatch(text)))
    assert said >= {"act_first", "act_start", "act_certain", "act_exit", "act_over", "act_no_move", "act_behind"}
    assert said >= {"act_start_hurt", "act_nothing", "act_pass", "answer", "reflexes"}


def test_the_guide_says_what_an_exit_needs() -> None:
    state = begun(ON_THE_MAP)
    view = RULESET.view(state, 1)
    car = view["cars"][0]
    car.update(moving=True, section=2, log=-2)
    for other, section in zip(view["cars"][1:], (1, 1, 0), strict=True):
        other["section"] = section
    asked = Decision(key="act", seat=1, rule="BT5.1", menu=(a.Exit("move_1"), a.End()), default=a.End())
    text = guide.what_now(view, asked)
    assert "even the best draw does not beat 3 Trailers" in text
    assert "yet (BT6.23): you draw from 1 to 4, and -2 is added" in text
    car["log"] = 1
    text = guide.what_now(view, asked)
    assert "a number above 3 Trailers (cars on Sections behind yours): you draw from 1 to 4, and +1 is added" in text
    assert "you need a 3 or more" in guide.what_now(view, asked)
    car["log"] = 3
    assert "for certain" in guide.what_now(view, asked)


def own_turn(*menu: a.AnyAction, **car: Any) -> str:
    """What is said in car 2's own turn, the second in line at the start, when it is offered these answers."""
    view = RULESET.view(begun(ON_THE_MAP), 2)
    view["turn"] = 9
    view["cars"][1].update(car)
    asked = Decision(key="act", seat=2, rule="BT5.1", menu=(*menu, a.End()), default=a.End())
    return guide.what_now(view, asked)


def test_the_guide_tells_whoever_cannot_go_on_why_and_what_to_do() -> None:
    behind = own_turn(a.Stop(), moving=True)
    assert "Car 1 is ahead of you" in behind
    assert "no card to pass it with now (BT6.4)" in behind
    assert "you may throw away what you do not need (BT5.2)" in behind
    assert "you have no card to pass it with" in own_turn(a.Attack("machine_gun", 3), moving=True)
    assert "A Move card passes" in own_turn(a.Pass("move_1", 1), moving=True)
    assert "hold no card that starts a car. Rest" in own_turn(a.Repair("damage"), damage=1)
    assert "Or mend it first" in own_turn(a.Start("move_1"), a.Repair("damage"), damage=1)
    assert "has been sabotaged" in own_turn(a.Start("move_1"), a.Repair("sabotage"), sabotage=True)
    assert "nothing left to play" in own_turn()


def test_the_guide_speaks_of_the_answers_that_a_driver_has() -> None:
    view = RULESET.view(begun(ON_THE_MAP), 2)
    menu = (a.NoCard(), a.Card("red_move_1"), a.Card("hubcap_blades"), a.Card("machine_gun"))
    text = guide.what_now(view, Decision(key="answer", seat=2, rule="BT5.1", menu=menu, default=a.NoCard()))
    assert text.count("An Attack card shoots back") == 1
    assert "Red 1 keeps the car from passing" in text
    assert "Smoke Screen" not in text
    reactions = (a.NoCard(), a.Card("swerve"), a.Card("fate", "tire_spikes"))
    text = guide.what_now(view, Decision(key="reaction", seat=2, rule="BT6.51", menu=reactions, default=a.NoCard()))
    assert "Swerve takes one off an attack. Fate cancels the card (9.3)." in text
    assert "Firm Shoulders" not in text


def test_off_the_track_the_guide_is_silent() -> None:
    state = begun(RULESET.options({}))
    (asked,) = RULESET.pending(state)
    assert RULESET.what_now(RULESET.view(state, 1), asked) == ""
