"""A whole campaign between bots, through the services that people's campaigns go through, in the database at hand.

Its secrets come from a seed, so the same seed gives the same campaign: for trying out and for tests.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django.contrib.auth import get_user_model

from games.engine.contract import JSON
from games.models import Campaign, CampaignRace, Race
from games.models.people import Person
from games.services.bots import bots_answer
from games.services.campaigns import campaign_attend, campaign_create, campaign_drop_out, campaign_start
from games.services.errors import Malformed
from games.services.races import secrets_made_up
from games.services.seats import seat_add_bot

HOST_EMAIL: Final = "campaigns@simulation.invalid"
"""The host of simulated campaigns; nothing is ever mailed there, for its car is driven by a bot (RFC 2606)."""
MOST_RACES: Final = 100
"""A campaign of more races counts as one that does not end."""


def campaign_simulate(
    *,
    ruleset: str,
    seed: int,
    seats: int = 6,
    bot: str = "driver",
    options: Mapping[str, JSON] | None = None,
    each: Callable[[int, int], None] = lambda race, leading: None,
) -> Campaign:
    """Make a campaign of bots and run it to its end; its rows stay.

    ``each`` is called after every race with its number and the most points that a car has. Raises what campaign_create
    raises, and Malformed if it does not end within MOST_RACES races.
    """
    host: Person = _host()
    with secrets_made_up(_secrets(f"{ruleset}/{seed}")):
        campaign = campaign_create(
            by=host,
            name=f"Simulation {seed}",
            ruleset=ruleset,
            seats=seats,
            options=options,
            policy="open",
            starts_when_full=False,
        )
        first = CampaignRace.objects.get(campaign=campaign).race_id
        for _ in range(seats - 1):
            seat_add_bot(race_id=first, by=host, bot=bot)
        campaign_start(campaign_id=campaign.pk, by=host)
        campaign_drop_out(campaign_id=campaign.pk, by=host)
        for number in range(1, MOST_RACES + 1):
            _run_race(campaign, number)
            campaign.refresh_from_db()
            totals = [driver.postings.latest("number").balance for driver in campaign.drivers.all()]
            each(number, max(totals))
            if campaign.status != "running":
                return campaign
    raise Malformed(f"The campaign had no winner after {MOST_RACES} races.")


def _run_race(campaign: Campaign, number: int) -> None:
    """Let the bots answer until this race is over, and its points are posted."""
    race_id = CampaignRace.objects.get(campaign=campaign, number=number).race_id
    while Race.objects.values_list("status", flat=True).get(pk=race_id) == "running":
        if not bots_answer(race_id=race_id):
            fault = Race.objects.values_list("fault", flat=True).get(pk=race_id)
            raise Malformed(f"Race {number} stands still: {fault or 'nobody is asked'}.")
    campaign_attend(campaign_id=campaign.pk)


def _host() -> Any:
    people = get_user_model().objects
    found = people.filter(email=HOST_EMAIL).first()
    return found if found is not None else people.create_user(HOST_EMAIL, display_name="Simulation")


def _secrets(seed: str) -> Iterator[bytes]:
    number = 0
    while True:
        yield hashlib.sha256(f"simulate_campaign/{seed}/{number}".encode()).digest()
        number += 1
