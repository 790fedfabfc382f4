"""The worker's part: small batches, no put-off tasks, and a broker that may be away."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError

from games.services.races import race_create, race_join
from notifications import receivers, tasks
from notifications.models import Notice
from roadkill_site.accounts.models import User
from roadkill_site.celery import app

ROOT = Path(__file__).parents[2]


def test_many_notices_are_handed_on_in_batches(wren: User, olu: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(10):
        race = race_create(by=wren, name=f"Race {number}", seats=2, is_public=True)
        race_join(race_id=race.pk, by=olu)
    batches: list[Sequence[int]] = []
    monkeypatch.setattr(tasks.deliver_notices, "delay", batches.append)
    tasks.dispatch_outbox()
    assert [len(batch) for batch in batches] == [25, 5]
    assert {pk for batch in batches for pk in batch} == set(Notice.objects.values_list("pk", flat=True))


def test_a_broker_that_is_away_fails_no_act(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def away(**_: object) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr(tasks.dispatch_outbox, "apply_async", away)
    receivers.worker_nudge(race_id=1, bots=False)
    assert "did not take a nudge" in caplog.text


def test_no_task_is_put_off_by_the_broker() -> None:
    for folder in ("games", "notifications", "roadkill_site"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(r"\b(eta|countdown)\s*=", path.read_text()), path


def test_the_beat_looks_into_outbox_and_notices_every_minute() -> None:
    every = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert every["notifications.tasks.dispatch_outbox"] <= 60
    assert every["notifications.tasks.deliver_due"] <= 60
    assert {"notifications.tasks.dispatch_outbox", "notifications.tasks.deliver_due"} <= set(app.tasks)
