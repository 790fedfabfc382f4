"""The races that the suite looks at: gone through once for all its tests."""

import pytest

from games.runtime.rulesets import RULESETS
from tests.conformance import matches
from tests.conformance.subject import Subject, Trail, trail
from tests.rulesets.roadkill import subject as roadkill

SUBJECTS: dict[str, Subject] = {
    "roadkill": roadkill.SUBJECT,
    "beginners_track": roadkill.BEGINNERS_TRACK,
    "teams": roadkill.TEAMS,
    "matches": matches.SUBJECT,
}
"""Every ruleset of the product, the ways to play it that have rules of their own, and a toy."""


_trails: dict[str, list[Trail]] = {}


@pytest.fixture(scope="session", params=sorted(SUBJECTS))
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each ruleset in turn."""
    return SUBJECTS[request.param]


@pytest.fixture(scope="session")
def trails(subject: Subject) -> list[Trail]:
    """Its races."""
    key = subject.name
    if key not in _trails:
        _trails[key] = [trail(subject, number) for number in range(subject.races)]
    return _trails[key]


@pytest.fixture(scope="session")
def every_ruleset() -> set[str]:
    """The keys of the rulesets that the product has."""
    return set(RULESETS)
