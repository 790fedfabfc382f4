"""Drivers and a race under way between two of them, made by the services that players use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from games.models import OutboxEvent, Race, Seat
from games.selectors.races import race_present
from games.services.races import race_create, race_join
from games.services.turns import action_submit
from notifications.models import Notice
from notifications.services.delivery import notices_deliver, notices_due
from notifications.services.dispatch import outbox_dispatch
from roadkill_site.accounts.models import User


@pytest.fixture
def wren(db: None) -> User:
    return User.objects.create_user("wren@example.org", display_name="Wren", time_zone="Europe/Lisbon")


@pytest.fixture
def olu(db: None) -> User:
    return User.objects.create_user("olu@example.org", display_name="Olu", time_zone="Asia/Tokyo")


@dataclass
class Running:
    """A race under way and the hands that move it."""

    race: Race

    def seat(self, user: User) -> Seat:
        return Seat.objects.select_related("race", "player").get(race=self.race, player_id=user.pk)

    @property
    def asked(self) -> Seat:
        """The seat whose turn it is."""
        return Seat.objects.select_related("race", "player").get(race=self.race, decision__isnull=False)

    @property
    def waiting(self) -> Seat:
        """The other one."""
        return Seat.objects.select_related("race", "player").get(race=self.race, decision__isnull=True)

    def question(self, seat: Seat) -> dict[str, Any]:
        seat.race.refresh_from_db()
        question = race_present(race=seat.race, viewer=seat, log_last=0)["question"]
        assert question is not None
        return dict(question)

    def act(self, seat: Seat, action: dict[str, Any] | None = None, *, origin: str = "link") -> None:
        """The seat's driver answers; without an action it ends the turn or takes the first answer there is."""
        question = self.question(seat)
        least = {"do": "end"} if question["key"] == "act" else question["answers"][0]["action"]
        action_submit(
            race_id=self.race.pk,
            seat_id=seat.pk,
            expected_seq=question["position"],
            idempotency_key=f"{seat.pk}-{question['decision']}-{question['position']}",
            action=action or least,
            origin=origin,
        )


@pytest.fixture
def running(wren: User, olu: User) -> Running:
    race = race_create(by=wren, name="Dust Devil 300", seats=2, options={"sections": 3}, is_public=True)
    race_join(race_id=race.pk, by=olu)
    race.refresh_from_db()
    assert race.status == "running"
    return Running(race)


@pytest.fixture
def deliver() -> Callable[[], dict[str, int]]:
    """Dispatch what is in the outbox and try all that is due; how many ended in which state."""

    def run() -> dict[str, int]:
        outbox_dispatch()
        return dict(notices_deliver(notices_due(now=timezone.now())))

    return run


@pytest.fixture
def turn_notice(running: Running) -> Notice:
    """The notice of the first turn, not yet tried."""
    outbox_dispatch()
    event = OutboxEvent.objects.get(race=running.race, kind="turn")
    Notice.objects.exclude(outbox_event=event).delete()
    return Notice.objects.get(outbox_event=event)


AnswerWith = Callable[[Exception | None], list[str]]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> AnswerWith:
    """Make the mail server answer every mail so; returns the Message-IDs that it was given."""
    given: list[str] = []

    def answer_with(error: Exception | None) -> list[str]:
        class Server(BaseEmailBackend):
            def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
                given.extend(str(one.extra_headers["Message-ID"]) for one in email_messages)
                if error is not None:
                    raise error
                return len(email_messages)

        monkeypatch.setattr("notifications.channels.email.channel.get_connection", Server)
        return given

    return answer_with
