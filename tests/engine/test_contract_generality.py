"""What the contract carries beyond RoadKill, shown by whole small games that go through the engine and the suite.

Questions of several seats at once with sealed answers; dice beside cards; a map; everybody together against opponents
that nobody plays; a draft. Each game is gone through by the conformance suite's own tests.
"""

from collections import Counter
from random import Random
from types import ModuleType
from typing import Any

import pytest

from games.engine.chance import Recorded, Stream
from games.engine.contract import Act
from games.engine.play import play, start
from tests.conformance import test_offers as offers
from tests.conformance import test_replay as replays
from tests.conformance import test_secrets as secrets
from tests.conformance.subject import Subject, Trail, trail
from tests.engine.toys import chase, dice, draft, grid, signals

GAMES: dict[str, ModuleType] = {module.RULESET.key: module for module in (chase, dice, draft, grid, signals)}
RACES = 120


def nothing_is_said(rng: Random) -> None:
    """None of these games has asides."""


def subject_of(game: ModuleType) -> Subject:
    """The game as the conformance suite takes it."""
    fewest, most = game.RULESET.seats
    return Subject(
        ruleset=game.RULESET,
        seats=tuple(range(fewest, most + 1)),
        options=({},),
        most_answers=1000,
        resampled=game.resampled,
        check=game.check,
        universe=lambda state: (),
        aside=nothing_is_said,
        fixed=dict,
        golden=(),
        glance=str,
        races=RACES,
    )


