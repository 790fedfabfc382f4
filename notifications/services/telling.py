"""What a notice comes to at the moment at which it is to be told: a parcel, a reason to tell nothing, or a wait.

All of it is looked up after the claim, so that what is sent is what is so then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from games.selectors.notices import CAMPAIGN_END, NoticeFacts, notice_facts
from games.services.invitations import invitation_address
from notifications.channels import CHANNELS
from notifications.channels.base import Parcel
from notifications.channels.email.channel import EmailChannel
from notifications.letters import Letter, letter_compose
from notifications.models import REMINDERS, Endpoint, Notice, NoticeState, Occasion, Wishes
from notifications.selectors import closed_addresses, paused_addresses
from notifications.services import daily
from notifications.services.letter_links import answer_addresses
from notifications.services.pauses import stop_link
from notifications.services.replies.keys import answer_on_its_way, question_answered_with, reply_key_make
from notifications.services.stories import story_letter
from notifications.words import OVERTAKEN

ANSWER_WAIT: Final = timedelta(minutes=10)
"""So long a question waits for the answer to a mail, in which it will stand."""
ANSWER_LOOK: Final = timedelta(seconds=30)
ASKED_IN_ANSWER: Final = "asked in the answer to your mail"
ADDRESS_CLOSED: Final = "the address refused our messages before"


@dataclass(frozen=True)
class Nothing:
    """Nothing is to be told (any more); ``reason`` stands in the player's log."""

    reason: str
    address: str = ""


@dataclass(frozen=True)
class Later:
    """It is to be looked at again then; ``reason`` says what for."""

    until: datetime
    reason: str


class Known:
    """What is looked up once for a batch of notices: wishes, closed addresses, and stopped mails.

    It is as old as the batch, some seconds. An address that closes meanwhile is noted here by whoever closes it.
    """

    def __init__(self, notice_ids: Sequence[int]) -> None:
        """For these notices."""
        notices = Notice.objects.filter(pk__in=notice_ids)
        told = notices.values_list("player_id", "outbox_event__player_id", "seat__player_id", "seat_id")
        people: set[int | None] = set()
        seat_ids: set[int | None] = set()
        for *players, seat_id in told:
            people.update(players)
            seat_ids.add(seat_id)
        player_ids = people - {None}
        self._wishes = {row.player_id: row for row in Wishes.objects.filter(player_id__in=player_ids)}
        self._closed = closed_addresses()
        self._paused = paused_addresses(seat_id for seat_id in seat_ids if seat_id is not None)

    def wishes(self, player_id: int | None) -> Wishes:
        """What this player wants to be told; the defaults for nobody."""
        return self._wishes.get(player_id or 0) or Wishes()

    def is_closed(self, channel: str, address: str) -> bool:
        """Whether nothing is sent to this address any more."""
        return (channel, address.lower()) in self._closed

    def close(self, channel: str, address: str) -> None:
        """Note that nothing is sent there any more."""
        self._closed.add((channel, address.lower()))

    def is_paused(self, seat_id: int, address: str) -> bool:
        """Whether mails about this seat's race to this address are stopped."""
        return (seat_id, address.lower()) in self._paused


def telling_of(notice: Notice, known: Known) -> Parcel | Nothing | Later:
    """What this notice, just claimed, comes to now."""
    if notice.occasion == Occasion.DAILY:
        return _daily_telling(notice, known)
    if notice.outbox_event is None:
        return _endpoint_telling(notice)
    assert notice.outbox_event is not None
    assert notice.seat is not None
    facts = notice_facts(event=notice.outbox_event, seat=notice.seat)
    if facts is None:
        return Nothing("nobody sits there any more")
    endpoint = notice.endpoint
    address = CHANNELS[notice.channel].address(facts) if endpoint is None else endpoint.label
    wishes = known.wishes(facts.player_id)
    reason = _reason_not_to_tell(notice, facts, wishes)
    if endpoint is None:
        reason = (
            reason or _reason_not_to_send(notice, address, wishes, known) or _reason_not_to_mail(notice, facts, wishes)
        )
    else:
        reason = reason or _reason_not_to_post(notice, endpoint, facts.player_id)
    if reason:
        return Nothing(reason, address)
    now = timezone.now()
    told = _telling_of_points(notice, facts, now) or _telling_of_answer(notice, facts, now)
    if told is not None:
        return told
    if endpoint is not None:
        return Parcel(_letter(notice, facts, "", now), notice.message_id, address, endpoint)
    until = daily.fold_until(wishes=wishes, notice=notice, kind=facts.kind, due_at=_due_at(facts), now=now)
    if until is not None:
        return Later(until, "waits for your daily mail")
    return Parcel(_letter(notice, facts, address, now), notice.message_id, address)


