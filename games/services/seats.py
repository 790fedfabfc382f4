"""Seats: bots, words for the shuffles, resigning, and what a host may do about a seat whose driver has gone."""

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from games.models import OutboxEvent, Race, Seat
from games.models.people import Person
from games.models.seat import PAST
from games.runtime.errors import RaceFaulty
from games.runtime.play import Given, action_of
from games.runtime.position import ruleset_of
from games.runtime.present import is_gone
from games.runtime.rulesets import shares_cars
from games.services.agreements import bot_named, mail_address, shuffle_words
from games.services.beforehand import beforehand_forget
from games.services.desk import Desk, announce
from games.services.errors import (
    FieldRefused,
    Malformed,
    NotYourSeat,
    RaceFull,
    RaceNotOpen,
    RaceNotRunning,
    SeatNotGone,
)
from games.services.invitations import invitation_refuse_too_many
from games.services.outbox import person_tell
from games.services.starting import open_race_for_change, race_for_change, refuse_drawn, start_if_full
from games.services.turns import WITHDRAW

BOT_NAMES: Final = (
    "Axle",
    "Choke",
    "Diesel",
    "Gasket",
    "Hubcap",
    "Piston",
    "Ratchet",
    "Sparks",
    "Throttle",
    "Wrench",
)


def seat_take(race: Race, seats_taken: int, **fields: Any) -> Seat:
    """A new seat of a locked, open race; raises RaceFull."""
    if seats_taken >= race.seats_wanted:
        raise RaceFull(f"All {race.seats_wanted} seats are taken or kept for somebody.")
    last = Seat.objects.filter(race=race).aggregate(last=Max("joined_order"))["last"] or 0
    return Seat.objects.create(race=race, joined_order=last + 1, **fields)


@transaction.atomic
def seat_add_bot(*, race_id: int, by: Person, bot: str = "driver", delay_minutes: float = 0) -> Seat:
    """Let a bot take a free seat before the start; host only. ``delay_minutes``: how long it takes over each answer.

    Starts the race when it is full and set to start so. Raises FieldRefused, RaceFull, RaceNotOpen, NotHost.
    """
    race = open_race_for_change(race_id, by=by)
    if not race.bots_allowed:
        raise FieldRefused("bot", "This race is for people: its host has not allowed bots.")
    key, delay = bot_named(bot, delay_minutes)
    seats = list(Seat.objects.filter(race=race).exclude(PAST))
    now = timezone.now()
    seat = seat_take(race, len(seats), state="joined", bot=key, bot_delay_s=delay, name=name_free(seats), joined_at=now)
    start_if_full(race, now)
    seat.refresh_from_db()
    return seat


@transaction.atomic
def seat_words(*, race_id: int, by: Person, words: str) -> None:
    """Set what one's seat adds to the race's secret (at most 200 characters), before the start.

    Raises NotYourSeat, RaceNotOpen.
    """
    race = open_race_for_change(race_id)
    said = shuffle_words(words)
    if not Seat.objects.filter(race=race, player_id=by.pk, state="joined").update(words=said):
        raise NotYourSeat("You have no seat in this race.")


@transaction.atomic
def seat_partner(*, race_id: int, by: Person, partner: int | None) -> None:
    """Say with whom one would share a car, before the start, in a race in which two drive one.

    ``partner``: the id of a joined seat, or None for nobody in particular. Who names each other drives together; a wish
    that is not returned counts if both have nobody else (games.runtime.position.pairs_of). Raises NotYourSeat,
    RaceNotOpen, FieldRefused (partner).
    """
    race = open_race_for_change(race_id)
    own = Seat.objects.filter(race=race, player_id=by.pk, state="joined").first()
    if own is None:
        raise NotYourSeat("You have no seat in this race.")
    if not shares_cars(ruleset_of(race), race.options):
        raise FieldRefused("partner", "In this race each driver has a car of their own.")
    other = None if partner is None else Seat.objects.filter(race=race, pk=partner, state="joined").first()
    if partner is not None and (other is None or other.pk == own.pk):
        raise FieldRefused("partner", "Name another driver who has joined this race, or nobody.")
    own.partner_wish = other
    own.save(update_fields=["partner_wish"])


