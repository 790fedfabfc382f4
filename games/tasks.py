"""Celery tasks, thin: ids in, one service call, safe to run twice."""

from celery import shared_task


@shared_task
def sweep() -> None:
    """Do what is due in every race."""
    raise NotImplementedError


@shared_task
def bots_act(race_id: int) -> None:
    """Let the bots of a race answer."""
    raise NotImplementedError


@shared_task
def heartbeat() -> None:
    """Note that worker and beat are up."""
    raise NotImplementedError
