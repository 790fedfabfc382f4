"""What the app of notices reads of a race.

What is in the outbox, and what one seat is to be told at this moment.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, Max, Q
from django.urls import reverse

from games.models import Decision, Entry, OutboxEvent, Race, RewindAsk, Seat
from games.runtime.campaigns import is_purchase
from games.runtime.play import BY_HAND
from games.runtime.present import is_gone
from games.runtime.rulesets import RULESETS
from games.runtime.words import Names
from games.selectors.campaigns import CAMPAIGN_KINDS, campaign_told, with_purchase
from games.selectors.log import Place, log_of
from games.selectors.races import race_present
from games.selectors.talk import with_talk

STORY_MOST: Final = 40
"""Sentences of the story in one notice; what is older stands on the race's page."""

QUESTION_KINDS: Final = frozenset({"turn", "question"})
PURCHASE: Final = "purchase"
"""What a campaign asks of the driver of one car before its next race."""
ASKING: Final = QUESTION_KINDS | {PURCHASE}
_TOLD_ALONG: Final = frozenset({"started", "lapsed", "seat_gone", "rewound", "campaign_started", "purchase_lapsed"})
"""What a question that came of the same act tells along: whoever is asked gets one notice, not two at once."""
_REWINDS: Final = frozenset({"rewind_ask", "rewound"})
_TEMPO_TOLD: Final = frozenset({"invited", "started"})
_STATUS_TOLD: Final = {
    "started": "running",
    "lapsed": "running",
    "seat_gone": "running",
    "seat_offered": "running",
    "seat_claimed": "running",
    "seat_taken": "running",
    "rewind_ask": "running",
    "rewound": "running",
    "finished": "finished",
    "cancelled": "abandoned",
}
_CAMPAIGN_TOLD: Final = {
    "campaign_started": frozenset({"running", "paused"}),
    "campaign_paused": frozenset({"paused"}),
    "campaign_resumed": frozenset({"running"}),
    "campaign_closed": frozenset({"closed"}),
    "campaign_over": frozenset({"finished"}),
    "campaign_left": frozenset({"running", "paused"}),
    "campaign_lost": frozenset({"running", "paused"}),
    "purchase_lapsed": frozenset({"running", "paused"}),
}
"""In which states of its campaign each still matters."""
_LEFT: Final = frozenset({"campaign_left", "campaign_lost"})
CAMPAIGN_END: Final = "campaign_over"
"""The kind that tells the end of a campaign, and of its last race along with it."""


@dataclass(frozen=True)
class NoticeFacts:
    """What one seat is told, looked up at one moment.

    ``is_current``: what happened still matters (a question is open and has no sealed answer, an invitation
    still stands). ``presented``: the race as games presents it to this seat, or to a spectator if the seat
    has no driver. ``story``: what happened since the last act that its player gave, the latest lines of it as
    games.selectors.log.log_of gives them; ``is_story_cut``: whether there is more; ``has_acted``: whether there was
    such an act. ``news``: the kinds of what else came of the same act for this seat, which this question tells along.
    ``told_with``: the row of the outbox of the question, still open, that tells this one along. ``about``: the seat
    that a notice to the host speaks of. ``rewind``: of a request to go back, {"to", "drops", "reason"}: the entry, and
    how many entries are gone back over; ``rewind_address``: where it is answered. ``campaign``: of a race of one, as
    games.selectors.campaigns.campaign_told gives it, with its "address"; ``awaits_points``: whether the race is over
    and its points are about to be posted.
    """

    kind: str
    seat: Seat
    mail_address: str
    name: str
    time_zone: str
    is_current: bool
    presented: Mapping[str, Any]
    story: tuple[Mapping[str, Any], ...]
    is_story_cut: bool
    race_address: str
    replay_address: str
    record_address: str
    tempo: str
    # Whether it is told to one person by name, who need not hold the seat.
    is_named: bool
    has_acted: bool = False
    news: tuple[str, ...] = ()
    told_with: int | None = None
    about: str = ""
    rewind_address: str = ""
    rewind: Mapping[str, Any] | None = None
    # The kind of the row of told_with.
    told_with_kind: str = ""
    campaign: Mapping[str, Any] | None = None
    awaits_points: bool = False
    # Whose account is told, if it is one's.
    player_id: int | None = None


def outbox_unprocessed(*, most: int) -> list[OutboxEvent]:
    """The oldest rows of the outbox of which no notices were made yet."""
    return list(OutboxEvent.objects.filter(processed_at=None).select_related("seat").order_by("pk")[:most])


