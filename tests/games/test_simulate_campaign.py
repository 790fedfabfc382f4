"""The command that runs a campaign between bots: to a winner, by the services, with a ledger that can be checked."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.models import Campaign, Posting
from tests.games.circuits import cup_at_hand
from tests.games.cup_ruleset import RULESET as CUP
from tests.games.test_campaigns import by_hand

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


def simulated(*arguments: str) -> dict[str, Any]:
    out, err = StringIO(), StringIO()
    call_command("simulate_campaign", *arguments, "--json", stdout=out, stderr=err)
    assert err.getvalue() == ""
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def test_a_circuit_of_bots_runs_to_a_winner_and_its_ledger_comes_of_its_races(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = simulated("roadkill", "--seed", "3", "--seats", "3", "--sections", "5")
    assert capsys.readouterr().err == "", "no bar in a pipe"
    winner = report["standings"][[line["car"] for line in report["standings"]].index(report["winner"]["car"])]
    assert winner["points"] >= 20
    assert report["winners"][-1] == report["winner"]["car"]
    assert report["races"] == len(winner["scores"]) > 1
    assert any(line["upgrades"] for line in report["standings"])
    call_command("ledger_check", report["campaign"], stdout=StringIO())
    changed = Posting.objects.filter(kind="earned", points__gt=0).latest("number")
    by_hand(f"UPDATE games_posting SET points = points + 1 WHERE id = {changed.pk}")
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("ledger_check", report["campaign"], stdout=out)
    assert f"Line {changed.number}, {changed.source}, says car {changed.driver.car}, earned" in out.getvalue()


def test_the_same_seed_gives_the_same_campaign(cup: None) -> None:
    same = ("races", "winners", "winner", "standings")
    one, two, other = (simulated("cup", "--seats", "4", "--seed", seed) for seed in ("5", "5", "6"))
    assert [one[name] for name in same] == [two[name] for name in same]
    assert one["standings"] != other["standings"]
    assert one["campaign"] != two["campaign"]
    assert Campaign.objects.filter(status="finished").count() == 3


def test_people_are_told_the_same_in_lines(cup: None) -> None:
    out = StringIO()
    call_command("simulate_campaign", "cup", "--seats", "3", "--seed", "2", stdout=out)
    assert "has won." in out.getvalue()
    assert "races of 3 cars, bot: driver, seed 2" in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("chess",), "no ruleset chess"),
        (("roadkill", "--seats", "11"), "2 to 10"),
        (("roadkill", "--sections", "9"), "3 to 8"),
        (("cup", "--seats", "7"), "2 to 6"),
    ],
)
def test_what_cannot_be_run_is_told_in_a_sentence(cup: None, arguments: tuple[str, ...], match: str) -> None:
    with pytest.raises(CommandError, match=match):
        call_command("simulate_campaign", *arguments)
    assert not Campaign.objects.exists()


def test_a_game_without_campaigns_says_so(cup: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CUP, "campaign", None)
    with pytest.raises(CommandError, match="Cup has no campaign"):
        call_command("simulate_campaign", "cup")
