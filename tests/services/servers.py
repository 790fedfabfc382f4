"""Starts a PostgreSQL and a Redis of its own on loopback, or finds ones that run, and puts everything back at the end.

Which one is taken, for each of the two:

1. what SERVICES_DATABASE_URL or SERVICES_REDIS_URL names;
2. a private server with an empty folder on a free port, if its program is installed;
3. the one that answers on its usual port on this machine (5432, 6379).

On a server that is not private, everything happens in a database made for this run and dropped after it.
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import urlsplit

import psycopg
import redis

LOOPBACK: Final = "127.0.0.1"
USUAL_POSTGRESQL: Final = f"postgresql://postgres@{LOOPBACK}:5432/postgres"
USUAL_REDIS: Final = f"redis://{LOOPBACK}:6379"
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 20.0


class ServerMissingError(Exception):
    """A server can neither be started nor found; the text says what to do."""


@dataclass(frozen=True)
class Servers:
    """Where the servers of this run are."""

    database_url: str
    redis_url: str
    told: tuple[str, ...]
    # By which PrivatePostgresql.named finds the one that this run may restart; "" if it is somebody else's.
    private_postgresql: str


@contextmanager
def running_servers() -> Iterator[Servers]:
    """Both servers, started or found, with an empty database each; stopped or emptied afterwards."""
    with ExitStack() as stack:
        admin_url, told_database, private_postgresql = stack.enter_context(_postgresql())
        redis_url, told_redis = stack.enter_context(_redis())
        database_url = stack.enter_context(_own_database(admin_url))
        yield Servers(
            database_url=database_url,
            redis_url=redis_url,
            told=(told_database, told_redis),
            private_postgresql=private_postgresql,
        )


def free_port() -> int:
    """A port on loopback that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def _postgresql() -> Iterator[tuple[str, str, str]]:
    given = os.environ.get("SERVICES_DATABASE_URL")
    if given:
        yield given, "PostgreSQL: as SERVICES_DATABASE_URL says", ""
        return
    programs = _postgresql_programs()
    if programs is not None:
        with _private_postgresql(programs) as server:
            yield server.url, f"PostgreSQL: a private server from {programs}, at {server.url}", server.name
        return
    try:
        psycopg.connect(USUAL_POSTGRESQL, connect_timeout=3).close()
    except psycopg.OperationalError as refused:
        raise ServerMissingError(
            "PostgreSQL is missing: install it (on Debian: apt-get install postgresql), or name a server on which"
            " databases may be made: SERVICES_DATABASE_URL=postgresql://USER:PASSWORD@HOST:PORT/postgres"
        ) from refused
    yield USUAL_POSTGRESQL, f"PostgreSQL: the one that runs at {USUAL_POSTGRESQL}", ""


def _postgresql_programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: Debian keeps them off the path, one folder a version."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += Path("/usr/lib/postgresql").glob("*/bin")
    complete = [folder for folder in folders if all((folder / name).exists() for name in ("initdb", "pg_ctl"))]
    return max(complete, key=lambda folder: (len(folder.parent.name), folder.parent.name), default=None)


