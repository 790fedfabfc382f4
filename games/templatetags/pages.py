"""Tags and filters of the pages: rule links, times, the theme, the count of the masthead."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from games.runtime import rulesets
from games.runtime.rulebooks import keys as rulebooks
from games.tempo.calendars import length_text
from games.web import times
from games.web.themes import theme_of

register = template.Library()

DEFAULT_RULES: Final = "roadkill"
RULE: Final = r"R(?:BT)?\d[\w.]*\w|R(?:BT)?\d|R-[a-z]+(?:-[a-z]+)*|C\d+|T\d{1,2}|(?:BT)?\d{1,2}\.\d{1,2}[a-z]?"
"""A rule's or ruling's number as sentences name it in brackets."""
BRACKETS: Final = re.compile(rf"\((?:{RULE}|(?:BT)?\d{{1,2}}(?=\)$))(?:[,;] (?:{RULE}))*\)")


def rule_address(number: str, ruleset: str) -> str:
    """Where the rules page tells this number."""
    return f"{reverse('games:rules', args=[ruleset])}#r{number.lower()}"


@register.simple_tag
def rule_link(number: str, ruleset: str) -> SafeString | str:
    """The rule's number as a typed link; nothing for no number."""
    if not number:
        return ""
    return format_html('<a class="rule-ref" href="{}">{}</a>', rule_address(number, ruleset), number)


@lru_cache(maxsize=256)
def _drivers(names: tuple[tuple[str, str], ...]) -> re.Pattern[str] | None:
    """What finds "Wren (car 2)" in a sentence, the longest name first, so that no name hides in another.

    Where two drive a car also each of the two: "Wren (car 2, Assistant Driver)".
    """
    if not names:
        return None
    both = {(one, car) for car, name in names for one in (name, *name.split(" and "))}
    wanted = sorted((f"{re.escape(name)} \\(car {car}(?:, [\\w ]+)?\\)" for name, car in both), key=len, reverse=True)
    return re.compile("|".join(wanted))


def _with_rules(text: str, ruleset: str) -> SafeString:
    """The text with the numbers in brackets as links instead, all else escaped."""
    pieces: list[tuple[Any]] = []
    end = 0
    for found in BRACKETS.finditer(text):
        links = [(rule_link(number, ruleset),) for number in re.split(r"[,;] ", found[0][1:-1])]
        pieces += [(text[end : found.start()],), (format_html_join(" ", "{}", links),)]
        end = found.end()
    return format_html_join("", "{}", [*pieces, (text[end:],)])


@register.filter
def rules_linked(text: str, ruleset: str) -> SafeString:
    """A sentence whose rule numbers in brackets are links; everything else is escaped."""
    return _with_rules(str(text), ruleset)


@register.simple_tag
def told(text: str, ruleset: str, names: Mapping[str, str] | None = None) -> SafeString:
    """A sentence of the log: rule numbers are links, a driver at first mention is bold."""
    wanted = _drivers(tuple((names or {}).items()))
    if wanted is None:
        return _with_rules(text, ruleset)
    pieces: list[tuple[Any, Any]] = []
    end = 0
    for found in wanted.finditer(text):
        pieces.append((_with_rules(text[end : found.start()], ruleset), format_html("<b>{}</b>", found[0])))
        end = found.end()
    return format_html("{}{}", format_html_join("", "{}{}", pieces), _with_rules(text[end:], ruleset))


# --- Times ------------------------------------------------------------------------------


def _now(context: template.Context) -> datetime:
    """The moment that the page is made for, the same on the whole page."""
    now = context.get("now")
    return now if isinstance(now, datetime) else timezone.now()


@register.simple_tag(takes_context=True)
def time_left(context: template.Context, due: str | datetime) -> str:
    """What is left: "2 d 5 h"."""
    at = times.moment(due)
    return times.left_text(at - _now(context)) if at else ""


@register.simple_tag(takes_context=True)
def time_when(context: template.Context, due: str | datetime, before: str = "") -> str:
    """Day, time and zone: "Thu 3 Dec, 20:00 Lisbon"; after words ``before`` it, "today, 18:00 Lisbon"."""
    at = times.moment(due)
    return times.when_text(at, _now(context), inside=bool(before)) if at else ""


@register.simple_tag
def time_date(at: datetime) -> str:
    """The date itself, never "today": "Tue 1 Dec 2026, 14:40 Lisbon"."""
    return times.date_text(at)


