"""`manage.py inbound_smtpd`: take mail for the reply domain, as LMTP behind a mail server or as SMTP by itself."""

import asyncio
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from notifications.doors.listener import Certificate, CertificateRefused, listen
from notifications.reply_models import Way


class Command(BaseCommand):
    """Listens until it is told to stop (SIGTERM, SIGINT); a mail that is being written is written."""

    help = "Take mail for the reply domain: LMTP for a mail server of yours, or SMTP with --smtp."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the protocol, host, port and certificate."""
        parser.add_argument("--smtp", action="store_true", help="speak SMTP, to the whole world, instead of LMTP")
        parser.add_argument("--host", default=settings.INBOUND_LISTEN_HOST, help="the address to listen on")
        parser.add_argument("--port", type=int, default=settings.INBOUND_LISTEN_PORT, help="the port to listen on")
        parser.add_argument(
            "--certificate",
            default=settings.INBOUND_TLS_CERTIFICATE,
            help="a file with the certificate to show, and those that vouch for it (PEM): offer STARTTLS",
        )
        parser.add_argument("--key", default=settings.INBOUND_TLS_KEY, help="a file with the certificate's key (PEM)")

    def handle(self, *args: Any, smtp: bool, host: str, port: int, certificate: str, key: str, **options: Any) -> None:
        """Listen; a port that cannot be had, and a certificate that cannot be used, are told in a sentence."""
        if not settings.REPLIES:
            raise CommandError("Setting REPLIES: replies are off, so no mail is taken; set it to yes.")
        if bool(certificate) != bool(key):
            raise CommandError("A certificate and its key belong together: name --certificate and --key, or neither.")
        try:
            shown = Certificate(Path(certificate), Path(key)) if certificate else None
        except CertificateRefused as refused:
            raise CommandError(str(refused)) from refused
        try:
            asyncio.run(self._listen(Way.SMTP if smtp else Way.LMTP, host, port, shown))
        except OSError as refused:
            raise CommandError(f"Cannot listen on {host} port {port}: {refused.strerror or refused}.") from refused

    async def _listen(self, way: Way, host: str, port: int, certificate: Certificate | None) -> None:
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        encrypted = ", encrypted for who asks for it" if certificate is not None else ""
        self.stdout.write(f"Taking mail for {settings.REPLY_DOMAIN} by {way.upper()} on {host} port {port}{encrypted}.")
        self.stdout.flush()
        await listen(way=way, host=host, port=port, stopped=stopped, certificate=certificate)
