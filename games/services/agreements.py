"""What a race's host may set, checked with a sentence for each field."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from games.engine.contract import JSON, Ruleset
from games.engine.errors import ActionRefused
from games.models import Race
from games.runtime.campaigns import UPGRADES
from games.runtime.position import faults_told
from games.runtime.rulesets import BOT_TITLES, RULESETS, component_hash, refuse_drivers, shares_cars
from games.services.errors import FieldRefused
from games.services.incoming import unseen_letter
from games.tempo.policies import POLICIES
from games.tempo.tempos import HOURS, MOST_PAUSE_MINUTES, TempoRefused, tempo_minutes, tempo_of

NAME_LENGTH: Final = 60
WORDS_LENGTH: Final = 200
LONGEST_BOT_DELAY: Final = 7 * 24 * 60
"""Minutes."""
SETTABLE: Final = frozenset(
    {
        "name",
        "seats",
        "options",
        "tempo",
        "turn_hours",
        "reaction_hours",
        "policy",
        "bots_allowed",
        "is_public",
        "starts_when_full",
        "pause_cap_hours",
        "bank",
        "holidays_allowed",
        "absences",
        "substitutes",
        "bot_takeover",
        "extension_cap_hours",
    }
)
SUBSTITUTES: Final = ("host", "first")
MOST_ABSENCES: Final = 10
MOST_EXTENSION_MINUTES: Final = 60 * 24 * 30
"""Thirty days: the most by which one decision may be put off in all."""


def race_set(race: Race, given: Mapping[str, Any]) -> None:
    """Set fields of a race that has not started, by the names of race_create; raises FieldRefused, saves nothing."""
    unknown = sorted(set(given) - SETTABLE)
    if unknown:
        raise FieldRefused(unknown[0], f"A race has no setting “{unknown[0]}”.")
    ruleset = ruleset_named(race.ruleset)
    if "name" in given:
        race.name = one_line("name", given["name"], "A race", NAME_LENGTH)
    if "options" in given:
        race.options = options_complete(race, ruleset, given["options"] or {})
    if "seats" in given:
        race.seats_wanted = _whole_number(given["seats"])
    if {"seats", "options"} & set(given) and (refusal := refuse_drivers(ruleset, race.options, race.seats_wanted)):
        raise FieldRefused("seats", refusal)
    if {"tempo", "turn_hours", "reaction_hours"} & set(given):
        _set_tempo(race, given)
    if "policy" in given:
        if given["policy"] not in POLICIES:
            raise FieldRefused("policy", f"A window closes by one of these policies: {', '.join(POLICIES)}.")
        race.policy = given["policy"]
    _set_clock(race, given)
    _set_absences(race, given)
    for flag in ("bots_allowed", "is_public", "starts_when_full", "holidays_allowed", "bot_takeover"):
        if flag in given:
            if not isinstance(given[flag], bool):
                raise FieldRefused(flag, f"“{flag}” is yes or no.")
            setattr(race, flag, given[flag])


def _set_clock(race: Race, given: Mapping[str, Any]) -> None:
    """Pauses, bank and extensions; what is not given goes with the tempo, and follows it when it changes."""
    is_new = race.pk is None
    follows = is_new or bool({"tempo", "turn_hours", "reaction_hours"} & set(given))
    tempo = tempo_of(turn=race.turn_minutes, reaction=race.reaction_minutes)
    if given.get("pause_cap_hours") is not None:
        race.pause_cap_minutes = _minutes_of(
            "pause_cap_hours", given["pause_cap_hours"], "Pauses may put a deadline off by", MOST_PAUSE_MINUTES
        )
    elif follows:
        race.pause_cap_minutes = tempo.pause_cap
    wants_bank = given.get("bank")
    if wants_bank is not None and not isinstance(wants_bank, bool):
        raise FieldRefused("bank", "“bank” is yes or no.")
    if wants_bank is None and follows:
        wants_bank = True
    if wants_bank is not None:
        race.bank = asdict(tempo.bank) if wants_bank and tempo.bank is not None else None
    if given.get("extension_cap_hours") is not None:
        race.extension_cap_minutes = _minutes_of(
            "extension_cap_hours", given["extension_cap_hours"], "A question may be put off by", MOST_EXTENSION_MINUTES
        )
    elif is_new:
        race.extension_cap_minutes = race.turn_minutes


def _minutes_of(field: str, hours: Any, what: str, most: int) -> int:
    if isinstance(hours, bool) or not isinstance(hours, int | float):
        raise FieldRefused(field, "Hours are a number.")
    # Written so that what is no number (nan) is refused too.
    if not 0 <= hours * 60 <= most:
        raise FieldRefused(field, f"{what} from no hours to {most // 60}.")
    return round(hours * 60)


def _set_absences(race: Race, given: Mapping[str, Any]) -> None:
    if "absences" in given:
        race.absences_allowed = _absences(given["absences"])
    if "substitutes" in given:
        if given["substitutes"] not in SUBSTITUTES:
            raise FieldRefused("substitutes", f"A seat's substitute is chosen so: {', '.join(SUBSTITUTES)}.")
        race.substitutes = given["substitutes"]


def _absences(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_ABSENCES:
        raise FieldRefused("absences", f"A seat is offered after 1 to {MOST_ABSENCES} absences.")
    return number


def ruleset_named(key: str) -> Ruleset[Any]:
    """The ruleset; raises FieldRefused if it is not here."""
    if key not in RULESETS:
        raise FieldRefused("ruleset", f"There is no ruleset “{key}”; there are {', '.join(RULESETS)}.")
    return RULESETS[key]


def options_complete(race: Race, ruleset: Ruleset[Any], given: Mapping[str, JSON]) -> dict[str, JSON]:
    """The ruleset's options, made complete.

    Raises FieldRefused for what it does not take, for a missing or broken component set too, and for upgrades that
    cars bring along: those a campaign buys and writes into its races itself.
    """
    try:
        with faults_told(race):
            options = ruleset.options(given)
            component_hash(ruleset, options)
    except ActionRefused as refused:
        raise FieldRefused("options", getattr(refused, "detail", refused.text)) from refused
    if isinstance(options.get(UPGRADES), Mapping) and options[UPGRADES]:
        raise FieldRefused(
            "options",
            "What each car brings along is bought in a campaign and cannot be laid down for a race: make a campaign, "
            "or let upgrades be drafted.",
        )
    return options


def refuse_teams(race: Race, what: str) -> None:
    """Raise FieldRefused if several drive one car in this race; ``what`` it is for: "A campaign"."""
    if shares_cars(ruleset_named(race.ruleset), race.options):
        raise FieldRefused(
            "options", f"{what} counts by cars that have one driver each: lay out a race by itself to drive in teams."
        )


def bot_named(bot: str, delay_minutes: float) -> tuple[str, int]:
    """A bot's key and its delay in seconds; raises FieldRefused."""
    if bot not in BOT_TITLES:
        raise FieldRefused("bot", f"There is no bot “{bot}”; there are {', '.join(BOT_TITLES)}.")
    if not 0 <= delay_minutes <= LONGEST_BOT_DELAY:
        raise FieldRefused("delay_minutes", f"A bot may take from 0 to {LONGEST_BOT_DELAY} minutes over an answer.")
    return bot, round(delay_minutes * 60)


