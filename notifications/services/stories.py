"""The public log of a race, told at endpoints that others read too: what everybody may know, and nothing else."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.urls import reverse

from games.selectors.log import log_of
from games.selectors.races import race_present
from notifications.channels import CHANNELS
from notifications.letters import Letter, letter_compose
from notifications.models import Endpoint, Notice, NoticeState, Occasion
from notifications.services.marks import message_id_by_name


@transaction.atomic
def stories_make(*, now: datetime) -> list[int]:
    """Make a notice for each shared endpoint whose race has new public lines; returns the row numbers.

    An endpoint has one on its way at a time; the lines that come meanwhile are told with the next.
    """
    rows = Endpoint.objects.filter(is_shared=True, closed_at=None, race__seq__gt=F("told_seq"), race__fault="")
    on_its_way = Notice.objects.filter(
        occasion=Occasion.STORY, state__in=[NoticeState.PENDING, NoticeState.SENDING]
    ).values("endpoint_id")
    rows = rows.exclude(pk__in=on_its_way).select_related("race", "race__host").select_for_update(of=("self",))
    notices = []
    for row in rows.order_by("pk")[:500]:
        assert row.race is not None
        if row.channel not in CHANNELS or not CHANNELS[row.channel].is_on:
            continue
        if not log_of(race=row.race, viewer=None, since=row.told_seq, last=1):
            story_told(endpoint_id=row.pk, seq=row.race.seq)
            continue
        notices.append(
            Notice(
                player_id=row.player_id,
                endpoint=row,
                channel=row.channel,
                occasion=Occasion.STORY,
                moment=now,
                due_at=now,
                message_id=message_id_by_name(occasion=Occasion.STORY, owner=f"{row.pk}:{row.told_seq}", moment=now),
            )
        )
    Notice.objects.bulk_create(notices)
    return [notice.pk for notice in notices]


def story_letter(endpoint: Endpoint, *, now: datetime) -> tuple[Letter, int] | None:
    """The lines that everybody may read and that were not told there yet, and the last entry among them."""
    race = endpoint.race
    assert race is not None
    lines = log_of(race=race, viewer=None, since=endpoint.told_seq)
    if not lines:
        return None
    presented = {**race_present(race=race, viewer=None, log_last=0), "question": None}
    letter = letter_compose(
        kind="story",
        presented=presented,
        name="",
        zone_name=settings.TIME_ZONE,
        now=now,
        race_address=settings.SITE_URL + reverse("games:race", args=[race.public_id]),
        stop_address="",
        answer_addresses={},
        story=lines,
    )
    return letter, lines[-1]["entry"]


def story_told(*, endpoint_id: int, seq: int) -> None:
    """Note that the lines up to this entry were told there."""
    Endpoint.objects.filter(pk=endpoint_id, told_seq__lt=seq).update(told_seq=seq)
