"""What the server does by itself: lapsed questions, windows, bots."""

import logging
from dataclasses import dataclass, field
from datetime import datetime

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from games.models import Decision, Race
from games.runtime.errors import RaceFaulty
from games.services.bots import bots_answer
from games.services.campaign_desk import campaign_attend, campaigns_due
from games.services.desk import Desk, race_lock
from games.services.faults import fault_mark
from games.services.heartbeat import WORKER
from games.services.outages import outage_look
from games.services.substitutes import bots_take_over

logger = logging.getLogger(__name__)


@dataclass
class SweepReport:
    """What a sweep did.

    ``faults``: race's public id -> sentence for the operator. ``put_off``: public ids of races at which the database
    let nobody work, such as for a lock that is not given back; the next sweep tries again.
    """

    races: int = 0
    lapsed: int = 0
    closed: int = 0
    bot_answers: int = 0
    campaigns: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    put_off: list[str] = field(default_factory=list)


def sweep(*, now: datetime | None = None) -> SweepReport:
    """Do all that is due by now, each race in a transaction of its own. Safe to run twice, or twice at once.

    A race that fails is marked, stands in the report, and is tried again later; the others go on.
    """
    at = timezone.now() if now is None else now
    report = SweepReport()
    # After an outage the first sweep may come before the first heartbeat: nothing lapses for the server's own silence.
    outage_look(name=WORKER, now=at)
    due = Race.objects.filter(status="running", wake_at__lte=at).order_by("wake_at", "pk")
    for race_id, public_id in list(due.values_list("pk", "public_id")):
        report.races += 1
        try:
            race_attend(race_id=race_id, now=at, report=report)
            if public_id not in report.faults and _has_bots_due(race_id, at):
                report.bot_answers += bots_answer(race_id=race_id, now=now)
        except OperationalError:
            if not connection.is_usable():
                raise
            # The one that waits longest comes first in every sweep: it must not keep the others waiting with it.
            logger.exception("Race %s is left to the next sweep", public_id)
            report.put_off.append(public_id)
    _campaigns_sweep(at, report)
    return report


def _campaigns_sweep(at: datetime, report: SweepReport) -> None:
    for campaign_id in campaigns_due(now=at):
        try:
            report.campaigns += campaign_attend(campaign_id=campaign_id, now=at)
        except OperationalError:
            if not connection.is_usable():
                raise
            logger.exception("Campaign %s is left to the next sweep", campaign_id)


def race_attend(*, race_id: int, now: datetime, report: SweepReport) -> None:
    """Do what is due in one race, unless another process is at it; a fault is marked and noted in the report."""
    try:
        with transaction.atomic():
            race = race_lock(race_id, skip_locked=True)
            # Looked at again now that nobody else can change it.
            if race is None or race.status != "running" or race.wake_at is None or race.wake_at > now:
                return
            desk = Desk.of(race, now)
            bots_take_over(desk)
            desk.lapse()
            desk.settle()
            desk.write(is_sound=True)
            report.lapsed += desk.lapsed
            report.closed += desk.closed
    except RaceFaulty as fault:
        fault_mark(race_id=race_id, error=fault, now=now)
        report.faults[Race.objects.values_list("public_id", flat=True).get(pk=race_id)] = fault.detail


def _has_bots_due(race_id: int, now: datetime) -> bool:
    return Decision.objects.filter(race_id=race_id, bot_at__lte=now, sealed_at=None).exists()
