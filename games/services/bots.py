"""Bots answer what is asked of their seats, from what those seats may see."""

import hmac
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.engine import codec
from games.engine.contract import JSON
from games.engine.errors import ActionRefused
from games.models import Decision, Race
from games.runtime.errors import RaceFaulty
from games.runtime.position import faults_told, position_of
from games.runtime.rulesets import bot_for
from games.services.desk import announce
from games.services.errors import NotYourDecision, RaceNotRunning, RaceOver, StaleAnswer
from games.services.faults import fault_mark
from games.services.turns import action_submit

logger = logging.getLogger(__name__)

MOST_ANSWERS: Final = 100
"""Answers that one call gives in one race; a race of quick bots goes on with the next call."""
MOST_MISSES: Final = 3
"""So often in a row somebody else may be quicker before the call gives up."""


def bots_answer(*, race_id: int, now: datetime | None = None) -> int:
    """Give every bot's answer that is due in this race, and those that become due at once by them; returns how many.

    Each answer goes through action_submit like a player's. ``now``: for tests; by default the clock is read for each
    answer.
    """
    given = missed = 0
    while given < MOST_ANSWERS:
        at = timezone.now() if now is None else now
        row = (
            Decision.objects.filter(race_id=race_id, bot_at__lte=at, sealed_at=None)
            .select_related("seat")
            .order_by("bot_at", "pk")
            .first()
        )
        if row is None:
            return given
        try:
            answered = _answer(race_id, row)
        except (RaceOver, RaceNotRunning, RaceFaulty):
            return given
        given += answered
        missed = 0 if answered else missed + 1
        if missed == MOST_MISSES:
            return given
    with transaction.atomic():
        announce(race_id, bots=True)
    return given


def _answer(race_id: int, row: Decision) -> int:
    """One bot's answer to one question; 0 if the race has moved on meanwhile."""
    race = Race.objects.select_related("snapshot").get(pk=race_id)
    try:
        position = position_of(race, getattr(race, "snapshot", None))
        with faults_told(race):
            question = next((d for d in position.pending() if d.seat == row.seat.number), None)
            if question is None:
                return 0
            view = position.ruleset.view(position.state, question.seat)
    except RaceFaulty as fault:
        fault_mark(race_id=race_id, error=fault, now=timezone.now())
        raise
    choice = _choice(race, row, view, question)
    try:
        _submit(race, row, choice)
    except (StaleAnswer, NotYourDecision):
        return 0
    except (RaceOver, RaceNotRunning, RaceFaulty):
        raise
    except ActionRefused as refused:
        # The refusal says all; where it was raised says nothing.
        logger.error(  # noqa: TRY400
            "bot %s in race %s chose what the rules refuse, and its default stands: %s",
            row.seat.bot,
            race.public_id,
            refused,
        )
        _submit(race, row, codec.to_json(question.default))
    return 1


def _choice(race: Race, row: Decision, view: JSON, question: Any) -> Mapping[str, JSON]:
    """What the bot answers; a bot that breaks is logged and answers with the default."""
    try:
        bot = bot_for(race.ruleset, row.seat.bot, _seed(race, row))
        choice: dict[str, JSON] = codec.to_json(bot.choose(view, question))
    except Exception:
        logger.exception("bot %s in race %s broke, and its default stands", row.seat.bot, race.public_id)
        choice = codec.to_json(question.default)
    return choice


def _submit(race: Race, row: Decision, action: Mapping[str, JSON]) -> None:
    action_submit(
        race_id=race.pk,
        seat_id=row.seat_id,
        action=action,
        expected_seq=race.seq,
        idempotency_key=f"bot:{row.pk}:{race.seq}",
        origin="bot",
    )


def _seed(race: Race, row: Decision) -> int:
    """A seed that nobody can foresee and that is the same whenever this question is looked at, in a race of any id."""
    text = f"bot/{race.seq}/{row.seat.number}/{row.key}"
    return int.from_bytes(hmac.digest(bytes(race.secret), text.encode(), "sha256")[:8], "big")
