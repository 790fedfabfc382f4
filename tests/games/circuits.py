"""Campaigns of Cup for tests, whose drivers are called by their cars."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db.models import Q

from games.models import Campaign, CampaignRace, Posting, Purchase, Seat
from games.runtime.rulesets import BOTS, RULESETS
from games.services.campaigns import (
    campaign_attend,
    campaign_create,
    campaign_join,
    campaign_start,
    purchase_answer,
)
from games.services.seats import seat_add_bot
from games.services.turns import action_submit
from roadkill_site.accounts.models import User
from tests.games.cup_ruleset import RULESET as CUP
from tests.games.cup_ruleset import CupBot

NOTHING = {"do": "nothing"}


@contextmanager
def cup_at_hand() -> Iterator[None]:
    """Cup is a ruleset like any other, for the length of a test."""
    RULESETS["cup"], BOTS["cup"] = CUP, CupBot
    yield
    del RULESETS["cup"], BOTS["cup"]


class Circuit:
    """A campaign and its drivers, called by their cars."""

    def __init__(self, campaign: Campaign) -> None:
        self.pk = campaign.pk

    @property
    def row(self) -> Campaign:
        """As it is now."""
        return Campaign.objects.get(pk=self.pk)

    @property
    def last(self) -> CampaignRace:
        """The last race."""
        return CampaignRace.objects.select_related("race").filter(campaign_id=self.pk).latest("number")

    @property
    def open(self) -> Purchase | None:
        """What is asked now."""
        return Purchase.objects.filter(round__campaign_id=self.pk, answered_at=None).select_related("driver").first()

    @property
    def asked(self) -> int | None:
        """The car that is asked to buy."""
        return None if self.open is None else self.open.driver.car

    def driver(self, car: int) -> User:
        """The player who drives this car."""
        player = self.row.drivers.get(car=car).player
        assert isinstance(player, User)
        return player

    def answer(self, action: dict[str, Any], **more: Any) -> dict[str, Any]:
        """The asked driver's answer, with a key of its own."""
        purchase = self.open
        assert purchase is not None
        given: dict[str, Any] = {
            "by": purchase.driver.player,
            "purchase_id": purchase.pk,
            "position": len(purchase.acts),
            "idempotency_key": f"{purchase.pk}/{len(purchase.acts)}",
            **more,
        }
        return purchase_answer(campaign_id=self.pk, action=action, **given)

    def buy(self, letter: str) -> dict[str, Any]:
        """Buy this."""
        return self.answer({"do": "buy", "upgrade": letter})

    def give_back(self, letter: str) -> dict[str, Any]:
        """Return this."""
        return self.answer({"do": "return", "upgrade": letter})

    def nobody_buys(self) -> None:
        """All who are asked buy nothing, until the race begins."""
        while self.open is not None:
            self.answer(NOTHING)

    def call(self, places: list[int], scores: list[int], lost: str = "") -> None:
        """End the race under way so, and let the campaign go on."""
        self.end(places, scores, lost)
        campaign_attend(campaign_id=self.pk)

    def end(self, places: list[int], scores: list[int], lost: str = "") -> None:
        """End the race under way so."""
        race = self.last.race
        seat = Seat.objects.get(race=race, number=1)
        action = {"do": "call", "places": places, "scores": scores, "lost": list(lost)}
        action_submit(
            race_id=race.pk, seat_id=seat.pk, action=action, expected_seq=race.seq, idempotency_key=f"call-{race.pk}"
        )

    def balances(self) -> list[int]:
        """By car: the sums of the lines, which are the balances of the last ones."""
        sums = []
        for driver in self.row.drivers.order_by("car"):
            lines = list(driver.postings.order_by("number"))
            sums.append(sum(line.points for line in lines))
            assert not lines or lines[-1].balance == sums[-1]
        return sums

    def lines(self, *, race: int | None = None) -> list[str]:
        """The ledger in words, of one race or the beginning (None)."""
        of_race = Q(race=None) if race is None else Q(race__number=race)
        rows = Posting.objects.filter(of_race, campaign_id=self.pk).select_related("driver")
        return [f"{row.driver.car} {row.kind}{f' {row.upgrade}' if row.upgrade else ''} {row.points}" for row in rows]


MakeCircuit = Callable[..., Circuit]


def circuit_started(people: Sequence[User], *, bots: int = 0, **settings: Any) -> Circuit:
    """A started campaign of these people, the first its host, and bots."""
    campaign = campaign_create(
        by=people[0],
        name="Cup of cups",
        ruleset="cup",
        seats=len(people) + bots,
        starts_when_full=False,
        **{"is_public": True, **settings},
    )
    race = CampaignRace.objects.get(campaign=campaign).race
    for one in people[1:]:
        campaign_join(campaign_id=campaign.pk, by=one)
    for _ in range(bots):
        seat_add_bot(race_id=race.pk, by=people[0])
    campaign_start(campaign_id=campaign.pk, by=people[0])
    return Circuit(campaign)
