"""The Message-IDs of notices: fixed by what a notice is about, and keyed.

Row numbers would tell a reader how many notices others got in between.
"""

from datetime import UTC, datetime

from django.conf import settings
from django.utils.crypto import salted_hmac

# The module in which they were first made: mails that have left keep theirs.
_SALT = "notifications.services.dispatch"


def message_id_of(*, event_id: int, seat_id: int, channel: str, reminder: str = "") -> str:
    """The Message-ID of the notice of this event to this seat by this channel: always the same.

    ``channel``: with an endpoint's number, if it has them. ``reminder``: which one, if it is not the first notice.
    """
    return _message_id(f"{event_id}:{seat_id}:{channel}{reminder and ':' + reminder}")


def message_id_by_name(*, occasion: str, owner: str, moment: datetime) -> str:
    """The Message-ID of what comes of no event: for whom (or what) and for when."""
    return _message_id(f"{occasion}:{owner}:{moment.astimezone(UTC).isoformat()}")


def _message_id(facts: str) -> str:
    mark = salted_hmac(_SALT, facts, algorithm="sha256").hexdigest()[:40]
    return f"<{mark}@{settings.REPLY_DOMAIN}>"
