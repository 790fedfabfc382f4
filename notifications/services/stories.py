"""The public log of a race, told at endpoints that others read too: what everybody may know, and nothing else."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q
from django.urls import reverse

from games.selectors.log import Place, log_page
from games.selectors.races import race_present
from notifications.channels import CHANNELS
from notifications.letters import Letter, letter_compose
from notifications.models import Endpoint, Notice, NoticeState, Occasion
from notifications.services.marks import message_id_by_name

_MAY_FOLLOW: Final = Q(race__is_public=True) | Q(race__host=F("player"))
"""A race may be closed to others after an endpoint of theirs began to follow it; then it is told nothing more."""


@transaction.atomic
def stories_make(*, now: datetime) -> list[int]:
    """Make a notice for each shared endpoint whose race has new public lines; returns the row numbers.

    An endpoint has one on its way at a time; the lines that come meanwhile are told with the next.
    """
    noted = Endpoint.objects.annotate(noted=Count("race__notes", filter=Q(race__notes__seq=F("told_seq"))))
    is_new = Q(race__seq__gt=F("told_seq")) | Q(race__has_notes=True, pk__in=noted.filter(noted__gt=F("told_notes")))
    rows = Endpoint.objects.filter(is_new, _MAY_FOLLOW, is_shared=True, closed_at=None, race__fault="")
    on_its_way = Notice.objects.filter(
        occasion=Occasion.STORY, state__in=[NoticeState.PENDING, NoticeState.SENDING]
    ).values("endpoint_id")
    rows = rows.exclude(pk__in=on_its_way).select_related("race", "race__host").select_for_update(of=("self",))
    notices = []
    for row in rows.order_by("pk")[:500]:
        assert row.race is not None
        if row.channel not in CHANNELS or not CHANNELS[row.channel].is_on:
            continue
        part = log_page(race=row.race, viewer=None, most=1, since=_told(row))
        if not part["lines"]:
            story_told(endpoint_id=row.pk, place=part["place"])
            continue
        notices.append(
            Notice(
                player_id=row.player_id,
                endpoint=row,
                channel=row.channel,
                occasion=Occasion.STORY,
                moment=now,
                due_at=now,
                message_id=message_id_by_name(occasion=Occasion.STORY, owner=f"{row.pk}:{_told(row)}", moment=now),
            )
        )
    Notice.objects.bulk_create(notices)
    return [notice.pk for notice in notices]


def story_letter(endpoint: Endpoint, *, now: datetime) -> tuple[Letter, Place] | None:
    """The lines that everybody may read and that were not told there yet, and the place behind them; None for none."""
    race = endpoint.race
    assert race is not None
    if not Endpoint.objects.filter(_MAY_FOLLOW, pk=endpoint.pk).exists():
        return None
    part = log_page(race=race, viewer=None, most=None, since=_told(endpoint))
    if not part["lines"]:
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
        story=part["lines"],
    )
    return letter, part["place"]


def story_told(*, endpoint_id: int, place: Place) -> None:
    """Note that the lines up to this place were told there."""
    behind = Q(told_seq__lt=place.entry) | Q(told_seq=place.entry, told_notes__lt=place.notes or 0)
    Endpoint.objects.filter(behind, pk=endpoint_id).update(told_seq=place.entry, told_notes=place.notes or 0)


def _told(endpoint: Endpoint) -> Place:
    return Place(endpoint.told_seq, endpoint.told_notes)
