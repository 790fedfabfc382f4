"""Orders as people write them in a mail: what is natural is understood, what could mean two things is asked back."""

from functools import lru_cache
from typing import Any

import pytest

from games.engine.errors import Ambiguous, Malformed
from games.rulesets.roadkill import actions as a
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.scenario.bench import BENCH

HAND = "hand(7) [Move 1, RS Move 2, 2 Landmark, Machine Gun, Swerve, Fate]"


@lru_cache
def view(table: str, c1: str) -> dict[str, Any]:
    """What car 1 sees, third on Section 2 in its own turn."""
    position = {"course": "S2(2): 3s 2m 1m; S1: 4m; S0: 5s", "turn": "Turn 1", "c1": c1, "table": table}
    return dict(RULESET.view(BENCH.start(position, outcomes=[], words="").state, 1))


def read(words: str, asking: str = "act", *, table: str = "none", c1: str = HAND) -> Any:
    """The action that the words mean to car 1 with a question of this kind open."""
    return RULESET.read({**view(table, c1), "asking": asking}, words)


ACTS: dict[Any, tuple[str, ...]] = {
    a.Pass("move_1", 2): (
        "pass 2 with Move 1",
        "Pass car 2 with the Move 1.",
        "pass car #2 with move 1",
        "pass car no. 2 with a Move/Road 1",
        "pass car two with my Move One!",
        "I pass 2 using Move 1",
        "please pass 2 with black Move 1",
        "overtake 2 with Move 1, please",
        "play Move 1 to pass car 2",
        "use Move 1 and pass 2",
        "  pass   2 with  MOVE1 ",
        "pass 2 with the Move 1 card",
    ),
    a.Pass("rest_move_2", 2, units=2): (
        "pass 2 with both values of RS Move 2",
        "pass car 2 with two values of the Rest Stop Move 2",
        "play 2 values of Rest Stop Move/Road 2 to pass 2",
    ),
    a.Pass("machine_gun", 2): ("pass 2 with Machine Gun", "pass car 2 with a machine gun"),
    a.Attack("machine_gun", 2): (
        "attack 2 with Machine Gun",
        "attack car 2 with the Machine Gun.",
        "attack #2 using machine gun",
        "play Machine Gun on 2",
        "play the Machine Gun against car 2",
        "Machine Gun on car 2",
    ),
    a.Attack("hand_grenade", 4): ("throw Hand Grenade at car 4", "throw a grenade at 4"),
    a.Exit("move_1", landmarks=2): (
        "lay Move 1 with 2 Landmarks",
        "lay a Move 1 with two landmarks",
        "lay Move 1 and 2 Landmarks",
        "lay Move 1 + 2 landmarks",
        "lay Move 1, with both Landmarks",
        "lay Move 1 with Landmark and Landmark",
        "lay Move 1 with Landmark x2",
        "lay Move 1 with all my Landmarks",
        "exit with the Move 1 with 2x Landmark",
        "enter Move 1 plus 2 Landmarks",
    ),
    a.Exit("move_1", landmarks=1, red_lines=1): (
        "lay Move 1 with Landmark and Red Line",
        "lay Move 1 with a Landmark + a Red Line",
        "lay Move 1 with my Landmark, and the Red Line.",
    ),
    a.Exit("rest_move_2"): ("lay RS Move 2", "lay rest stop 2", "lay Rest Stop Move/Road 2", "lay “RS 2”"),
    a.Shortcut(2): ("shortcut past 2 cars", "play Shortcut past two cars", "use the shortcut past 2"),
    a.Start("landmark"): ("start with Landmark", "start the car with a Landmark!", "play Landmark to start"),
    a.Play("siphon_gas", target=2): ("play Siphon Gas on 2", "use Siphon Gas on car 2", "siphon gas on #2"),
    a.Play("spare_parts", job="engine_wear"): (
        "play Spare Parts on Engine Wear",
        "play the Spare Parts on the engine wear",
    ),
    a.Play("spare_tire"): ("play Spare Tire", "play a spare tyre"),
    a.Play("no_doze_pills", count=2): (
        "play No Doze Pills, draw 2",
        "play No-Doze Pills and draw two cards",
    ),
    a.Play("tool_kit", job="damage"): ("play Tool Kit", "play the toolkit", "play Tool Kit on damage"),
    a.Stop(): ("stop", "Stop.", "I stop", "stop here!", "stop the car"),
    a.Forage("move_1"): ("forage with Move 1", "forage using the Move 1"),
    a.Repair("flat_tire"): (
        "repair Flat Tire",
        "repair the flat tyre",
        "attempt to repair flat tire",
        "repair: Flat Tire",
    ),
    a.Repair("damage"): ("repair Damage", "repair one damage point", "repair attempt on Damage"),
    a.End(): ("end", "End my turn.", "end the turn!", "end, discard nothing"),
    a.End(draw=2): ("end, draw 2", "end turn and draw two cards", "end; draw 2"),
    a.End(draw=0): ("end, draw 0", "end, draw nothing", "end, draw no cards"),
    a.End(rest=True): ("end, rest", "rest", "end and rest", "Rest."),
    a.End(job="damage"): (
        "end, rest stop Damage",
        "end, rest stop: damage",
        "rest stop: damage",
        "end, use the rest stop to repair damage",
        "end and rest stop for Damage",
    ),
    a.End(at_stop=True): ("end, rest stop", "rest stop", "end, use the rest stop"),
    a.End(discard=("swerve", "rest_move_2"), draw=1): (
        "end, discard Swerve and RS Move 2, draw 1",
        "end, discard Swerve, Rest Stop Move 2 and draw 1",
        "discard a Swerve and the RS Move 2, draw one card",
    ),
    a.End(job="flat_tire", discard=("swerve", "landmark", "landmark")): (
        "end, rest stop Flat Tire, discard Swerve and 2 Landmarks",
        "end, discard Swerve, Landmark x2 and rest stop: flat tire",
    ),
    a.Trade(2, give=("swerve",), want=("tool_kit",), any_cards=2, words="No shots until S4: promised!"): (
        "trade with 2: give Swerve for Tool Kit and 2 cards: No shots until S4: promised!",
        "trade with car 2, give my Swerve for your Tool Kit and any two cards: No shots until S4: promised!".replace(
            "car 2,", "car 2:"
        ),
    ),
    a.Wish(fate=False): (
        "do not ask me about Fate",
        "don't ask me about Fate",
        "don\N{RIGHT SINGLE QUOTATION MARK}t ask me about fate.",
    ),
}


