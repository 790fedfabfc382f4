"""A race to look at: one person and three bots, one of them slow, so that windows are seen."""

from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db import transaction

from games.models import Decision, Race
from games.services.races import race_create, race_start, seat_add_bot

EMAIL: Final = "you@example.org"
NAME: Final = "Robin"
RACE_NAMES: Final = {"roadkill": "Demo race", "thunder_road": "Demo race on the Thunder Road"}
"""By ruleset; of those that are played here there is one race each."""
SLOW_BOT_MINUTES: Final = 1 / 3
TURN_HOURS: Final = 24
REACTION_MINUTES: Final = 2
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "roadkill": {"sections": 5},
    "thunder_road": {"carnage": True, "crews": ["rig"]},
}
MOST_DRAWS: Final = 60
"""So often a start is drawn anew; one in four puts you in front, so that none does is one case in thirty million."""


@transaction.atomic
def demo_race(*, email: str = EMAIL, ruleset: str = "roadkill") -> tuple[Race, Any]:
    """The demo race of the account with this address, and the account; both are made if they are not there.

    ``ruleset``: of which game, one of RACE_NAMES.

    A race that is over is followed by another. Its first question is the person's own: whoever looks for the first
    time has something to do at once. Of the fair starts the first such one is kept.

    Windows are paced and short: twelve seconds in the median, two minutes at most.
    """
    person = _person(email.strip().lower())
    race = Race.objects.filter(host_id=person.pk, name=RACE_NAMES[ruleset], status="running").order_by("-pk").first()
    for drawn in range(MOST_DRAWS):
        if race is not None:
            break
        with transaction.atomic():
            race = _race_drawn(person, ruleset)
            is_asked = Decision.objects.filter(race_id=race.pk, seat__player_id=person.pk).exists()
            if not is_asked and drawn < MOST_DRAWS - 1:
                # Nothing of this start may remain, nor be told.
                transaction.set_rollback(True)
                race = None
    assert race is not None, "the last start is kept"
    return race, person


def _race_drawn(person: Any, ruleset: str) -> Race:
    race = race_create(
        by=person,
        name=RACE_NAMES[ruleset],
        ruleset=ruleset,
        seats=4,
        options=OPTIONS[ruleset],
        tempo="hours",
        turn_hours=TURN_HOURS,
        reaction_hours=REACTION_MINUTES / 60,
        starts_when_full=False,
    )
    for delay in (0, 0, SLOW_BOT_MINUTES):
        seat_add_bot(race_id=race.pk, by=person, bot="driver", delay_minutes=delay)
    return race_start(race_id=race.pk, by=person)


def _person(email: str) -> Any:
    people = get_user_model().objects
    found = people.filter(email=email).first()
    if found is not None:
        return found
    # A name like anybody's: it stands in sentences, "Robin (car 3) is on turn".
    names = (NAME, *(f"{NAME} {number}" for number in range(2, 1000)))
    free = next(name for name in names if not people.filter(display_name__iexact=name).exists())
    return people.create_user(email, display_name=free)
