"""What is read about accounts."""

from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import QuerySet

from roadkill_site.accounts.models import ApiToken, Holiday, User


def api_token_list(*, user: User) -> QuerySet[ApiToken]:
    """The tokens of `user` that still open the API, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None)


def local_day(*, user: User, now: datetime) -> date:
    """Today, where the player is."""
    return now.astimezone(ZoneInfo(user.time_zone)).date()


def holiday_list(*, user: User, now: datetime) -> list[Holiday]:
    """The player's holidays that are not over, the next one first."""
    return list(Holiday.objects.filter(user=user, last__gte=local_day(user=user, now=now)).order_by("first"))


def holiday_days_by_year(*, user: User) -> dict[int, int]:
    """How many days of holiday the player has taken in each year."""
    days: Counter[int] = Counter()
    for first, last in Holiday.objects.filter(user=user).values_list("first", "last"):
        days.update((first + timedelta(days=number)).year for number in range((last - first).days + 1))
    return dict(days)


def hours_of(*, user: User, now: datetime) -> dict[str, Any]:
    """When the player's time does not count.

    {"time_zone", "quiet_from", "quiet_until": "22:00" or None, "days_off": [0 for Monday], "holidays": [{"id", "first",
    "last"}] that are not over, "holiday_days_left": {"2026": days}: this year and the next}
    """
    taken, year = holiday_days_by_year(user=user), local_day(user=user, now=now).year
    return {
        "time_zone": user.time_zone,
        "quiet_from": None if user.quiet_from is None else f"{user.quiet_from:%H:%M}",
        "quiet_until": None if user.quiet_until is None else f"{user.quiet_until:%H:%M}",
        "days_off": user.days_off,
        "holidays": [
            {"id": holiday.pk, "first": holiday.first.isoformat(), "last": holiday.last.isoformat()}
            for holiday in holiday_list(user=user, now=now)
        ],
        "holiday_days_left": {
            str(one): max(0, settings.HOLIDAY_DAYS_A_YEAR - taken.get(one, 0)) for one in (year, year + 1)
        },
    }