def _endpoint_telling(notice: Notice) -> Parcel | Nothing:
    endpoint = notice.endpoint
    assert endpoint is not None
    reason = _reason_not_to_post(notice, endpoint, notice.player_id)
    if reason:
        return Nothing(reason, endpoint.label)
    if notice.occasion == Occasion.TRIAL:
        return Parcel(_trial_letter(endpoint), notice.message_id, endpoint.label, endpoint)
    found = story_letter(endpoint, now=timezone.now())
    if found is None:
        return Nothing("there was nothing to tell", endpoint.label)
    letter, place = found
    return Parcel(letter, notice.message_id, endpoint.label, endpoint, place=place)


def _daily_telling(notice: Notice, known: Known) -> Parcel | Nothing:
    assert notice.player is not None
    address, wishes = notice.player.email, known.wishes(notice.player.pk)
    reason = "there is no daily mail any more" if wishes.daily_hour is None else ""
    reason = reason or _reason_not_to_send(notice, address, wishes, known)
    letter = None if reason else daily.daily_letter(notice=notice, player=notice.player, now=timezone.now())
    if letter is None:
        return Nothing(reason or "there was nothing to tell", address)
    return Parcel(letter, notice.message_id, address)


def _reason_not_to_tell(notice: Notice, facts: NoticeFacts, wishes: Wishes) -> str:
    if not facts.is_current:
        return OVERTAKEN
    if facts.told_with is not None and _is_told_by(facts.told_with, notice):
        if facts.told_with_kind != CAMPAIGN_END:
            return "told together with the question"
        if notice.endpoint is not None or CAMPAIGN_END not in wishes.mail_kinds_off:
            return "told together with the campaign's end"
    if notice.occasion in REMINDERS:
        # What is presented is to the second.
        if notice.moment is None or _due_at(facts) != notice.moment.replace(microsecond=0):
            return "the deadline was put off"
        if not wishes.reminders:
            return "reminders are switched off"
    return ""


def _reason_not_to_send(notice: Notice, address: str, wishes: Wishes, known: Known) -> str:
    if not address:
        return "no address"
    if known.is_closed(notice.channel, address):
        return ADDRESS_CLOSED
    if wishes.is_mail_stopped:
        return "all mails are stopped"
    if notice.seat_id is not None and known.is_paused(notice.seat_id, address):
        return "mails about this race are stopped"
    return ""


def _reason_not_to_mail(notice: Notice, facts: NoticeFacts, wishes: Wishes) -> str:
    kind = "reminder" if notice.occasion in REMINDERS else facts.kind
    return "this kind is switched off for mail" if kind in wishes.mail_kinds_off else ""


def _reason_not_to_post(notice: Notice, endpoint: Endpoint, player_id: int | None) -> str:
    if endpoint.player_id != player_id:
        return "somebody else is told of this seat now"
    if endpoint.closed_at is not None:
        return ADDRESS_CLOSED
    return "" if CHANNELS[notice.channel].is_on else "this way is switched off on this site"


def _due_at(facts: NoticeFacts) -> datetime | None:
    question = facts.presented["question"]
    return None if question is None else datetime.fromisoformat(question["due_at"])


def _reply_address(notice: Notice, facts: NoticeFacts) -> str:
    """Where an answer to this mail acts: for mails to whoever drives, since the address acts for the seat."""
    is_driver = facts.player_id is not None and not facts.is_named and facts.seat.number is not None
    if notice.channel != EmailChannel.key or not is_driver:
        return ""
    assert facts.player_id is not None
    return reply_key_make(
        seat_id=facts.seat.pk,
        player_id=facts.player_id,
        question=facts.presented["question"],
        message_id=notice.message_id,
    )


