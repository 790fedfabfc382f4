"""The life of a race: made, filled, started, called off.

Seats are in games.services.seats, whose functions can be had here too.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.engine.chance import commitment
from games.models import Campaign, CampaignRace, OutboxEvent, Race, Seat
from games.models.people import Person
from games.models.seat import PAST
from games.selectors.invitations import invitation_seat_id, seat_kept_for
from games.services.agreements import mail_address, race_set, refuse_teams, ruleset_named, shuffle_words
from games.services.desk import announce
from games.services.errors import FieldRefused, InvitationRefused, NotHost, RaceFull, RaceNotOpen
from games.services.invitations import invitation_refuse_too_many, invitation_seat
from games.services.outbox import person_tell
from games.services.seats import (
    seat_add_bot,
    seat_ask_anew,
    seat_partner,
    seat_remove,
    seat_replace,
    seat_resign,
    seat_take,
    seat_words,
)
from games.services.starting import (
    open_race_for_change,
    race_for_change,
    seats_present,
    start,
    start_if_full,
)
from games.tempo import policies, tempos

__all__ = [
    "race_cancel",
    "race_create",
    "race_decline",
    "race_invite",
    "race_join",
    "race_leave",
    "race_start",
    "race_update",
    "seat_add_bot",
    "seat_partner",
    "seat_remove",
    "seat_replace",
    "seat_resign",
    "seat_words",
]

_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyz"
"""Without those that look alike: addresses are read aloud."""


_made_up: ContextVar[Iterator[bytes] | None] = ContextVar("secrets of races that are simulated", default=None)


def secret_make() -> bytes:
    """What a new race's chance comes from: 32 bytes from the system, the only part of it that is not computed."""
    return secrets.token_bytes(32)


def secret_next() -> bytes:
    """The secret of the race that is being made."""
    made_up = _made_up.get()
    return secret_make() if made_up is None else next(made_up)


@contextmanager
def secrets_made_up(secrets_in_order: Iterator[bytes]) -> Iterator[None]:
    """Races made within have these secrets. For simulations alone: whoever knows a secret knows every draw."""
    token = _made_up.set(secrets_in_order)
    try:
        yield
    finally:
        _made_up.reset(token)


@transaction.atomic
def race_create(
    *,
    by: Person,
    name: str,
    ruleset: str = "roadkill",
    seats: int = 4,
    options: Mapping[str, Any] | None = None,
    tempo: str = tempos.DEFAULT,
    turn_hours: float | None = None,
    reaction_hours: float | None = None,
    policy: str = policies.DEFAULT,
    bots_allowed: bool = True,
    is_public: bool = False,
    starts_when_full: bool = True,
    pause_cap_hours: float | None = None,
    bank: bool | None = None,
    holidays_allowed: bool = True,
    absences: int = 2,
    substitutes: str = "host",
    bot_takeover: bool = False,
    extension_cap_hours: float | None = None,
    words: str = "",
) -> Race:
    """Make a race; ``by`` becomes its host and takes the first seat.

    ``options`` are the ruleset's (RoadKill: {"sections": 3..8, "components": "classic", "upgrades": "none"}, and
    {"teams": True} for two drivers a car).
    ``tempo``: live, daily, relaxed, weekly (games.tempo.tempos), or "hours" with ``turn_hours`` and ``reaction_hours``
    (broken hours are fine). ``policy``: open, paced, strict. ``pause_cap_hours``: by how much quiet hours, days off and
    holidays may put one deadline off (0: they count), ``bank``: whether the tempo's bank is kept; both None: as the
    tempo says. ``absences`` (1 to 10) until a seat is offered, to whom the host (``substitutes`` "host") chooses or to
    the "first", and with ``bot_takeover`` to a bot. ``extension_cap_hours``: by how much one question may be put off in
    all (0: not at all; None: a turn's hours). ``words``: what the host adds to the shuffles. Raises FieldRefused (a
    Malformed) with a sentence; its ``field`` names the argument at fault. The race's secret is made now and its hash is
    public from now on: before anybody adds words, so that it cannot be chosen to suit them.
    """
    ruleset_named(ruleset)
    secret = secret_next()
    now = timezone.now()
    race = Race(
        public_id=public_id_free(),
        ruleset=ruleset,
        host_id=by.pk,
        secret=secret,
        commitment=commitment(secret),
        host_seen_at=now,
        created_at=now,
    )
    race_set(
        race,
        {
            "name": name,
            "seats": seats,
            "options": options,
            "tempo": tempo,
            "turn_hours": turn_hours,
            "reaction_hours": reaction_hours,
            "policy": policy,
            "bots_allowed": bots_allowed,
            "is_public": is_public,
            "starts_when_full": starts_when_full,
            "pause_cap_hours": pause_cap_hours,
            "bank": bank,
            "holidays_allowed": holidays_allowed,
            "absences": absences,
            "substitutes": substitutes,
            "bot_takeover": bot_takeover,
            "extension_cap_hours": extension_cap_hours,
        },
    )
    said = shuffle_words(words)
    race.save()
    Seat.objects.create(race=race, joined_order=1, player_id=by.pk, state="joined", words=said, joined_at=now)
    return race


