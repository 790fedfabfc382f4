"""Celery tasks, thin: ids in, one service call, safe to run twice. And the nudge that asks for one before its time."""

import logging
from typing import Any

from celery import shared_task
from kombu.exceptions import OperationalError

from games.services.bots import bots_answer
from games.services.campaign_desk import campaign_of_race_attend
from games.services.heartbeat import heartbeat_note
from games.services.league_sweep import leagues_sweep
from games.services.sweep import sweep as sweep_races

logger = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def sweep() -> None:
    """Do what is due in every race."""
    sweep_races()


@shared_task(ignore_result=True)
def bots_act(race_id: int) -> None:
    """Let the bots of a race answer."""
    bots_answer(race_id=race_id)


@shared_task(ignore_result=True)
def leagues() -> None:
    """Do what is due in every league: races on their dates, results, seasons that end."""
    leagues_sweep()


@shared_task(ignore_result=True)
def campaign_act(race_id: int) -> None:
    """Let the campaign of a race go on, if it belongs to one."""
    campaign_of_race_attend(race_id=race_id)


@shared_task(ignore_result=True)
def heartbeat() -> None:
    """Note that worker and beat are up."""
    heartbeat_note()


def bots_nudge(*, race_id: int, bots: bool, **_signal: Any) -> None:
    """Ask the worker to let this race's bots answer, if one is due at once: a receiver of games.signals.outbox_written.

    The broker may be away: the act is committed all the same, and the sweep comes within a minute.
    """
    if not bots:
        return
    try:
        bots_act.apply_async((race_id,), retry=False)
    except OperationalError as away:
        logger.warning("The broker did not take a nudge: %s", away)


def campaign_nudge(*, race_id: int, **_signal: Any) -> None:
    """Ask the worker to let the campaign of this race go on: a receiver of games.signals.campaign_due.

    Without the broker the sweep does it within a minute.
    """
    try:
        campaign_act.apply_async((race_id,), retry=False)
    except OperationalError as away:
        logger.warning("The broker did not take a nudge: %s", away)
