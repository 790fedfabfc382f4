"""What is written about accounts: hours and holidays, API tokens, the sign-in link of a development server."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from roadkill_site.accounts.models import ApiToken, Holiday, User, days_off_check, time_zone_check
from roadkill_site.accounts.selectors import holiday_days_by_year, local_day
from roadkill_site.accounts.signals import calendar_changed

KEY_MARK: Final = "rk_"
# Letters of a key that stand in its row: enough to find the row, far too few to guess the rest.
PREFIX_LENGTH: Final = len(KEY_MARK) + 9
LAST_USED_GRAIN: Final = timedelta(minutes=5)
TOKENS_PER_USER: Final = 20
SIGN_IN_LINK_SALT: Final = "roadkill_site.accounts.sign_in_link"
SIGN_IN_LINK_AGE: Final = timedelta(hours=12)


class TokenRefused(Exception):
    """A token cannot be made; the text says why."""


class HoursRefused(Exception):
    """Hours or a holiday cannot be so; the text says why, ``field`` which part."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


LONGEST_AHEAD: Final = timedelta(days=731)
"""A holiday begins within two years: what is typed beyond that is a slip of the pen."""


@transaction.atomic
def hours_set(
    *,
    user: User,
    quiet_from: time | None,
    quiet_until: time | None,
    days_off: Sequence[int],
    time_zone: str | None = None,
) -> User:
    """Say when a player's time does not count: quiet hours (local; None and None: none) and days off (0: Monday).

    Raises HoursRefused: time_zone, quiet_from, quiet_until, days_off.
    """
    kept = User.objects.select_for_update().get(pk=user.pk)
    if time_zone is not None:
        _check("time_zone", time_zone_check, time_zone)
        kept.time_zone = time_zone
    if (quiet_from is None) != (quiet_until is None):
        field = "quiet_from" if quiet_from is None else "quiet_until"
        raise HoursRefused(field, "Quiet hours need a beginning and an end; leave both empty for none.")
    if quiet_from is not None and quiet_from == quiet_until:
        raise HoursRefused("quiet_until", "Quiet hours end at another time than they begin: no time would count.")
    _check("days_off", days_off_check, list(days_off))
    kept.quiet_from, kept.quiet_until, kept.days_off = quiet_from, quiet_until, sorted(days_off)
    kept.save(update_fields=["time_zone", "quiet_from", "quiet_until", "days_off"])
    _calendar_changed(kept)
    return kept


@transaction.atomic
def holiday_take(*, user: User, first: date, last: date, now: datetime | None = None) -> Holiday:
    """Take a holiday: whole local days, both ends included, out of the allowance of each year that it lies in.

    The same days again are the same holiday. Raises HoursRefused: first, last.
    """
    kept = User.objects.select_for_update().get(pk=user.pk)
    today = local_day(user=kept, now=timezone.now() if now is None else now)
    same = Holiday.objects.filter(user=kept, first=first, last=last).first()
    if same is not None:
        return same
    if last < first:
        raise HoursRefused("last", "A holiday ends on its first day or later.")
    if first < today:
        raise HoursRefused("first", "A holiday begins today or later: what has passed has counted.")
    if first > today + LONGEST_AHEAD or last > today + LONGEST_AHEAD:
        raise HoursRefused("first", "A holiday lies within the next two years.")
    if Holiday.objects.filter(user=kept, first__lte=last, last__gte=first).exists():
        raise HoursRefused("first", "You have a holiday on some of these days already; take it back first.")
    taken = holiday_days_by_year(user=kept)
    for year, days in _days_by_year(first, last).items():
        left = max(0, settings.HOLIDAY_DAYS_A_YEAR - taken.get(year, 0))
        if days > left:
            raise HoursRefused("last", f"You have {left} days of holiday left in {year}; this takes {days} of them.")
    holiday = Holiday.objects.create(user=kept, first=first, last=last)
    _calendar_changed(kept)
    return holiday


@transaction.atomic
def holiday_take_back(*, user: User, holiday_id: int, now: datetime | None = None) -> bool:
    """Take a holiday back; one that has begun ends today instead. False if there is none that could still be."""
    kept = User.objects.select_for_update().get(pk=user.pk)
    today = local_day(user=kept, now=timezone.now() if now is None else now)
    holiday = Holiday.objects.filter(pk=holiday_id, user=kept, last__gte=today).first()
    if holiday is None or holiday.first < today == holiday.last:
        return False
    if holiday.first < today:
        holiday.last = today
        holiday.save(update_fields=["last"])
    else:
        holiday.delete()
    _calendar_changed(kept)
    return True