@transaction.atomic
def race_update(*, race_id: int, by: Person, **changes: Any) -> Race:
    """Change any argument of race_create but ruleset and words, while the race is open; host only.

    Raises FieldRefused, RaceNotOpen.
    """
    race = open_race_for_change(race_id, by=by)
    race_set(race, changes)
    if "options" in changes and CampaignRace.objects.filter(race=race).exists():
        refuse_teams(race, "A campaign")
    seats = seats_present(race)
    if len(seats) > race.seats_wanted:
        raise FieldRefused("seats", f"{len(seats)} seats are taken or kept already.")
    if not race.bots_allowed and any(seat.bot for seat in seats):
        raise FieldRefused("bots_allowed", "A bot has a seat; take it away first.")
    race.save()
    start_if_full(race, timezone.now())
    return race


@transaction.atomic
def race_invite(*, race_id: int, by: Person, email: str) -> Seat:
    """Keep a free seat for whoever bears the invitation that is mailed to this address; host only.

    Inviting twice is one invitation.

    Writes an OutboxEvent "invited"; the link in the mail is games.services.invitations.invitation_address(seat). The
    person needs no account yet. Raises FieldRefused, RaceFull, RaceNotOpen, NotHost.
    """
    race = open_race_for_change(race_id, by=by)
    address = mail_address(email)
    seats = Seat.objects.filter(race=race).exclude(PAST).select_related("player").order_by("joined_order")
    for seat in seats:
        if seat.state == "invited" and seat.invited_email == address:
            return seat
        if seat.player is not None and seat.player.email.lower() == address:
            # Without the name: a guess must not tell whose address it is.
            raise FieldRefused("email", "Whoever has this address has a seat already.")
    now = timezone.now()
    invitation_refuse_too_many(by=by, address=address, now=now)
    seat = seat_take(race, len(seats), state="invited", invited_email=address)
    # Who is asked again has not declined any more.
    Seat.objects.filter(race=race, state="declined", invited_email=address).update(state="left")
    OutboxEvent.objects.create(kind="invited", race=race, seat=seat, seq=race.seq, created_at=now)
    announce(race.pk, bots=False)
    return seat


@transaction.atomic
def race_join(*, race_id: int, by: Person, invitation: str = "", words: str = "") -> Seat:
    """Take a seat: the invitation's (its token), the one kept for one's mail address, or a free one of a public race.

    Also takes a seat that the host offers in a race under way. Joining twice is joining once. Whom the host has taken a
    seat from comes back by invitation only. Starts the race when it is full and set to start so. Raises
    InvitationRefused, RaceFull, RaceNotOpen, FieldRefused.
    """
    race = race_for_change(race_id)
    said = shuffle_words(words)
    seats = seats_present(race)
    own = next((seat for seat in seats if seat.player_id == by.pk), None)
    if own is not None:
        return own
    kept = _kept_seat(race, seats, by, invitation)
    now = timezone.now()
    if kept is not None and race.status in {"open", "running"}:
        kept.player_id = by.pk
        kept.state = "joined"
        kept.joined_at = now
        kept.lapses, kept.offered_at, kept.back_at = 0, None, now
        kept.driver_seq = race.seq
        Seat.objects.filter(race=race, former_player_id=by.pk).update(former_player=None)
        if race.status == "open":
            kept.words = said
        kept.save()
        if race.status == "running":
            seat_ask_anew(race, kept, now, is_at_screen=True)
    else:
        open_race_for_change(race_id)
        if not race.is_public:
            raise InvitationRefused("This race is private: it takes an invitation by its host.")
        if Seat.objects.filter(race=race, former_player_id=by.pk).exists():
            raise InvitationRefused(
                "The host has taken your seat in this race away: it takes an invitation to come back."
            )
        kept = seat_take(race, len(seats), state="joined", player_id=by.pk, words=said, joined_at=now)
    if race.status == "open":
        start_if_full(race, now)
        kept.refresh_from_db()
    return kept