def questions_open(decision_ids: Iterable[int]) -> set[int]:
    """Those of these questions that still wait for an answer: neither answered, nor sealed, nor over."""
    rows = Decision.objects.filter(pk__in=set(decision_ids), sealed_at=None, race__status="running")
    return set(rows.values_list("pk", flat=True))


def seat_race_name(seat_id: int) -> str | None:
    """The name of the race of this seat, or None if there is no such seat."""
    return Race.objects.filter(seats__pk=seat_id).values_list("name", flat=True).first()


@dataclass(frozen=True)
class Story:
    """What a driver is told of what happened since an own act, at most STORY_MOST lines; see NoticeFacts."""

    lines: tuple[Mapping[str, Any], ...] = ()
    is_cut: bool = False
    has_acted: bool = False


def story_since_own_act(*, race: Race, viewer: Seat, presented: Mapping[str, Any] | None = None) -> Story:
    """What a driver may know of what happened since the last entry with an own act, what was noted behind it included.

    ``presented``: the presentation whose names are used; they are read if there is none. Raises RaceFaulty.
    """
    names = None if presented is None else Names.of(presented)
    last_own = _last_own_entry(race, viewer)
    since = None if last_own is None else Place(last_own, 0)
    # One more than a notice holds shows that there is more.
    lines = log_of(race=race, viewer=viewer, since=since, last=STORY_MOST + 1, names=names)
    lines = with_talk(race=race, story=lines, since=last_own, last=STORY_MOST + 1)
    return Story(tuple(lines[-STORY_MOST:]), len(lines) > STORY_MOST, last_own is not None)


NOTICE_ROWS: Final = ("outbox_event__race__host", "outbox_event__player", "seat__player")
"""What notice_facts wants to find with a notice, just read."""


def notice_facts(*, event: OutboxEvent, seat: Seat) -> NoticeFacts | None:
    """What the row of the outbox tells this seat now; None if there is nobody to tell.

    A bot sits there, or nobody. Both rows were read a moment ago, with NOTICE_ROWS.
    """
    seat.race = event.race
    # What is told to one person by name is no business of whoever holds the seat now, nor the other way round.
    is_holder = event.player is None
    player = seat.player if is_holder else event.player
    mail_address = player.email if player is not None else seat.invited_email
    if (is_holder and seat.bot) or not mail_address:
        return None
    race = event.race
    viewer = seat if is_holder and seat.state == "joined" and seat.number is not None else None
    presented = race_without_state(race) if event.kind == "fault" else _presented(race, viewer)
    twins = _twins(event)
    campaign = _campaign(event, race, twins)
    is_current = _is_current(event, race, seat, presented, campaign)
    told_with = _question_among(twins, presented) if event.kind in _TOLD_ALONG else None
    if event.kind == "finished" and campaign is not None:
        told_with = _end_of_campaign(event)
    news = tuple(
        twin.kind for twin in twins if twin.kind in _TOLD_ALONG and _is_current(twin, race, seat, presented, campaign)
    )
    about = next((_gone(one) for one in (event, *twins) if one.kind == "seat_gone"), None)
    left = _who_left(seat, campaign) if event.kind in _LEFT else ""
    if event.kind not in ASKING:
        # Each question has a notice of its own; told twice it would look like two.
        presented = {**presented, "question": None}
    told = Story()
    # The sentences of a race that cannot go on may be what cannot be read of it.
    if viewer is not None and event.kind != "fault":
        told = story_since_own_act(race=race, viewer=viewer, presented=presented)
    return NoticeFacts(
        kind=event.kind,
        seat=seat,
        mail_address=mail_address,
        name=player.display_name if player is not None else "driver",
        time_zone=player.time_zone if player is not None else settings.TIME_ZONE,
        is_current=is_current,
        presented=presented,
        story=told.lines,
        is_story_cut=told.is_cut,
        race_address=settings.SITE_URL + reverse("games:race", args=[race.public_id]),
        replay_address=settings.SITE_URL + reverse("games:replay", args=[race.public_id]),
        record_address=settings.SITE_URL + reverse("games:record", args=[race.public_id]),
        tempo=tempo_in_words(race) if _TEMPO_TOLD & {event.kind, *news} else "",
        is_named=not is_holder,
        has_acted=told.has_acted,
        news=news if event.kind in ASKING else (),
        told_with=told_with,
        told_with_kind=CAMPAIGN_END if event.kind == "finished" else "",
        campaign=campaign,
        awaits_points=event.kind == "finished"
        and campaign is not None
        and campaign["status"] == "running"
        and not campaign["is_posted"],
        about=left or ("" if about is None else f"{about.shown_name} ({about.car_words})"),
        rewind=next((_rewind(one) for one in (event, *twins) if one.kind in _REWINDS), None),
        rewind_address=settings.SITE_URL + reverse("games:rewind", args=[race.public_id]),
        player_id=None if player is None else player.pk,
    )


