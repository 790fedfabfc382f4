"""More time for what a race waits for: by its host, or by all other drivers together.

A window gets it as a whole, whoever is asked in it, and any driver may ask for it: so nothing tells who was asked.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from games.models import ExtensionAsk, Race, RaceNote, Seat
from games.models.people import Person
from games.runtime.words import capital
from games.services.desk import Desk
from games.services.errors import FieldRefused, KeyMissing, NotYourDecision, NotYourSeat, RaceNotRunning, RaceOver
from games.services.incoming import unseen_letter
from games.services.notes import race_note
from games.services.starting import race_for_change
from games.tempo.calendars import length_text
from games.tempo.extensions import Extension, ExtensionRefused, extend


@transaction.atomic
def extension_grant(*, race_id: int, by: Person, minutes: int, key: str) -> Race:
    """Put off what the race waits for by minutes of time that counts; host only. The same key again changes nothing.

    Raises NotHost, FieldRefused (minutes), KeyMissing, NotYourDecision (nothing is waited for), RaceNotRunning.
    """
    race = _running(race_for_change(race_id, by=by))
    _check_key(key)
    text = f"The host gives {length_text(minutes * 60)} more for this question."
    _grant(race, minutes=minutes, key=f"host/{by.pk}/{key}", text=text, now=timezone.now())
    return race


@transaction.atomic
def extension_ask(*, race_id: int, by: Person, minutes: int, key: str) -> ExtensionAsk:
    """Ask the other drivers for more time; granted at once if there is nobody else to agree.

    One request of a driver waits at a time; it is void once the race moves on. The same key again is the same request.
    Raises NotYourSeat, FieldRefused, KeyMissing, NotYourDecision, RaceNotRunning.
    """
    race = _running(race_for_change(race_id))
    seat = _driver(race, by)
    _check_key(key)
    same = ExtensionAsk.objects.filter(seat=seat, key=key).first()
    if same is not None:
        return same
    desk = Desk.of(race, timezone.now())
    _granted(desk, Extension(key, minutes))
    if ExtensionAsk.objects.filter(seat=seat, seq=race.seq, granted_at=None).exists():
        raise FieldRefused("minutes", "You have asked for more time already; the others can still agree.")
    ask = ExtensionAsk.objects.create(
        race=race, seat=seat, seq=race.seq, minutes=minutes, key=key, agreed=[seat.pk], created_at=desk.now
    )
    race_note(
        race,
        key=f"ask/{ask.pk}",
        text=f"{capital(seat.actor_words)} asks the others for {length_text(minutes * 60)} more for this question.",
        now=desk.now,
    )
    _grant_if_all_agree(race, ask, desk.now)
    return ask


@transaction.atomic
def extension_agree(*, race_id: int, by: Person, ask_id: int) -> ExtensionAsk:
    """Agree to another driver's request; when all other drivers have, it is granted. Agreeing twice is agreeing once.

    Raises NotYourSeat, NotYourDecision (the race has moved on), FieldRefused (minutes: beyond the cap).
    """
    race = _running(race_for_change(race_id))
    seat = _driver(race, by)
    ask = ExtensionAsk.objects.filter(race=race, pk=ask_id).select_related("seat").first()
    if ask is None:
        raise NotYourDecision("There is no such request in this race.")
    if ask.granted_at is not None:
        return ask
    if ask.seq != race.seq:
        raise NotYourDecision("The race has moved on since; that request is void.")
    if seat.pk not in ask.agreed:
        ask.agreed = [*ask.agreed, seat.pk]
        ask.save(update_fields=["agreed"])
    _grant_if_all_agree(race, ask, timezone.now())
    return ask


def _grant_if_all_agree(race: Race, ask: ExtensionAsk, now: datetime) -> None:
    if set(voters(race)) - set(ask.agreed):
        return
    text = f"All other drivers agree: {length_text(ask.minutes * 60)} more for this question."
    _grant(race, minutes=ask.minutes, key=f"ask/{ask.seat_id}/{ask.key}", text=text, now=now)
    ask.granted_at = now
    ask.save(update_fields=["granted_at"])


def voters(race: Race) -> list[int]:
    """The ids of the seats whose drivers are people and are there: all must agree."""
    seats = Seat.objects.filter(race=race, state="joined", player__isnull=False, number__isnull=False)
    return [seat.pk for seat in seats]


def _grant(race: Race, *, minutes: int, key: str, text: str, now: datetime) -> None:
    note = f"extension/{key}"
    if RaceNote.objects.filter(race=race, key=note).exists():
        return
    desk = Desk.of(race, now)
    wanted = Extension(key, minutes)
    granted = _granted(desk, wanted)
    for number, row in desk.rows.items():
        row.extensions = [[one.key, one.minutes] for one in granted[number]]
        desk.clocks.put_off(row, desk.whose(number), number=number, seconds=minutes * 60)
        desk.reclocked(number)
    race_note(race, key=note, text=text, now=now)
    desk.write()


def _granted(desk: Desk, wanted: Extension) -> dict[int, tuple[Extension, ...]]:
    """All extensions of each open question with the wanted one, by seat; raises FieldRefused, NotYourDecision."""
    if not desk.rows:
        raise NotYourDecision("The race waits for nobody now.")
    try:
        return {
            number: extend(
                [Extension(*one) for one in row.extensions], wanted, cap_minutes=desk.race.extension_cap_minutes
            )
            for number, row in desk.rows.items()
        }
    except ExtensionRefused as refused:
        raise FieldRefused("minutes", str(refused)) from refused


def _check_key(key: str) -> None:
    if not 1 <= len(key) <= 100 or unseen_letter(key):
        raise KeyMissing("An extension needs a key of 1 to 100 characters that can be seen, made anew for each form.")


def _driver(race: Race, by: Person) -> Seat:
    seat = Seat.objects.filter(race=race, player_id=by.pk, state="joined").first()
    if seat is None:
        raise NotYourSeat("Only the drivers of this race may agree on more time.")
    return seat


def _running(race: Race) -> Race:
    if race.status == "finished":
        raise RaceOver("The race is over.")
    if race.status != "running":
        raise RaceNotRunning("The race has not started, or was called off.")
    return race
