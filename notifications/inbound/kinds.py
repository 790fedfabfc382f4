"""What a mail is, told from its headers and parts before its text is read: a reply, or something that is no order.

Everything but a reply is logged and never answered. Two mail programs that answer each other's automatic answers fill a
disk in an afternoon (RFC 3834 tells how not to), so in doubt a mail is no reply.
"""

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email import policy
from email.parser import BytesParser
from pathlib import Path
from typing import Any, Final

from flufl.bounce import all_failures

from notifications.inbound.address import return_path_read
from notifications.inbound.message import BODY_MOST, PARSER_ERRORS, Message, bytes_decode, header_decode, text_decode
from notifications.inbound.senders import address_fold, sender_of


class Kind(enum.Enum):
    """What a mail is. Only a REPLY is read; BLANK and UNREADABLE are found in its text."""

    REPLY = "reply"
    BLANK = "blank"
    UNREADABLE = "unreadable"
    LOOP = "loop"
    BOUNCE = "bounce"
    BOUNCE_DELAYED = "bounce-delayed"
    AUTO_REPLY = "auto-reply"
    RECEIPT = "receipt"
    COMPLAINT = "complaint"
    CALENDAR_REPLY = "calendar-reply"
    REACTION = "reaction"
    LIST = "list"
    JUNK = "junk"


@dataclass(frozen=True)
class Ours:
    """What our own mails carry. ``domain``: of reply addresses, Message-IDs, list ids and return paths.

    ``senders``: those that we send from. ``return_secrets``: keys that sign return paths, the present one first.
    """

    domain: str
    senders: tuple[str, ...] = ()
    return_secrets: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Bounce:
    """What a delivery report says. ``address``: the mailbox that failed, "" if it is not told.

    ``action`` and ``status``: of RFC 3464, "" in a report of another form. ``reference``: of our signed return path,
    and ``message_id``: of the returned mail, if it is ours; a report with neither proves nothing. ``is_suspected``: a
    report of another form that its library takes for a permanent failure.
    """

    address: str
    action: str = ""
    status: str = ""
    diagnostic: str = ""
    reference: str = ""
    message_id: str = ""
    is_suspected: bool = False

    @property
    def is_hard(self) -> bool:
        """Whether the report says that it failed for good: failed, and a status of class 5 (RFC 3463)."""
        return self.action == "failed" and self.status.startswith("5.")

    @property
    def is_about_mailbox(self) -> bool:
        """Whether a hard failure speaks of the mailbox; x.2.2 is a full one, and x.7.x a distrust of us."""
        return self.is_hard and self.status != "5.2.2" and not self.status.startswith("5.7.")


@dataclass(frozen=True)
class Classified:
    """What a mail is, by which sign (for the operator's log), and what a delivery report says."""

    kind: Kind
    sign: str = ""
    bounce: Bounce | None = None


def classify(
    message: Message, *, ours: Ours, envelope_sender: str | None, envelope_recipients: Sequence[str] = ()
) -> Classified:
    """What the mail is. ``envelope_sender`` is "" for the null sender, None where the way in does not tell it."""
    loop = _loop(message, ours)
    if loop:
        return Classified(Kind.LOOP, loop)
    is_null = envelope_sender.strip("<> ") == "" if envelope_sender is not None else "<>" in message.all("return-path")
    report = _report(message, ours, envelope_recipients, is_null=is_null)
    if report is not None:
        return report
    for kind, sign in (
        (Kind.CALENDAR_REPLY, _calendar(message)),
        (Kind.REACTION, _reaction(message)),
        (Kind.AUTO_REPLY, _automatic(message)),
        (Kind.LIST, _list(message, ours)),
        (Kind.AUTO_REPLY, "null envelope sender" if is_null else ""),
        (Kind.AUTO_REPLY, _robot(message)),
        (Kind.AUTO_REPLY, _automatic_subject(message.first("subject"))),
        (Kind.JUNK, _junk(message)),
    ):
        if sign:
            return Classified(kind, sign)
    return Classified(Kind.REPLY)


