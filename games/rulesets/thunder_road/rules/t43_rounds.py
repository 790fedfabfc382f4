"""T43, T44: whose turn it is, rounds, and how long a race may take."""

from typing import Any

from games.engine.rulebook import rule
from games.rulesets.thunder_road.rules.t01_turns import can_use_a_die, next_of
from games.rulesets.thunder_road.rules.t71_out import end, foremost, in_race, set_finish
from games.rulesets.thunder_road.state import NewRound, NextTurn, Table, TakeTurn, Turn, driver_of

COMPARED = 4
"""Dice whose sum says who starts round 1 (T44)."""


@rule("T43")
def next_turn(table: Table, frame: NextTurn, heard: Any) -> None:
    """The first seat from here to the left that can use a die; the dice of those passed over are set aside."""
    seat = frame.seat
    for _ in table.drivers:
        if can_use_a_die(table, seat):
            table.turn = Turn(table.turn.number + 1, seat)
            table.tell("turn", "T43", seat=seat, number=table.turn.number)
            table.push(TakeTurn())
            return
        if driver_of(table, seat).dice:
            table.driver(seat, dice=())
            table.tell("dice_aside", "T43", seat=seat)
        seat = next_of(table, seat)
    table.push(NewRound())


@rule("T44")
def new_round(table: Table, frame: NewRound, heard: Any) -> None:
    """The road die passes to the left and is rolled, then all dice are; a race may not last for ever."""
    if table.round >= table.hard_stop:
        best = max(foremost(table, seat) for seat in in_race(table))
        end(table, tuple(seat for seat in in_race(table) if foremost(table, seat) == best), "distance", "T44")
        return
    table.round += 1
    table.tell("round", "T44", number=table.round)
    for n, piece in enumerate(table.pieces):
        if piece.moved or piece.coasts:
            table.change(n, moved=(), coasts=0)
    for driver in table.drivers:
        table.driver(driver.seat, commanded=False, dice=())
    if table.round == table.last_stretch:
        set_finish(table, "T44")
    if table.round == 1:
        _first_round(table)
    else:
        table.first = _next_in_race(table)
        _roll_road(table)
        _roll_dice(table, table.first)
    table.push(NextTurn(table.first))


def _next_in_race(table: Table) -> int:
    seat = next_of(table, table.first)
    while driver_of(table, seat).out:
        seat = next_of(table, seat)
    return seat


def _roll_road(table: Table) -> None:
    table.road = int(table.roll("road"))
    table.tell("road_die", "T44", seat=table.first, value=table.road)


def _roll_dice(table: Table, first: int) -> dict[int, tuple[int, ...]]:
    """Every seat in the race rolls, from this one to the left; as it rolled them, by seat."""
    rolled = {}
    seat = first
    for _ in table.drivers:
        driver = driver_of(table, seat)
        if not driver.out:
            dice = tuple(int(table.roll("move")) for _ in range(table.set.crews[driver.crew].dice))
            steering = int(table.roll("move")) if driver.crew == "rig" else 0
            rolled[seat] = dice
            table.driver(seat, dice=tuple(sorted(dice)), steering=steering)
            table.tell("dice", "T44", seat=seat, dice=list(dice), steering=steering)
        seat = next_of(table, seat)
    return rolled


def _first_round(table: Table) -> None:
    """Who rolls least with four dice begins; of equals one is drawn."""
    rolled = _roll_dice(table, 1)
    sums = {seat: sum(dice[:COMPARED]) for seat, dice in rolled.items()}
    lowest = [seat for seat in sums if sums[seat] == min(sums.values())]
    table.first = lowest[table.chance.pick(len(lowest), "tie", lowest)] if len(lowest) > 1 else lowest[0]
    table.tell("starts", "T44", seat=table.first)
    _roll_road(table)
