"""Web, worker and beat start, do their work on real servers, and stop with a sentence when a setting is wrong."""

import os
import smtplib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.db import connection

from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create
from roadkill_site.celery import app
from tests.services.conftest import ROOT, MailServer, StartProcess, wait_until

# The entry point calls python, gunicorn and celery by name, as in the image.
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.mark.django_db(transaction=True)
def test_the_servers_are_real() -> None:
    assert connection.vendor == "postgresql"
    cache.set("colour", "rust")
    assert cache.get("colour") == "rust"
    assert settings.CACHES["default"]["BACKEND"].endswith("RedisCache")


def test_two_web_processes_say_that_all_is_well(web: str) -> None:
    answer = requests.get(f"{web}/healthz", timeout=10)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "database": "ok", "cache": "ok"})


@pytest.mark.django_db(transaction=True)
def test_a_code_is_mailed_through_the_mail_server_and_signs_in(web: str, mail_server: MailServer) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    browser = requests.Session()
    page = browser.get(f"{web}/account/sign-in/", timeout=10)
    form = {"csrfmiddlewaretoken": _csrf(page.text), "email": "wren@example.org"}
    code_page = browser.post(page.url, data=form, headers={"Referer": page.url}, timeout=20)
    (sent,) = mail_server.to("wren@example.org")
    body = sent.get_body()
    assert body is not None
    code = next(line.strip() for line in body.get_content().splitlines() if line.startswith("    "))
    form = {"csrfmiddlewaretoken": _csrf(code_page.text), "code": code}
    browser.post(code_page.url, data=form, headers={"Referer": code_page.url}, timeout=20)
    profile = browser.get(f"{web}/account/", timeout=10, allow_redirects=False)
    assert profile.status_code == 200
    assert "wren@example.org" in profile.text


@pytest.mark.django_db(transaction=True)
def test_a_mail_server_that_refuses_is_told_on_the_page(web: str, mail_server: MailServer) -> None:
    User.objects.create_user("wren@example.org", display_name="Wren")
    mail_server.refusals["wren@example.org"] = "451 4.3.0 Later"
    browser = requests.Session()
    page = browser.get(f"{web}/account/sign-in/", timeout=10)
    form = {"csrfmiddlewaretoken": _csrf(page.text), "email": "wren@example.org"}
    answer = browser.post(page.url, data=form, headers={"Referer": page.url}, timeout=20)
    assert answer.status_code == 503
    assert "did not take the mail" in answer.text


@pytest.mark.django_db(transaction=True)
def test_a_token_opens_the_api_of_every_web_process(web: str) -> None:
    token, key = api_token_create(user=User.objects.create_user("wren@example.org", display_name="Wren"), label="x")
    for _ in range(8):
        answer = requests.get(f"{web}/api/v1/openapi.json", headers={"Authorization": f"Bearer {key}"}, timeout=10)
        assert answer.status_code == 200
    token.refresh_from_db()
    assert token.last_used_at is not None


@pytest.mark.django_db(transaction=True)
def test_two_workers_and_a_beat_run_what_the_schedule_says(
    start_worker: Callable[[str], object], start_beat: Callable[[], object]
) -> None:
    start_worker("one@loopback")
    start_worker("two@loopback")
    wait_until(lambda: {"one@loopback", "two@loopback"} <= set(app.control.inspect(timeout=1).ping() or {}))
    known = app.control.inspect(timeout=2).registered() or {}
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(known["one@loopback"])


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("gunicorn", ["roadkill_site.wsgi", "--bind", "127.0.0.1:0", "--preload"]),
        ("gunicorn", ["roadkill_site.wsgi", "--bind", "127.0.0.1:0"]),
        ("celery", ["-A", "roadkill_site.worker", "worker"]),
        ("celery", ["-A", "roadkill_site.worker", "beat"]),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(
    start_process: StartProcess, module: str, arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    process = start_process(module, *arguments, SITE_URL="http://race.example.org")
    assert process.wait(60) == 3


def test_the_entry_point_serves_and_the_health_check_knows_when_it_does_not(start_command: StartProcess) -> None:
    port = settings.SITE_URL.rpartition(":")[2]
    process = start_command("sh", "docker/entrypoint.sh", "web", PATH=PATH, PORT=port, WEB_BIND="127.0.0.1")
    wait_until(lambda: process.poll() is not None or _health_check(port).returncode == 0)
    assert process.poll() is None
    silent = _health_check("1")
    assert silent.returncode == 1
    assert "The web process does not answer" in silent.stderr


@pytest.mark.parametrize(
    ("name", "address"),
    [("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing"), ("REDIS_URL", "redis://127.0.0.1:1/0")],
)
def test_a_server_that_does_not_answer_stops_the_start_with_a_sentence(name: str, address: str) -> None:
    code = "import django; from roadkill_site.start import wait_for_servers as w; django.setup(); w(seconds=1)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "roadkill_site.settings", name: address},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(f"Setting {name}: ")
    assert "does not answer" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_mail_server_is_spoken_to_over_a_connection(
    mail_server: MailServer, settings: pytest.FixtureRequest
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    mail.send_mail("Your turn", "Roll.", None, ["wren@example.org"])
    assert [sent["Subject"] for sent in mail_server.to("wren@example.org")] == ["Your turn"]
    mail_server.refusals["gone@example.org"] = "550 5.1.1 No such mailbox"
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        mail.send_mail("Your turn", "Roll.", None, ["gone@example.org"])


def _health_check(port: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "docker/healthcheck.py"],
        cwd=ROOT,
        env={**os.environ, "PORT": port},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _csrf(page: str) -> str:
    return page.split('name="csrfmiddlewaretoken" value="', 1)[1].split('"', 1)[0]
