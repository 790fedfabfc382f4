"""How a scenario came out, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from games.engine.scenarios import Difference
from games.runtime.scenarios.running import Failure, Result


def told(result: Result, *, story: bool = False) -> str:
    """One line for a scenario that passed; for one that failed also what differed, and what had happened until then.

    ``story``: tell what happened in any case.
    """
    return "\n".join(_lines(result, story=story))


def _lines(result: Result, *, story: bool) -> Iterator[str]:
    scenario = result.scenario
    verdict = "pass" if result.passed else "FAIL"
    about = scenario.title or ", ".join(scenario.about)
    yield f"{verdict} {scenario.id} ({scenario.file}, line {scenario.line}) {about}"
    for failure in result.failures:
        yield from _failure(failure)
    if (story or not result.passed) and result.story:
        yield "  What happened:"
        yield from (f"    {sentence}" for sentence in result.story)


def _failure(failure: Failure) -> Iterator[str]:
    yield f"  line {failure.line}, {failure.step}{': ' + failure.reason if failure.reason else ''}"
    for difference in failure.differences:
        yield from _difference(difference)


def _difference(difference: Difference) -> Iterator[str]:
    yield f"    {difference.what}"
    yield f"      expected  {difference.expected}"
    yield f"      actual    {difference.actual}"
