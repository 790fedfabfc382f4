"""A letter: all that one viewer is told at one moment, as plain values, before any channel gives it its form.

Composed from what games presents to that viewer; nothing is looked up here, and text and HTML are printed
from the same letter, so that they cannot say different things.
"""

import datetime as dt
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils import dateformat, translation

from games.selectors.campaigns import is_purchase
from games.selectors.decisions import only_text
from notifications.board import Card, Figure, Section, away_of, course_of, figures_of, hand_of

# In a mail the days have English names, whatever language the process runs under.
_LANGUAGE: Final = "en-gb"


@dataclass(frozen=True)
class Answer:
    """One numbered answer.

    ``address`` is its link to act; a form's page asks for the parts that are still open.
    """

    number: int
    words: str
    rule: str
    address: str
    is_form: bool


@dataclass(frozen=True)
class Question:
    """What is asked, until when, and what happens otherwise."""

    text: str
    rule: str
    due: str
    left: str
    otherwise: str
    what_now: str
    answers: tuple[Answer, ...]
    # What the player has already settled for what may follow, one sentence each.
    follow: tuple[str, ...] = ()
    # Why there is one answer only; "" if there is a choice.
    only: str = ""
    # Whether it is the reader's own turn, rather than an answer to what another does.
    is_turn: bool = False
    # Whether a campaign asks it, about upgrades.
    is_purchase: bool = False
    # The deadline as games gives it (ISO 8601, UTC).
    due_at: str = ""


@dataclass(frozen=True)
class Line:
    """One sentence of the race's log."""

    entry: int
    text: str


@dataclass(frozen=True)
class Place:
    """One place of a result and who shares it."""

    number: int
    names: str
    is_you: bool


@dataclass(frozen=True)
class Standing:
    """One car of a campaign's table. ``earned``: points in the letter's race, with their sign, or ""."""

    place: int
    car: int
    name: str
    points: int
    earned: str
    upgrades: str
    is_you: bool


@dataclass(frozen=True)
class Campaign:
    """What a letter says of the campaign that its race belongs to; all of it is open to everybody in it.

    ``race``: the race's number in it; ``is_posted``: whether its points are in the table. ``winner``: a sentence, or
    "". ``next``: the number of the race that is bought for, or 0; ``buyers`` in their order; ``bought``: sentences.
    """

    name: str
    address: str
    status: str
    race: int
    is_posted: bool
    goal: int
    starting_points: int
    table: tuple[Standing, ...]
    winner: str
    next: int
    buyers: tuple[str, ...]
    bought: tuple[str, ...]


@dataclass(frozen=True)
class Letter:
    """What one viewer is told. ``thread`` is the same for every letter about one race."""

    kind: str
    thread: str
    race_name: str
    game: str
    turn: int | None
    name: str
    race_address: str
    stop_address: str
    question: Question | None = None
    course: tuple[Section, ...] = ()
    # Cars that are out of the race, each with its driver.
    away: tuple[str, ...] = ()
    hand: tuple[Card, ...] = ()
    figures: tuple[Figure, ...] = ()
    story: tuple[Line, ...] = ()
    is_story_cut: bool = False
    # Without an act of the reader's own, the story begins with the race.
    has_acted: bool = True
    # The kinds of what else came of the same act, told along with the question.
    news: tuple[str, ...] = ()
    result: tuple[Place, ...] = ()
    result_reason: str = ""
    # Of a daily mail: one letter a race, those that ask first; and what else happened, a sentence each.
    races: tuple["Letter", ...] = ()
    notes: tuple[str, ...] = ()
    # Further plain facts of the kind, for its own templates.
    facts: Mapping[str, str] = field(default_factory=dict)
    # The address at which an answer to this mail acts; "" for a mail that nobody reads an answer to.
    reply_address: str = ""
    campaign: Campaign | None = None
    # Of the answer to a mail: what became of it (notifications.services.replies.reports).
    transcript: Mapping[str, Any] | None = None

    @property
    def asks_for_turn(self) -> bool:
        """Whether it asks for the reader's own turn, which may be answered by several orders."""
        return self.question is not None and self.question.is_turn


def moment_in_words(moment: dt.datetime, zone_name: str) -> str:
    """The moment on the clock of that zone, with the zone's name.

    "Thursday 3 December 2026, 20:00 (Europe/Lisbon)".
    """
    local = moment.astimezone(zoneinfo.ZoneInfo(zone_name))
    with translation.override(_LANGUAGE):
        return f"{dateformat.format(local, 'l j F Y, H:i')} ({zone_name.replace('_', ' ')})"


def day_in_words(moment: dt.datetime, zone_name: str) -> str:
    """The day on the calendar of that zone: "Thursday 3 December 2026"."""
    with translation.override(_LANGUAGE):
        return dateformat.format(moment.astimezone(zoneinfo.ZoneInfo(zone_name)), "l j F Y")


def span_in_words(span: dt.timedelta) -> str:
    """A length of time in its two largest units, rounded down: "2 days 5 hours", "40 minutes".

    "no time" if there is none.
    """
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return "less than a minute" if span > dt.timedelta(0) else "no time"
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    while not parts[0][0]:
        parts.pop(0)
    return " ".join(f"{count} {unit}" if count == 1 else f"{count} {unit}s" for count, unit in parts[:2] if count)


