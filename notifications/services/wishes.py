"""What a player wants to be told: reminders, one mail a day, no mail at all."""

from datetime import datetime

from django.db import transaction

from notifications.models import Wishes
from notifications.services.hours import daily_next
from notifications.words import ENDPOINT_KINDS
from roadkill_site.accounts.models import User

URGENT_MOST = 72


class WishRefused(Exception):
    """A wish that cannot be; ``field`` is which, the text a sentence."""

    def __init__(self, field: str, text: str) -> None:
        """Refuse what was given for `field`."""
        super().__init__(text)
        self.field = field


@transaction.atomic
def wishes_set(
    *,
    player: User,
    now: datetime,
    reminders: bool | None = None,
    daily_hour: int | None = None,
    is_daily: bool | None = None,
    urgent_hours: int | None = None,
) -> Wishes:
    """Change what is given, leave the rest; raises WishRefused.

    ``is_daily``: one mail a day, at ``daily_hour`` in the player's own zone, or single mails.
    """
    wishes = _row(player.pk)
    if reminders is not None:
        wishes.reminders = reminders
    if urgent_hours is not None:
        if not 0 <= urgent_hours <= URGENT_MOST:
            raise WishRefused("urgent_hours", f"Give hours from 0 to {URGENT_MOST}.")
        wishes.urgent_hours = urgent_hours
    if is_daily is False:
        wishes.daily_hour = wishes.daily_at = None
    elif is_daily or daily_hour is not None:
        hour = wishes.daily_hour if daily_hour is None else daily_hour
        if hour is None or not 0 <= hour <= 23:
            raise WishRefused("daily_hour", "Give the hour of the daily mail, from 0 to 23.")
        wishes.daily_hour = hour
        wishes.daily_at = daily_next(hour=hour, zone_name=player.time_zone, after=now)
    wishes.save()
    return wishes


@transaction.atomic
def mail_stop_all(*, player_id: int, is_stopped: bool) -> None:
    """Stop all mails about races to this player, or take them up again; doing so twice changes nothing."""
    wishes = _row(player_id)
    wishes.is_mail_stopped = is_stopped
    wishes.save(update_fields=["is_mail_stopped"])


@transaction.atomic
def mail_kinds_set(*, player_id: int, kinds_off: list[str]) -> None:
    """Mail all kinds of notices but these."""
    row = _row(player_id)
    row.mail_kinds_off = sorted(set(kinds_off) & ENDPOINT_KINDS)
    row.save(update_fields=["mail_kinds_off"])


def _row(player_id: int) -> Wishes:
    Wishes.objects.get_or_create(player_id=player_id)
    return Wishes.objects.select_for_update().get(player_id=player_id)
