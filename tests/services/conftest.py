"""The site at work: web processes, workers and beat as processes of their own, and a mail server that takes their mail.

Test and processes share one PostgreSQL database, one Redis and one environment (see `__main__`). A test that writes
rows for other processes to see is marked `django_db(transaction=True)`; its tables are emptied after it.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import pytest
import requests
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from games.models import Race
from games.services.races import race_create, race_join
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create
from tests.services.mail_servers import Dovecot, Postfix, private_dovecot, private_postfix
from tests.services.servers import PrivatePostgresql, free_port

ROOT: Final = Path(__file__).resolve().parents[2]
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 20.0
NAMES: Final = ("Wren", "Olu", "Marta", "Dov")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Open loopback, and nothing else, to the tests of this folder."""
    for item in items:
        item.add_marker(pytest.mark.services)
        item.add_marker(pytest.mark.allow_hosts(["127.0.0.1"]))


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: DjangoDbBlocker) -> None:
    """Lay the tables in the database that all processes share, in place of pytest-django's own test database."""
    with django_db_blocker.unblock():
        call_command("migrate", verbosity=0, interactive=False)


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Gather the static files, as the site at work serves them."""
    call_command("collectstatic", verbosity=0, interactive=False)


@dataclass
class MailServer:
    """A mail server that keeps what it is given, and can be told to refuse, or to fall silent in mid-dialogue."""

    mails: list[EmailMessage] = field(default_factory=list)
    # What the next mails to a recipient are answered with instead of being taken, such as "451 4.3.0 Later".
    refusals: dict[str, str] = field(default_factory=dict)
    # After which command of a dialogue no answer comes any more: MAIL (nothing is taken yet) or DATA (it is taken).
    silent_after: str = ""
    # How many dialogues stand in such a silence.
    silent: int = 0

    async def handle_MAIL(  # noqa: N802  (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take the sender."""
        await self._fall_silent("MAIL")
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802  (aiosmtpd's name)
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take the recipient, unless it is one to be refused."""
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep the mail."""
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        mail["X-Envelope-To"] = ", ".join(envelope.rcpt_tos)
        self.mails.append(mail)
        await self._fall_silent("DATA")
        return "250 OK"

    async def _fall_silent(self, after: str) -> None:
        if after == self.silent_after:
            self.silent += 1
            await asyncio.Event().wait()

    def to(self, address: str) -> list[EmailMessage]:
        """The mails to `address`, oldest first."""
        return [mail for mail in list(self.mails) if address in str(mail["X-Envelope-To"])]


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    """A real SMTP listener where every process sends its mail."""
    server = MailServer()
    controller = Controller(server, hostname=settings.EMAIL_HOST, port=settings.EMAIL_PORT)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


@pytest.fixture
def postgresql() -> Iterator[PrivatePostgresql]:
    """The PostgreSQL of this run, which a test may stop."""
    name = os.environ["SERVICES_PRIVATE_POSTGRESQL"]
    if not name:
        pytest.skip("PostgreSQL belongs to others here, and is not stopped.")
    server = PrivatePostgresql.named(name)
    yield server
    # Nothing works without it: it runs again whatever the test has come to.
    if not server.is_running:
        server.start()
        connection.close()


@pytest.fixture(scope="session")
def own_dovecot() -> Iterator[Dovecot]:
    """One for all tests that ask for it."""
    with private_dovecot() as server:
        yield server


@pytest.fixture
def dovecot(own_dovecot: Dovecot) -> Iterator[Dovecot]:
    """A real server of mailboxes, all of them empty."""
    own_dovecot.start()
    yield own_dovecot
    own_dovecot.empty()


@pytest.fixture(scope="session")
def own_postfix(own_dovecot: Dovecot) -> Iterator[Postfix]:
    """One for all tests that ask for it."""
    with private_postfix(players_port=own_dovecot.lmtp_port, replies_port=free_port()) as server:
        yield server


@pytest.fixture
def postfix(own_postfix: Postfix, dovecot: Dovecot) -> Iterator[Postfix]:
    """A real mail server whose queue is empty; mail for the reply domain goes to its `replies_port`."""
    yield own_postfix
    own_postfix.empty()


StartProcess = Callable[..., "subprocess.Popen[bytes]"]
StartWorker = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def elsewhere() -> dict[str, str]:
    """What stands differently in the environment of the processes; a module may have its own."""
    return {}


@pytest.fixture
def start_command(tmp_path: Path, elsewhere: dict[str, str]) -> Iterator[StartProcess]:
    """Start a command in the site's environment; stopped, and its log shown, after the test."""
    started: list[subprocess.Popen[bytes]] = []
    with ExitStack() as stack:

        def start(*command: str, **environment: str) -> "subprocess.Popen[bytes]":
            log = tmp_path / f"{len(list(tmp_path.iterdir()))}.log"
            started.append(stack.enter_context(_site_process(command, {**elsewhere, **environment}, log)))
            return started[-1]

        yield start
        # All at once, so that each stops while the others do.
        for process in started:
            process.send_signal(signal.SIGTERM)


@pytest.fixture
def start_process(start_command: StartProcess) -> StartProcess:
    """Start `python -m MODULE ARGUMENTS…` in the site's environment; stopped, and its log shown, after the test."""

    def start(module: str, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
        return start_command(sys.executable, "-m", module, *arguments, **environment)

    return start


@contextmanager
def _site_process(
    command: Sequence[str], environment: dict[str, str], log: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as log_file:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "roadkill_site.settings", **environment},
            stdout=log_file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            sys.stdout.write(f"\n--- {' '.join(command)}\n{log.read_text(errors='replace')}\n")


@pytest.fixture
def web(start_process: StartProcess) -> str:
    """The site's address, served by two web processes."""
    address = settings.SITE_URL.removeprefix("http://")
    process = start_process(
        "gunicorn", "roadkill_site.wsgi", "--bind", address, "--workers", "2", "--preload", "--no-control-socket"
    )
    wait_until(lambda: process.poll() is not None or _answers(settings.SITE_URL))
    assert process.poll() is None, "the web process ended at once; its log is shown below"
    return str(settings.SITE_URL)


@pytest.fixture
def start_worker(start_process: StartProcess) -> StartWorker:
    """Start a worker by a name; several may run at once."""

    def start(name: str) -> "subprocess.Popen[bytes]":
        return start_process(
            "celery", "-A", "roadkill_site.worker", "worker", "--pool", "solo", "--hostname", name, "--loglevel", "INFO"
        )  # fmt: skip

    return start


@pytest.fixture
def start_beat(start_process: StartProcess, tmp_path: Path) -> Callable[..., "subprocess.Popen[bytes]"]:
    """Start the one beat; another app than the site's has another schedule."""

    def start(app: str = "roadkill_site.worker") -> "subprocess.Popen[bytes]":
        schedule = str(tmp_path / "beat")
        return start_process("celery", "-A", app, "beat", "--schedule", schedule, "--pidfile", "")

    return start


@dataclass
class Player:
    """A player's program; the same person may have many connections."""

    user: User
    address: str
    token: str

    def get(self, path: str) -> Any:
        """What stands at this address of the API."""
        answer = self.ask(path)
        answer.raise_for_status()
        return answer.json()

    def ask(self, path: str) -> requests.Response:
        """What this address of the API answers."""
        return requests.get(f"{self.address}/api/v1{path}", headers=self._headers(), timeout=30)

    def act(self, race_id: str, body: dict[str, Any]) -> requests.Response:
        """Send an act on a connection of its own."""
        return requests.post(
            f"{self.address}/api/v1/races/{race_id}/acts", json=body, headers=self._headers(), timeout=60
        )

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def players(web: str) -> list[Player]:
    made = []
    for name in NAMES:
        user = User.objects.create_user(f"{name.lower()}@example.org", display_name=name)
        made.append(Player(user, web, api_token_create(user=user, label="test")[1]))
    return made


@pytest.fixture
def start_race(players: list[Player]) -> Callable[..., Race]:
    """Starts a public race of all players."""

    def start(**settings: Any) -> Race:
        race = race_create(by=players[0].user, name="Dust Devil 300", seats=len(players), is_public=True, **settings)
        for player in players[1:]:
            race_join(race_id=race.pk, by=player.user)
        race.refresh_from_db()
        assert race.status == "running"
        return race

    return start


@pytest.fixture
def two_workers(start_worker: StartWorker) -> None:
    start_worker("one@localhost")
    start_worker("two@localhost")


def wait_until(happened: Callable[[], Any], *, seconds: float = START_SECONDS) -> None:
    """Wait until `happened` is true; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"It did not happen within {seconds:.0f} seconds."
        time.sleep(0.05)


def _answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/healthz", timeout=5).status_code in {200, 503}
    except requests.ConnectionError:
        return False
