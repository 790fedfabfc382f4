"""Rulings that the team added, where a scenario cannot hold what they say."""

from games.engine.contract import Act
from games.engine.record import Recorder
from games.rulesets.roadkill.actions import Decline, End, Trade, Withdraw
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.state import cars_in_play, race_order, trailers


def _race(seats: int) -> Recorder:
    return Recorder(RULESET, seats, {}, secret=b"rulings")


def test_ruling_withdraw__the_car_leaves_when_the_turn_ends_and_counts_no_more() -> None:
    race = _race(3)
    held = len(race.state.cars[1].hand)
    race.act([Act(2, Withdraw())])
    assert race.state.cars[1].present, "it leaves when the turn ends, not before"
    race.act([Act(1, End())])
    car = race.state.cars[1]
    assert car.withdrawn
    assert car.hand == b""
    assert len(race.state.discards) == held
    assert race.state.turn.seat == 3, "its turns are skipped"
    assert cars_in_play(race.state) == 2
    assert trailers(race.state, 1) == 0
    assert race_order(race.state) == [1, 3, 2]


def test_ruling_withdraw__a_seat_that_gives_up_on_its_own_turn_ends_it_at_once() -> None:
    race = _race(3)
    race.act([Act(1, Withdraw())])
    assert race.state.cars[0].withdrawn
    assert RULESET.waiting(race.state) == (2,)


def test_ruling_withdraw__the_last_driver_left_has_won() -> None:
    race = _race(2)
    race.act([Act(1, Withdraw())])
    ended = RULESET.outcome(race.state)
    assert ended is not None
    assert ended.places == ((2,), (1,))
    assert ended.reason == "last_driver"


def test_ruling_withdraw__when_all_give_up_in_one_turn_the_foremost_wins() -> None:
    race = _race(2)
    race.act([Act(2, Withdraw()), Act(1, Withdraw())])
    ended = RULESET.outcome(race.state)
    assert ended is not None
    assert ended.places == ((1,), (2,))
    assert ended.reason == "nobody_left"


def test_ruling_offers__a_fourth_trade_in_a_turn_is_refused_and_refused_offers_leave_the_rest() -> None:
    race = _race(2)
    offer = Trade(2, give=(RULESET.view(race.state, 1)["hand"][0]["key"],), any_cards=1)
    for _ in range(3):
        race.act([Act(1, offer)])
        race.act([Act(2, Decline())])
    refusal = RULESET.verify(race.state, 1, offer)
    assert refusal is not None
    assert refusal.rule == "R-offers"
    assert not race.state.turn.acted
