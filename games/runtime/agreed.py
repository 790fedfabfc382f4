"""What a race has agreed about its clocks, a plain sentence each, for lobby and pages."""

from games.models import Race
from games.tempo.banks import Bank
from games.tempo.calendars import length_text
from games.tempo.tempos import pause_cap_text

_TIMES = {1: "once", 2: "twice"}


def clock_texts(race: Race) -> list[str]:
    """The sentences, in the order in which they matter."""
    return [text for text in (_bank(race), _pauses(race), _extensions(race), _absences(race)) if text]


def _bank(race: Race) -> str:
    return "" if race.bank is None else Bank(**race.bank).text


def _pauses(race: Race) -> str:
    text = pause_cap_text(race.pause_cap_minutes)
    if race.pause_cap_minutes and not race.holidays_allowed:
        return text.replace(
            "Quiet hours, days off and holidays do not count", "Quiet hours and days off do not count"
        ) + (" Holidays count here.")
    return text


def _extensions(race: Race) -> str:
    if not race.extension_cap_minutes:
        return "Nobody is given more time for a question."
    most = length_text(race.extension_cap_minutes * 60)
    return f"The host, or all other drivers together, may give more time for a question, {most} in all."


def _absences(race: Race) -> str:
    number = race.absences_allowed
    times = _TIMES.get(number, f"{number} times")
    who = "whom the host chooses" if race.substitutes == "host" else "the first who takes it"
    text = f"The seat of a driver who was away {times} is offered to {who}"
    if race.bot_takeover:
        text += "; if nobody has come by the next deadline, a bot drives on"
    return f"{text}. The driver may take it back until somebody else has moved it."
