"""Starts a Dovecot and a Postfix of their own on loopback, and stops them: everybody's mailboxes, and a mail server.

Postfix hands what is for players to Dovecot by LMTP, and what is for the reply domain to where a test says; nothing
leaves this machine. The lines that a host needs are taken from docs/mail.md as they stand there.
"""

import os
import pwd
import re
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final
from urllib.parse import quote

from imap_tools import AND, BaseMailBox, MailBoxUnencrypted

from tests.certificates import certificate_make
from tests.services.servers import LOOPBACK, START_SECONDS, STOP_SECONDS, ServerMissingError, free_port

# Signs that mean something in an address and none in Dovecot's file of users.
PASSWORD: Final = "pass/word @1 ü"
REPLY_DOMAIN: Final = "race.example.org"
PLAYERS_DOMAIN: Final = "example.org"
REPLIES: Final = f"replies@{REPLY_DOMAIN}"
"""Whose mailbox holds all mail for the reply domain."""
MANUAL: Final = Path(__file__).resolve().parents[2] / "docs" / "mail.md"
_MAILBOXES: Final = ("wren", "olu", "marta", "dov", "mallory")


def mail_programs_missing() -> str:
    """What to install, in a sentence; "" if everything is here."""
    wanted = {"/usr/lib/dovecot/imap": "dovecot-imapd", "/usr/lib/dovecot/lmtp": "dovecot-lmtpd"}
    wanted["/usr/lib/postfix/sbin/master"] = "postfix"
    missing = [package for program, package in wanted.items() if not Path(program).exists()]
    if missing:
        return (
            f"Mail servers are missing: install {' and '.join(missing)} (on Debian: apt-get install"
            f" --no-install-recommends {' '.join(missing)}; say «No configuration» if Postfix asks)."
        )
    # Its master gives each of its processes a user of its own.
    return "" if os.geteuid() == 0 else "Postfix and Dovecot start as root alone: run these tests as root."


# Dovecot