@transaction.atomic
def race_decline(*, race_id: int, by: Person | None, invitation: str = "") -> None:
    """Decline the seat kept for whoever bears this invitation, or for one's mail address; the race's host is told.

    Before the start the seat becomes free; a seat of a race under way waits for what the host does with it. Declining
    twice is declining once. Raises InvitationRefused, RaceNotOpen.
    """
    race = race_for_change(race_id)
    seat = seat_kept_for(race=race, user=by, invitation=invitation)
    if seat is None:
        raise InvitationRefused("There is no invitation to this race that you could decline.")
    if seat.state == "declined":
        return
    if race.status not in {"open", "running"}:
        raise RaceNotOpen("The race is over." if race.status == "finished" else "The race was called off.")
    seat.state = "declined"
    seat.save(update_fields=["state"])
    person_tell(kind="declined", race=race, seat=seat, player_id=race.host_id, now=timezone.now())
    announce(race.pk, bots=False)


@transaction.atomic
def race_leave(*, race_id: int, by: Person) -> None:
    """Give the seat back before the start; without a seat this does nothing.

    The host cannot leave, only call the race off.
    """
    race = open_race_for_change(race_id)
    if race.host_id == by.pk:
        raise NotHost("You host this race: hand it over first, or call it off.")
    Seat.objects.filter(race=race, player_id=by.pk).update(state="left", player=None, invited_email="", words="")


@transaction.atomic
def race_start(*, race_id: int, by: Person) -> Race:
    """Draw the car numbers, set the race up and ask the first question; host only, two seats taken or more.

    Open invitations lapse.
    """
    race = open_race_for_change(race_id, by=by)
    start(race, seats_present(race), timezone.now())
    return race


@transaction.atomic
def race_cancel(*, race_id: int, by: Person) -> None:
    """Call the race off before its start; host only. Those who had joined are told."""
    race = open_race_for_change(race_id, by=by)
    race.status = "abandoned"
    race.save(update_fields=["status"])
    now = timezone.now()
    told = [
        OutboxEvent(kind="cancelled", race=race, seat=seat, seq=race.seq, created_at=now)
        for seat in seats_present(race)
        if seat.state == "joined" and not seat.bot and seat.player_id != by.pk
    ]
    OutboxEvent.objects.bulk_create(told)
    if told:
        announce(race.pk, bots=False)


def _kept_seat(race: Race, seats: list[Seat], by: Person, invitation: str) -> Seat | None:
    """The seat that this person was invited to, by token or by mail address.

    An old token is no bar to who was invited anew.
    """
    mailed = next((s for s in seats if s.state == "invited" and s.invited_email == by.email.lower()), None)
    if not invitation:
        return mailed
    former = Seat.objects.filter(race=race, pk=invitation_seat_id(invitation) or 0).exclude(state="invited")
    if mailed is not None and former.exists():
        return mailed
    seat = invitation_seat(invitation)
    if seat.race_id != race.pk:
        raise InvitationRefused("This invitation is for another race.")
    return next(one for one in seats if one.pk == seat.pk)


def public_id_free(rows: type[Race] | type[Campaign] = Race) -> str:
    """An id for an address: six letters that none of these rows has yet; eight once six have become hard to find."""
    for length in (6, 6, 6, 8, 8, 10):
        candidate = "".join(secrets.choice(_LETTERS) for _ in range(length))
        if not rows.objects.filter(public_id=candidate).exists():
            return candidate
    raise RaceFull("No address is free for another; try again.")
