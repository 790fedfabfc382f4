"""What is read about accounts."""

from django.db.models import QuerySet

from roadkill_site.accounts.models import ApiToken, User


def api_token_list(*, user: User) -> QuerySet[ApiToken]:
    """The tokens of `user` that still open the API, newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None)
