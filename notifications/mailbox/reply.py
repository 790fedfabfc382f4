"""A reply to a kept mail, as a mail program writes it: the words above, the mail that it answers quoted below."""

from email import policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from django.utils import timezone

from notifications.mailbox.store import StoredMail


def reply_write(mail: StoredMail, text: str) -> bytes:
    """The reply of the mail's reader, as it goes over the wire."""
    reply = EmailMessage(policy=policy.SMTP)
    reply["From"] = mail.recipient
    reply["To"] = mail.reply_address
    reply["Subject"] = f"Re: {mail.subject}"
    reply["Date"] = format_datetime(timezone.now())
    reply["Message-ID"] = make_msgid(domain="mailbox.invalid")
    reply["In-Reply-To"] = str(mail.message["Message-ID"])
    reply["References"] = " ".join(f"{mail.message['References'] or ''} {mail.message['Message-ID']}".split())
    quoted = "\n".join(f"> {line}".rstrip() for line in (mail.part("plain") or "").splitlines())
    words = "\n".join(text.splitlines())
    reply.set_content(f"{words}\n\nOn {format_datetime(mail.sent_at)}, {mail.sender} wrote:\n{quoted}\n")
    return reply.as_bytes()
