"""Ratings of drivers by openskill's Plackett-Luce model: skill and how unsure it is, from orders of finish alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from openskill.models import PlackettLuce

MU: Final = 25.0
SIGMA: Final = 25.0 / 3
"""Where a driver begins, as the model has it."""
_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA)


@dataclass(frozen=True)
class Skill:
    """``mu``: the estimate; ``sigma``: its standard deviation, which shrinks with each race."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def shown(self) -> float:
        """Three deviations below the estimate: who has raced little does not stand on top."""
        return self.mu - 3 * self.sigma


def rated(places: Mapping[int, int], skills: Mapping[int, Skill]) -> dict[int, Skill]:
    """The skills after one race: ``places`` by driver, equal for a shared place; who has no skill yet begins.

    A race of fewer than two drivers rates nobody.
    """
    if len(places) < 2:
        return {}
    drivers = sorted(places)
    begun = [skills.get(driver, Skill()) for driver in drivers]
    teams = [[_MODEL.rating(mu=skill.mu, sigma=skill.sigma)] for skill in begun]
    after = _MODEL.rate(teams, ranks=[float(places[driver]) for driver in drivers])
    # Rounded to what is stored and shown, so that a rating made anew is the same to the last digit.
    return {
        driver: Skill(round(team[0].mu, 6), round(team[0].sigma, 6))
        for driver, team in zip(drivers, after, strict=True)
    }


def all_rated(races: Iterable[tuple[int, Mapping[int, int]]]) -> dict[tuple[int, int], Skill]:
    """Ratings made anew from all races, in their order: (race, driver) -> skill after it."""
    skills: dict[int, Skill] = {}
    made: dict[tuple[int, int], Skill] = {}
    for race, places in races:
        for driver, skill in rated(places, skills).items():
            skills[driver] = made[race, driver] = skill
    return made
