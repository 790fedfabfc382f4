"""Seats whose drivers were away: taken over by somebody else or by a bot, and taken back."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games.models import OutboxEvent, Race, Seat, SeatClaim
from games.models.people import Person
from games.runtime.words import capital
from games.services.desk import Desk, announce
from games.services.errors import NotYourSeat, RaceNotRunning, SeatNotGone
from games.services.notes import race_note
from games.services.outbox import person_tell
from games.services.seats import name_free, seat_ask_anew, seat_cleared, seat_forget, time_fresh
from games.services.starting import race_for_change

BOT = "driver"
"""The kind of bot that drives on."""


@transaction.atomic
def seat_claim(*, race_id: int, by: Person, seat_id: int) -> Seat:
    """Take over an offered seat of a public race, or ask its host to let one: as the race has agreed.

    Claiming twice is claiming once. Raises SeatNotGone, NotYourSeat (one drives here already), RaceNotRunning.
    """
    race = _running(race_for_change(race_id))
    seat = _seat(race, seat_id)
    if seat.player_id == by.pk:
        raise NotYourSeat("This is your own seat; take it back instead.")
    if seat.offered_at is None or not race.is_public:
        raise SeatNotGone("This seat is not offered to others now.")
    if Seat.objects.filter(race=race).filter(Q(player_id=by.pk) | Q(absent_player_id=by.pk)).exists():
        raise NotYourSeat("You have, or had, a seat in this race.")
    now = timezone.now()
    if race.substitutes == "first" or race.host_id == by.pk:
        _take(race, seat, by.pk, by.display_name, now, is_at_screen=True)
    else:
        _, is_new = SeatClaim.objects.get_or_create(seat=seat, player_id=by.pk, defaults={"at": now})
        if is_new:
            _tell_host(race, seat, now)
    return seat


@transaction.atomic
def seat_claim_accept(*, race_id: int, by: Person, claim_id: int) -> Seat:
    """Let one of those who would drive on take the seat; host only. Raises NotHost, SeatNotGone, RaceNotRunning."""
    race = _running(race_for_change(race_id, by=by))
    claim = SeatClaim.objects.filter(pk=claim_id, seat__race=race).select_related("player").first()
    if claim is None:
        raise SeatNotGone("Nobody asks for this seat now: its driver is back, or somebody else drives on.")
    seat = _seat(race, claim.seat_id)
    if seat.offered_at is None:
        raise SeatNotGone("This seat is not offered to others now.")
    if Seat.objects.filter(race=race, player_id=claim.player_id).exists():
        raise NotYourSeat(f"{claim.player.display_name} drives in this race already.")
    _take(race, seat, claim.player_id, claim.player.display_name, timezone.now())
    return seat


@transaction.atomic
def seat_take_back(*, race_id: int, by: Person) -> Seat:
    """Take one's seat back: while it is offered, or taken over but not moved yet. Twice is once.

    Raises NotYourSeat (somebody else has moved it), RaceNotRunning.
    """
    race = _running(race_for_change(race_id))
    mine = Q(player_id=by.pk, state="joined") | Q(absent_player_id=by.pk)
    seat = Seat.objects.filter(mine, race=race, number__isnull=False).select_related("player").first()
    if seat is None:
        raise NotYourSeat("You have no seat to take back here; somebody else has moved it since.")
    now = timezone.now()
    if seat.player_id == by.pk and seat.offered_at is None:
        return seat
    if seat.player_id != by.pk:
        former = seat.player_id
        seat.player_id, seat.absent_player = by.pk, None
        seat.bot, seat.bot_delay_s, seat.name = "", 0, ""
        if former is not None:
            person_tell(kind="seat_taken", race=race, seat=seat, player_id=former, now=now)
        _change(race, seat, now, is_at_screen=True)
    else:
        # The driver is the same: what waits for the next entry was this driver's own word.
        asides = seat.asides
        seat_cleared(seat, now)
        seat.asides = asides
        seat.claims.all().delete()
        seat.save()
    race_note(race, key=f"back/{seat.pk}/{now.isoformat()}", text=f"{capital(seat.driver_words)} is back.", now=now)
    announce(race.pk, bots=False)
    return seat


def seat_to_bot(race: Race, seat: Seat, *, bot: str, name: str, now: datetime) -> None:
    """Let a bot take the seat of a driver who dropped out of the campaign; the race, open or under way, is locked."""
    seat.player, seat.absent_player, seat.invited_email = None, None, ""
    seat.bot, seat.bot_delay_s, seat.name, seat.state = bot, 0, name, "joined"
    if race.status != "running":
        seat.save()
        return
    _change(race, seat, now)


def seat_hand_over(race: Race, seat: Seat, *, player_id: int, now: datetime) -> None:
    """Give the seat that a bot drives to a player, who drives the car on in the campaign; the race is locked."""
    seat.player_id, seat.absent_player = player_id, None
    seat.bot, seat.bot_delay_s, seat.name = "", 0, ""
    if race.status != "running":
        # By when a seat was taken a link is known to be the former driver's.
        seat.joined_at = now
        seat.save()
        return
    _change(race, seat, now)


def bots_take_over(desk: Desk) -> None:
    """Let a bot take each offered seat whose next turn would lapse, in a race that has agreed so.

    The turn that is due is the bot's: its deadline is put off by the time of a reaction.
    """
    race = desk.race
    if not race.bot_takeover or race.paused_at is not None:
        return
    for number, row in list(desk.rows.items()):
        seat = desk.seats[number]
        if row.window is not None or row.clock != "turn" or row.due_at > desk.now or seat.offered_at is None:
            continue
        if seat.player_id is None:
            continue
        person_tell(kind="seat_taken", race=race, seat=seat, player_id=seat.player_id, now=desk.now)
        seat.absent_player_id, seat.player = seat.player_id, None
        seat.bot, seat.bot_delay_s, seat.name = BOT, 0, name_free(desk.all_seats)
        seat_cleared(seat, desk.now)
        seat_forget(seat)
        desk.beforehand.forget(seat)
        seat.driver_seq = desk.position.seq
        desk.touch(seat)
        desk.note(f"bot/{row.pk}", f"A bot {_drives(seat)} on.")
        desk.clocks.forget()
        desk.ask_anew(number)
        time_fresh(desk, number)


def _drives(seat: Seat) -> str:
    """What somebody new does: "drives car 3", or where two drive it "is the Assistant Driver of car 3 from now"."""
    return f"is {seat.driver_words} from now" if seat.part else f"drives car {seat.car}"


def _take(race: Race, seat: Seat, player_id: int, name: str, now: datetime, *, is_at_screen: bool = False) -> None:
    """Give an offered seat to another player."""
    former, was = seat.player_id, seat.shown_name
    seat.player_id, seat.absent_player_id = player_id, former
    seat.bot, seat.bot_delay_s, seat.name = "", 0, ""
    if former is not None:
        person_tell(kind="seat_taken", race=race, seat=seat, player_id=former, now=now)
    _change(race, seat, now, is_at_screen=is_at_screen)
    text = f"“{name}” {_drives(seat)} on in the place of “{was}”."
    race_note(race, key=f"taken/{seat.pk}/{now.isoformat()}", text=text, now=now)
    if race.host_id != player_id:
        _tell_host(race, seat, now)
    announce(race.pk, bots=False)


def _change(race: Race, seat: Seat, now: datetime, *, is_at_screen: bool = False) -> None:
    """Another driver sits there: nothing of the former one's stays, and what is open is asked anew."""
    seat_cleared(seat, now)
    seat.driver_seq = race.seq
    seat.save()
    seat_forget(seat)
    seat_ask_anew(race, seat, now, is_at_screen=is_at_screen)


def _tell_host(race: Race, seat: Seat, now: datetime) -> None:
    number = OutboxEvent.objects.filter(kind="seat_claimed", seat=seat).count()
    OutboxEvent.objects.create(
        kind="seat_claimed",
        race=race,
        seat=seat,
        player_id=race.host_id,
        decision_id=number,
        seq=race.seq,
        created_at=now,
    )
    announce(race.pk, bots=False)


def _seat(race: Race, seat_id: int) -> Seat:
    seat = Seat.objects.filter(race=race, pk=seat_id, state="joined", number__isnull=False).select_related("player")
    found = seat.first()
    if found is None:
        raise NotYourSeat("There is no such seat in this race.")
    return found


def _running(race: Race) -> Race:
    if race.status != "running":
        raise RaceNotRunning("Seats change drivers while a race is under way.")
    return race
