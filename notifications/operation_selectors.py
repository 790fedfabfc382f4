"""What an operator is shown of notices and of mails that came in: where they stand, and nothing of what they say.

An operator may play too. A notice of a question tells that its driver was asked, so these are in no number, and have a
time only where everybody knows who is asked. Of what fails it is shown to whom and by which way nothing gets through,
since which day, and why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, F, Min, Q, QuerySet
from django.db.models.functions import Lower

from games.selectors.notices import QUESTION_KINDS
from notifications.channels.email.channel import EmailChannel
from notifications.models import AttemptResult, ClosedAddress, Notice, NoticeState, Occasion
from notifications.reply_models import InboundMail, InboundState
from notifications.words import CHANNEL_WORDS
from roadkill_site.accounts.models import User

LATE: Final = timedelta(minutes=10)
"""The worker comes round each minute, and a mail server may take some."""
CLAIM_LATE: Final = timedelta(minutes=20)
LOOKED_BACK: Final = timedelta(days=7)
TRIED_LONG: Final = 7
"""Tries of a notice that is still being tried, about an hour of them.

Fewer are how mail is: many servers refuse a first try, and to show those would tell who has just been asked.
"""
LISTED_MOST: Final = 100
_READ_MOST: Final = 1000

NOTICE_WORDS: Final[Mapping[str, tuple[NoticeState, ...]]] = {
    "waiting": (NoticeState.PENDING,),
    "on their way": (NoticeState.SENDING,),
    # Whether a line of news was sent or told along with a question would tell that there was one.
    "sent, or not needed any more": (NoticeState.SENT, NoticeState.DROPPED),
    "given up": (NoticeState.FAILED,),
    "came back": (NoticeState.BOUNCED,),
}
MAIL_WORDS: Final[Mapping[str, str]] = {
    InboundState.STORED: "waiting to be acted on",
    InboundState.HELD: "held until its player says that it is theirs",
    InboundState.DONE: "done",
    InboundState.REFUSED: "refused",
    InboundState.IGNORED: "left aside",
    InboundState.FAILED: "failed by our own fault",
}
_RETRIED: Final = frozenset({InboundState.STORED, InboundState.REFUSED})
_HOW: Final[Mapping[str, str]] = {NoticeState.BOUNCED: "came back", NoticeState.FAILED: "given up"}
REFUSED_WORDS: Final[Mapping[str, str]] = {
    "refused": "it could not be done as it stood",
    "asked": "it was not clear",
    "stale": "the race had moved on",
    "nothing": "no order was found in it",
    "unreadable": "it could not be read",
}


@dataclass(frozen=True)
class Standing:
    """How many stand so, and since when the oldest; None if there are none."""

    words: str
    count: int
    oldest: datetime | None


@dataclass(frozen=True)
class Failing:
    """A way by which nothing gets through to somebody. ``key`` names both; ``since`` is a day, in UTC.

    ``how``: is closed (nothing is sent there), came back, given up, or being tried. ``is_new``: something was given up
    within the last day.
    """

    key: str
    who: str
    way: str
    how: str
    detail: str
    since: date
    is_new: bool = False


@dataclass(frozen=True)
class MailIn:
    """A mail that came in. ``can``: which of release, refuse, retry an operator may do with it."""

    mail: int
    came_at: datetime
    came_by: str
    state: str
    words: str
    why: str
    sender: str
    race: str
    name: str
    driver: str
    can: tuple[str, ...]


def notice_standings(*, now: datetime) -> list[Standing]:
    """Notices of the last seven days, and older ones that are not settled, by state.

    Questions and daily mails are in no number.
    """
    is_of_none = Q(outbox_event=None) | ~Q(outbox_event__kind__in=QUESTION_KINDS)
    open_states = [NoticeState.PENDING, NoticeState.SENDING]
    rows = Notice.objects.filter(is_of_none, Q(state__in=open_states) | Q(created_at__gt=now - LOOKED_BACK))
    counted = (
        rows.exclude(occasion=Occasion.DAILY).order_by().values("state").annotate(n=Count("pk"), at=Min("created_at"))
    )
    by_state = {row["state"]: row for row in counted}
    standings = []
    for words, states in NOTICE_WORDS.items():
        found = [by_state[state] for state in states if state in by_state]
        oldest = min((row["at"] for row in found), default=None)
        standings.append(Standing(words, sum(row["n"] for row in found), oldest))
    return standings


def notices_stuck_since(*, now: datetime) -> datetime | None:
    """Since when the longest of all news waits that should have been sent by now; None if none does.

    Of questions those outside windows that are still open, since everybody knows who is asked that. It waits since it
    was made, and is late once the longest wait after its player's own act on a page is over too: when it was to leave
    would tell how that act came.
    """
    is_of_none = ~Q(outbox_event__kind__in=QUESTION_KINDS)
    is_open = Q(outbox_event__race__decisions__pk=F("outbox_event__decision_id"))
    is_public = is_of_none | (is_open & Q(outbox_event__race__decisions__window=None))
    waits = Q(state=NoticeState.PENDING, due_at__lte=now - LATE)
    left = Q(state=NoticeState.SENDING, claimed_at__lte=now - CLAIM_LATE)
    news = Notice.objects.filter(waits | left, outbox_event__isnull=False, occasion=Occasion.NEWS)
    late = news.filter(is_public, created_at__lte=now - LATE - timedelta(minutes=settings.MAIL_WAIT_MINUTES))
    since: datetime | None = late.aggregate(since=Min("created_at"))["since"]
    return since


def failing_notices(*, now: datetime) -> QuerySet[Notice]:
    """Notices of the last seven days that were given up or came back, and what has been tried for long."""
    is_lost = Q(state__in=[NoticeState.FAILED, NoticeState.BOUNCED])
    is_tried = Q(state=NoticeState.PENDING, attempt_count__gte=TRIED_LONG)
    return Notice.objects.filter(is_lost | is_tried, created_at__gt=now - LOOKED_BACK)


def failing_ways(*, now: datetime) -> list[Failing]:
    """Where nothing gets through, by names."""
    rows = failing_notices(now=now).select_related(
        "outbox_event__player", "seat__player", "seat__race", "player", "endpoint__player"
    )
    by_key: dict[str, list[Notice]] = {}
    for row in rows.prefetch_related("attempts").order_by("-pk")[:_READ_MOST]:
        by_key.setdefault(way_key(row), []).append(row)
    ways = {key: _failing(key, notices, now) for key, notices in by_key.items()}
    closed = _closed_ways()
    ways |= {key: replace(way, is_new=key in ways and ways[key].is_new) for key, way in closed.items()}
    return sorted(ways.values(), key=lambda one: (one.who.casefold(), one.key))


def _closed_ways() -> dict[str, Failing]:
    """The mail addresses of players at which nothing is sent; they are few."""
    rows = {row.address.lower(): row for row in ClosedAddress.objects.filter(channel=EmailChannel.key)}
    players = User.objects.alias(folded=Lower("email")).filter(folded__in=list(rows), is_active=True)
    ways = {}
    for pk, name, email in players.values_list("pk", "display_name", "email"):
        row, key = rows[email.lower()], f"player-{pk}-{EmailChannel.key}"
        words = CHANNEL_WORDS[EmailChannel.key]
        ways[key] = Failing(key, name, words, "is closed", row.detail, row.closed_at.date())
    return ways


def way_key(notice: Notice) -> str:
    """The name of whom this notice is for and by which way: "player-3-email", "player-3-way-7", "seat-12-email"."""
    player = _player(notice)
    whom = f"seat-{notice.seat_id}" if player is None else f"player-{player.pk}"
    return f"{whom}-{notice.channel}" if notice.endpoint_id is None else f"{whom}-way-{notice.endpoint_id}"


def _player(notice: Notice) -> Any:
    if notice.endpoint is not None:
        return notice.endpoint.player
    if notice.player is not None:
        return notice.player
    if notice.outbox_event is not None and notice.outbox_event.player is not None:
        return notice.outbox_event.player
    return None if notice.seat is None else notice.seat.player


def _failing(key: str, notices: list[Notice], now: datetime) -> Failing:
    last = notices[0]
    player = _player(last)
    invited_to = "" if last.seat is None else last.seat.race.name
    states = {notice.state for notice in notices}
    return Failing(
        key=key,
        who=f"somebody who is invited to {invited_to}" if player is None else player.display_name,
        way=CHANNEL_WORDS.get(last.channel, last.channel) if last.endpoint is None else last.endpoint.label,
        how=next((words for state, words in _HOW.items() if state in states), "being tried"),
        detail=_detail(last),
        since=min(notice.created_at for notice in notices).date(),
        is_new=any(_is_new(notice, now) for notice in notices),
    )


def _is_new(notice: Notice, now: datetime) -> bool:
    if notice.state != NoticeState.FAILED:
        return False
    return any(one.ended_at > now - timedelta(days=1) for one in notice.attempts.all())


def _detail(notice: Notice) -> str:
    """What the other side said; of a fault of ours its kind alone, since its words may be of what was to be told."""
    tries = list(notice.attempts.all())
    if tries and tries[-1].result == AttemptResult.ERROR:
        return f"our own fault ({tries[-1].detail.partition(':')[0]}); the server's log says more"
    return tries[-1].detail if tries and tries[-1].detail.startswith(notice.reason) else notice.reason


def mail_standings(*, now: datetime) -> list[Standing]:
    """Mails that came in within the last seven days, and older ones that are not settled, by state."""
    is_open = Q(state__in=[InboundState.STORED, InboundState.HELD])
    rows = InboundMail.objects.filter(is_open | Q(came_at__gt=now - LOOKED_BACK)).order_by().values("state")
    by_state = {row["state"]: row for row in rows.annotate(n=Count("pk"), at=Min("came_at"))}
    return [
        Standing(words, by_state[state]["n"], by_state[state]["at"]) if state in by_state else Standing(words, 0, None)
        for state, words in MAIL_WORDS.items()
    ]


def mails_listed(*, now: datetime) -> tuple[list[MailIn], int]:
    """Mails that are held, failed or wait for too long, and those refused of late: a hundred, and how many in all.

    The latest first.
    """
    stuck = Q(state=InboundState.STORED, due_at__lte=now - LATE)
    kept = Q(state__in=[InboundState.HELD, InboundState.FAILED])
    refused = Q(state=InboundState.REFUSED, came_at__gt=now - LOOKED_BACK)
    rows = InboundMail.objects.filter(stuck | kept | refused)
    found = [_mail_in(row) for row in _as_seen(rows).order_by("-pk")[:LISTED_MOST]]
    return found, len(found) if len(found) < LISTED_MOST else rows.count()


def mail_listed(*, mail: int) -> MailIn | None:
    """One mail as it is listed, in whatever state; None if there is none of this number."""
    row = _as_seen(InboundMail.objects.filter(pk=mail)).first()
    return None if row is None else _mail_in(row)


def _as_seen(rows: QuerySet[InboundMail]) -> QuerySet[Any]:
    """Without what the mails say."""
    has_bytes = ExpressionWrapper(Q(raw__isnull=False), output_field=BooleanField())
    return rows.defer("raw", "report").select_related("seat__race", "seat__player").annotate(has_bytes=has_bytes)


def _mail_in(row: Any) -> MailIn:
    can: tuple[str, ...] = ()
    if row.state == InboundState.HELD:
        can = ("release", "refuse") if row.has_bytes else ("refuse",)
    elif row.has_bytes and (row.state in _RETRIED or (row.state == InboundState.FAILED and row.acted_at is None)):
        can = ("retry",)
    seat = row.seat
    return MailIn(
        mail=row.pk,
        came_at=row.came_at,
        came_by=row.came_by,
        state=row.state,
        words=MAIL_WORDS[row.state],
        why=_why(row),
        sender=row.sender,
        race="" if seat is None else seat.race.public_id,
        name="" if seat is None else seat.race.name,
        driver="" if seat is None or seat.player is None else seat.player.display_name,
        can=can,
    )


def _why(row: InboundMail) -> str:
    """Why it stands so; of a fault of ours its kind alone, since its words may be of what the mail says."""
    if row.state in {InboundState.FAILED, InboundState.STORED}:
        kind, colon, _ = row.reason.partition(": ")
        return f"{kind}; the server's log says more" if colon else row.reason or "nobody has acted on it"
    return REFUSED_WORDS.get(row.reason, row.reason)