@pytest.mark.parametrize(("words", "meant"), [(words, meant) for meant, all_ in ACTS.items() for words in all_])
def test_an_act_in_a_players_own_words(words: str, meant: Any) -> None:
    assert read(words) == meant


ANSWERS: dict[tuple[str, Any], tuple[str, ...]] = {
    ("answer", a.NoCard()): ("no card", "no card!", "No card.", "nothing", "none", "no", "no, thanks", "Pass."),
    ("answer", a.Card("machine_gun")): (
        "Machine Gun",
        "a machine gun!",
        "I play my Machine Gun",
        "play the Machine Gun on 1",
        "Machine Gun against car 1",
        "counterattack 1 with Machine Gun",
    ),
    ("answer", a.Card("red_move_1")): ("red 1", "red Move 1", "play the red Move/Road 1"),
    ("answer", a.Card("firm_shoulders")): ("Firm Shoulders", "firm shoulder"),
    ("answer", a.Card("fate", "move_1")): ("Fate on Move 1", "play Fate on the Move 1", "I play Fate on his Move 1."),
    ("fate", a.Card("fate", "event")): ("Fate on the event", "play fate on event"),
    ("fate", a.Card("fate")): ("Fate", "Fate!", "yes", "play the Fate card"),
    ("canyon", a.Card("box_canyon")): ("Box Canyon", "yes", "play the Box Canyon"),
    ("reflexes", a.Card("great_reflexes")): ("Great Reflexes", "yes", "discard Great Reflexes"),
    ("avert", a.Card("landmark")): ("discard Landmark", "Landmark", "discard a Landmark", "play Landmark"),
    ("avert", a.Card("rest_move_2")): ("discard Rest Stop Move 2", "rest stop move 2"),
    ("wrong_road", a.Card("road_map")): ("Road Map", "yes", "play my Road Map"),
    ("auto_pass", a.GoOn()): ("go on", "Go on!", "pass", "pass 2", "continue"),
    ("auto_pass", a.Attack("machine_gun", 2)): ("attack 2 with Machine Gun", "Machine Gun on 2"),
    ("auto_exit", a.AutoExit()): ("exit", "yes", "leave"),
    ("auto_exit", a.AutoExit("move_1")): ("exit with Move 1", "lay a Move 1"),
    ("auto_exit", a.Decline()): ("decline", "no", "pass"),
    ("evil", a.Stop()): ("stop", "I stop"),
    ("evil", a.Risk()): ("risk it", "jump the drawbridge", "race the train", "take the leak", "take a coolant leak"),
    ("offer", a.Accept()): ("accept", "yes", "accept the offer"),
    ("offer", a.Accept("damage")): ("accept, Damage", "accept: damage", "yes, Damage", "accept and repair the damage"),
    ("offer", a.Decline()): ("decline", "no", "no, thanks", "pass"),
    ("loot", a.Loot()): ("take all Supply cards", "all supply cards", "take his supplies"),
    ("loot", a.Loot("swerve")): ("take Swerve", "take the Swerve card"),
    ("excess", a.Discard(("swerve", "landmark"))): ("discard Swerve and Landmark", "discard a Swerve + a Landmark"),
    ("excess", a.Discard()): ("discard at random",),
    ("trade", a.Accept(give=("swerve", "ram"))): ("accept, give Swerve and Ram", "yes, and give a Swerve and a Ram"),
    ("trade", a.Decline()): ("decline", "refuse the trade", "no"),
}