def _unprivileged() -> int | None:
    """Whom PostgreSQL runs as: it refuses to run as root. None stands for the present user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise ServerMissingError("PostgreSQL does not run as root, and there is no user postgres or nobody here.")


@contextmanager
def _private_postgresql(programs: Path) -> Iterator["PrivatePostgresql"]:
    user = _unprivileged()
    with tempfile.TemporaryDirectory(prefix="roadkill-postgresql-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if user is not None:
            os.chown(folder, user, -1)
        server = PrivatePostgresql(programs, folder, free_port(), user)
        server.lay()
        server.start()
        try:
            yield server
        finally:
            server.stop()


@dataclass(frozen=True)
class PrivatePostgresql:
    """A PostgreSQL with a folder of its own; whoever knows it may restart it, from another process too."""

    programs: Path
    folder: Path
    port: int
    user: int | None

    @classmethod
    def named(cls, name: str) -> "PrivatePostgresql":
        """The one that `name` of another process means."""
        programs, folder, port, user = name.split("|")
        return cls(Path(programs), Path(folder), int(port), int(user) if user else None)

    @property
    def name(self) -> str:
        """What another process knows it by."""
        return f"{self.programs}|{self.folder}|{self.port}|{'' if self.user is None else self.user}"

    @property
    def url(self) -> str:
        """Where its owner connects."""
        return f"postgresql://roadkill@{LOOPBACK}:{self.port}/postgres"

    @property
    def is_running(self) -> bool:
        """Whether it has been started."""
        return (self.folder / "data" / "postmaster.pid").exists()

    def lay(self) -> None:
        """Make its folder of data."""
        self._run("initdb", "-U", "roadkill", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        # Nothing of this outlives the run, so nothing has to reach the disk.
        options = f"-p {self.port} -h {LOOPBACK} -k '' -F"
        log = self.folder / "log"
        try:
            self._run("pg_ctl", "start", "-w", "-t", f"{START_SECONDS:.0f}", "-l", str(log), "-o", options)
        except subprocess.CalledProcessError as failed:
            told = log.read_text(errors="replace") if log.exists() else ""
            raise ServerMissingError(f"A server did not start:\n{told}") from failed

    def stop(self, *, how: str = "fast") -> None:
        """Stop it, if it runs, whoever is connected; "immediate" is as if it crashed."""
        if self.is_running:
            self._run("pg_ctl", "stop", "-w", "-t", f"{STOP_SECONDS:.0f}", "-m", how)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, "-D", self.folder / "data", *arguments],
            check=True,
            user=self.user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )


@contextmanager
def _own_database(admin_url: str) -> Iterator[str]:
    name = f"roadkill_services_{secrets.token_hex(6)}"
    _administer(admin_url, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(admin_url)._replace(path=f"/{name}").geturl()
    finally:
        _administer(admin_url, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(url: str, command: str) -> None:
    with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
        connection.execute(command.encode())


@contextmanager
def _redis() -> Iterator[tuple[str, str]]:
    given = os.environ.get("SERVICES_REDIS_URL")
    program = redis_program()
    if given:
        with _empty_redis(given) as url:
            yield url, "Redis: as SERVICES_REDIS_URL says"
    elif program:
        with private_redis(program, free_port()) as url:
            yield url, f"Redis: a private server from {program}, at {url}"
    else:
        with _found_redis() as url:
            yield url, f"Redis: the one that runs at {url}"


def redis_program() -> str | None:
    """The Redis that is installed."""
    return shutil.which("redis-server") or shutil.which("valkey-server")


@contextmanager
def private_redis(program: str, port: int) -> Iterator[str]:
    """A Redis that begins with nothing, and keeps nothing when it ends."""
    with tempfile.TemporaryDirectory(prefix="roadkill-redis-") as name:
        folder = Path(name)
        log = folder / "log"
        command = [
            program, "--bind", LOOPBACK, "--port", str(port), "--save", "", "--appendonly", "no", "--dir", str(folder),
        ]  # fmt: skip
        with log.open("wb") as log_file, _process(command, log_file, folder=folder) as process:
            url = f"redis://{LOOPBACK}:{port}/0"
            _wait_until(lambda: redis.Redis.from_url(url).ping(), process, log)
            yield url


@contextmanager
def _found_redis() -> Iterator[str]:
    """An empty numbered database of the server on the usual port."""
    for number in range(15, 0, -1):
        url = f"{USUAL_REDIS}/{number}"
        try:
            if redis.Redis.from_url(url, socket_connect_timeout=3).dbsize() == 0:
                break
        except redis.ConnectionError as refused:
            raise ServerMissingError(
                "Redis is missing: install it (on Debian: apt-get install redis-server), or name a server with an"
                " empty database: SERVICES_REDIS_URL=redis://HOST:PORT/NUMBER"
            ) from refused
    else:
        raise ServerMissingError(f"{USUAL_REDIS} has no empty database; name one by SERVICES_REDIS_URL.")
    with _empty_redis(url) as found:
        yield found


@contextmanager
def _empty_redis(url: str) -> Iterator[str]:
    client = redis.Redis.from_url(url)
    if client.dbsize() != 0:
        raise ServerMissingError("The Redis database of SERVICES_REDIS_URL is not empty; name an empty one.")
    try:
        yield url
    finally:
        client.flushdb()


@contextmanager
def _process(command: list[str], log: BinaryIO, *, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    # A session of its own: Ctrl-C is for this program, which then stops the server in order.
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True)
    try:
        yield process
    finally:
        # It takes it as: stop now, whoever is connected.
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until(answers: Callable[[], object], process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            answers()
        except redis.ConnectionError as refused:
            if process.poll() is not None or time.monotonic() > deadline:
                raise ServerMissingError(f"A server did not start:\n{log.read_text(errors='replace')}") from refused
            time.sleep(0.1)
        else:
            return