# Ours


def _loop(message: Message, ours: Ours) -> str:
    domain = ours.domain.lower()
    for name in ("x-loop", "x-roadkill-loop"):
        if any(_is_at(value.lower(), domain) for value in message.all(name)):
            return name
    if any(value.lower().rstrip("> ").endswith(f"@{domain}") for value in message.all("message-id")):
        return "our own Message-ID"
    address = sender_of(message).address
    if address.endswith(f"@{domain}") or address in {address_fold(own) for own in ours.senders}:
        return "from our own address"
    return ""


def _is_at(text: str, domain: str) -> bool:
    return text.strip("<> ") == domain or text.rstrip("> ").endswith((f"@{domain}", f".{domain}"))


# Reports


_DAEMONS: Final = frozenset({"mailer-daemon", "postmaster", "mail-daemon", "mailerdaemon", "mmdf", "maildelivery"})
_ROBOTS: Final = re.compile(
    r"(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|bounces?|listserv|majordomo|notifications?)(?:[-+=].*)?"
)
# A report puts its facts first; what the library gets of it is no longer, since its patterns are not all linear.
_REPORT_LINES_MOST: Final = 300
_REPORT_LINE_MOST: Final = 500
_HEADERS_END: Final = re.compile(rb"\r?\n\r?\n")
_STATUS: Final = re.compile(r"\s*([245]\.\d{1,3}\.\d{1,3})\b")
_RETURNED_ID: Final = re.compile(r"^[>\s]{0,8}message-id:[ \t]{0,8}(<[^<>\s]{1,200}>)", re.IGNORECASE | re.MULTILINE)


def _report(message: Message, ours: Ours, recipients: Sequence[str], *, is_null: bool) -> Classified | None:
    types = message.types
    report_type = _report_type(message)
    if "message/disposition-notification" in types or report_type == "disposition-notification":
        return Classified(Kind.RECEIPT, "disposition notification")
    if "message/feedback-report" in types or report_type == "feedback-report":
        return Classified(Kind.COMPLAINT, "feedback report", _bounce_of(message, ours, recipients, {}))
    if "message/delivery-status" in types or "message/global-delivery-status" in types:
        return _status_report(message, ours, recipients)
    is_daemon = sender_of(message).address.partition("@")[0] in _DAEMONS
    if is_daemon or is_null or message.first("x-failed-recipients") or types[0] == "multipart/report":
        return _other_report(message, ours, recipients, is_daemon=is_daemon)
    return None


def _report_type(message: Message) -> str:
    if message.types[0] != "multipart/report":
        return ""
    match = re.search(r'report-type\s{0,8}=\s{0,8}"?([a-z-]{1,40})', message.first("content-type").lower())
    return match[1] if match else ""


def _status_report(message: Message, ours: Ours, recipients: Sequence[str]) -> Classified:
    """RFC 3464: one group of fields for the whole mail, then one for each recipient. Ours have one recipient each."""
    bounces = [_bounce_of(message, ours, recipients, fields) for fields in _status_groups(message)]
    told = [bounce for bounce in bounces if bounce.action]
    # The worst is what counts: with one recipient there is one, and a list server may add its own successes.
    chosen = next((b for b in told if b.is_hard), None) or next(iter(told), None)
    if chosen is None:
        chosen = _bounce_of(message, ours, recipients, {})
    sign = f"delivery report: {chosen.action or 'no action told'} {chosen.status}".rstrip()
    return Classified(Kind.BOUNCE if chosen.is_hard else Kind.BOUNCE_DELAYED, sign, chosen)


