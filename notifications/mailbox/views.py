"""The pages of the development mailbox.

The list, one mail as its reader would see it, its HTML by itself, and emptying it.
"""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from notifications.mailbox.backend import MailboxBackend
from notifications.mailbox.reply import reply_write
from notifications.mailbox.store import StoredMail, mail_drop_all, mail_get, mail_list
from notifications.reply_models import Way
from notifications.services.replies.keeping import mail_keep

PAGE: Final = 50
TEXT_MOST: Final = 10_000
# A mail's HTML may style itself and link outwards, and nothing else: no script, no form, nothing fetched, no
# name of its own here.
_HTML_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; "
    "sandbox allow-top-navigation-by-user-activation allow-popups allow-popups-to-escape-sandbox"
)


def is_on() -> bool:
    """Whether this server keeps its mails for itself: in development, without a mail server."""
    backend = f"{MailboxBackend.__module__}.{MailboxBackend.__qualname__}"
    return bool(settings.DEVELOPMENT) and backend == settings.EMAIL_BACKEND


@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    """The kept mails, newest first, fifty a page."""
    _refuse_unless_on()
    mails = mail_list(_folder(), most=PAGE + 1, before=request.GET.get("before", ""))
    older = mails[PAGE - 1].key if len(mails) > PAGE else ""
    return render(request, "notifications/mailbox/list.html", {"mails": mails[:PAGE], "older": older})


@require_safe
def mailbox_mail(request: HttpRequest, key: str) -> HttpResponse:
    """One mail: its HTML in a frame, its text, its headers."""
    mail = _mail(key)
    context = {
        "mail": mail,
        "has_html": mail.part("html") is not None,
        "text": mail.part("plain"),
        "may_reply": settings.REPLIES and bool(mail.reply_address),
    }
    return render(request, "notifications/mailbox/mail.html", context)


@require_safe
def mailbox_html(request: HttpRequest, key: str) -> HttpResponse:
    """The HTML part alone, shut into a sandbox; its links open in the whole window."""
    html = _mail(key).part("html")
    if html is None:
        raise Http404("This mail has no HTML part.")
    response = HttpResponse(html.replace("<head>", '<head><base target="_top">', 1))
    response.headers["Content-Security-Policy"] = _HTML_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


@require_POST
def mailbox_reply(request: HttpRequest, key: str) -> HttpResponse:
    """Answer a mail as its reader's mail program would: the same mail takes the same way as one from outside."""
    mail = _mail(key)
    text = request.POST.get("text", "").strip()
    if not settings.REPLIES or not mail.reply_address:
        raise Http404("This mail is not one that may be answered.")
    if not text:
        messages.error(request, "Write something first: a number, an order, or help.")
        return HttpResponseRedirect(reverse("mailbox:mail", args=[key]))
    mail_keep(
        raw=reply_write(mail, text[:TEXT_MOST]),
        came_by=Way.PAGE,
        envelope_sender=mail.recipient,
        envelope_recipients=[mail.reply_address],
    )
    messages.success(request, "Your reply is on its way. The answer comes into this mailbox in a moment.")
    return HttpResponseRedirect(reverse("mailbox:list"))


@require_POST
def mailbox_empty(request: HttpRequest) -> HttpResponse:
    """Delete every kept mail."""
    _refuse_unless_on()
    count = mail_drop_all(_folder())
    messages.success(request, f"{count} mail{'' if count == 1 else 's'} deleted.")
    return HttpResponseRedirect(reverse("mailbox:list"))


def _mail(key: str) -> StoredMail:
    _refuse_unless_on()
    mail = mail_get(_folder(), key)
    if mail is None:
        raise Http404("There is no such mail in the mailbox.")
    return mail


def _refuse_unless_on() -> None:
    if not is_on():
        raise Http404("The mailbox is open only on a development server that has no mail server.")


def _folder() -> Path:
    return Path(settings.MAILBOX_DIR)