def _days_by_year(first: date, last: date) -> dict[int, int]:
    """How many days of this time lie in each year."""
    return {
        year: (min(last, date(year, 12, 31)) - max(first, date(year, 1, 1))).days + 1
        for year in range(first.year, last.year + 1)
    }


def _check(field: str, check: Callable[[Any], None], value: object) -> None:
    try:
        check(value)
    except ValidationError as wrong:
        raise HoursRefused(field, " ".join(wrong.messages)) from wrong


def _calendar_changed(user: User) -> None:
    calendar_changed.send(sender=User, user_id=user.pk)


def key_digest(key: str) -> str:
    """The SHA-256 of an API key, in hexadecimal. A key is 256 random bits, so no slow hash is needed."""
    return hashlib.sha256(key.encode("utf-8")).hexdigest()


@transaction.atomic
def api_token_create(*, user: User, label: str) -> tuple[ApiToken, str]:
    """Make a token for `user`; the second value is its key, which can be shown this once and never again."""
    User.objects.select_for_update().get(pk=user.pk)
    if ApiToken.objects.filter(user=user, revoked_at=None).count() >= TOKENS_PER_USER:
        raise TokenRefused(f"You have {TOKENS_PER_USER} tokens, which is the most; revoke one first.")
    key = KEY_MARK + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, label=label, prefix=key[:PREFIX_LENGTH], digest=key_digest(key))
    return token, key


def api_token_revoke(*, user: User, token_id: int) -> bool:
    """End a token of `user`'s at once; False if there is no such token, or it had ended before."""
    return ApiToken.objects.filter(pk=token_id, user=user, revoked_at=None).update(revoked_at=timezone.now()) == 1


def api_token_used(*, token: ApiToken, at: datetime) -> None:
    """Note that `token` was used, at most once in five minutes, so that reading by API seldom writes."""
    stale = Q(last_used_at=None) | Q(last_used_at__lt=at - LAST_USED_GRAIN)
    if token.last_used_at is None or token.last_used_at < at - LAST_USED_GRAIN:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=at)


@transaction.atomic
def operator_make(*, email: str, display_name: str) -> User:
    """Give the account of `email` an operator's rights; an account that is not there yet is made, with this name."""
    user = User.objects.select_for_update().filter(email__iexact=email).first()
    if user is None:
        return User.objects.create_superuser(email, display_name=display_name)
    user.is_staff = user.is_superuser = True
    user.save(update_fields=["is_staff", "is_superuser"])
    return user


def sign_in_link(user: User) -> str:
    """The address that signs `user` in once, on a development server only.

    It holds good for twelve hours and until the account's next sign-in: the time of the last one is part of
    what is signed.
    """
    if not settings.DEVELOPMENT:
        raise RuntimeError("Sign-in links are made by development servers only.")
    token = signing.dumps(_sign_in_facts(user), salt=SIGN_IN_LINK_SALT)
    return f"{settings.SITE_URL}{reverse('account_sign_in_link', args=[token])}"


def sign_in_link_user(token: str) -> User | None:
    """The account that a sign-in link's token signs in, or None if it is forged, too old, or used up."""
    if not settings.DEVELOPMENT:
        return None
    try:
        facts = signing.loads(token, salt=SIGN_IN_LINK_SALT, max_age=SIGN_IN_LINK_AGE)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=facts[0], is_active=True).first()
    return user if user is not None and _sign_in_facts(user) == facts else None


def sign_in_link_address(token: str) -> str:
    """The mail address of the account that a link was made for, used up or too old as it may be; "" if it is forged."""
    try:
        facts = signing.loads(token, salt=SIGN_IN_LINK_SALT)
    except signing.BadSignature:
        return ""
    return User.objects.filter(pk=facts[0], is_active=True).values_list("email", flat=True).first() or ""


def _sign_in_facts(user: User) -> list[int | str]:
    return [user.pk, "" if user.last_login is None else user.last_login.isoformat()]