def _status_groups(message: Message) -> list[dict[str, str]]:
    groups = []
    for kind, part in zip(message.types, message.entities, strict=True):
        if kind in ("message/delivery-status", "message/global-delivery-status"):
            payload = part.get_payload()
            for block in payload if isinstance(payload, list) else []:
                fields = {str(name).lower(): header_decode(str(value)) for name, value in block.raw_items()}
                if "action" in fields or "final-recipient" in fields:
                    groups.append(fields)
    return groups


def _bounce_of(message: Message, ours: Ours, recipients: Sequence[str], fields: dict[str, str]) -> Bounce:
    address = _typed(fields.get("original-recipient", "")) or _typed(fields.get("final-recipient", ""))
    status = _STATUS.match(fields.get("status", ""))
    action = fields.get("action", "").split()
    return Bounce(
        address=address_fold(address),
        action=action[0].casefold()[:20] if action else "",
        status=status[1] if status else "",
        diagnostic=fields.get("diagnostic-code", "")[:500],
        reference=_reference(message, ours, recipients),
        message_id=_returned_id(message, ours),
    )


def _typed(value: str) -> str:
    """The address of "rfc822; ada@player.example"."""
    return value.partition(";")[2].strip().strip("<>")[:320]


def _reference(message: Message, ours: Ours, recipients: Sequence[str]) -> str:
    values = [*recipients]
    for name in ("delivered-to", "x-original-to", "envelope-to", "to"):
        values += message.all(name)[:4]
    for value in values:
        for word in re.split(r"[\s,;<>]+", value[:2000]):
            found = return_path_read(word, return_secrets=ours.return_secrets, domain=ours.domain)
            if found is not None:
                return found
    return ""


def _returned_id(message: Message, ours: Ours) -> str:
    """The Message-ID of the mail that came back, if we sent it: from its headers, or from a report's text."""
    ending = f"@{ours.domain}>".lower()
    texts = []
    for kind, part in zip(message.types, message.entities, strict=True):
        if kind == "message/rfc822":
            payload = part.get_payload()
            texts += [f"Message-ID: {value}" for name, value in _inner_items(payload) if name.lower() == "message-id"]
        elif kind in ("text/rfc822-headers", "text/plain", "message/global-headers"):
            texts.append(text_decode(part, BODY_MOST).text)
    for text in texts:
        for found in _RETURNED_ID.findall(text.strip()):
            if found.lower().endswith(ending):
                return str(found)
    return ""


def _inner_items(payload: Any) -> list[tuple[str, str]]:
    items: list[tuple[str, str]] = []
    for inner in payload if isinstance(payload, list) else []:
        items += [(str(name), str(value)) for name, value in inner.raw_items()]
    return items


def _other_report(message: Message, ours: Ours, recipients: Sequence[str], *, is_daemon: bool) -> Classified | None:
    """A report in words. It is never hard: its words are anybody's; but it may be suspected."""
    bounce = _bounce_of(message, ours, recipients, {})
    temporary, permanent = _flufl_failures(message)
    found = sorted(permanent) or sorted(temporary)
    # An absence note goes to the return path from the null sender too (RFC 3834, 4).
    if not found and (not is_daemon or _automatic_subject(message.first("subject"))):
        return None
    address = bytes_decode(found[0], "utf-8") if found else message.first("x-failed-recipients").split(",")[0]
    bounce = Bounce(
        address=address_fold(address)[:320],
        reference=bounce.reference,
        message_id=bounce.message_id,
        is_suspected=bool(permanent),
    )
    return Classified(Kind.BOUNCE_DELAYED, "delivery report in words", bounce)