@pytest.fixture(scope="module", params=sorted(GAMES))
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each game in turn."""
    return subject_of(GAMES[request.param])


@pytest.fixture(scope="module")
def trails(subject: Subject) -> list[Trail]:
    """Its races."""
    return [trail(subject, number) for number in range(RACES)]


OF_GAME_AND_RACES = (
    offers.test_every_offered_action_is_allowed,
    offers.test_every_offered_action_can_be_played,
    offers.test_who_is_not_asked_is_told_so,
    offers.test_after_the_end_nobody_acts,
    offers.test_forms_can_be_filled_in,
    replays.test_a_race_played_again_from_its_draws_is_the_same_race,
    replays.test_a_record_proves_its_race,
    replays.test_a_state_goes_through_json_and_back,
    replays.test_an_answer_goes_through_json_and_back,
    replays.test_views_and_events_are_plain_json,
    secrets.test_another_world_can_be,
    secrets.test_no_view_shows_what_is_hidden,
    secrets.test_who_is_asked_depends_on_nothing_hidden,
    secrets.test_clocks_and_windows_go_by_nothing_hidden,
)
OF_RACES = (
    offers.test_the_default_is_among_the_offered,
    offers.test_nothing_is_offered_twice,
    replays.test_states_that_differ_have_digests_that_differ,
    secrets.test_a_sealed_question_is_one_of_a_window_or_on_the_clock_of_reactions,
)


@pytest.mark.parametrize("holds", OF_GAME_AND_RACES, ids=lambda holds: holds.__name__.removeprefix("test_"))
def test_the_suite_holds_of_a_game(holds: Any, subject: Subject, trails: list[Trail]) -> None:
    holds(subject, trails)


@pytest.mark.parametrize("holds", OF_RACES, ids=lambda holds: holds.__name__.removeprefix("test_"))
def test_the_suite_holds_of_its_races(holds: Any, trails: list[Trail]) -> None:
    holds(trails)


def test_every_race_ends_as_the_game_lists_and_is_sound_all_along(subject: Subject, trails: list[Trail]) -> None:
    ends: Counter[str] = Counter()
    for race in trails:
        outcome = subject.ruleset.outcome(race.end)
        assert outcome is not None
        ends[outcome.reason] += 1
        assert sorted(seat for place in outcome.places for seat in place) == list(range(1, race.seats + 1))
        for step in race.steps:
            subject.check(step.after)
            assert [one.seat for one in step.decisions] == list(subject.ruleset.waiting(step.state))
    assert set(ends) == set(subject.ruleset.endings), "every way to end comes up"


@pytest.mark.parametrize("game", [signals, dice, draft], ids=lambda game: game.RULESET.key)
def test_where_something_is_hidden_a_leak_would_be_found(game: ModuleType) -> None:
    class Leaky(type(game.RULESET)):  # type: ignore[misc]  # the game itself, with a fault
        def view(self, state: Any, viewer: int | None) -> Any:
            return {**super().view(state, viewer), "leak": repr(state)}

    subject = subject_of(game)
    races = [trail(subject, number) for number in range(40)]
    assert secrets.leaks(Leaky(), subject, races, every=5)
    assert not secrets.leaks(subject.ruleset, subject, races, every=5)


# Several seats at once


def test_all_seats_are_asked_at_once_and_their_answers_lie_sealed() -> None:
    state = start(signals.RULESET, 5, {}, Stream(b"x")).state
    decisions = signals.RULESET.pending(state)
    assert [(one.seat, one.sealed, one.clock) for one in decisions] == [(n, True, "reaction") for n in range(1, 6)]
    for seat in (4, 1, 5, 2):
        state = play(signals.RULESET, state, [Act(seat, signals.Sign(up=True))], Stream(b"x")).state
        assert signals.RULESET.view(state, 3)["points"] == [0] * 5, "nothing is settled yet"
    played = play(signals.RULESET, state, [Act(3, signals.Sign(up=False))], Stream(b"x"))
    assert [event.kind for event in played.events] == ["ready", "shown"]
    assert played.state.points == (0, 0, 1, 0, 0)
    assert signals.RULESET.waiting(played.state) == (1, 2, 3, 4, 5)


def test_a_place_may_be_shared() -> None:
    shared = 0
    for number in range(40):
        outcome = signals.RULESET.outcome(trail(subject_of(signals), number).end)
        assert outcome is not None
        shared += any(len(place) > 1 for place in outcome.places)
    assert shared > 10


# Dice and cards


def test_dice_and_cards_come_of_one_stream_and_are_recorded_by_name() -> None:
    chance = Stream(b"one stream")
    state = start(dice.RULESET, 2, {}, chance).state
    acts = [Act(1, dice.Throw()), Act(1, dice.Bank())]
    played = play(dice.RULESET, state, acts, chance)
    assert [(label, size) for label, size, _ in played.draws] == [("deck", 12), ("die", 6)]
    again = Recorded(played.draws)
    assert start(dice.RULESET, 2, {}, again).state == state
    assert play(dice.RULESET, state, acts, again).state == played.state
    assert again.left == 0


def test_all_faces_and_all_orders_come_up() -> None:
    draws = [draw for number in range(60) for draw in all_draws(trail(subject_of(dice), number))]
    assert {result for label, _, result in draws if label == "die"} == set(range(6))
    assert len({result for label, _, result in draws if label == "deck"}) == 60


def all_draws(race: Trail) -> list[Any]:
    return [*race.first.draws, *(draw for step in race.steps for draw in step.draws)]


# A map


@pytest.mark.parametrize(
    ("cars", "drives"),
    [
        (((0, 0), (4, 0)), {(1, 0), (0, 1)}),
        (((1, 0), (4, 0)), {(0, 0), (1, 1)}),
        (((2, 1), (2, 2)), {(2, 0), (3, 1)}),
        (((3, 2), (0, 0)), {(3, 1), (2, 2), (4, 2)}),
    ],
    ids=["corner", "wall", "wall and car", "wall below"],
)
def test_where_a_car_may_drive_depends_on_the_map(cars: tuple[grid.Square, ...], drives: set[grid.Square]) -> None:
    decision = grid.RULESET.pending(grid.Map(cars))[0]
    assert {(act.x, act.y) for act in decision.menu if isinstance(act, grid.Drive)} == drives
    every = {(x, y) for x in range(-1, 6) for y in range(-1, 5)}
    allowed = {square for square in every if grid.RULESET.verify(grid.Map(cars), 1, grid.Drive(*square)) is None}
    assert allowed == drives, "the form's fills that are let through are those of the menu"


# All together


def test_all_win_together_and_all_lose_together() -> None:
    results = []
    for number in range(RACES):
        race = trail(subject_of(chase), number)
        outcome = chase.RULESET.outcome(race.end)
        assert outcome is not None
        everybody = tuple(range(1, race.seats + 1))
        assert (outcome.places, outcome.teams) == ((everybody,), (everybody,))
        assert outcome.shared == (outcome.reason == "border")
        results.append(outcome.shared)
    assert results.count(True) > 5
    assert results.count(False) > 5


def test_opponents_move_by_themselves_when_all_have_driven() -> None:
    chance = Stream(b"run")
    state = start(chase.RULESET, 2, {}, chance).state
    chance.taken = []
    first = play(chase.RULESET, state, [Act(1, chase.Push())], chance)
    assert (first.draws, chase.RULESET.waiting(first.state)) == ((), (2,))
    second = play(chase.RULESET, first.state, [Act(2, chase.Push())], chance)
    assert [event.kind for event in second.events] == ["drives", "pursues", "pursues"]
    assert [label for label, _, _ in second.draws] == list(chase.PURSUERS)
    assert second.state.pursuers == tuple(draw[2] + 1 for draw in second.draws if isinstance(draw[2], int))


# A draft


def test_packs_are_picked_from_at_once_and_passed_to_the_left() -> None:
    state = start(draft.RULESET, 3, {}, Stream(b"packs")).state
    packs = state.packs
    for seat, decision in enumerate(draft.RULESET.pending(state), 1):
        assert (decision.seat, decision.kind, decision.sealed) == (seat, "draft", True)
        assert decision.menu == tuple(draft.Pick(card) for card in packs[seat - 1])
    firsts = [Act(seat, draft.Pick(packs[seat - 1][0])) for seat in (3, 1, 2)]
    after = play(draft.RULESET, state, firsts, Stream(b"x")).state
    assert after.hands == tuple((pack[0],) for pack in packs)
    assert after.packs == (packs[2][1:], packs[0][1:], packs[1][1:])
    assert draft.RULESET.view(after, 2)["pack"] == list(packs[0][1:])


def test_a_card_of_anothers_pack_cannot_be_picked() -> None:
    state = start(draft.RULESET, 3, {}, Stream(b"packs")).state
    for seat in (1, 2, 3):
        for other in {1, 2, 3} - {seat}:
            assert draft.RULESET.verify(state, seat, draft.Pick(state.packs[other - 1][0])) is not None
