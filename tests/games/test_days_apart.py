"""Races among simulated people: the model's promises, and that both ways run on the real engine and clocks."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from random import Random
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from games.runtime.days_apart import AT_ONCE, MORNING, QUIET, SITTING, SLEEP, START, Club, Human, figures, run_race
from games.tempo.calendars import Calendar
from games.tempo.tempos import TEMPOS

CLUB = Club(
    ruleset="roadkill",
    seats=3,
    options={"sections": 3, "components": "classic"},
    seed=5,
    races=1,
    policy="paced",
    tempo=TEMPOS["relaxed"],
    median_minutes=180,
    share=1.0,
    way="ours",
)


def human(zone: str, seed: str = "somebody") -> Human:
    return Human(Calendar(zone, quiet=QUIET), ZoneInfo(zone), Random(seed), is_organised=True)


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Sydney"])
def test_nobody_looks_while_asleep_and_everybody_soon_after_getting_up(zone: str) -> None:
    person = human(zone)
    asleep, awake = SLEEP
    at = datetime(2026, 3, 27, tzinfo=UTC)
    mornings = 0
    for _ in range(300):
        at += timedelta(hours=2, minutes=7)
        looks = person.looks(at, 180)
        local = looks.astimezone(person.zone)
        assert looks >= at
        assert awake <= local.time() < asleep
        mornings += local.hour == awake.hour
    assert mornings > 30
    assert timedelta(hours=1) >= MORNING


def test_who_sits_there_answers_at_once() -> None:
    person = human("Europe/Berlin")
    first = person.looks(START, 180)
    assert person.looks(first + SITTING / 2, 180) - first < SITTING
    early = human("Europe/Berlin")
    tomorrow = early.looks(START + timedelta(hours=6), 600)
    assert early.looks(tomorrow - timedelta(hours=2), 600) != tomorrow - timedelta(hours=2)
    assert early.sits_from > tomorrow - timedelta(hours=2) + AT_ONCE


def test_the_same_seed_gives_the_same_days_and_another_seed_others() -> None:
    assert run_race(CLUB, 0) == run_race(CLUB, 0)
    assert run_race(CLUB, 0).days != run_race(replace(CLUB, seed=6), 0).days


def test_orders_and_plans_take_the_waiting_out() -> None:
    many = replace(CLUB, races=4)
    ours = [run_race(many, number) for number in range(4)]
    everything = [run_race(replace(many, way="everything"), number) for number in range(4)]
    told = figures(ours)
    assert told["finished"] == 4
    assert told["answered_by_standing_orders"] > 0
    assert told["answered_by_plans"] > 0
    assert figures(everything)["answered_by_plans"] == figures(everything)["answered_by_standing_orders"] == 0
    assert sum(run.days for run in ours) < sum(run.days for run in everything) / 2


def test_a_clock_that_is_too_short_lapses_and_strict_windows_take_their_time() -> None:
    slow = replace(CLUB, tempo=TEMPOS["daily"], median_minutes=60 * 40, share=0.0)
    assert run_race(slow, 0).lapses > 0
    open_, strict = (run_race(replace(CLUB, policy=policy), 0).days for policy in ("open", "strict"))
    assert open_ < strict


def test_the_command_reports_both_ways() -> None:
    out = StringIO()
    call_command(
        "simulate_calendar", "roadkill", "--races", "2", "--seats", "2", "--sections", "3", "--json", stdout=out
    )
    report = json.loads(out.getvalue())
    assert report["ours"]["races"] == report["everything"]["races"] == 2
    assert report["ratio"] == pytest.approx(
        report["ours"]["days_median"] / report["everything"]["days_median"], abs=0.002
    )
    out = StringIO()
    call_command("simulate_calendar", "roadkill", "--races", "1", "--seats", "2", "--sections", "3", stdout=out)
    assert "people waited for a turn" in out.getvalue()


def test_two_processes_give_the_same_days_as_one() -> None:
    said = []
    for jobs in ("1", "2"):
        out = StringIO()
        call_command(
            *("simulate_calendar", "roadkill", "--races", "3", "--seats", "2", "--sections", "3", "--json"),
            *("--jobs", jobs),
            stdout=out,
        )
        said.append(out.getvalue())
    assert said[0] == said[1]


def test_a_club_that_cannot_be_is_refused() -> None:
    with pytest.raises(CommandError, match="no ruleset"):
        call_command("simulate_calendar", "chess")
    with pytest.raises(CommandError, match="2 to 10"):
        call_command("simulate_calendar", "roadkill", "--seats", "11")