def races_told(*, player_id: int, since: datetime) -> list[NoticeFacts]:
    """What a player may know of each own race that is under way or has ended since then, as facts of kind "daily".

    The question, if one is open, soonest deadline first, and the story since then.
    """
    is_told = Q(race__status="running") | Q(race__status__in=["finished", "abandoned"], race__finished_at__gt=since)
    # A race that waits for the purchases before it.
    is_told |= Q(race__status="open", race__campaign_race__round__isnull=False)
    seats = Seat.objects.filter(is_told, player_id=player_id, state="joined", number__isnull=False)
    rows = seats.select_related("player", "race", "race__host", "decision").order_by("decision__due_at", "race_id")
    return [_told_daily(seat, since) for seat in rows]


def _told_daily(seat: Seat, since: datetime) -> NoticeFacts:
    race, player = seat.race, seat.player
    assert player is not None
    told_until = Entry.objects.filter(race=race, created_at__lte=since).aggregate(last=Max("seq"))["last"]
    story = [] if race.fault else log_of(race=race, viewer=seat, since=told_until, last=STORY_MOST + 1)
    story = with_talk(race=race, story=story, since=told_until, last=STORY_MOST + 1)
    return NoticeFacts(
        kind="daily",
        seat=seat,
        mail_address=player.email,
        name=player.display_name,
        time_zone=player.time_zone,
        is_current=True,
        presented=race_without_state(race) if race.fault else _presented(race, seat),
        story=tuple(story[-STORY_MOST:]),
        is_story_cut=len(story) > STORY_MOST,
        race_address=settings.SITE_URL + reverse("games:race", args=[race.public_id]),
        replay_address=settings.SITE_URL + reverse("games:replay", args=[race.public_id]),
        record_address=settings.SITE_URL + reverse("games:record", args=[race.public_id]),
        tempo="",
        is_named=False,
        player_id=player.pk,
        campaign=campaign_shown_of(race) if race.status == "open" else None,
    )


def _presented(race: Race, viewer: Seat | None) -> dict[str, Any]:
    return with_purchase(race_present(race=race, viewer=viewer, log_last=0), race=race, seat=viewer)


def _campaign(event: OutboxEvent, race: Race, twins: Sequence[OutboxEvent]) -> dict[str, Any] | None:
    """What is said of the race's campaign, in what the campaign tells and at the end of one of its races."""
    kinds = {event.kind, *(twin.kind for twin in twins)}
    return campaign_shown_of(race) if kinds & (CAMPAIGN_KINDS | {"finished"}) else None


def campaign_shown_of(race: Race) -> dict[str, Any] | None:
    """What a letter about a race says of its campaign, with the campaign's "address"; None if it belongs to none."""
    told = campaign_told(race=race)
    if told is None:
        return None
    return {**told, "address": settings.SITE_URL + reverse("games:campaign", args=[told["id"]])}


def _who_left(seat: Seat, campaign: Mapping[str, Any] | None) -> str:
    """Whose car a bot drives on, with its number; "" once somebody drives it."""
    table = () if campaign is None else campaign["table"]
    who = next((line["stands_in_for"] for line in table if line["car"] == seat.number), "")
    return f"{who} (car {seat.number})" if who else ""


def _end_of_campaign(event: OutboxEvent) -> int | None:
    """The row that tells the same seat that the campaign was won with this race, or None."""
    told = OutboxEvent.objects.filter(kind=CAMPAIGN_END, race_id=event.race_id, seat_id=event.seat_id, player=None)
    return told.values_list("pk", flat=True).first()


def tempo_in_words(race: Race) -> str:
    """How many seats or cars there are and how long a turn and a reaction may take, in two sentences."""
    times = f"A turn may take {_span(race.turn_minutes)}, a reaction {_span(race.reaction_minutes)}."
    if race.started_at is None:
        return f"{race.seats_wanted} seats. {times}"
    seats = Seat.objects.filter(race=race, number__isnull=False)
    found = seats.aggregate(cars=Count("car", distinct=True), drivers=Count("pk"))
    shared = ", two drivers each" if found["cars"] < found["drivers"] else ""
    return f"{found['cars']} cars{shared}. {times}"


