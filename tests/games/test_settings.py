"""Settings are read from the environment, and what is not understood is refused by name."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import checks

from roadkill_site.checks import settings_fit_together
from roadkill_site.env import Environment, SettingRefused
from roadkill_site.secret_key import development_secret_key

ROOT = Path(__file__).resolve().parents[2]

PRODUCTION = {
    "ROADKILL_MODE": "production",
    "SITE_URL": "https://race.example.org",
    "SECRET_KEY": "a-key-of-more-than-fifty-letters-0123456789-abcdefghij",
    "DATABASE_URL": "postgresql://roadkill@localhost/roadkill",
    "REDIS_URL": "redis://localhost:6379/0",
    "EMAIL_HOST": "mail.example.org",
    "MAIL_FROM": "Roadkill <turns@race.example.org>",
}


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py with these settings and no others."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "VAR_DIR", "LANG"}}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("read", "value", "allowed"),
    [
        (lambda env: env.flag("NAME", default=False), "maybe", "neither yes (1, true, yes, on) nor no"),
        (lambda env: env.whole_number("NAME", 1, least=1, most=5), "6", "a whole number from 1 to 5"),
        (lambda env: env.whole_number("NAME", 1, least=1, most=5), "two", "a whole number from 1 to 5"),
        (lambda env: env.one_of("NAME", "a", ("a", "b")), "c", "not one of: a, b"),
        (lambda env: env.host_names("NAME", ()), "https://race.example.org", "not a host name"),
        (lambda env: env.host_names("NAME", ()), "race.example.org:80", "not a host name"),
        (lambda env: env.mail_domain("NAME", "x"), "a@b.example", "not a mail domain"),
        (lambda env: env.mail_sender("NAME", "a@b.example"), "Roadkill", "not a sender"),
        (lambda env: env.mail_sender("NAME", "a@b.example"), "a@b.example\nBcc: x@y.example", "not a sender"),
        (lambda env: env.web_address("NAME", "http://x"), "race.example.org", "not an address such as https://"),
        (lambda env: env.web_address("NAME", "http://x"), "ftp://race.example.org", "not an address such as"),
        (lambda env: env.web_address("NAME", "http://x"), "https://race.example.org/x", "scheme and host only"),
        (lambda env: env.web_address("NAME", "http://x"), "https://[::1", "not an address of the form"),
        (lambda env: env.web_address("NAME", "http://x"), "https://race.example.org:port", "not an address of"),
        (lambda env: env.time_zone("NAME", "UTC"), "Mars/Olympus", "not a time zone"),
        (lambda env: env.optional_folder("NAME"), "/nowhere/at/all", "not a folder"),
        (lambda env: env.optional_redis_url("NAME"), "localhost:6379", "redis://HOST:PORT/NUMBER"),
        (lambda env: env.optional_redis_url("NAME"), "redis://localhost/zero", "a database number"),
        (lambda env: env.database("NAME", Path("x")), "mysql://localhost/x", "postgresql:// or sqlite://"),
        (lambda env: env.database("NAME", Path("x")), "postgresql://localhost/", "names no database"),
        (lambda env: env.database("NAME", Path("x")), "postgresql://localhost/x?sslmod=require", "'sslmod'"),
        (lambda env: env.database("NAME", Path("x")), "sqlite://file", "sqlite:////absolute/path"),
        (lambda env: env.require("NAME", "a thing"), "", "missing; set it to a thing"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(
    read: Callable[[Environment], Any], value: str, allowed: str
) -> None:
    with pytest.raises(SettingRefused) as refused:
        read(Environment({"NAME": value}))
    assert str(refused.value).startswith("Setting NAME: ")
    assert allowed in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("read", "value", "meant"),
    [
        (lambda env: env.flag("NAME", default=True), "Off", False),
        (lambda env: env.flag("NAME", default=True), "", True),
        (lambda env: env.whole_number("NAME", 1, least=-3, most=5), "-2", -2),
        (lambda env: env.names("NAME"), " a, b ,,c", ["a", "b", "c"]),
        (lambda env: env.host_names("NAME", ()), "race.example.org,.example.net,[::1]", 3),
        (lambda env: env.web_address("NAME", "x"), "https://race.example.org:8443/", "https://race.example.org:8443"),
        (lambda env: env.mail_sender("NAME", "x"), "turns@race.example.org", "turns@race.example.org"),
        (lambda env: env.optional_redis_url("NAME"), "rediss://:secret@r.example:6380/3", 33),
        (lambda env: env.database("NAME", Path("/d"))["NAME"], "", "/d"),
        (lambda env: env.database("NAME", Path("/d"))["NAME"], "sqlite:////srv/r.sqlite3", "/srv/r.sqlite3"),
        (lambda env: env.database("NAME", Path("/d"))["NAME"], "sqlite:///:memory:", ":memory:"),
        (lambda env: env.database("NAME", Path("/d"))["PASSWORD"], "postgres://u:p%40ss@h:5/n?sslmode=require", "p@ss"),
        (
            lambda env: env.database("NAME", Path("/d"))["HOST"],
            "postgres://u@/n?host=/run/postgresql",
            "/run/postgresql",
        ),
    ],
)
def test_what_is_understood_is_read(read: Callable[[Environment], Any], value: str, meant: object) -> None:
    found = read(Environment({"NAME": value}))
    assert (len(found) if isinstance(meant, int) and not isinstance(found, (bool, int)) else found) == meant


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    assert Environment({"NAME_FILE": str(file)}).optional_text("NAME") == "from the file"
    assert Environment({"NAME_FILE": str(file)}).is_given("NAME")


@pytest.mark.parametrize("trouble", ["both", "missing", "empty", "not text"])
def test_a_secret_file_that_is_of_no_use_is_refused(tmp_path: Path, trouble: str) -> None:
    file = tmp_path / "secret"
    if trouble != "missing":
        file.write_bytes({"both": b"x", "empty": b"\n", "not text": b"\xff"}[trouble])
    variables = {"NAME_FILE": str(file), **({"NAME": "y"} if trouble == "both" else {})}
    with pytest.raises(SettingRefused, match="Setting NAME"):
        Environment(variables).optional_text("NAME")


def test_a_refused_database_address_does_not_repeat_its_password() -> None:
    with pytest.raises(SettingRefused) as refused:
        Environment({"NAME": "mysql://u:hush@h/n"}).database("NAME", Path("x"))
    assert "hush" not in str(refused.value)


def test_a_refused_redis_address_does_not_repeat_its_password() -> None:
    with pytest.raises(SettingRefused) as refused:
        Environment({"NAME": "http://:hush@h/0"}).optional_redis_url("NAME")
    assert "hush" not in str(refused.value)


def test_a_development_server_keeps_its_key_to_itself(tmp_path: Path) -> None:
    file = tmp_path / "var" / "secret_key"
    key = development_secret_key(file)
    assert len(key) >= 50
    assert development_secret_key(file) == key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["secret_key"]


def test_a_development_server_that_cannot_keep_a_key_says_so(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file where a folder should be")
    with pytest.raises(SettingRefused, match=r"Setting SECRET_KEY: it is not set, and .* cannot be used"):
        development_secret_key(tmp_path / "var" / "secret_key")


@pytest.mark.parametrize(
    ("changed", "name", "found"),
    [
        ({"DEBUG": True}, "DEBUG", "roadkill.E001"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY", "roadkill.E002"),
        ({"SECRET_KEY": "a" * 60}, "SECRET_KEY", "roadkill.E002"),
        ({"SECRET_KEY_FALLBACKS": ["short"]}, "SECRET_KEY_FALLBACKS", "roadkill.E002"),
        ({"ALLOWED_HOSTS": ["*"]}, "ALLOWED_HOSTS", "roadkill.E003"),
        ({"SITE_IS_HTTPS": False, "SITE_HOST": "127.0.0.1", "ALLOWED_HOSTS": ["127.0.0.1"]}, "", None),
        ({"SITE_IS_HTTPS": False}, "SITE_URL", "roadkill.E004"),
        ({"ALLOWED_HOSTS": ["other.example.org"]}, "ALLOWED_HOSTS", "roadkill.E005"),
        ({"ALLOWED_HOSTS": [".example.org"]}, "", None),
        ({"EMAIL_HOST_PASSWORD": "x", "EMAIL_SECURITY": "tls"}, "EMAIL_HOST_USER", "roadkill.E006"),
        ({"EMAIL_HOST_PASSWORD": "x", "EMAIL_HOST_USER": "u"}, "EMAIL_SECURITY", "roadkill.E007"),
        ({"REPLIES": True, "REPLY_DOMAIN": "localhost"}, "REPLY_DOMAIN", "roadkill.E010"),
        ({"REPLIES": True, "REPLY_DOMAIN": "race.example.org"}, "", None),
        (
            {"EMAIL_HOST_PASSWORD": "x", "EMAIL_HOST_USER": "u", "EMAIL_SECURITY": "starttls"},
            "",
            None,
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_found(
    settings: Any, changed: dict[str, Any], name: str, found: str | None
) -> None:
    right = {
        "PRODUCTION": True,
        "DEBUG": False,
        "SECRET_KEY": PRODUCTION["SECRET_KEY"],
        "SECRET_KEY_FALLBACKS": [],
        "SITE_IS_HTTPS": True,
        "SITE_HOST": "race.example.org",
        "ALLOWED_HOSTS": ["race.example.org"],
        "EMAIL_HOST": "mail.example.org",
        "EMAIL_HOST_USER": "",
        "EMAIL_HOST_PASSWORD": "",
        "EMAIL_SECURITY": "none",
        "REPLIES": False,
    }
    for key, value in {**right, **changed}.items():
        setattr(settings, key, value)
    errors = [message for message in settings_fit_together() if message.level >= checks.ERROR]
    assert [error.id for error in errors] == ([] if found is None else [found])
    assert all(str(error.msg).startswith(f"Setting {name}: ") for error in errors)


@pytest.mark.parametrize("missing", [name for name in PRODUCTION if name != "ROADKILL_MODE"])
def test_a_missing_setting_stops_a_site_at_work_with_one_sentence(missing: str) -> None:
    done = manage("check", **{name: value for name, value in PRODUCTION.items() if name != missing})
    assert done.returncode == 1
    assert done.stderr.startswith(f"Setting {missing}: it is missing; set it to ")
    assert done.stderr.count("\n") == 1


def test_a_site_at_work_with_all_its_settings_passes_the_checks_of_deployment() -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_settings_that_do_not_fit_together_stop_every_command_without_a_stack_trace() -> None:
    done = manage("check", **{**PRODUCTION, "ALLOWED_HOSTS": "other.example.org"})
    assert done.returncode == 1
    assert "Setting ALLOWED_HOSTS: it must let in race.example.org" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_development_server_needs_no_setting_at_all(tmp_path: Path) -> None:
    done = manage("check", VAR_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