@register.simple_tag(takes_context=True)
def time_short(context: template.Context, due: str | datetime) -> str:
    """Day and time, for narrow places: "today 18:00"."""
    at = times.moment(due)
    return f"{times.day_text(at, _now(context))} {times.clock_text(at)}" if at else ""


@register.simple_tag(takes_context=True)
def ticket_left(context: template.Context, due: str | datetime) -> str:
    """What is left, for a ticket's stub: whole days from two days on."""
    at = times.moment(due)
    return times.left_words(at - _now(context)) if at else ""


@register.simple_tag(takes_context=True)
def is_soon(context: template.Context, due: str | datetime) -> bool:
    """Whether it is due within twelve hours."""
    at = times.moment(due)
    return at is not None and times.is_soon(at, _now(context))


@register.filter
def machine_time(due: str | datetime) -> str:
    """The time for a <time> element, in UTC."""
    at = times.moment(due)
    return f"{at.astimezone(timezone.get_default_timezone()):%Y-%m-%dT%H:%M:%S%z}" if at else ""


# --- The frame --------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The theme the reader has chosen: "light", "dark" or "" for the system's."""
    request = context.get("request")
    return theme_of(request) if isinstance(request, HttpRequest) else ""


def _ruleset_of(context: template.Context) -> str:
    """The game that a page is about, by its own word or its race's; "" for none."""
    race = context.get("race")
    of_race = race.get("ruleset", "") if isinstance(race, Mapping) else getattr(race, "ruleset", "")
    return str(context.get("ruleset") or of_race)


@register.simple_tag(takes_context=True)
def seat_sign(context: template.Context, car: int) -> str:
    """What stands on the sign of a car's drivers in the page's race: "3", in a game that counts by letters "C"."""
    return rulesets.seat_sign(_ruleset_of(context), car)


@register.simple_tag(takes_context=True)
def rules_of_page(context: template.Context) -> str:
    """The address of the rules of the page's game, RoadKill's where it is of none."""
    ruleset = _ruleset_of(context)
    return reverse("games:rules", args=[ruleset if ruleset in rulebooks() else DEFAULT_RULES])


@register.simple_tag(takes_context=True)
def seat_kind(context: template.Context, car: int) -> str:
    """What stands before the sign where it is read out: "car "."""
    ruleset = _ruleset_of(context)
    return rulesets.seat_words(ruleset, car).removesuffix(rulesets.seat_sign(ruleset, car))


@register.filter
def of(mapping: Mapping[Any, Any], key: object) -> Any:
    """The value under a key, or an empty text."""
    return mapping.get(key, mapping.get(str(key), ""))


@register.filter
def percent(part: float | None) -> str:
    """A part of one as "97 %"; a dash for none."""
    return "\N{EN DASH}" if part is None else f"{part * 100:.0f}\N{NO-BREAK SPACE}%"


@register.filter
def often(count: int) -> str:
    """How often: "never", "once", "twice", "7 times"."""
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


@register.filter
def races_in_all(fixtures: Mapping[str, int]) -> int:
    """How many races a season has, called off ones left out."""
    return sum(number for status, number in fixtures.items() if status != "void")


@register.filter
def hours_text(hours: float | str) -> str:
    """Hours in words: "72 h", "20 min"."""
    number = float(hours)
    if number < 1:
        return f"{round(number * 60)} min"
    return f"{number:g} h"


@register.filter
def seconds_text(seconds: int) -> str:
    """Seconds in words, to the minute: "14 h", "1 h 30 min"."""
    return length_text(seconds // 60 * 60)


@register.filter
def minutes_text(minutes: int) -> str:
    """Minutes in words: "72 h", "1 h 30 min"."""
    return length_text(minutes * 60)


ORIGINS: Final = {
    "player": "on the page",
    "link": "by a link in a mail",
    "mail": "by mail",
    "api": "by a program",
    "bot": "by the bot",
    "order": "said beforehand for that turn",
    "standing": "by standing order",
    "plan": "by plan",
    "deadline": "the deadline passed",
    "rule": "the rules leave no choice",
    "resigned": "the driver has given up",
}


@register.filter
def origin_words(origin: str) -> str:
    """How an answer came, in words."""
    return ORIGINS.get(origin, origin)


@register.filter
def draw_text(result: object) -> str:
    """What was drawn: a number, or for a shuffle how many places it moved."""
    if isinstance(result, (list, tuple)):
        return f"an order of {len(result)}"
    return str(result)
