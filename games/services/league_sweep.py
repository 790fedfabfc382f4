"""What the server does for leagues by itself: seasons that start, races that are due, results, seasons that end."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db import OperationalError, connection
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from games.engine.errors import ActionRefused
from games.models import Fixture, Season
from games.runtime.errors import RaceFaulty
from games.services.errors import SeasonRefused
from games.services.results import fixture_finish
from games.services.seasons import fixture_attend, season_close, season_start

logger = logging.getLogger(__name__)


@dataclass
class LeagueReport:
    """What a sweep did. ``troubles``: sentences about what could not be done and is tried again."""

    started: int = 0
    made: int = 0
    finished: int = 0
    closed: int = 0
    troubles: list[str] = field(default_factory=list)


def leagues_sweep(*, now: datetime | None = None) -> LeagueReport:
    """Do all that is due in leagues by now, each thing in a transaction of its own. Safe to run twice, or at once."""
    at = timezone.now() if now is None else now
    report = LeagueReport()
    due = Season.objects.filter(status="entry", starts_at__lte=at).order_by("starts_at", "pk")
    for pk in list(due.values_list("pk", flat=True)):
        report.started += _done(report, "season", pk, partial(season_start, season_id=pk, now=at))
    is_over = Q(race__status="finished") | Q(campaign__status__in=["finished", "closed"])
    over = Fixture.objects.filter(is_over, status="running")
    over = over.order_by(Coalesce("race__finished_at", "campaign__ended_at"), "pk")
    for pk in list(over.values_list("pk", flat=True)):
        report.finished += _done(report, "fixture", pk, partial(fixture_finish, fixture_id=pk))
    planned = Fixture.objects.filter(status="planned", on__lte=at, season__status="running").order_by("on", "number")
    for pk in list(planned.values_list("pk", flat=True)):
        report.made += _done(report, "fixture", pk, partial(fixture_attend, fixture_id=pk, now=at))
    going = Fixture.objects.filter(season=OuterRef("pk"), status__in=["planned", "running"])
    ended = Season.objects.filter(~Exists(going), status="running").order_by("pk")
    for pk in list(ended.values_list("pk", flat=True)):
        report.closed += _done(report, "season", pk, partial(season_close, season_id=pk, now=at))
    return report


def _done(report: LeagueReport, what: str, pk: int, act: Callable[[], Any]) -> bool:
    """Whether it was done; what fails is told and left to the next sweep, and stops nothing else."""
    try:
        return bool(act())
    except SeasonRefused as refused:
        # A season with too few entrants waits for more; its page says so.
        report.troubles.append(f"{what} {pk}: {refused.text}")
    except RaceFaulty as fault:
        logger.error("%s %s of a league waits: %s", what, pk, fault.detail)  # noqa: TRY400  (the fault says all)
        report.troubles.append(f"{what} {pk}: {fault.detail}")
    except ActionRefused as refused:
        logger.warning("%s %s of a league waits: %s", what, pk, refused)
        report.troubles.append(f"{what} {pk}: {refused.text}")
    except OperationalError:
        if not connection.is_usable():
            raise
        logger.exception("%s %s of a league is left to the next sweep", what, pk)
        report.troubles.append(f"{what} {pk}: the database let nobody work at it")
    return False