@dataclass(frozen=True)
class Dovecot:
    """A Dovecot with a folder of its own: IMAP in the clear and encrypted for mail programs, LMTP for a mail server."""

    folder: Path
    imap_port: int
    imaps_port: int
    lmtp_port: int

    @property
    def certificate(self) -> Path:
        """What it shows by imaps, for the name localhost; nobody but itself vouches for it."""
        return self.folder / "certificate.pem"

    def url(self, *, folder: str = "INBOX", user: str = REPLIES) -> str:
        """What INBOUND_IMAP_URL says of a folder."""
        return f"imap://{quote(user)}:{quote(PASSWORD, safe='')}@{LOOPBACK}:{self.imap_port}/{quote(folder)}"

    def lay(self) -> None:
        """Write its configuration, its users and its certificate."""
        certificate_make(self.certificate, self.folder / "key.pem", "localhost")
        owner = pwd.getpwnam("nobody")
        mail = self.folder / "mail"
        mail.mkdir()
        os.chown(mail, owner.pw_uid, owner.pw_gid)
        people = [f"{name}@{PLAYERS_DOMAIN}" for name in _MAILBOXES]
        told = {
            "reply.race.example.org": REPLY_DOMAIN,
            "PASSWORD": PASSWORD,
            "/etc/dovecot": str(self.folder),
            "/srv/mail/replies": f"{mail}/{REPLIES}",
        }
        (self.folder / "people").write_text("".join(f"{one}:{{PLAIN}}{PASSWORD}::::{mail}/{one}::\n" for one in people))
        (self.folder / "users").write_text(documented("users", told))
        (self.folder / "domains").write_text(documented("domains", told))
        (self.folder / "dovecot.conf").write_text(f"""\
base_dir = {self.folder}/run
state_dir = {self.folder}/state
log_path = {self.folder}/log
protocols = imap lmtp
mail_uid = {owner.pw_uid}
mail_gid = {owner.pw_gid}
first_valid_uid = 1
disable_plaintext_auth = no
ssl = yes
ssl_cert = <{self.certificate}
ssl_key = <{self.folder}/key.pem
mail_location = maildir:~/Maildir
{documented("dovecot.conf", told)}
passdb {{
  driver = passwd-file
  args = username_format=%u {self.folder}/people
}}
userdb {{
  driver = passwd-file
  args = username_format=%u {self.folder}/people
}}
namespace inbox {{
  inbox = yes
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = {LOOPBACK}
    port = {self.imap_port}
  }}
  inet_listener imaps {{
    address = {LOOPBACK}
    port = {self.imaps_port}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = {LOOPBACK}
    port = {self.lmtp_port}
  }}
}}
""")

    def start(self) -> None:
        """Start it, unless it runs, and wait until its doors answer."""
        if greets(self.imap_port):
            return
        _run("/usr/sbin/dovecot", "-c", self.folder / "dovecot.conf")
        _wait_until(lambda: greets(self.imap_port) and greets(self.lmtp_port), self.folder / "log")

    def stop(self) -> None:
        """Kill it with all its processes, as a crash does: in order, it would wait for its clients."""
        pid_file = self.folder / "run" / "master.pid"
        if not pid_file.exists():
            return
        master = int(pid_file.read_text())
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        for pid in (master, *map(int, children)):
            os.kill(pid, signal.SIGKILL)
        pid_file.unlink()
        _wait_until(lambda: not greets(self.imap_port), self.folder / "log")

    def count_anew(self, user: str = REPLIES) -> None:
        """Lose the mailbox's lists of UIDs, as a server does that was restored from its files."""
        self.stop()
        for path in (self.folder / "mail" / user / "Maildir").glob("dovecot*"):
            path.unlink()
        # Within one second it would get the UIDVALIDITY that it had.
        time.sleep(1.1)
        self.start()

    def empty(self) -> None:
        """Take all mailboxes away; new ones begin to count at 1."""
        for mailbox in (self.folder / "mail").iterdir():
            shutil.rmtree(mailbox)

    @contextmanager
    def opened(self, user: str = REPLIES, folder: str = "INBOX") -> Iterator[BaseMailBox]:
        """This user's folder, as a mail program has it open."""
        with MailBoxUnencrypted(LOOPBACK, self.imap_port).login_utf8(user, PASSWORD, initial_folder=folder) as mailbox:
            yield mailbox

    def put(self, raw: bytes, *, user: str = REPLIES, folder: str = "INBOX") -> None:
        """Lay a mail into a folder, as it is."""
        with self.opened(user) as mailbox:
            if not mailbox.folder.exists(folder):
                mailbox.folder.create(folder)
            mailbox.append(raw, folder)

    def put_file(self, raw: bytes, *, user: str = REPLIES) -> None:
        """Lay bytes that no protocol would carry into an inbox, as a file."""
        new = self.folder / "mail" / user / "Maildir" / "new"
        with self.opened(user):
            assert new.is_dir()
        path = new / f"{time.time()}.raw{len(raw)}.test"
        path.write_bytes(raw)
        os.chown(path, new.stat().st_uid, new.stat().st_gid)

    def deliver(self, mail: EmailMessage | bytes, *, sender: str, to: str) -> None:
        """Hand a mail over by LMTP, as a mail server does."""
        with smtplib.LMTP(LOOPBACK, self.lmtp_port, timeout=30) as client:
            assert client.sendmail(sender, [to], _bytes_of(mail)) == {}

    def mails(self, name: str) -> list[EmailMessage]:
        """What lies in a player's mailbox, oldest first; nothing of it is marked by this."""
        with self.opened(f"{name}@{PLAYERS_DOMAIN}") as mailbox:
            told = [mailbox.client.uid("FETCH", uid, "(BODY.PEEK[])")[1][0] for uid in mailbox.uids()]
        raws = [parts[1] for parts in told if isinstance(parts, tuple)]
        return [message_from_bytes(raw, _class=EmailMessage, policy=policy.default) for raw in raws]

    def seen(self, user: str = REPLIES) -> list[int]:
        """UIDs of the mails that are marked as read."""
        with self.opened(user) as mailbox:
            return sorted(int(uid) for uid in mailbox.uids(AND(seen=True)))


@contextmanager
def private_dovecot() -> Iterator[Dovecot]:
    """A Dovecot with empty mailboxes; stopped, and its log shown, afterwards."""
    with _folder("dovecot") as folder:
        server = Dovecot(folder, free_port(), free_port(), free_port())
        server.lay()
        server.start()
        try:
            yield server
        finally:
            server.stop()


# Postfix


