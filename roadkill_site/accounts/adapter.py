"""How the sign-in library is fitted to accounts without passwords."""

import logging
import smtplib
from email.utils import make_msgid
from typing import Any, ClassVar, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.shortcuts import render

from roadkill_site.accounts.models import User

logger = logging.getLogger(__name__)

TOO_MANY: Final = "too_many_login_attempts"
"""The library's word for a limit that has been reached."""
TOO_MANY_CODES: Final = (
    "Too many codes were asked for within a minute. Wait a minute, then ask again; the newest code still holds."
)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Makes an account from the join form in one write; mails codes as mail that no machine should answer."""

    # There are no passwords: what fails too often is a code that is typed.
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        TOO_MANY: "Three wrong codes were typed, and the code is void. Ask for another one.",
        "rate_limited": TOO_MANY_CODES,
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:  # noqa: FBT001, FBT002
        """Fill the new account `user` from the checked join form, and save it."""
        user.email = form.cleaned_data["email"].lower()
        user.display_name = form.cleaned_data["display_name"]
        user.time_zone = form.cleaned_data["time_zone"]
        user.set_unusable_password()
        if commit:
            user.save()
        return user

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """The mail to `email` from the template, marked as sent by a program (RFC 3834)."""
        marks = {
            # The library's own would name the machine.
            "Message-ID": make_msgid(domain=settings.REPLY_DOMAIN),
            "Auto-Submitted": "auto-generated",
            "X-Auto-Response-Suppress": "All",
        }
        message: EmailMessage = super().render_mail(
            template_prefix, email, {**context, "site_url": settings.SITE_URL}, {**(headers or {}), **marks}
        )
        return message

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send at once, since somebody waits for the code; if the mail server fails, say so on the page."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, smtplib.SMTPException) as failed:
            logger.exception("A mail of kind %s could not be sent", template_prefix)
            raise ImmediateHttpResponse(render(self.request, "accounts/mail_failed.html", status=503)) from failed
