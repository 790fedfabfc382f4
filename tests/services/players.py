"""What players are asked and answer through the API, and what must be true of a race and its mails when all is done."""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from io import StringIO
from typing import Any

from django.core.management import call_command

from games.models import Decision, Entry, OutboxEvent, Race
from notifications.models import Notice
from notifications.tasks import deliver_due, dispatch_outbox
from tests.services.conftest import MailServer, Player, wait_until


def asked_player(players: list[Player]) -> tuple[Player, dict[str, Any]]:
    """Whoever is asked something, and the race as that player sees it."""
    for player in players:
        found = player.get("/me/decisions")["results"]
        if found:
            return player, dict(player.get(f"/races/{found[0]['race']['id']}"))
    raise AssertionError("nobody is asked anything")


def body_of(shown: dict[str, Any], *, number: int, key: str) -> dict[str, Any]:
    """The request that gives this answer to the question shown."""
    question = shown["question"]
    return {"decision": question["decision"], "position": question["position"], "number": number, "key": key}


def replays(race: Race) -> None:
    """The record gives the present state again, entry by entry."""
    call_command("replay_check", "--all", race.public_id, stdout=StringIO())


def wait_until_mailed(*, nudge: bool = True) -> None:
    """Wait until the workers have nothing left to mail; they are asked to look, unless a beat does that."""

    def is_quiet() -> bool:
        if nudge:
            dispatch_outbox.delay()
            deliver_due.delay()
        time.sleep(0.5)
        return not (
            OutboxEvent.objects.filter(processed_at=None).exists()
            or Notice.objects.filter(state__in=["pending", "sending"]).exists()
        )

    wait_until(is_quiet)


def mailed_once(mails: MailServer, *, twice: Collection[str] = ()) -> None:
    """When the workers have nothing left to do, each notice was mailed once, under its own Message-ID.

    Of those in `twice` a second copy came under the same Message-ID, of which a mailbox shows one.
    """
    wait_until_mailed()
    sent = Counter(Notice.objects.filter(state="sent").values_list("message_id", flat=True))
    assert set(sent.values()) == {1}
    assert Counter(str(mail["Message-ID"]) for mail in mails.mails) == sent + Counter(twice)
    assert not Notice.objects.exclude(state__in=["sent", "dropped"]).exists()


def acts_of(race: Race, origin: str) -> list[dict[str, Any]]:
    """The acts of this origin in the race's record, oldest first."""
    entries = Entry.objects.filter(race=race).order_by("seq")
    return [act for entry in entries for act in entry.acts if act["origin"] == origin]


def count_of_acts(races: Sequence[Race], origin: str) -> int:
    """How many acts of this origin stand in the races' records, or are sealed until a window closes."""
    sealed = Decision.objects.filter(race__in=races, sealed_origin=origin).count()
    return sum(len(acts_of(race, origin)) for race in races) + sealed