def mail_address(email: str) -> str:
    """A mail address in lower case; raises FieldRefused."""
    address = email.strip().lower()
    refused = FieldRefused("email", f"“{email.strip()[:80]}” is not a mail address.")
    # RFC 5321 lets a quoted name hold controls; no mailbox has one, and a header is no place for them.
    if unseen_letter(address):
        raise refused
    try:
        validate_email(address)
    except ValidationError as wrong:
        raise refused from wrong
    return address


def shuffle_words(words: str) -> str:
    """What a seat adds to the race's secret; raises FieldRefused."""
    if not words.strip():
        return ""
    return one_line("words", words, "Words for the shuffles", WORDS_LENGTH)


def one_line(field: str, text: Any, what: str, most: int) -> str:
    """Text on one line with single blanks, 1 to ``most`` characters that can be seen; raises FieldRefused."""
    if not isinstance(text, str) or not (line := " ".join(text.split())):
        raise FieldRefused(field, f"{what} needs at least one letter.")
    if len(line) > most:
        raise FieldRefused(field, f"{what} may have {most} letters at most; these are {len(line)}.")
    if unseen_letter(line):
        raise FieldRefused(field, f"{what} may hold no characters that cannot be seen.")
    return line


def _whole_number(seats: Any) -> int:
    if isinstance(seats, bool) or not isinstance(seats, int):
        raise FieldRefused("seats", "How many seats is a whole number.")
    return seats


def _set_tempo(race: Race, given: Mapping[str, Any]) -> None:
    part = {name: given[name] for name in ("tempo", "turn_hours", "reaction_hours") if given.get(name) is not None}
    for name in ("turn_hours", "reaction_hours"):
        if name in part and (isinstance(part[name], bool) or not isinstance(part[name], int | float)):
            raise FieldRefused(name, "Hours are a number.")
    if "tempo" not in part:
        # Only hours change: what is not given stays as it was.
        part = {"tempo": HOURS, "turn_hours": race.turn_hours, "reaction_hours": race.reaction_hours} | part
    try:
        race.turn_minutes, race.reaction_minutes = tempo_minutes(**part)
    except TempoRefused as refused:
        raise FieldRefused(refused.field, str(refused)) from refused
