"""Reply keys: made when a mail is rendered, found again when an answer to it comes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from games.selectors.campaigns import is_purchase
from notifications.inbound.address import Candidate, key_fits, key_hash, key_make, reply_address
from notifications.reply_models import AnswerState, InboundMail, InboundState, ReplyKey
from notifications.services.replies.identity import hash_secrets


@transaction.atomic
def reply_key_make(*, seat_id: int, player_id: int, question: Mapping[str, Any] | None, message_id: str) -> str:
    """The reply address for one mail to this seat's player, "" while replies are off.

    ``question``: the one that the mail asks, as in a presentation; its position is where the answer will belong. A mail
    that is rendered again has a further key: which of the two was sent, nobody knows.
    """
    if not settings.REPLIES:
        return ""
    key = key_make()
    ReplyKey.objects.create(
        seat_id=seat_id,
        player_id=player_id,
        decision_id=0 if question is None else question["decision"],
        is_purchase=is_purchase(question),
        position=0 if question is None else question["position"],
        key_hash=key_hash(key, hash_secrets()[0]),
        message_id=message_id,
        created_at=timezone.now(),
    )
    return reply_address(key, settings.REPLY_DOMAIN)


def reply_key_find(*, candidates: Sequence[Candidate], answered: Sequence[str]) -> ReplyKey | None:
    """The key of the mail that is answered: by the first candidate that is one, else by the Message-IDs answered.

    A Message-ID of ours is as hard to guess as a key, and stands in no address that could be handed on by mistake.
    """
    secrets = hash_secrets()
    for candidate in candidates:
        found = list(ReplyKey.objects.filter(key_hash__in=[key_hash(candidate.key, one) for one in secrets]))
        if found and key_fits(candidate.key, [found[0].key_hash], secrets):
            return found[0]
    for message_id in answered:
        row = ReplyKey.objects.filter(message_id=message_id).order_by("-pk").first()
        if row is not None:
            return row
    return None


def question_told(*, seat_id: int, question: Mapping[str, Any], but: str) -> bool:
    """Whether a mail has asked this question before; each such mail has a key. ``but``: a mail that does not count."""
    return _asking(seat_id, question).exclude(message_id=but).exists()


def _asking(seat_id: int, question: Mapping[str, Any]) -> QuerySet[ReplyKey]:
    return ReplyKey.objects.filter(seat_id=seat_id, decision_id=question["decision"], is_purchase=is_purchase(question))


def question_answered_with(*, seat_id: int, player_id: int, question: Mapping[str, Any]) -> bool:
    """Whether the answer to a mail of this player's has asked this question, and was sent."""
    asked = _asking(seat_id, question).filter(player_id=player_id)
    sent = InboundMail.objects.filter(seat_id=seat_id, answer_state=AnswerState.SENT)
    return sent.filter(answer_message_id__in=asked.values("message_id")).exists()


def answer_on_its_way(*, seat_id: int, player_id: int) -> bool:
    """Whether a mail of this player's about this seat was acted on, and its answer is still to be sent."""
    acted = InboundMail.objects.filter(state__in=[InboundState.DONE, InboundState.REFUSED])
    acted = acted.filter(seat_id=seat_id, key__player_id=player_id)
    return acted.filter(answer_state__in=[AnswerState.PENDING, AnswerState.SENDING]).exists()
