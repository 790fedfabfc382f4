"""Servers are started on loopback, found, or missed in a sentence that says what to do."""

import socket
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from tests.services import servers
from tests.services.mail_servers import private_dovecot, private_postfix
from tests.services.servers import ServerMissingError, running_servers


def test_private_servers_start_empty_on_loopback_and_leave_nothing_behind() -> None:
    with running_servers() as running:
        for url in (running.database_url, running.redis_url):
            assert urlsplit(url).hostname == "127.0.0.1"
        with psycopg.connect(running.database_url) as connection:
            tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert tables == (0,)
        assert redis.Redis.from_url(running.redis_url).dbsize() == 0
    for url in (running.database_url, running.redis_url):
        with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
            probe.connect(("127.0.0.1", urlsplit(url).port or 0))


def test_servers_that_run_already_lend_an_empty_database_each(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_servers() as lenders:
        monkeypatch.setenv("SERVICES_DATABASE_URL", lenders.database_url)
        monkeypatch.setenv("SERVICES_REDIS_URL", lenders.redis_url)
        with running_servers() as running:
            assert running.database_url != lenders.database_url
            redis.Redis.from_url(running.redis_url).set("left", "behind")
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(running.database_url)
        assert redis.Redis.from_url(running.redis_url).dbsize() == 0


def test_a_redis_database_that_holds_something_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_servers() as lenders:
        redis.Redis.from_url(lenders.redis_url).set("mine", "1")
        monkeypatch.setenv("SERVICES_REDIS_URL", lenders.redis_url)
        with pytest.raises(ServerMissingError, match="is not empty"), running_servers():
            pass
        assert redis.Redis.from_url(lenders.redis_url).get("mine") == b"1"


def test_a_missing_postgresql_is_told_with_the_package_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_postgresql_programs", lambda: None)
    monkeypatch.setattr(servers, "USUAL_POSTGRESQL", "postgresql://postgres@127.0.0.1:1/postgres")
    with pytest.raises(ServerMissingError, match="apt-get install postgresql"), running_servers():
        pass


def test_a_missing_redis_is_told_with_the_package_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.services.servers.shutil.which", lambda name: None)
    monkeypatch.setattr(servers, "USUAL_REDIS", "redis://127.0.0.1:1")
    with pytest.raises(ServerMissingError, match="apt-get install redis-server"), running_servers():
        pass


def test_missing_mail_servers_are_told_with_the_packages_that_bring_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.services.mail_servers.Path.exists", lambda path: path.name != "lmtp")
    with (
        pytest.raises(ServerMissingError, match="apt-get install --no-install-recommends dovecot-lmtpd;"),
        private_dovecot(),
    ):
        pass
    monkeypatch.setattr("tests.services.mail_servers.Path.exists", lambda path: True)
    monkeypatch.setattr("tests.services.mail_servers.os.geteuid", lambda: 1000)
    with pytest.raises(ServerMissingError, match="as root"), private_postfix(players_port=1, replies_port=1):
        pass