def _flufl_failures(message: Message) -> tuple[list[bytes], list[bytes]]:
    """What the library reads from the report's first lines: addresses that failed for now, and for good."""
    # The library takes it for granted that there is a From header with an address, and that headers are ASCII.
    sender = sender_of(message).address
    lines = [f"from: {sender if sender.isascii() and sender else 'unknown@invalid'}".encode()]
    lines += [
        f"{name}: {value[:_REPORT_LINE_MOST]}".encode("ascii", "replace")
        for name, value in message.headers
        if name in ("to", "subject", "x-failed-recipients", "content-type", "content-transfer-encoding")
    ]
    lines.append(b"")
    body = _HEADERS_END.split(message.raw, maxsplit=1)[-1][: _REPORT_LINES_MOST * _REPORT_LINE_MOST]
    lines += [line[:_REPORT_LINE_MOST].rstrip(b"\r") for line in body.split(b"\n")[:_REPORT_LINES_MOST]]
    try:
        temporary, permanent = all_failures(BytesParser(policy=policy.compat32).parsebytes(b"\n".join(lines)))
    except PARSER_ERRORS:
        # A report that its library stumbles over says nothing that could be relied upon.
        return [], []
    return sorted(temporary), sorted(permanent)


# What else is no reply


def _calendar(message: Message) -> str:
    return "calendar part" if "text/calendar" in message.types else ""


_REACTED: Final = re.compile(
    r"^\W{0,12}[^\n]{0,80}\b(?:reacted to your message|reacted via gmail|hat auf (?:ihre|deine) nachricht reagiert"
    r"|a réagi à votre message|reaccionó a tu mensaje)\b",
    re.IGNORECASE,
)


def _reaction(message: Message) -> str:
    if any("reaction" in kind for kind in message.types):
        return "reaction part"
    part = message.plain or message.html
    text = part.text[:400].strip() if part else ""
    if _REACTED.match(text) or _REACTED.match(message.first("subject")[:200]):
        return "says that somebody reacted"
    return ""


def _automatic(message: Message) -> str:
    for value in message.all("auto-submitted"):
        # RFC 3834, 5: parameters may follow, and comments.
        if value.split(";")[0].split("(")[0].strip().casefold() not in ("no", ""):
            return f"Auto-Submitted: {value[:60]}"
    for name in _AUTOMATIC_HEADERS:
        if message.first(name).casefold() not in ("", "no", "none", "false", "0"):
            return name
    if "auto_reply" in message.first("precedence").casefold().replace("-", "_"):
        return "Precedence: auto_reply"
    return ""


# X-Auto-Response-Suppress is none of these: programs set it on mails that people write.
_AUTOMATIC_HEADERS: Final = (
    "x-autoreply",
    "x-autorespond",
    "x-autoresponse",
    "x-auto-respond",
    "x-autoreply-from",
    "x-mail-autoreply",
    "x-autogenerated",
    "x-vacation",
    "x-amazon-auto-reply",
    "x-fc-machinegenerated",
)


def _list(message: Message, ours: Ours) -> str:
    precedence = message.first("precedence").casefold().strip()
    if precedence in ("bulk", "junk", "list"):
        return f"Precedence: {precedence}"
    for value in message.all("list-id"):
        if not _is_at(value.rpartition("<")[2].lower(), ours.domain.lower()):
            return f"List-Id: {value[:100]}"
    if message.first("list-post") or message.first("mailing-list") or message.first("x-mailing-list"):
        return "List-Post"
    return ""


def _robot(message: Message) -> str:
    local = sender_of(message).address.partition("@")[0]
    return f"from {local}" if local in _DAEMONS or _ROBOTS.fullmatch(local) else ""


def _junk(message: Message) -> str:
    is_flagged = message.first("x-spam-flag").casefold() == "yes"
    return "X-Spam-Flag" if is_flagged or message.first("x-spam-status").casefold().startswith("yes") else ""


def _automatic_subject(subject: str) -> str:
    folded = subject.casefold().replace("i\N{COMBINING DOT ABOVE}", "i").strip()
    return f"subject: {subject[:60]}" if folded.startswith(_AUTOMATIC_SUBJECTS) else ""


# How mail programs begin the subject of an automatic reply; a player's begins with "Re:".
_AUTOMATIC_SUBJECTS: Final = tuple(
    line.casefold()
    for line in (Path(__file__).parent / "automatic_subjects.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)