def _twins(event: OutboxEvent) -> list[OutboxEvent]:
    """What else came of the same act for this seat: one act's rows have one moment, and the lock lets in one act."""
    same = OutboxEvent.objects.filter(
        race_id=event.race_id, seat_id=event.seat_id, player_id=event.player_id, created_at=event.created_at
    )
    return list(same.exclude(pk=event.pk).order_by("pk"))


def _question_among(twins: list[OutboxEvent], presented: Mapping[str, Any]) -> int | None:
    """The row of the question that is still open, or None."""
    question = presented["question"]
    if question is None or question["sealed"] is not None:
        return None
    kinds = {PURCHASE} if is_purchase(question) else QUESTION_KINDS
    asking = (twin.pk for twin in twins if twin.kind in kinds and twin.decision_id == question["decision"])
    return next(asking, None)


def _gone(event: OutboxEvent) -> Seat | None:
    """The seat of which the host is told that it has gone; None once its driver is back, or it has been seen to."""
    seat = Seat.objects.select_related("player").get(pk=event.decision_id)
    return seat if seat.state == "joined" and is_gone(event.race, seat) else None


def _rewind(event: OutboxEvent) -> dict[str, Any]:
    """What a request to go back is about."""
    ask = RewindAsk.objects.get(pk=event.decision_id)
    drops = (event.race.seq if ask.done_seq is None else ask.done_seq - 1) - ask.to_seq
    return {"to": ask.to_seq, "drops": drops, "reason": ask.reason}


def _span(minutes: int) -> str:
    units = ((24 * 60, "day"), (60, "hour"), (1, "minute"))
    size, unit = next((size, unit) for size, unit in units if minutes % size == 0)
    count = minutes // size
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def race_without_state(race: Race) -> dict[str, Any]:
    """What can be said of a race whose state cannot be read, in the shape of a presentation."""
    return {
        "race": {
            "id": race.public_id,
            "name": race.name,
            "ruleset": race.ruleset,
            "title": RULESETS[race.ruleset].title if race.ruleset in RULESETS else race.ruleset,
            "policy_text": "",
            "commitment": race.commitment,
            "host": race.host.display_name,
        },
        "you": None,
        "view": None,
        "board": None,
        "names": {},
        "drivers": {},
        "car": None,
        "your_car": "",
        "partner": "",
        "question": None,
        "result": None,
    }


def _is_current(
    event: OutboxEvent,
    race: Race,
    seat: Seat,
    presented: Mapping[str, Any],
    campaign: Mapping[str, Any] | None,
) -> bool:
    if event.kind in ASKING:
        question = presented["question"]
        if question is None or is_purchase(question) != (event.kind == PURCHASE):
            return False
        return bool(question["decision"] == event.decision_id and question["sealed"] is None)
    if event.kind in _CAMPAIGN_TOLD:
        is_told = campaign is not None and campaign["status"] in _CAMPAIGN_TOLD[event.kind]
        return is_told and (event.kind not in _LEFT or bool(_who_left(seat, campaign)))
    if event.kind == "invited":
        return seat.state == "invited" and race.status in {"open", "running"}
    if event.kind == "fault":
        return bool(race.fault)
    if event.kind == "seat_offered" and seat.offered_at is None:
        return False
    if event.kind == "seat_gone" and _gone(event) is None:
        return False
    if event.kind == "rewind_ask" and not _is_to_agree(event, seat):
        return False
    return _STATUS_TOLD.get(event.kind, race.status) == race.status


def _is_to_agree(event: OutboxEvent, seat: Seat) -> bool:
    """Whether the request still waits for this driver."""
    ask = RewindAsk.objects.get(pk=event.decision_id)
    return ask.done_at is None and not ask.void and seat.pk not in ask.agreed


def _last_own_entry(race: Race, seat: Seat) -> int | None:
    """The number of the last entry that holds an act which this seat's player gave, or None."""
    entries = Entry.objects.filter(race=race).order_by("-seq").values_list("seq", "acts", "by")
    for seq, acts, by in entries.iterator(chunk_size=100):
        if by == [seat.number] or any(act["seat"] == seat.number and act["origin"] in BY_HAND for act in acts):
            return seq
    return None
