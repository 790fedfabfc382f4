"""All that the operator's page and `manage.py operator_status` show, looked up at one moment, and what needs a hand."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from games.selectors.operation import (
    Beat,
    FailedRace,
    Gap,
    OutboxSight,
    Overdue,
    beats,
    decisions_overdue,
    gaps_latest,
    gaps_not_credited,
    outbox_sight,
    races_failed,
)
from notifications.operation_selectors import (
    Failing,
    MailIn,
    Standing,
    failing_ways,
    mail_standings,
    mails_listed,
    notice_standings,
    notices_stuck_since,
)
from notifications.reply_models import InboundState
from roadkill_site.operation.queue import Queue, queue_look

_NAMED_MOST: Final = 5


@dataclass(frozen=True)
class Overview:
    """Where everything stands. Lists are cut at a hundred; their numbers say how many there are in all."""

    at: datetime
    needs: list[str]
    queue: Queue
    beats: list[Beat]
    gaps: list[Gap]
    races_failed: list[FailedRace]
    races_failed_count: int
    overdue: list[Overdue]
    overdue_count: int
    outbox: OutboxSight
    notices: list[Standing]
    notices_stuck_since: datetime | None
    failing: list[Failing]
    mails: list[Standing]
    mails_listed: list[MailIn]
    mails_listed_count: int

    def plain(self) -> dict[str, Any]:
        """As data for programs."""
        return asdict(self)


def overview(*, now: datetime) -> Overview:
    """Look at everything, in a number of statements that does not depend on how much there is."""
    queue, signs = queue_look(), beats(now=now)
    failed, failed_count = races_failed(now=now)
    overdue, overdue_count = decisions_overdue(now=now)
    outbox, stuck_since = outbox_sight(now=now), notices_stuck_since(now=now)
    failing = failing_ways(now=now)
    mails, mails_count = mails_listed(now=now)
    needs = [
        *_of_life(queue, signs, gaps_not_credited()),
        *_of_races(failed_count, overdue_count, overdue),
        *_of_post(outbox, stuck_since, failing, mails),
    ]
    return Overview(
        at=now,
        needs=needs,
        queue=queue,
        beats=signs,
        gaps=gaps_latest(),
        races_failed=failed,
        races_failed_count=failed_count,
        overdue=overdue,
        overdue_count=overdue_count,
        outbox=outbox,
        notices=notice_standings(now=now),
        notices_stuck_since=stuck_since,
        failing=failing,
        mails=mail_standings(now=now),
        mails_listed=mails,
        mails_listed_count=mails_count,
    )


def _of_life(queue: Queue, signs: list[Beat], not_credited: int) -> Iterator[str]:
    if not queue.is_reachable:
        yield "The queue does not answer: see whether Redis runs and REDIS_URL is right. Acts count all the same."
    late = [sign for sign in signs if sign.is_late]
    if not signs:
        yield f"Worker and beat have never given a sign of life. {_who_is_away(queue)}"
    for sign in late:
        parts = "Worker and beat have" if sign.name == "worker" else f"{sign.name} has"
        yield f"{parts} given no sign of life since {sign.at:%Y-%m-%d %H:%M} UTC. {_who_is_away(queue)}"
    if not_credited and not late:
        yield f"{_many(not_credited, 'gap')} not credited to deadlines yet."


def _who_is_away(queue: Queue) -> str:
    if queue.has_waiting is None:
        return "Start worker and beat."
    if queue.has_waiting:
        return "Tasks wait in the queue and nobody takes them: start the worker."
    return "Nothing waits in the queue: start beat, and see that the worker runs."


def _of_races(failed: int, overdue_count: int, overdue: list[Overdue]) -> Iterator[str]:
    if failed:
        yield f"{_many(failed, 'race')} held up: read why, mend it, and retry."
    if overdue_count and not all(one.is_held_up for one in overdue):
        yield f"{_many(overdue_count, 'question')} past the deadline: the worker should have seen to it."


def _of_post(
    outbox: OutboxSight, stuck_since: datetime | None, failing: list[Failing], mails: list[MailIn]
) -> Iterator[str]:
    if outbox.stuck_since is not None:
        since = f"{outbox.stuck_since:%Y-%m-%d %H:%M} UTC"
        yield f"News has lain in the outbox since {since}, and no notices are made of it."
    if stuck_since is not None:
        yield f"Notices have waited since {stuck_since:%Y-%m-%d %H:%M} UTC, and nobody sends them."
    lost = [one for one in failing if one.is_new]
    if lost:
        names = ", ".join(f"{one.who} by {one.way}" for one in lost[:_NAMED_MOST])
        yield f"Notices were given up within the last day, see what the other side said: {names}."
    failed = sum(mail.state == InboundState.FAILED for mail in mails)
    if failed:
        yield f"{_many(failed, 'mail')} kept that could not be acted on by our own fault: retry once it is mended."
    stored = sum(mail.state == InboundState.STORED for mail in mails)
    if stored:
        yield f"{_many(stored, 'mail')} kept and nobody acts on what came in: see whether the worker runs."


def _many(count: int, word: str) -> str:
    return f"1 {word} is" if count == 1 else f"{count} {word}s are"
