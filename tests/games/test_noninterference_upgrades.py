"""Nobody can tell from drafts, purchases, ledgers or letters of campaigns what another driver holds.

The worlds of tests.games.noninterference: with upgrades drafted before the race, and in a campaign that is bought for,
raced, posted, and bought for again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from games.models import Campaign, CampaignRace, OutboxEvent, Posting, Purchase, Race, Seat
from games.rulesets.roadkill.game import RULESET
from games.rulesets.roadkill.rules.r10_upgrades import draft_under_way
from games.selectors.campaigns import campaign_ledger, campaign_of_race, campaign_shown, campaigns_listed, purchases_of
from games.services.campaigns import campaign_attend, campaign_create, campaign_join, campaign_start, purchase_answer
from games.services.seats import seat_resign
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games import noninterference
from tests.games.conftest import NOON
from tests.games.noninterference import (
    HIDDEN,
    OBSERVERS,
    Observer,
    Viewer,
    World,
    answer_all,
    dealt,
    differences,
    look,
    play,
    thrown_away,
)
from tests.games.test_noninterference import ARMED, QUICK, MakeStage, Stage, assert_comparable, people, stage

__all__ = ["people", "stage"]


# --- Drafts -----------------------------------------------------------------------------


@pytest.mark.parametrize(("upgrades", "seen"), [("draft", OBSERVERS), ("reverse_draft", QUICK)])
def test_a_hand_shows_in_no_draft_and_in_no_race_with_drafted_upgrades(
    stage: MakeStage, upgrades: str, seen: Mapping[str, Observer]
) -> None:
    made = stage("paced", upgrades=upgrades, steps=13)
    armed, bare = made.both(seen)
    assert_comparable(armed, bare)
    drafts = {repr(action) for _, action in (act for act in armed.history if isinstance(act, tuple))}
    assert any("'draft'" in one for one in drafts)
    assert differences(armed, bare) == []


def test_a_draft_that_looks_into_hands_is_noticed(stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage("paced", upgrades="draft", steps=13)
    assert differences(*made.both(QUICK)) == []
    real = RULESET.view

    def leaking(state: Any, viewer: Any) -> Any:
        hint = sum(state.cars[HIDDEN - 1].hand) if draft_under_way(state) else 0
        return {**real(state, viewer), "hint": hint}

    monkeypatch.setattr(RULESET, "view", leaking, raising=False)
    assert differences(*made.both(QUICK)) != []


# --- Purchases and campaigns ------------------------------------------------------------


def _campaign(race: Race) -> Campaign:
    found = campaign_of_race(race=race)
    assert found is not None
    return found


def campaign_told(race: Race, viewer: Viewer) -> Any:
    person = None if viewer is None else viewer.player
    campaign = _campaign(race)
    own = [] if person is None else purchases_of(user=person)
    return [
        campaign_shown(campaign=campaign, user=person),
        campaign_ledger(campaign=campaign),
        campaigns_listed(user=person),
        own,
    ]


def campaign_pages(race: Race, viewer: Viewer) -> Any:
    public_id = _campaign(race).public_id
    paths = ["/", "/campaigns/", f"/campaigns/{public_id}/", f"/campaigns/{public_id}/ledger"]
    return noninterference.fetched(viewer, paths)


def campaign_api(race: Race, viewer: Viewer) -> Any:
    at = f"/api/v1/campaigns/{_campaign(race).public_id}"
    own = ["/api/v1/me/purchases"] if viewer is not None else []
    return noninterference.fetched(viewer, ["/api/v1/campaigns", at, f"{at}/ledger", f"{at}/standings", *own])


def campaign_outbox(race: Race, viewer: Viewer) -> Any:
    """Every row of every race of it, to whomever."""
    rows = OutboxEvent.objects.filter(race__campaign_race__campaign=_campaign(race)).order_by("pk")
    return list(rows.values_list("kind", "race", "seat__number", "player", "decision_id", "seq", "created_at", "pk"))


OF_CAMPAIGNS: dict[str, Observer] = {
    "campaign": campaign_told,
    "campaign pages": campaign_pages,
    "campaign api": campaign_api,
    "campaign outbox": campaign_outbox,
    "mails": OBSERVERS["mails"],
}


@dataclass
class Season(Stage):
    """A campaign whose cars are drawn and whose first purchases wait; a world ends with the purchases after race 1."""

    def one(self, hands: Mapping[int, list[str]], observers: Mapping[str, Observer], **more: Any) -> World:
        """Play one world, and leave no trace of it."""
        self.clock.move_to(NOON)
        self.mailbox.clear()
        with thrown_away(), dealt(hands, like=ARMED, turned=self.turned):
            before = World()
            self._buy(before, observers)
            world = play(self.race.pk, self.clock, steps=self.steps, observers=self._race_too(observers), **more)
            world.sights[:0] = before.sights
            if not observers:
                # Two worlds are looked for: how their race ends is seen by those who look at them.
                return world
            self._end(world, observers)
            look(world, CampaignRace.objects.latest("number").race_id, "bought for again", observers)
            self._buy(world, observers)
            return world

    def _race_too(self, observers: Mapping[str, Observer]) -> Mapping[str, Observer]:
        return {**observers, "presentation": OBSERVERS["presentation"]} if observers else {}

    def _buy(self, world: World, observers: Mapping[str, Observer]) -> None:
        """Whoever is asked takes the first answer, be it a return, until that is over; all look before and after."""
        while row := Purchase.objects.select_related("driver__player", "round__race").filter(answered_at=None).first():
            look(world, row.round.race.race_id, f"purchase of car {row.driver.car}", observers)
            assert row.driver.player is not None
            asked = campaign_shown(campaign=row.driver.campaign, user=row.driver.player)["question"]
            purchase_answer(
                campaign_id=row.driver.campaign_id,
                by=row.driver.player,
                purchase_id=row.pk,
                position=asked["position"],
                action=asked["answers"][0]["action"],
                idempotency_key=f"world:{row.pk}/{asked['position']}",
            )
            self.clock.shift(timedelta(minutes=1))
        look(world, CampaignRace.objects.latest("number").race_id, "all have bought", observers)

    def _end(self, world: World, observers: Mapping[str, Observer]) -> None:
        """All but the hidden driver give up; the race ends, and its points are posted."""
        for seat in Seat.objects.filter(race=self.race).exclude(number=HIDDEN).select_related("player"):
            assert seat.player is not None
            seat_resign(race_id=self.race.pk, by=seat.player)
        for _ in range(60):
            race = Race.objects.get(pk=self.race.pk)
            if race.status == "finished":
                break
            answer_all(world, race.pk, is_window=False, is_silent=False)
            race.refresh_from_db()
            if race.wake_at is not None:
                self.clock.move_to(race.wake_at)
                sweep()
        assert Race.objects.get(pk=self.race.pk).status == "finished"
        campaign_attend(campaign_id=_campaign(self.race).pk)
        assert Posting.objects.filter(kind__in=["earned", "penalty"]).exists()


@pytest.fixture
def season(
    people: list[User],
    stage: MakeStage,
    clock: time_machine.Traveller,
    mailoutbox: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Season]:
    """Makes a started campaign of the three; ``stage`` has fixed what is random."""
    monkeypatch.setattr("games.services.races.public_id_free", lambda rows=Race: f"race{rows.objects.count()}")

    def make(policy: str) -> Season:
        campaign = campaign_create(
            by=people[0],
            name="Circuit",
            seats=3,
            options={"sections": 4},
            policy=policy,
            is_public=True,
            starts_when_full=False,
        )
        for one in people[1:]:
            campaign_join(campaign_id=campaign.pk, by=one)
        campaign_start(campaign_id=campaign.pk, by=people[0])
        made = Season(CampaignRace.objects.get(campaign=campaign).race, clock, mailoutbox, upgrades="bought")
        made.find()
        return made

    return make


@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_hand_shows_in_nothing_that_a_campaign_tells(season: Callable[..., Season], policy: str) -> None:
    armed, bare = season(policy).both(OF_CAMPAIGNS)
    assert_comparable(armed, bare)
    moments = " ".join(moment for moment, *_ in armed.sights)
    assert all(words in moments for words in ("purchase of car 1", "asked", "bought for again"))
    assert differences(armed, bare) == []


def test_what_is_looked_at_of_a_campaign_shows_something(season: Callable[..., Season]) -> None:
    """An observer that always saw nothing would find no difference either."""
    world = season("paced").one(ARMED, OF_CAMPAIGNS)
    seen: dict[str, set[str]] = {}
    for _, name, _, sight in world.sights:
        seen.setdefault(name, set()).add(repr(sight))
    assert {name for name, sights in seen.items() if len(sights) < 5} == set()
    for name in ("campaign pages", "campaign api"):
        answers = next(sight for _, one, viewer, sight in world.sights if one == name and viewer == 2)
        assert {status for _, status, *_ in answers} == {200}


def points_by_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    real = RULESET.scores

    def leaking(state: Any) -> dict[str, int]:
        scores = real(state)
        return {**scores, str(HIDDEN): sum(state.cars[HIDDEN - 1].hand)}

    monkeypatch.setattr(RULESET, "scores", leaking, raising=False)


def test_a_planted_leak_of_a_campaign_is_noticed(
    season: Callable[..., Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, seen = season("paced"), {"campaign": campaign_told}
    assert differences(*made.both(seen)) == []
    points_by_the_hand(monkeypatch)
    assert differences(*made.both(seen)) != []
