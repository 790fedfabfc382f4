"""Games hear whether our mail to a player arrives: nobody is held to be away whom it did not reach."""

from collections.abc import Sequence

import pytest
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from games.models import MailFailure
from notifications.models import Notice
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from tests.notifications.conftest import Running


def test_mail_that_does_not_arrive_excuses_its_reader_until_one_does(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away(BaseEmailBackend):
        def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
            raise ConnectionRefusedError("Connection refused")

    outbox_dispatch()
    with monkeypatch.context() as broken:
        broken.setattr("notifications.channels.email.channel.get_connection", Away)
        notices_deliver(notices_due(now=timezone.now()))
    failures = MailFailure.objects.filter(until=None)
    tried = {
        notice.seat.player_id: notice.created_at for notice in Notice.objects.exclude(attempts=None) if notice.seat
    }
    assert failures.count() == len(tried) >= 1
    assert {one.player_id: one.since for one in failures}.keys() == tried.keys()
    Notice.objects.filter(state="pending").update(due_at=timezone.now())
    notices_deliver(notices_due(now=timezone.now()))
    assert not MailFailure.objects.filter(until=None).exists()
    assert MailFailure.objects.count() == len(tried)
