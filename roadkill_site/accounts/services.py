"""What is written about accounts: the profile, API tokens, and the sign-in link of a development server."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from roadkill_site.accounts.models import ApiToken, User

KEY_MARK: Final = "rk_"
# Letters of a key that stand in its row: enough to find the row, far too few to guess the rest.
PREFIX_LENGTH: Final = len(KEY_MARK) + 9
LAST_USED_GRAIN: Final = timedelta(minutes=5)
TOKENS_PER_USER: Final = 20
SIGN_IN_LINK_SALT: Final = "roadkill_site.accounts.sign_in_link"
SIGN_IN_LINK_AGE: Final = timedelta(hours=12)


class TokenRefused(Exception):
    """A token cannot be made; the text says why."""


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


def _sign_in_facts(user: User) -> list[int | str]:
    return [user.pk, "" if user.last_login is None else user.last_login.isoformat()]