@transaction.atomic
def seat_resign(*, race_id: int, by: Person) -> None:
    """Give up one's seat in a race under way; the car leaves as the rules say. Resigning twice is resigning once."""
    race = race_for_change(race_id)
    seat = Seat.objects.filter(race=race, player_id=by.pk, number__isnull=False).first()
    if seat is not None and seat.state == "resigned":
        # Said first, since the first time may have ended the race.
        return
    _running(race)
    if seat is None:
        raise NotYourSeat("You have no seat in this race.")
    if seat.state == "joined":
        _leave_course(race, seat, state="resigned")


@transaction.atomic
def seat_remove(*, race_id: int, by: Person, seat_id: int) -> None:
    """Take a seat away; host only.

    Before the start any seat but the host's own: an invitation, a bot, a player, who may then come back by invitation
    only. In a race under way only one whose driver has gone (missed turns, or never took up an offered seat): its car
    leaves as the rules say. The driver is told. Raises SeatNotGone, NotYourSeat, NotHost.
    """
    race = race_for_change(race_id, by=by)
    if race.status == "open" and Seat.objects.filter(race=race, pk=seat_id, state="left").exists():
        # Taken away already: the button was pressed twice, or in two windows.
        return
    seat = _seat_of_race(race, seat_id)
    if race.status == "open":
        refuse_drawn(race)
        if seat.player_id == race.host_id:
            raise SeatNotGone("You host this race: call it off instead.")
        seat.former_player_id, seat.player_id = seat.player_id, None
        seat.state = "left"
        seat.save(update_fields=["state", "player", "former_player"])
        _tell_former(race, seat, seat.former_player_id, timezone.now())
        return
    _running(race)
    if seat.state in {"resigned", "removed"}:
        return
    _refuse_present(race, seat)
    _leave_course(race, seat, state="removed")


@transaction.atomic
def seat_replace(
    *, race_id: int, by: Person, seat_id: int, bot: str = "", delay_minutes: float = 0, email: str = ""
) -> Seat:
    """Give a seat that has gone to a bot, or offer it by mail to somebody else; host only, race under way.

    A seat whose car has left the race cannot be given on. Until an offer is taken up, the seat's turns lapse. The
    former driver is told. Raises SeatNotGone, FieldRefused, RaceNotRunning, NotHost.
    """
    race = race_for_change(race_id, by=by)
    _running(race)
    seat = _seat_of_race(race, seat_id)
    if seat.state in {"resigned", "removed"}:
        raise SeatNotGone("This driver's car has left the race; nobody can take it over.")
    if bot and seat.bot == bot and seat.state == "joined":
        # Given already: the button was pressed twice, or in two windows.
        return seat
    _refuse_present(race, seat)
    if bool(bot) == bool(email):
        raise Malformed("Name a bot or a mail address, one of the two.")
    now = timezone.now()
    if bot:
        if not race.bots_allowed:
            raise FieldRefused("bot", "This race is for people: its host has not allowed bots.")
        seat.bot, seat.bot_delay_s = bot_named(bot, delay_minutes)
        seat.name = name_free(list(Seat.objects.filter(race=race)))
        seat.state, seat.invited_email = "joined", ""
    else:
        address = mail_address(email)
        if Seat.objects.filter(race=race, player__email__iexact=address).exclude(pk=seat.pk).exists():
            raise FieldRefused("email", "Whoever has this address drives in the race already.")
        if seat.state == "invited" and seat.invited_email == address:
            return seat
        invitation_refuse_too_many(by=by, address=address, now=now)
        seat.invited_email, seat.state = address, "invited"
    _tell_former(race, seat, seat.player_id, now)
    seat.player_id = None
    seat_cleared(seat, now)
    seat.absent_player, seat.driver_seq = None, race.seq
    seat.save()
    seat_forget(seat)
    if email:
        # Each offer has a mail of its own: the one before may have gone to a wrong address.
        number = OutboxEvent.objects.filter(kind="invited", seat=seat).count()
        OutboxEvent.objects.create(
            kind="invited", race=race, seat=seat, decision_id=number, seq=race.seq, created_at=now
        )
        announce(race.pk, bots=False)
    seat_ask_anew(race, seat, now)
    return seat


