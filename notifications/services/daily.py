"""One mail a day: what a player was asked and what happened in all races, at an hour of the player's own choice.

Single notices wait for it, unless the deadline that they speak of is near; then they go by themselves. Those that
waited count as told with the daily mail that left after them.
"""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from games.selectors.notices import NoticeFacts, races_told
from notifications.channels.email.channel import EmailChannel
from notifications.letters import Letter, day_in_words, letter_compose
from notifications.models import Notice, NoticeState, Occasion, Wishes
from notifications.selectors import daily_told_at
from notifications.services.hours import daily_next
from notifications.services.letter_links import answer_addresses
from notifications.services.marks import message_id_by_name
from notifications.services.pauses import is_paused, stop_all_link
from notifications.words import KIND_WORDS
from roadkill_site.accounts.models import User

GRACE: Final = timedelta(hours=1)
"""How long after its hour a daily mail may be on its way before what waits for it is looked at again."""
FIRST_SINCE: Final = timedelta(days=1)
"""How far back a player's first daily mail tells."""
QUESTIONS: Final = frozenset({"turn", "question"})
DUE: Final = QUESTIONS | {"purchase"}
"""Kinds that have a deadline."""
NEVER_FOLDED: Final = frozenset({"invited"})
"""An invitation is for an address, which need not be a player's."""


def fold_until(*, wishes: Wishes, notice: Notice, kind: str, due_at: datetime | None, now: datetime) -> datetime | None:
    """Until when this notice waits for the daily mail; None if it goes by itself, now."""
    if (
        wishes.daily_hour is None
        or wishes.daily_at is None
        or notice.channel != EmailChannel.key
        or kind in NEVER_FOLDED
    ):
        return None
    until = wishes.daily_at + GRACE
    if due_at is not None and kind in DUE:
        until = min(until, due_at - timedelta(hours=wishes.urgent_hours))
    return until if until > now else None


@transaction.atomic
def daily_make(*, now: datetime) -> list[int]:
    """Make the daily mails whose hour has come; returns the row numbers of the notices.

    Safe to run twice, and side by side: there is one a player and moment. After an outage of days there is one.
    """
    due = Wishes.objects.filter(daily_at__lte=now, daily_hour__isnull=False).select_related("player").order_by("pk")
    wishes = list(due.select_for_update(of=("self",))[:500])
    notices = []
    for one in wishes:
        assert one.daily_at is not None
        assert one.daily_hour is not None
        notices.append(
            Notice(
                player_id=one.player_id,
                channel=EmailChannel.key,
                occasion=Occasion.DAILY,
                moment=one.daily_at,
                message_id=message_id_by_name(occasion=Occasion.DAILY, owner=str(one.player_id), moment=one.daily_at),
                due_at=now,
            )
        )
        one.daily_at = daily_next(hour=one.daily_hour, zone_name=one.player.time_zone, after=now)
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    Wishes.objects.bulk_update(wishes, ["daily_at"])
    ids = [notice.message_id for notice in notices]
    return list(Notice.objects.filter(message_id__in=ids, state=NoticeState.PENDING).values_list("pk", flat=True))


def daily_letter(*, notice: Notice, player: User, now: datetime) -> Letter | None:
    """What a player is told today, or None if nothing is asked and nothing has happened."""
    since = daily_told_at(player_id=player.pk) or now - FIRST_SINCE
    waiting = list(_folded(player.pk).select_related("outbox_event", "seat__race").order_by("pk"))
    told = [
        facts
        for facts in races_told(player_id=player.pk, since=since)
        if not is_paused(seat_id=facts.seat.pk, address=player.email)
    ]
    races = [_race_letter(facts, now) for facts in told if _is_asked(facts) or facts.story]
    news = [
        f"{one.seat.race.name}: {KIND_WORDS[one.outbox_event.kind]}."
        for one in waiting
        if one.seat is not None and one.outbox_event is not None and one.outbox_event.kind not in DUE
    ]
    if not races and not news:
        return None
    asked = [letter for letter in races if letter.question is not None]
    return Letter(
        kind="daily",
        thread=f"daily-{salted_hmac(__name__, str(player.pk), algorithm='sha256').hexdigest()[:20]}",
        race_name="Your races",
        game="Your daily mail",
        turn=None,
        name=player.display_name,
        race_address=settings.SITE_URL + "/",
        stop_address=stop_all_link(player_id=player.pk, address=player.email),
        races=(*asked, *(letter for letter in races if letter.question is None)),
        notes=tuple(news),
        facts={
            "day": day_in_words(notice.moment or now, player.time_zone),
            "asked": str(len(asked)),
        },
    )


def daily_sent(*, player_id: int, before: datetime, at: datetime) -> int:
    """Note that what waited when the daily mail was written was told with it; how many notices that were."""
    return (
        _folded(player_id)
        .filter(created_at__lte=before)
        .update(state=NoticeState.SENT, sent_at=at, reason="in your daily mail")
    )


def _folded(player_id: int) -> QuerySet[Notice]:
    by_name = Q(outbox_event__player_id=player_id) | Q(outbox_event__player=None, seat__player_id=player_id)
    waiting = Notice.objects.filter(by_name, channel=EmailChannel.key, state=NoticeState.PENDING)
    return waiting.exclude(occasion=Occasion.DAILY).exclude(outbox_event__kind__in=NEVER_FOLDED)


def _is_asked(facts: NoticeFacts) -> bool:
    question = facts.presented["question"]
    return question is not None and question["sealed"] is None


def _race_letter(facts: NoticeFacts, now: datetime) -> Letter:
    presented = facts.presented if _is_asked(facts) else {**facts.presented, "question": None}
    return letter_compose(
        kind="daily",
        presented=presented,
        name=facts.name,
        zone_name=facts.time_zone,
        now=now,
        race_address=facts.race_address,
        stop_address="",
        answer_addresses=answer_addresses(facts),
        story=facts.story,
        is_story_cut=facts.is_story_cut,
        campaign=facts.campaign,
    )
