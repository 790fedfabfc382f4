"""How the sign-in library is fitted to accounts without passwords."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from roadkill_site.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Makes an account from the join form in one write: mail address, name, time zone."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:  # noqa: FBT001, FBT002
        """Fill the new account `user` from the checked join form and save it."""
        user.email = form.cleaned_data["email"].lower()
        user.display_name = form.cleaned_data["display_name"]
        user.time_zone = form.cleaned_data["time_zone"]
        user.set_unusable_password()
        if commit:
            user.save()
        return user
