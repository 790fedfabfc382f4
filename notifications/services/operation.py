"""What an operator does for those to whom nothing gets through."""

import re
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q

from notifications.channels.email.channel import EmailChannel
from notifications.models import Endpoint, Notice, NoticeState
from notifications.operation_selectors import LOOKED_BACK, failing_notices, failing_ways
from notifications.selectors import notices_of_player
from notifications.services.addresses import address_open
from notifications.services.telling import ADDRESS_CLOSED
from roadkill_site.accounts.models import User

_KEY: Final = re.compile(r"(player|seat)-([0-9]+)-(?:way-([0-9]+)|[a-z]+)")
_SETTLED: Final = (NoticeState.FAILED, NoticeState.BOUNCED, NoticeState.DROPPED)


class WayUnknown(Exception):
    """Nothing fails by that way; the text is a sentence."""


@transaction.atomic
def way_retry(*, key: str, now: datetime) -> None:
    """Open a way that was closed, and have tried again what did not get through there within seven days.

    ``key``: as in notifications.operation_selectors.Failing; raises WayUnknown for any other. What each notice tells is
    looked up anew, and dropped if it is over. How many there are is not told, since it would tell of questions.
    """
    if key not in {way.key for way in failing_ways(now=now)}:
        raise WayUnknown(f"Nothing fails by a way “{key[:60]}”; operator_status names those by which something does.")
    _retry(key, now)


@transaction.atomic
def ways_retry(*, now: datetime) -> int:
    """Do so for every way by which something fails; returns how many ways there are."""
    ways = failing_ways(now=now)
    for way in ways:
        _retry(way.key, now)
    return len(ways)


def _retry(key: str, now: datetime) -> None:
    found = _KEY.fullmatch(key)
    assert found is not None, "a selector made it"
    whom, number, way = found[1], int(found[2]), found[3]
    if way is not None:
        own = Q(endpoint_id=int(way))
        Endpoint.objects.filter(pk=int(way)).update(closed_at=None, closed_detail="")
    elif whom == "player":
        told = notices_of_player(player_id=number, most=None).filter(endpoint=None)
        own = Q(pk__in=list(told.values_list("pk", flat=True)))
        address_open(channel=EmailChannel.key, address=User.objects.get(pk=number).email)
    else:
        own = Q(seat_id=number, seat__player=None, outbox_event__player=None, endpoint=None)
        for address in Notice.objects.filter(own).values_list("seat__invited_email", flat=True).distinct():
            address_open(channel=EmailChannel.key, address=address)
    lost = failing_notices(now=now).filter(own)
    not_sent = Notice.objects.filter(
        own, state=NoticeState.DROPPED, reason=ADDRESS_CLOSED, created_at__gt=now - LOOKED_BACK
    )
    ids = {*lost.values_list("pk", flat=True), *not_sent.values_list("pk", flat=True)}
    again = Notice.objects.filter(pk__in=ids, state__in=[*_SETTLED, NoticeState.PENDING])
    again.update(state=NoticeState.PENDING, due_at=now, attempt_count=0, reason="")