def letter_compose(
    *,
    kind: str,
    presented: Mapping[str, Any],
    name: str,
    zone_name: str,
    now: dt.datetime,
    race_address: str,
    stop_address: str,
    answer_addresses: Mapping[int, str],
    story: Sequence[Mapping[str, Any]] = (),
    is_story_cut: bool = False,
    has_acted: bool = True,
    news: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
    reply_address: str = "",
    campaign: Mapping[str, Any] | None = None,
) -> Letter:
    """The letter for the viewer to whom ``presented`` was presented.

    ``answer_addresses`` gives each answer's and form's link by its number; ``story`` are log lines, the
    latest last, ``is_story_cut`` says that older ones were left out, and ``has_acted`` whether they begin after an
    act of the viewer's own; ``news`` are the kinds of what a question tells along; ``facts`` are further plain
    facts for the kind's own templates; ``campaign`` as in games.selectors.notices.NoticeFacts.
    """
    race = presented["race"]
    view = presented["view"]
    return Letter(
        kind=kind,
        thread=race["id"],
        race_name=" ".join(race["name"].split()),
        game=race["title"],
        turn=view.get("turn") if view else None,
        name=name,
        race_address=race_address,
        stop_address=stop_address,
        question=_question(presented, zone_name, now, answer_addresses),
        course=course_of(presented),
        away=away_of(presented),
        hand=hand_of(presented),
        figures=figures_of(presented),
        story=tuple(Line(line["entry"], line["text"]) for line in story),
        is_story_cut=is_story_cut,
        has_acted=has_acted,
        news=tuple(news),
        result=_places(presented),
        result_reason=(presented["result"] or {}).get("reason", ""),
        facts=dict(facts or {}),
        reply_address=reply_address,
        campaign=None if campaign is None else _campaign(campaign, you=presented["you"]),
    )


def _campaign(told: Mapping[str, Any], *, you: int | None) -> Campaign:
    winner = told["winner"]
    points = next((line["points"] for line in told["table"] if winner and line["car"] == winner["car"]), 0)
    return Campaign(
        name=" ".join(told["name"].split()),
        address=told["address"],
        status=told["status"],
        race=told["race"],
        is_posted=told["is_posted"],
        goal=told["goal"],
        starting_points=told["starting_points"],
        table=tuple(_standings(told["table"], you)),
        winner="" if winner is None else f"{winner['name']} (car {winner['car']}) has won it, with {points} points.",
        next=told["next"] or 0,
        buyers=tuple(told["buyers"]),
        bought=tuple(told["bought"]),
    )


def _standings(table: Sequence[Mapping[str, Any]], you: int | None) -> list[Standing]:
    """The lines of a table whose cars are in order; cars with the same points share a place."""
    lines: list[Standing] = []
    for number, line in enumerate(table, 1):
        shares = bool(lines) and lines[-1].points == line["points"]
        lines.append(
            Standing(
                place=lines[-1].place if shares else number,
                car=line["car"],
                name=line["name"],
                points=line["points"],
                earned="" if line["earned"] is None else f"{line['earned']:+d}",
                upgrades=" ".join(line["upgrades"]),
                is_you=line["car"] == you,
            )
        )
    return lines


def _question(
    presented: Mapping[str, Any],
    zone_name: str,
    now: dt.datetime,
    answer_addresses: Mapping[int, str],
) -> Question | None:
    question = presented["question"]
    if question is None:
        return None
    due_at = dt.datetime.fromisoformat(question["due_at"])
    answers = [
        Answer(
            answer["number"],
            answer["words"],
            answer.get("rule", ""),
            answer_addresses[answer["number"]],
            is_form=False,
        )
        for answer in question["answers"]
    ] + [
        Answer(
            form["number"],
            form["label"],
            form.get("rule", ""),
            answer_addresses[form["number"]],
            is_form=True,
        )
        for form in question["forms"]
    ]
    return Question(
        text=question["text"],
        rule=question["rule"],
        due=moment_in_words(due_at, zone_name),
        left=span_in_words(due_at - now),
        otherwise=question["otherwise"],
        what_now=question.get("what_now", ""),
        answers=tuple(sorted(answers, key=lambda answer: answer.number)),
        follow=tuple(_follow_sentences(question.get("follow") or ())),
        only=only_text(presented),
        is_turn=question.get("clock") == "turn" and not question.get("is_window"),
        is_purchase=is_purchase(question),
        due_at=question["due_at"],
    )


def _follow_sentences(follow: Sequence[Mapping[str, Any]]) -> list[str]:
    sentences = []
    for part in follow:
        chosen = next((answer["words"] for answer in part["answers"] if answer["value"] == part["chosen"]), "ask me")
        sentences.append(f"{part['label']}: {chosen}.")
    return sentences


def _places(presented: Mapping[str, Any]) -> tuple[Place, ...]:
    result = presented["result"]
    if result is None:
        return ()
    places = []
    number = 1
    for group in result["places"]:
        names = " and ".join(seat["name"] for seat in group)
        places.append(Place(number, names, is_you=any(seat["seat"] == presented["you"] for seat in group)))
        number += 1 if result["teams"] else len(group)
    return tuple(places)
