"""The command that runs races between bots: its figures, its refusals, and how good the bot is."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.runtime.simulation import Plan, runs


def simulated(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("simulate", "roadkill", *arguments, "--json", stdout=out)
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def test_a_race_of_six_bots_ends_with_a_winner_within_four_hundred_turns() -> None:
    report = simulated("--races", "12", "--seed", "7")
    assert report["finished"] == report["races"] == 12
    assert report["turns_longest"] <= report["turn_limit"] == 400
    assert sum(report["winners_by_seat"].values()) == 12


def test_the_bot_that_looks_at_its_view_beats_the_one_that_answers_at_random() -> None:
    report = simulated("--races", "30", "--seats", "2", "--seed", "11", "--against", "random", "--sections", "4")
    assert report["winners_by_bot"].get("driver", 0) >= 24


def test_other_options_of_the_ruleset_are_given_by_name() -> None:
    """Six bots end each race on the Beginner's Track as well."""
    report = simulated("--races", "6", "--option", "track=beginner", "--option", "sections=8")
    assert report["finished"] == 6


def test_bots_change_seats_from_race_to_race() -> None:
    plan = Plan("roadkill", ("driver", "random"), {"sections": 3}, seed=3, races=6, most_turns=20_000)
    done = list(runs(plan))
    assert {run.winners[0] for run in done if run.winning_levels == ("driver",)} == {1, 2}


def test_the_same_seed_gives_the_same_races_on_one_process_and_on_two() -> None:
    same = ("turns", "answers", "draws", "endings", "winners_by_seat")
    one, two = (simulated("--races", "4", "--seats", "3", "--seed", "5", "--jobs", jobs) for jobs in ("1", "2"))
    assert [one[name] for name in same] == [two[name] for name in same]
    assert one["actions_per_second"] > 0


def test_people_are_told_the_same_in_lines() -> None:
    out = StringIO()
    call_command("simulate", "roadkill", "--races", "2", "--seats", "2", stdout=out)
    assert "finished   2 within 400 turns" in out.getvalue()
    assert "by bot: driver 2" in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("chess",), "no ruleset chess; there are roadkill"),
        (("roadkill", "--seats", "11"), "2 to 10"),
        (("roadkill", "--sections", "9"), "3 to 8"),
        (("roadkill", "--components", "none"), "no component set"),
        (("roadkill", "--upgrades", "all"), "«reverse_draft»"),
        (("roadkill", "--option", "track=beginner", "--sections", "5"), "has 8 Sections"),
        (("roadkill", "--option", "track"), "write NAME=VALUE"),
        (("roadkill", "--option", "tracks=1"), "no option «tracks»"),
        (("roadkill", "--races", "0"), "no whole number"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(arguments: tuple[str, ...], match: str) -> None:
    with pytest.raises(CommandError, match=match):
        call_command("simulate", *arguments)