@dataclass(frozen=True)
class Postfix:
    """A Postfix with a folder of its own, which tries again every second what it could not hand on."""

    folder: Path
    port: int
    # Where mail for players, and mail for the reply domain, is handed to by LMTP.
    players_port: int
    replies_port: int

    def lay(self) -> None:
        """Write its configuration and make its queue."""
        for name in ("queue", "data", "conf"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        told = {"reply.race.example.org": REPLY_DOMAIN, f"{LOOPBACK}:8024": f"{LOOPBACK}:{self.replies_port}"}
        (self.folder / "conf" / "main.cf").write_text(f"""\
compatibility_level = 3.6
queue_directory = {self.folder}/queue
data_directory = {self.folder}/data
maillog_file = {self.folder}/log
maillog_file_prefixes = {self.folder}
inet_interfaces = {LOOPBACK}
inet_protocols = ipv4
myhostname = mx.{PLAYERS_DOMAIN}
mydestination =
mynetworks = {LOOPBACK}/32
alias_maps =
alias_database =
default_transport = error:5.4.4 nothing leaves this machine
{documented("main.cf", told)}
relay_domains = {PLAYERS_DOMAIN}
transport_maps = inline:{{ {PLAYERS_DOMAIN}=lmtp:inet:{LOOPBACK}:{self.players_port} }}
lmtp_tls_loglevel = 1
# A test has no minutes.
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 1s
lmtp_destination_concurrency_failed_cohort_limit = 1000
""")
        (self.folder / "conf" / "master.cf").write_text(f"""\
{LOOPBACK}:{self.port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
""")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        _run("/usr/sbin/postfix", "-c", self.folder / "conf", "start")
        _wait_until(lambda: greets(self.port), self.folder / "log")

    def stop(self) -> None:
        """Stop it; what it has taken stays in its queue."""
        if (self.folder / "queue" / "pid" / "master.pid").exists():
            _run("/usr/sbin/postfix", "-c", self.folder / "conf", "stop")

    def submit(self, mail: EmailMessage | bytes, *, sender: str, to: Sequence[str]) -> None:
        """Send a mail as a person's mail program does."""
        with smtplib.SMTP(LOOPBACK, self.port, timeout=30) as client:
            assert client.sendmail(sender, list(to), _bytes_of(mail)) == {}

    def queue(self) -> str:
        """What it has taken and not handed on, and why, as its operator sees it."""
        return _run("/usr/sbin/postqueue", "-c", self.folder / "conf", "-j")

    def log(self) -> str:
        """What it says of what it does."""
        return (self.folder / "log").read_text()

    def empty(self) -> None:
        """Forget what it has taken and not handed on."""
        _run("/usr/sbin/postsuper", "-c", self.folder / "conf", "-d", "ALL")


@contextmanager
def private_postfix(*, players_port: int, replies_port: int) -> Iterator[Postfix]:
    """A Postfix with an empty queue; stopped afterwards."""
    with _folder("postfix") as folder:
        server = Postfix(folder, free_port(), players_port, replies_port)
        server.lay()
        server.start()
        try:
            yield server
        finally:
            server.stop()


# What both need


def documented(name: str, told: Mapping[str, str]) -> str:
    """The frame of this name in docs/mail.md, with the names and places of a test for those that stand there."""
    (lines,) = re.findall(rf"^```{re.escape(name)}\n(.*?)^```$", MANUAL.read_text(), re.MULTILINE | re.DOTALL)
    text = str(lines)
    for here, there in told.items():
        text = text.replace(here, there)
    return text


def greets(port: int) -> bool:
    """Whether a server on loopback says its first line."""
    try:
        with socket.create_connection((LOOPBACK, port), 5) as wire:
            return bool(wire.recv(1))
    except OSError:
        return False


def _bytes_of(mail: EmailMessage | bytes) -> bytes:
    return mail if isinstance(mail, bytes) else mail.as_bytes(policy=policy.SMTP)


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    missing = mail_programs_missing()
    if missing:
        raise ServerMissingError(missing)
    with tempfile.TemporaryDirectory(prefix=f"roadkill-{name}-", ignore_cleanup_errors=True) as folder:
        # Each of the servers' processes has a user of its own, and all look into it.
        Path(folder).chmod(0o755)
        yield Path(folder)


def _run(*command: str | Path) -> str:
    # Into a file: a server that goes into the background would hold a pipe open.
    with tempfile.TemporaryFile() as told:
        code = subprocess.run(command, stdout=told, stderr=told, check=False, timeout=START_SECONDS).returncode
        told.seek(0)
        words = told.read().decode(errors="replace")
    if code != 0:
        raise ServerMissingError(f"{' '.join(map(str, command))} failed:\n{words}")
    return words


def _wait_until(happened: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    while not happened():
        if time.monotonic() > deadline:
            told = log.read_text(errors="replace") if log.exists() else ""
            raise ServerMissingError(f"A server did not start or stop:\n{told}")
        time.sleep(0.05)
