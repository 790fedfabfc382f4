"""What a campaign posts of a race, and what it asks between races, is made of what everybody may know."""

from random import Random

import pytest

from games.engine.campaigns import Ledger
from games.engine.contract import Viewer
from games.runtime.rulesets import extras_of
from tests.conformance.subject import Subject, Trail


@pytest.fixture
def ended(subject: Subject, trails: list[Trail]) -> list[Trail]:
    """Races of a ruleset that has a campaign."""
    if extras_of(subject.ruleset).campaign is None:
        pytest.skip("it has no campaign")
    return trails[::3]


def test_points_and_upgrades_at_the_end_of_a_race_tell_nothing_hidden(subject: Subject, ended: list[Trail]) -> None:
    extras, rng = extras_of(subject.ruleset), Random("other ends")
    changed = 0
    for race in ended:
        # The state before the last answers is the last that somebody held a hand in.
        for state in (race.end, race.steps[-1].state):
            viewers: tuple[Viewer, ...] = (None, *range(1, race.seats + 1))
            for viewer in viewers:
                other = subject.resampled(state, viewer, rng)
                changed += other != state
                assert extras.scores(other) == extras.scores(state)
                assert extras.carried(other) == extras.carried(state)
    assert changed > 50, "another world is another world"


def test_a_purchase_offers_what_the_ledger_says_and_words_for_each_offer_mean_it(
    subject: Subject, ended: list[Trail]
) -> None:
    """The engine's ledger sees options, postings and outcomes alone; whatever it offers can be written in a mail."""
    campaign = extras_of(subject.ruleset).campaign
    assert campaign is not None
    for race in ended[:20]:
        rng = Random(race.number)
        ledger = Ledger(campaign, options=race.options, cars=race.seats)
        ledger.open()
        for number in range(4):
            for car in campaign.first_order(race.seats):
                offers = ledger.offers(car)
                assert [ledger.read(ledger.say(offer)) for offer in offers] == list(offers)
                ledger.purchase(car, rng.choice(offers))
            scores = {str(car): rng.randint(0, 6) for car in ledger.balances}
            kept = {str(car): ledger.owned(car)[number % 2 :] for car in ledger.balances}
            ledger.settle(scores=scores, carried=kept)