def _telling_of_points(notice: Notice, facts: NoticeFacts, now: datetime) -> Later | None:
    """A wait for the points of a race that is over, which stand in the same letter; not for ever."""
    until = notice.created_at + ANSWER_WAIT
    if not facts.awaits_points or now >= until:
        return None
    return Later(min(until, now + ANSWER_LOOK), "waits for the campaign's points")


def _telling_of_answer(notice: Notice, facts: NoticeFacts, now: datetime) -> Nothing | Later | None:
    """Nothing or a wait for a mail whose question stands in the answer to a mail of the player's: one act, one mail.

    An answer that does not get out in time is not waited for: no question is lost.
    """
    question = facts.presented["question"]
    if notice.channel != EmailChannel.key or notice.occasion != Occasion.NEWS or question is None:
        return None
    if facts.player_id is None or facts.is_named:
        return None
    seat_id, player_id = facts.seat.pk, facts.player_id
    if question_answered_with(seat_id=seat_id, player_id=player_id, question=question):
        return Nothing(ASKED_IN_ANSWER)
    until = notice.created_at + ANSWER_WAIT
    if now < until and answer_on_its_way(seat_id=seat_id, player_id=player_id):
        return Later(min(until, now + ANSWER_LOOK), "waits for the answer to your mail")
    return None


def _is_told_by(event_id: int, notice: Notice) -> bool:
    """Whether this channel has told this row to the same seat, or is about to."""
    assert notice.seat_id is not None
    told = Notice.objects.filter(outbox_event_id=event_id, seat_id=notice.seat_id, channel=notice.channel)
    return told.filter(state__in=[NoticeState.PENDING, NoticeState.SENDING, NoticeState.SENT]).exists()


def _trial_letter(endpoint: Endpoint) -> Letter:
    return Letter(
        kind="trial",
        thread="trial",
        race_name=endpoint.label,
        game="",
        turn=None,
        name=endpoint.player.display_name,
        race_address=settings.SITE_URL + "/",
        stop_address="",
    )


def _rewind_facts(facts: NoticeFacts) -> dict[str, str]:
    if facts.rewind is None:
        return {}
    return {
        "rewind_to": str(facts.rewind["to"]),
        "rewind_drops": str(facts.rewind["drops"]),
        "rewind_reason": facts.rewind["reason"],
        "rewind_address": facts.rewind_address,
    }


def _car(facts: NoticeFacts) -> str:
    """The seat's car by its number, and which of two drivers of it: "3", "3, Assistant Driver"; "" before the start."""
    return facts.seat.car_words.removeprefix("car ")


def _letter(notice: Notice, facts: NoticeFacts, address: str, now: datetime) -> Letter:
    race, is_reminder = facts.presented["race"], notice.occasion in REMINDERS
    return letter_compose(
        kind="reminder" if is_reminder else facts.kind,
        presented=facts.presented,
        name=facts.name,
        zone_name=facts.time_zone,
        now=now,
        race_address=invitation_address(facts.seat) if facts.kind == "invited" else facts.race_address,
        stop_address=stop_link(seat_id=facts.seat.pk, address=address) if address else "",
        answer_addresses=answer_addresses(facts),
        story=facts.story,
        is_story_cut=facts.is_story_cut,
        has_acted=facts.has_acted,
        news=() if is_reminder else facts.news,
        reply_address=_reply_address(notice, facts),
        campaign=facts.campaign,
        facts={
            "host": race["host"],
            "tempo": facts.tempo,
            "policy": race["policy_text"],
            "commitment": race["commitment"],
            "car": _car(facts),
            "partner": facts.presented["partner"],
            "address": facts.seat.invited_email if facts.kind == "declined" else "",
            "replay_address": facts.replay_address,
            "record_address": facts.record_address,
            "about": facts.about,
            **_rewind_facts(facts),
            # What a reminder asks again: "turn" or "question".
            "asked": facts.kind,
            # A seat in a race under way has a car; whoever is offered it, or was, has not driven it.
            "offered_car": _car(facts) if facts.seat.player_id is None and not facts.is_named else "",
        },
    )
