"""A listener for mail: LMTP behind a mail server of ours (RFC 2033), or SMTP for a small host (RFC 5321).

With a certificate it offers encryption (STARTTLS, RFC 3207), and takes mail in the clear all the same, as a mail
exchanger must. It takes mail for our reply domain alone, and says 250 only when a mail is in the database: whatever
dies after that, nothing is lost, and whatever dies before, the other side tries again.
"""

import asyncio
import logging
import ssl
from pathlib import Path
from typing import Any, Final

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, TLSSetupException
from django.conf import settings
from django.db import close_old_connections

from notifications.inbound.address import BOUNCE_PREFIX, REPLY_PREFIX, STOP_PREFIX
from notifications.inbound.message import MESSAGE_MOST
from notifications.inbound.senders import address_fold
from notifications.reply_models import Way
from notifications.services.replies.identity import ours
from notifications.services.replies.keeping import MailTooLarge, mail_keep

logger = logging.getLogger(__name__)

RECIPIENTS_MOST: Final = 20
IDLE_SECONDS: Final = 120
CONNECTIONS_MOST: Final = 50
STOP_SECONDS: Final = 20.0
FAREWELL_SECONDS: Final = 2.0
_LOCAL_PARTS: Final = (REPLY_PREFIX, BOUNCE_PREFIX, STOP_PREFIX)


class Doorman:
    """Answers the dialogue: which recipients are ours, and whether a mail was kept."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._at_work: set[asyncio.Task[Any]] = set()

    async def handle_RCPT(  # noqa: N802  (aiosmtpd's name)
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Take recipients of our domain that could be a reply address, a return path or a stop address of ours.

        Our sender's address too: some mail programs answer to it, and such a reply is known by what it answers.
        """
        local, _, domain = address.strip("<>").rpartition("@")
        is_sender = address_fold(address.strip("<>")) in ours().senders
        if not is_sender and domain.casefold() != settings.REPLY_DOMAIN.casefold():
            return "550 5.7.1 This server takes mail for its own domain alone"
        if not is_sender and not local.casefold().startswith(_LOCAL_PARTS):
            return "550 5.1.1 There is no such mailbox"
        if len(envelope.rcpt_tos) >= RECIPIENTS_MOST:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep the mail; in LMTP each recipient gets the answer once (RFC 2033, 4.2)."""
        task = asyncio.ensure_future(asyncio.to_thread(self._keep, envelope))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        # A connection that breaks off does not undo what is being written.
        answer = await asyncio.shield(task)
        return "\r\n".join([answer] * len(envelope.rcpt_tos)) if self._way == Way.LMTP else answer

    async def handle_exception(self, error: Exception) -> str:
        """Whatever fails here is our fault, and the other side shall try again; but not for a handshake that fails."""
        if isinstance(error, TLSSetupException):
            logger.info("A dialogue could not be encrypted: %s", error.__cause__)
        else:
            logger.error("A dialogue failed", exc_info=error)
        return "451 4.3.0 Something went wrong here, try again later"

    async def rest(self) -> None:
        """Wait until what is being written is written."""
        if self._at_work:
            await asyncio.wait(self._at_work, timeout=STOP_SECONDS)

    def _keep(self, envelope: Envelope) -> str:
        close_old_connections()
        try:
            assert isinstance(envelope.content, bytes)
            kept = mail_keep(
                raw=envelope.content,
                came_by=self._way,
                envelope_sender=(envelope.mail_from or "").strip("<>"),
                envelope_recipients=envelope.rcpt_tos,
            )
        except MailTooLarge:
            return "552 5.3.4 Message too big"
        except Exception:
            # Whatever it is, a refusal for good would lose the mail.
            logger.exception("A mail could not be kept; its server will try again")
            return "451 4.3.0 Not kept, try again later"
        finally:
            close_old_connections()
        logger.info("Mail %s %s by %s", kept.mail_id, "kept" if kept.is_new else "came again", self._way)
        return "250 2.6.0 Kept"


class CertificateRefused(Exception):
    """The certificate and its key cannot be used; the text says why."""


class Certificate:
    """A certificate and its key in files, which are read again when they have been renewed."""

    def __init__(self, certificate: Path, key: Path) -> None:
        """Read both; raises CertificateRefused."""
        self._files = (certificate, key)
        try:
            self._state = self._state_of_files()
            self._context = self._read()
        except (OSError, ValueError) as unfit:
            raise CertificateRefused(f"{certificate} and {key} cannot be used: {unfit}") from unfit

    def context(self) -> ssl.SSLContext:
        """What the next dialogue is encrypted with; while new files are not whole, the former ones."""
        try:
            state = self._state_of_files()
            if state != self._state:
                self._context = self._read()
                self._state = state
                logger.info("The certificate was read again")
        except (OSError, ValueError):
            logger.exception("The certificate was renewed and cannot be used; the former one is shown")
        return self._context

    def _read(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        # Never ask for a password: nobody is there to type it.
        context.load_cert_chain(*self._files, password="")
        return context

    def _state_of_files(self) -> list[tuple[int, int]]:
        return [(told.st_mtime_ns, told.st_ino) for told in (file.stat() for file in self._files)]


class _Counted(SMTP):
    """A dialogue among those of one listener, which holds so many at once and ends them when it stops."""

    def __init__(self, doorman: Doorman, others: set["_Counted"], tls: ssl.SSLContext | None) -> None:
        super().__init__(
            doorman,
            hostname=settings.REPLY_DOMAIN,
            data_size_limit=MESSAGE_MOST,
            enable_SMTPUTF8=True,
            timeout=IDLE_SECONDS,
            ident="Roadkill",
            tls_context=tls,
        )
        self._others = others
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet, unless there are enough already; a dialogue that becomes encrypted comes here again."""
        if self not in self._others and len(self._others) >= CONNECTIONS_MOST:
            assert isinstance(transport, asyncio.WriteTransport)
            transport.write(b"421 4.3.2 Too many connections, try again later\r\n")
            transport.close()
            return
        self._others.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Make room; one that was turned away has nothing to clear up."""
        if self in self._others:
            self._others.discard(self)
            self.ended.set()
            super().connection_lost(error)


class _CountedLMTP(LMTP, _Counted):
    """The same by LMTP."""


async def _end(dialogues: set[_Counted]) -> None:
    """End them; an encrypted one takes leave of the other side, which may not answer."""
    for one in list(dialogues):
        if one.transport is not None:
            one.transport.close()
    endings = [asyncio.ensure_future(one.ended.wait()) for one in dialogues]
    if endings:
        await asyncio.wait(endings, timeout=FAREWELL_SECONDS)
    for one in list(dialogues):
        if isinstance(one.transport, asyncio.WriteTransport):
            one.transport.abort()
    # What each was waiting for is given up in the loop's next round.
    await asyncio.sleep(0.02)


async def listen(
    *, way: Way, host: str, port: int, stopped: asyncio.Event, certificate: Certificate | None = None
) -> None:
    """Take mail until ``stopped``; then end the dialogues and wait for what is being written. Raises OSError."""
    doorman = Doorman(way)
    kind = _CountedLMTP if way == Way.LMTP else _Counted
    open_now: set[_Counted] = set()

    def dialogue() -> _Counted:
        return kind(doorman, open_now, certificate.context() if certificate is not None else None)

    server = await asyncio.get_running_loop().create_server(dialogue, host, port)
    async with server:
        logger.info("Mail for %s is taken by %s on %s port %s", settings.REPLY_DOMAIN, way.upper(), host, port)
        await stopped.wait()
        server.close()
        await doorman.rest()
        await _end(open_now)
    logger.info("No more mail is taken")