def seat_cleared(seat: Seat, now: datetime) -> None:
    """Take from the row what was the former driver's; it is not saved."""
    seat.lapses, seat.lapsed_turn, seat.offered_at, seat.back_at = 0, None, None, now
    seat.asides = []


def seat_forget(seat: Seat) -> None:
    """Forget what the former driver has answered beforehand and was answered, and who would have driven on."""
    beforehand_forget(seat)
    # They are the former driver's: the new one's first act must not be taken for a repetition.
    seat.receipts.all().delete()
    seat.claims.all().delete()


def seat_ask_anew(race: Race, seat: Seat, now: datetime, *, is_at_screen: bool = False) -> None:
    """Ask whoever sits in this seat now, as it is saved, what was asked of the driver before.

    A turn has the time of a reaction at least, by the new driver's own calendar; a window closes when it would have
    closed, which is the same for all. ``is_at_screen``: the new driver sees the question without a mail.
    """
    desk = Desk.of(race, now)
    number = seat.number
    if number is None or number not in desk.rows:
        return
    if is_at_screen:
        desk.acting[number] = "player"
    desk.ask_anew(number)
    time_fresh(desk, number)
    desk.settle()
    desk.write()


def time_fresh(desk: Desk, number: int) -> None:
    """Let a new driver have at least the time of a reaction for an open turn."""
    row = desk.rows[number]
    if row.window is not None:
        return
    whose = desk.whose(number)
    desk.clocks.stop(row, whose, at=desk.now)
    row.counts_from = desk.now
    row.left_s = max(row.left_s, desk.race.reaction_minutes * 60)
    desk.clocks.set_due(row, whose, number=number)
    desk.reclocked(number)


def _tell_former(race: Race, seat: Seat, player_id: int | None, now: datetime) -> None:
    """Tell the person whom a seat was taken from, if there is one."""
    if player_id is not None:
        person_tell(kind="seat_lost", race=race, seat=seat, player_id=player_id, now=now)
        announce(race.pk, bots=False)


def _running(race: Race) -> Race:
    if race.status == "open":
        raise RaceNotRunning("The race has not started; seats can still be left.")
    if race.status != "running":
        raise RaceNotOpen("The race is over.")
    return race


def _seat_of_race(race: Race, seat_id: int) -> Seat:
    seat = Seat.objects.filter(race=race, pk=seat_id).exclude(state="left").first()
    if seat is None:
        raise NotYourSeat("There is no such seat in this race.")
    return seat


def _refuse_present(race: Race, seat: Seat) -> None:
    if not is_gone(race, seat):
        raise SeatNotGone(f"{seat.shown_name} is still there: a seat has gone when it is offered to others.")


def _leave_course(race: Race, seat: Seat, *, state: str) -> None:
    """Take the seat's car out of a locked, running race; what is still asked of it is answered with its default."""
    desk = Desk.of(race, timezone.now())
    assert seat.number is not None
    own = desk.seats[seat.number]
    is_offered = own.state == "invited"
    own.state = state
    desk.touch(own)
    desk.beforehand.drop_plan(own)
    if state == "removed" and is_offered:
        desk.tell("seat_lost", own)
    elif state == "removed":
        _tell_former(race, own, own.player_id, desk.now)
    try:
        action = action_of(desk.ruleset, {"do": WITHDRAW})
    except RaceFaulty:
        raise
    except Malformed:
        # A ruleset without withdrawals: the car stays and does what its defaults do.
        action = None
    if action is not None:
        desk.play([Given(seat.number, {"do": WITHDRAW}, "resigned")])
    own.driver_seq = desk.position.seq
    desk.settle()
    desk.write()


def name_free(seats: list[Seat]) -> str:
    """A bot's name that nobody in the race has."""
    taken = {seat.name for seat in seats}
    return next(name for name in (*BOT_NAMES, *(f"Bot {n}" for n in range(1, 100))) if name not in taken)
