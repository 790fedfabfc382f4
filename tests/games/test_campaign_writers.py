"""Two at once in one campaign: threads with connections of their own to one SQLite file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from games.models import CampaignRace, OutboxEvent, Posting, Purchase
from games.runtime.campaigns import ledger_faults
from games.services.campaigns import campaign_attend, campaign_drop_out
from games.services.errors import NotYourDecision, NotYourSeat
from games.services.sweep import sweep
from tests.games.circuits import NOTHING, Circuit, circuit_started, cup_at_hand
from tests.games.conftest import person
from tests.games.test_two_writers import Office

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def cup() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    with cup_at_hand():
        yield


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """An office with an empty, migrated database."""
    made = Office(tmp_path / "campaign.sqlite3")
    made.do(lambda: call_command("migrate", verbosity=0))
    return made


@pytest.fixture
def going(office: Office) -> Circuit:
    """A campaign of three in which nobody has bought yet."""
    return office.do(lambda: circuit_started([person(name) for name in ("Alice", "Bob", "Charlie")]))


def ended(going: Circuit) -> None:
    """Its first race is over, and not posted."""
    going.nobody_buys()
    going.end([1, 2, 3], [2, 1, 0])


def test_a_race_is_posted_once_by_many_who_look_at_once(office: Office, going: Circuit) -> None:
    office.do(lambda: ended(going))
    done = office.run(
        *(lambda: campaign_attend(campaign_id=going.pk) for _ in range(4)),
        *(lambda: sweep().campaigns for _ in range(2)),
    )
    assert [one for one in done if isinstance(one, Exception)] == []

    def look() -> None:
        assert Posting.objects.filter(kind="earned").count() == 3
        assert CampaignRace.objects.count() == 2
        assert Purchase.objects.filter(answered_at=None).count() == 1
        assert OutboxEvent.objects.filter(kind="purchase", race=going.last.race).count() == 1
        assert ledger_faults(going.row) == []

    office.do(look)


def test_of_two_answers_to_one_purchase_one_counts(office: Office, going: Circuit) -> None:
    asked = office.do(lambda: (going.driver(1), going.open))
    player, purchase = asked
    assert purchase is not None

    def buy(letter: str) -> object:
        return going.answer(
            {"do": "buy", "upgrade": letter},
            by=player,
            purchase_id=purchase.pk,
            position=0,
            idempotency_key=letter,
        )

    done = office.run(lambda: buy("P"), lambda: buy("Q"))
    refused = [one for one in done if isinstance(one, Exception)]
    assert len(refused) == 1
    assert getattr(refused[0], "rule", "") == "7.2", refused
    assert office.do(lambda: Posting.objects.filter(kind="bought").count()) == 1


def test_who_drops_out_while_answering_leaves_one_answer(office: Office, going: Circuit) -> None:
    player = office.do(lambda: going.driver(1))
    done = office.run(
        lambda: going.answer(NOTHING, by=player), lambda: campaign_drop_out(campaign_id=going.pk, by=player)
    )
    for one in done:
        assert not isinstance(one, Exception) or isinstance(one, NotYourSeat | NotYourDecision)

    def look() -> None:
        rows = Purchase.objects.filter(driver__car=1)
        assert [len(row.acts) for row in rows] == [1]
        assert going.asked == 2
        assert ledger_faults(going.row) == []

    office.do(look)