@pytest.mark.parametrize(
    ("asking", "words", "meant"),
    [(asking, words, meant) for (asking, meant), all_ in ANSWERS.items() for words in all_],
)
def test_an_answer_in_a_players_own_words(asking: str, words: str, meant: Any) -> None:
    assert read(words, asking) == meant


def test_what_is_left_of_the_only_move_card_needs_no_name() -> None:
    for words in ("pass 2", "pass 2 with the rest", "pass 2 with the rest of Move 3", "pass 2 with rest of the Move 3"):
        assert read(words, table="Move 3 (2)") == a.Pass("move_3", 2, left=True), words
    for words in (
        "lay the rest with Landmark",
        "lay the rest of Move 3 with a Landmark",
        "lay rest of Move 3, Landmark",
    ):
        assert read(words, table="Move 3 (2)") == a.Exit("move_3", left=True, landmarks=1), words


@pytest.mark.parametrize(
    "words",
    [
        "lay Move 1 with Landmarks",
        "end, discard Swerves",
        "trade with 2: give Rams for Tool Kit",
        "start with Landmarks",
        "start",
        "pass 2",
        "lay the rest",
        "end, draw 2, draw 3",
        "end, discard Swerve, discard Ram",
    ],
)
def test_what_could_mean_two_things_is_asked_back(words: str) -> None:
    with pytest.raises(Ambiguous):
        read(words)


@pytest.mark.parametrize("words", ["pass 3", "pass 3 with the rest", "lay the rest"])
def test_of_two_cards_with_value_left_one_must_be_named(words: str) -> None:
    with pytest.raises(Ambiguous):
        read(words, table="Move 3 (2), Move 2 (1)")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pass 2 and 3 with Move 2", "One pass at a time"),
        ("pass cars 2 and 3 with RS Move 2", "One pass at a time"),
        ("lay Move 1, then end", "One act at a time"),
        ("stop; play Camouflage", "One act at a time"),
        ("lay Move 1\nend", "One act at a time"),
        ("pass 0 with Move 1", "There is no car 0"),
        ("pass 9 with Move 1", "There is no car 9"),
        ("attack 0 with Ram", "There is no car 0"),
        ("pass 2 with 2 Move 1", "There is no card"),
        ("lay Move 1 without Landmark", "There is no card"),
        ("lay Move 1 with no Landmark", "There is no card"),
        ("lay Move 1 with Landmark and Swerve", "Only Landmarks and Red Lines"),
        ("lay Move 1?", "There is no card"),
        ("> lay Move 1", "is no order"),
        ("do not stop", "is no order"),
        ("I do not end", "is no order"),
        ("stop and end", "is no order"),
        ("maybe stop", "is no order"),
        ("withdraw my offer", "is no order"),
        ("2", "is no order"),
        ("end, repair Damage", "is no part of ending a turn"),
        ("end, rest stop Move 9", "is nothing to repair"),
        ("repair tire", "is nothing to repair"),
    ],
)
def test_what_is_not_understood_is_never_guessed(words: str, told: str) -> None:
    with pytest.raises(Malformed, match=told):
        read(words)


@pytest.mark.parametrize("words", ["take nothing", "take everything", "take all", "take Swerve and Landmark"])
def test_a_thief_takes_what_the_card_allows(words: str) -> None:
    with pytest.raises(Malformed):
        read(words, "loot")


def test_a_red_card_is_aimed_at_the_active_car_alone() -> None:
    with pytest.raises(Malformed):
        read("play Machine Gun on 3", "answer")


@pytest.mark.parametrize("asking", ["answer", "fate", "reaction", "canyon", "offer", "trade", "evil"])
def test_to_throw_a_card_away_is_not_to_play_it(asking: str) -> None:
    assert not isinstance(read("discard Machine Gun", asking), a.Card)


@pytest.mark.parametrize("asking", ["act", "answer", "auto_pass", "avert", "dodge", "evil", "excess"])
def test_a_yes_that_answers_nothing_is_no_act(asking: str) -> None:
    assert read("yes", asking) == a.Accept()


def test_cards_one_does_not_hold_are_not_put_for_those_one_does() -> None:
    assert read("lay Move 1", c1="hand(1) [red 1]") == a.Exit("move_1")
    assert read("lay Move 2", c1="hand(1) [RS Move 2]") == a.Exit("move_2")


def test_all_of_a_kind_is_counted_in_the_hand() -> None:
    assert read("end, discard all Landmarks") == a.End(discard=("landmark", "landmark"))
    whole = read("end, rest, discard everything")
    assert sorted(whole.discard) == sorted(
        ["move_1", "rest_move_2", "landmark", "landmark", "machine_gun", "swerve", "fate"]
    )
    assert read("lay Move 1 with all my Red Lines") == a.Exit("move_1", red_lines=1), "refused later, not passed over"
