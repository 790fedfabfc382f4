"""A letter as a mail: subject, text, HTML and headers."""

import re
from typing import Any, Final

import css_inline
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from notifications.channels.wording import subject_of
from notifications.inbound.address import return_path_make, stop_address_make
from notifications.inbound.marker import MARKER
from notifications.letters import Letter

FOLDER: Final = "notifications/email"
SIZE_MOST: Final = 100_000
"""Bytes of HTML above which one large provider cuts a mail off."""
_RULE_LINE: Final = "-" * 64
# How many answers get a box of their own, and how many are printed at all, from the fullest way to the
# barest; a box takes five times the bytes of a line.
_FULLNESS: Final = ((16, 1000), (0, 1000), (0, 60))
# Of a daily mail: how many answers each question gets; the page has them all.
_DAILY_FULLNESS: Final = ((0, 1000), (0, 40), (0, 12), (0, 0))

# Nothing is fetched: the styles stand in the template, and what can only stand in a style element (dark,
# narrow) stays there.
_INLINER: Final = css_inline.CSSInliner(keep_at_rules=True, keep_style_tags=False, load_remote_stylesheets=False)


class LetterTooLong(Exception):
    """The HTML is longer than what readers show; the letter's parts must be capped where it is composed."""


def mail_compose(*, letter: Letter, message_id: str, address: str) -> EmailMultiAlternatives:
    """The mail: multipart/alternative, text first and complete by itself."""
    subject = subject_of(letter, _context(letter))
    mail = EmailMultiAlternatives(
        subject=subject,
        body=mail_text(letter),
        from_email=_return_path(message_id),
        to=[address],
        reply_to=[letter.reply_address] if letter.reply_address else None,
        headers=_headers(letter, message_id),
    )
    mail.attach_alternative(mail_html(letter, subject), "text/html")
    return mail


def mail_text(letter: Letter) -> str:
    """The text part: no line ends in blanks, no two empty lines in a row."""
    printed = render_to_string(f"{FOLDER}/{letter.kind}/text.txt", _context(letter))
    text = "\n".join(line.rstrip() for line in printed.splitlines())
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def mail_html(letter: Letter, subject: str) -> str:
    """The HTML part, styles inlined, under SIZE_MOST bytes.

    A very long list of answers is printed as plain lines; of one that is still too long the first ones are,
    and the rest is left to the text part and the page.
    """
    html = ""
    for boxed, printed in _DAILY_FULLNESS if letter.races else _FULLNESS:
        answers = letter.question.answers if letter.question else ()
        context = {
            **_context(letter),
            "subject": subject,
            "boxed_answers": answers[:boxed],
            "plain_answers": answers[boxed:printed],
            "answers_left_out": len(answers[printed:]),
            "answers_most": f":{printed}",
        }
        html = _INLINER.inline(render_to_string(f"{FOLDER}/{letter.kind}/html.html", context))
        html = re.sub(r">\s*\n\s*<", ">\n<", html)
        if len(html.encode()) < SIZE_MOST:
            return html
    raise LetterTooLong(f"{len(html.encode())} bytes of HTML for {letter.kind} in race {letter.thread}")


def _context(letter: Letter) -> dict[str, Any]:
    leads = [{"text": f"{FOLDER}/{kind}/lead.txt", "html": f"{FOLDER}/{kind}/lead.html"} for kind in letter.news]
    return {"letter": letter, "rule_line": _RULE_LINE, "leads": leads, "marker": MARKER}


def _headers(letter: Letter, message_id: str) -> dict[str, str]:
    thread = letter.thread if letter.kind == "daily" else f"race-{letter.thread}"
    root = f"<{thread}@{settings.REPLY_DOMAIN}>"
    headers = {
        "From": settings.MAIL_FROM,
        "Message-ID": message_id,
        # One thread a race: all mails answer a root that was never sent. Some providers write a Message-ID of
        # their own over ours, so it is repeated where they leave it.
        "In-Reply-To": root,
        "References": f"{root} {message_id}",
        "List-Id": f"<{thread}.{settings.REPLY_DOMAIN}>",
        "List-Unsubscribe": _ways_to_stop(letter, message_id),
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        # By which a mail of ours is known when a forwarder sends it back under a name of its own.
        "X-Loop": settings.REPLY_DOMAIN,
    }
    if letter.stop_address.startswith("https://"):
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058 allows it with https only
    if letter.transcript is not None:
        headers["Auto-Submitted"] = "auto-replied"
        answered = letter.facts["answered"]
        if answered:
            headers["In-Reply-To"] = answered
            headers["References"] = f"{root} {answered} {message_id}"
    return headers


def _ways_to_stop(letter: Letter, message_id: str) -> str:
    """The page, and where mail can be read an address too, for mail programs that know no other way (RFC 2369, 3.2)."""
    ways = [letter.stop_address]
    if settings.REPLIES:
        ways.append(f"mailto:{stop_address_make(**_signed(message_id))}?subject=stop")
    return ", ".join(f"<{way}>" for way in ways)


def _return_path(message_id: str) -> str:
    """The envelope's sender: an address of its own for each mail, if we can read what comes back to it."""
    if not settings.REPLIES:
        return str(settings.MAIL_FROM)
    return return_path_make(**_signed(message_id))


def _signed(message_id: str) -> dict[str, Any]:
    """What the addresses that name this mail are made of."""
    reference = message_id.strip("<>").partition("@")[0]
    return {"reference": reference, "secret": settings.SECRET_KEY.encode("utf-8"), "domain": settings.REPLY_DOMAIN}
