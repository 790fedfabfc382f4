"""Record whole races of RoadKill for tests/records: two for each way a race can end. Run it only when the rules change.

Each way is recorded once with drivers who play to win and once with drivers who do anything that is allowed, and so is
each way in which cars come by upgrades. A record names nobody; its secret is made from the number of the race.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from games.engine.bots import random_answer  # noqa: E402
from games.engine.contract import JSON, Act, Decision  # noqa: E402
from games.engine.record import Record, Recorder, dump  # noqa: E402
from games.rulesets.roadkill import actions as a  # noqa: E402
from games.rulesets.roadkill.bot import Driver  # noqa: E402
from games.rulesets.roadkill.game import RULESET  # noqa: E402
from games.runtime.simulation import MOST_TURNS  # noqa: E402

FOLDER = ROOT / "tests" / "records" / RULESET.key
LONGEST = 400
"""Entries; a longer race is left for a shorter one."""
UPGRADES: Mapping[str, JSON] = {
    "draft": "draft",
    "reverse_draft": "reverse_draft",
    "brought": {"1": ["F", "H", "J"], "2": ["A", "C", "G"], "3": ["B", "I", "Z"]},
}
"""By the names of their files, how cars come by upgrades (chapter 10)."""
TOLD = {"drivers": {"supercharged", "reserve_opens"}, "anybody": {"upgrade_lost"}}
"""Kinds of events of which one must have happened in a race with upgrades."""
TOLD_IN_TEAMS = {
    "drivers": {"hands_over", "pawn"},
    "anybody": {"hands_over", "changes_drivers", "keeps"},
    "quitters": {"leaves_to_partner", "withdraws"},
}
"""Kinds of events that must have happened in a race of teams."""
Player = Callable[[Any, Decision], Any]
SHORT: Mapping[str, Any] = {"sections": 3}


def driver(number: int) -> Player:
    """Plays to win."""
    bot = Driver()
    return lambda state, decision: bot.choose(RULESET.view(state, decision.seat), decision)


def anybody(number: int) -> Player:
    """Does anything that is allowed."""
    rng = Random(number)  # noqa: S311  (a recorded race has no secrets)
    return lambda state, decision: random_answer(
        decision, rng, lambda action: RULESET.verify(state, decision.seat, action) is None
    )


def recorded(
    number: int,
    seats: int,
    player: Player,
    *,
    quitters: int = 0,
    upgrades: JSON = "none",
    options: Mapping[str, JSON] = SHORT,
) -> Recorder | None:
    """The race of this number, or None if it is too long. Everybody wants to be asked; ``quitters`` give up midway."""
    options = {**options, "upgrades": upgrades}
    race = Recorder(RULESET, seats, options, secret=f"record/{number}".encode(), words=("", "north", "")[:seats])
    for seat in range(1, seats + 1):
        race.act([Act(seat, a.Wish(fate=seat % 2 == 1))])
    while decisions := RULESET.pending(race.state):
        if len(race.entries) > LONGEST:
            return None
        if quitters and race.state.turn.number >= 2 * seats:
            for seat in range(1, quitters + 1):
                race.act([Act(seat, a.Withdraw())])
            quitters = 0
            continue
        race.act([Act(one.seat, player(race.state, one)) for one in decisions], origin="bot")
    return race


def write(name: str, record: Record) -> None:
    """Write a record into its file."""
    path = FOLDER / f"{name}.json"
    path.write_bytes(dump(record) + b"\n")
    sys.stdout.write(f"{path.relative_to(ROOT)}: {len(record.entries)} entries\n")


def main() -> None:
    """Write the records, the first races found of each kind."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_endings()
    write_upgraded()
    write_on_the_beginners_track()
    write_in_teams()


def write_upgraded() -> None:
    """Races with upgrades that did something."""
    for way, upgrades in UPGRADES.items():
        for name, make in (("drivers", driver), ("anybody", anybody)):
            for number in range(MOST_TURNS["random"]):
                race = recorded(number, 3, make(number), upgrades=upgrades)
                if race is not None and TOLD[name] & {event.kind for event in race.events}:
                    write(f"{way}-{name}", race.record())
                    break


def write_endings() -> None:
    """Races that end in each way."""
    for ending in RULESET.endings:
        for name, make in (("drivers", driver), ("anybody", anybody)):
            quitters = {"last_driver": 2, "nobody_left": 3}.get(ending, 0)
            for number in range(MOST_TURNS["random"]):
                race = recorded(number, 3, make(number), quitters=quitters)
                record = None if race is None else race.record()
                if record is not None and record.outcome is not None and record.outcome.reason == ending:
                    write(f"{ending}-{name}", record)
                    break


def write_on_the_beginners_track() -> None:
    """One race for each way to cross the Finish Line, between drivers who play to win."""
    for ending in ("exit_draw", "automatic_exit"):
        for number in range(MOST_TURNS["random"]):
            race = recorded(number, 3, driver(number), options={"track": "beginner"})
            record = None if race is None else race.record()
            if record is not None and record.outcome is not None and record.outcome.reason == ending:
                write(f"beginner-{ending}", record)
                break


def write_in_teams() -> None:
    """Races of two drivers a car in which cards were passed and drivers changed; one with drivers who give up."""
    for name, make, quitters in (("drivers", driver, 0), ("anybody", anybody, 0), ("quitters", anybody, 3)):
        for number in range(MOST_TURNS["random"]):
            options = {**SHORT, "teams": True}
            race = recorded(number, 4, make(number), quitters=quitters, upgrades="draft", options=options)
            if race is not None and TOLD_IN_TEAMS[name] <= {event.kind for event in race.events}:
                write(f"teams-{name}", race.record())
                break


if __name__ == "__main__":
    main()
