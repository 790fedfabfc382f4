"""What the app of notices reads of a race: what is in the outbox, and what one seat is to be told at this moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.urls import reverse

from games.models import Decision, Entry, OutboxEvent, Race, Seat
from games.runtime.present import present

_PLAYER_ORIGINS: Final = frozenset({"player"})
_QUESTIONS: Final = frozenset({"turn", "question"})


@dataclass(frozen=True)
class NoticeFacts:
    """What one seat is told, looked up at one moment.

    ``is_current``: what happened still matters (a question is open and has no sealed answer, an invitation still stands).
    ``presented``: the race as games presents it to this seat, or to a spectator if the seat has no driver.
    ``story_after``: the number of the last log entry that this player's own act has made. ``words``: further sentences of the kind.
    """

    kind: str
    seat_id: int
    mail_address: str
    name: str
    time_zone: str
    is_current: bool
    presented: dict[str, Any]
    story_after: int
    race_address: str
    words: Mapping[str, str]


def outbox_unprocessed(*, most: int) -> list[OutboxEvent]:
    """The oldest rows of the outbox of which no notices were made yet."""
    return list(OutboxEvent.objects.filter(processed_at=None).order_by("pk")[:most])


def seat_race_name(seat_id: int) -> str | None:
    """The name of the race of this seat, or None if there is no such seat."""
    return Race.objects.filter(seats__pk=seat_id).values_list("name", flat=True).first()


def notice_facts(*, event_id: int, seat_id: int) -> NoticeFacts | None:
    """What the row of the outbox tells this seat now; None if there is nobody to tell: a bot sits there, or nobody."""
    event = OutboxEvent.objects.select_related("race", "race__host").get(pk=event_id)
    seat = Seat.objects.select_related("player").get(pk=seat_id)
    mail_address = seat.player.email if seat.player is not None else seat.invited_email
    if seat.bot or not mail_address:
        return None
    race = event.race
    is_driver = seat.state == "joined" and seat.number is not None
    presented = present(race, seat.number if is_driver else None)
    race_address = settings.SITE_URL + reverse("games:race", args=[race.public_id])
    return NoticeFacts(
        kind=event.kind,
        seat_id=seat.pk,
        mail_address=mail_address,
        name=seat.shown_name if seat.player is not None else "driver",
        time_zone=seat.player.time_zone if seat.player is not None else settings.TIME_ZONE,
        is_current=_is_current(event, race, seat, presented),
        presented=presented,
        story_after=_last_own_entry(race, seat),
        race_address=race_address,
        words={
            "host": race.host.display_name,
            "tempo": tempo_in_words(race),
            "policy": presented["race"]["policy_text"],
            "commitment": race.commitment,
            "car": str(seat.number or ""),
            "replay_address": settings.SITE_URL + reverse("games:replay", args=[race.public_id]),
        },
    )


def tempo_in_words(race: Race) -> str:
    """How long a turn and a reaction may take, as a sentence."""
    return f"{race.seats_wanted} seats. A turn may take {_span(race.turn_minutes)}, a reaction {_span(race.reaction_minutes)}."


def _span(minutes: int) -> str:
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes % size == 0:
            count = minutes // size
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    raise AssertionError(minutes)


def _is_current(event: OutboxEvent, race: Race, seat: Seat, presented: Mapping[str, Any]) -> bool:
    if event.kind in _QUESTIONS:
        question = presented["question"]
        return (
            question is not None
            and question["decision"] == event.decision_id
            and question["sealed"] is None
            and Decision.objects.filter(pk=event.decision_id, seat=seat).exists()
        )
    if event.kind == "invited":
        return seat.state == "invited" and race.status == "open"
    if event.kind == "fault":
        return bool(race.fault)
    return _STATUS_TOLD.get(event.kind, race.status) == race.status


_STATUS_TOLD: Final = {
    "started": "running",
    "lapsed": "running",
    "seat_gone": "running",
    "finished": "finished",
    "cancelled": "abandoned",
}


def _last_own_entry(race: Race, seat: Seat) -> int:
    """The number of the last entry that holds an act which this seat's player gave; -1 if there is none."""
    if seat.number is None:
        return -1
    entries = Entry.objects.filter(race=race).order_by("-seq").values_list("seq", "acts")
    for seq, acts in entries.iterator(chunk_size=100):
        if any(act["seat"] == seat.number and act["origin"] in _PLAYER_ORIGINS for act in acts):
            return seq
    return -1
