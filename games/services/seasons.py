"""A season's course: divisions and fixtures drawn, these made into races or campaigns on their dates, the close."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games.engine.chance import commitment
from games.engine.errors import ActionRefused
from games.leagues import draws, tables
from games.models import Division, Entrant, Fixture, FixtureSeat, Race, Rating, Result, Season, Seat
from games.models.people import Person
from games.selectors.standings import season_lines
from games.services import races
from games.services.agreements import one_line
from games.services.campaign_desk import race_name
from games.services.campaigns import NAME_LENGTH, campaign_attend, campaign_found
from games.services.desk import announce, race_lock
from games.services.errors import FieldRefused, LeagueUnknown, SeasonRefused
from games.services.leagues import race_of_season, season_for_change
from games.services.notes import race_note
from games.services.results import ratings_rewrite
from games.services.starting import start

logger = logging.getLogger(__name__)

MOST_POSTPONED: Final = timedelta(days=120)
NOTE_LENGTH: Final = 200


@transaction.atomic
def season_start(*, season_id: int, by: Person | None = None, now: datetime | None = None) -> Season:
    """Put the entrants into divisions and draw all fixtures; host only, or the server (``by`` None).

    Whoever has raced the season before begins where it left them, newcomers in the lowest division; a first season is
    filled from the best rating down, then by entry. Divisions are then made of equal size in that order, so one that
    many have left is filled up from below. Starting twice is starting once.

    Raises SeasonRefused: fewer than two entrants for a division.
    """
    season = season_for_change(season_id, by=by)
    if season.status == "running":
        return season
    if season.status != "entry":
        raise SeasonRefused("The season is over.")
    entrants = list(Entrant.objects.filter(season=season, state="entered").select_related("driver").order_by("pk"))
    if len(entrants) < 2 * season.divisions_wanted:
        what = "the season" if season.divisions_wanted == 1 else f"each of {season.divisions_wanted} divisions"
        raise SeasonRefused(f"It takes two entrants or more for {what}; {len(entrants)} have entered.")
    at = timezone.now() if now is None else now
    ordered = _seeded(season, entrants)
    share, larger = divmod(len(ordered), season.divisions_wanted)
    taken = number = 0
    fixtures: list[Fixture] = []
    drawn: list[tuple[Fixture, draws.Group]] = []
    # A season that begins late has its races as far apart as it was laid out.
    first = max(season.starts_at, at)
    for rank in range(1, season.divisions_wanted + 1):
        division = Division.objects.create(season=season, rank=rank)
        members = ordered[taken : taken + share + (rank <= larger)]
        taken += len(members)
        Entrant.objects.filter(pk__in=[one.pk for one in members]).update(division=division)
        made = draws.rounds(
            [one.pk for one in members],
            seats=season.seats,
            races_each=season.races_each,
            seed=f"{season.seed}/{rank}",
        )
        for place, groups in enumerate(made):
            on = first + timedelta(days=place * season.every_days)
            for group in groups:
                number += 1
                fixture = Fixture(season=season, division=division, round=place + 1, number=number, on=on, first_on=on)
                fixtures.append(fixture)
                drawn.append((fixture, group))
    Fixture.objects.bulk_create(fixtures, batch_size=500)
    FixtureSeat.objects.bulk_create(
        [FixtureSeat(fixture=fixture, entrant_id=pk) for fixture, group in drawn for pk in group], batch_size=500
    )
    season.status = "running"
    season.started_at = at
    season.save(update_fields=["status", "started_at"])
    return season


def _seeded(season: Season, entrants: Sequence[Entrant]) -> list[Entrant]:
    """The entrants from the highest division's first to the lowest one's last."""
    before = Season.objects.filter(league=season.league, status="closed", number__lt=season.number).first()
    began = {}
    if before is not None:
        rows = Entrant.objects.filter(season=before, next_rank__isnull=False)
        began = {row.driver_id: (row.next_rank or 0, row.final_place or 0) for row in rows}
    newcomer = (season.divisions_wanted + 1, 0)
    return sorted(
        entrants,
        key=lambda one: (*began.get(one.driver_id, newcomer), -(one.driver.mu - 3 * one.driver.sigma), one.pk),
    )


@transaction.atomic
def fixture_postpone(*, fixture_id: int, by: Person, to: datetime) -> Fixture:
    """Put a planned race off (or forward) to another date; host only. The same date again changes nothing.

    Raises FieldRefused, SeasonRefused (its race is made already), NotHost, LeagueUnknown.
    """
    fixture = _fixture_for_change(fixture_id, by=by)
    if fixture.on == to:
        return fixture
    if fixture.status != "planned":
        raise SeasonRefused("This race has started, is over or was called off.")
    if to <= timezone.now():
        raise FieldRefused("to", "A race is put off to a time that is to come.")
    if to > fixture.first_on + MOST_POSTPONED:
        raise FieldRefused("to", f"A race is put off by {MOST_POSTPONED.days} days at most.")
    fixture.on = to
    fixture.save(update_fields=["on"])
    return fixture


@transaction.atomic
def fixture_void(*, fixture_id: int, by: Person) -> Fixture:
    """Call a planned race off for good; host only. Calling it off twice is calling it off once."""
    fixture = _fixture_for_change(fixture_id, by=by)
    if fixture.status == "void":
        return fixture
    if fixture.status != "planned":
        raise SeasonRefused("This race has started or is over.")
    _void(fixture, "Called off by the host.")
    return fixture


@transaction.atomic
def fixture_annul(*, fixture_id: int, by: Person, note: str) -> Fixture:
    """Let a race or campaign that has begun, or is over, count for nothing; host only, while its season is under way.

    For one that cannot go on, or was not as it should be; all see the ``note`` beside the table. Its results are taken
    out and the ratings made anew. What is under way goes on by itself to its end, and holds its season up no more.
    Annulling twice is annulling once; it cannot be taken back. Raises FieldRefused, SeasonRefused, NotHost,
    LeagueUnknown.
    """
    fixture = _fixture_for_change(fixture_id, by=by)
    if fixture.status == "void" and is_annulled(fixture):
        return fixture
    if fixture.season.status != "running":
        raise SeasonRefused("The season is over: its table stands.")
    if fixture.status not in {"running", "done"}:
        raise SeasonRefused("This has not begun: it is called off, not annulled.")
    said = one_line("note", note, "A note", NOTE_LENGTH)
    Rating.objects.filter(result__fixture=fixture).delete()
    if Result.objects.filter(fixture=fixture).delete()[0]:
        ratings_rewrite(fixture.season.league)
    fixture.turns = fixture.took_s = None
    fixture.save(update_fields=["turns", "took_s"])
    _void(fixture, said)
    # Without the league's name: whoever may read the race's log may not be of the league.
    text = f"The host of the league has annulled this race, so that it does not count there: {said}"
    for race in Race.objects.filter(Q(league_fixture=fixture) | Q(campaign_race__campaign__league_fixture=fixture)):
        locked = race_lock(race.pk)
        if locked is not None and locked.status == "running":
            race_note(locked, key="annulled", text=text, now=timezone.now())
            announce(locked.pk, bots=False)
    return fixture


def is_annulled(fixture: Fixture) -> bool:
    """Whether a void fixture had begun."""
    return (fixture.race_id or fixture.campaign_id) is not None


@transaction.atomic
def fixture_make(*, fixture_id: int, now: datetime) -> Race | None:
    """Make and start the race, or the campaign, of a fixture that is due; None if it is not (any more), or can be none.

    Returns the race, of a campaign the first. Entrants who are out by now have no seat in it. With fewer than two left
    it is called off. Raises what a start raises; then nothing has changed.
    """
    fixture = _fixture_for_change(fixture_id)
    season = fixture.season
    if fixture.status != "planned" or fixture.on > now or season.status != "running":
        return None
    drawn = FixtureSeat.objects.filter(fixture=fixture, entrant__state="entered").order_by("pk")
    present = list(drawn.select_related("entrant__driver"))
    if len(present) < 2:
        _void(fixture, "Fewer than two of its entrants were left.")
        return None
    makes_campaign = season.makes == "campaigns"
    name = _campaign_name(fixture) if makes_campaign else _race_name(fixture)
    race = _race_laid_out(season, name=race_name(name, 1) if makes_campaign else name, seats=len(present), now=now)
    seats = _seated(race, present, now)
    if makes_campaign:
        fixture.campaign = campaign_found(race=race, name=name)
    else:
        fixture.race = race
    # Of a campaign's first race this draws the cars; then the campaign goes on by itself.
    start(race, seats, now)
    fixture.status = "running"
    fixture.trouble = ""
    fixture.save(update_fields=["race", "campaign", "status", "trouble"])
    return race


def _race_laid_out(season: Season, *, name: str, seats: int, now: datetime) -> Race:
    """A race of a season, saved, without seats."""
    race = race_of_season(season, name=name, seats=seats)
    race.public_id = races.public_id_free()
    race.secret = races.secret_next()
    race.commitment = commitment(bytes(race.secret))
    race.host_seen_at = race.created_at = now
    race.save()
    return race


def _seated(race: Race, present: Sequence[FixtureSeat], now: datetime) -> list[Seat]:
    """A seat in the race for each of these entrants, in the order in which they were drawn."""
    seats = []
    for place, one in enumerate(present, start=1):
        driver = one.entrant.driver
        one.seat = Seat.objects.create(
            race=race,
            joined_order=place,
            state="joined",
            joined_at=now,
            player_id=driver.player_id,
            bot=driver.bot,
            name=driver.name,
        )
        seats.append(one.seat)
    FixtureSeat.objects.bulk_update(present, ["seat"])
    return seats


def fixture_attend(*, fixture_id: int, now: datetime) -> bool:
    """Make the race or campaign of a fixture that is due, and note why if that cannot be; whether it was made."""
    try:
        is_made = fixture_make(fixture_id=fixture_id, now=now) is not None
    except ActionRefused as refused:
        # Whatever is wrong with it is the host's to see; it is tried again in each sweep, and stops no other.
        logger.warning("fixture %s has no race yet: %s", fixture_id, refused)
        text = refused.text[:300]
        Fixture.objects.filter(pk=fixture_id, status="planned").exclude(trouble=text).update(trouble=text)
        return False
    campaign_id = Fixture.objects.values_list("campaign", flat=True).get(pk=fixture_id) if is_made else None
    if campaign_id is not None:
        # In a transaction of its own, as everywhere; what breaks there leaves a campaign that its own sweep takes up.
        campaign_attend(campaign_id=campaign_id, now=now)
    return is_made


@transaction.atomic
def season_close(*, season_id: int, by: Person | None = None, now: datetime | None = None) -> Season:
    """Close a season: final places, and who begins the next one where; host only, or the server (``by`` None).

    The server closes it when all races are over. The host may do so before, which calls off what is still planned, but
    not while a race runs. Closing twice is closing once. Raises SeasonRefused, NotHost.
    """
    season = season_for_change(season_id, by=by)
    if season.status == "closed":
        return season
    if season.status != "running":
        raise SeasonRefused("The season has not started, or was called off.")
    going = Fixture.objects.filter(season=season)
    if going.filter(status="running").exists():
        raise SeasonRefused(
            f"{'A campaign' if season.makes == 'campaigns' else 'A race'} of the season still runs, or its result is "
            "not in yet. One that cannot go on can be annulled."
        )
    if by is None and going.filter(status="planned").exists():
        raise SeasonRefused("Races of the season are still to come.")
    for fixture in going.filter(status="planned"):
        _void(fixture, "The season was closed before.")
    by_division: dict[int, list[tables.Line]] = defaultdict(list)
    entrants = {one.pk: one for one in Entrant.objects.filter(season=season, division__isnull=False)}
    for line in season_lines(season=season):
        by_division[entrants[line.entrant].division_id or 0].append(line)
    divisions = list(Division.objects.filter(season=season).order_by("rank"))
    ordered = [tables.ranked(by_division[one.pk], tie_breaks=season.tie_breaks, seed=season.seed) for one in divisions]
    begins = tables.moves(ordered, moving=season.moving)
    for table in ordered:
        for line in table:
            entrant = entrants[line.entrant]
            entrant.final_place = line.place
            entrant.next_rank = begins[line.entrant] + 1 if line.entrant in begins else None
    Entrant.objects.bulk_update(entrants.values(), ["final_place", "next_rank"], batch_size=500)
    season.status = "closed"
    season.closed_at = timezone.now() if now is None else now
    season.save(update_fields=["status", "closed_at"])
    return season


def _fixture_for_change(fixture_id: int, *, by: Person | None = None) -> Fixture:
    season_id = Fixture.objects.filter(pk=fixture_id).values_list("season_id", flat=True).first()
    if season_id is None:
        raise LeagueUnknown("There is no such race in this league.")
    season = season_for_change(season_id, by=by)
    fixture = Fixture.objects.select_related("division").get(pk=fixture_id)
    fixture.season = season
    return fixture


def _void(fixture: Fixture, why: str) -> None:
    fixture.status, fixture.trouble = "void", why
    fixture.save(update_fields=["status", "trouble"])


def _race_name(fixture: Fixture) -> str:
    return f"{fixture.season.league.name} {fixture.season.number}.{fixture.number}"


def _campaign_name(fixture: Fixture) -> str:
    """Shorter than a race's may be, since each of its races adds a number: a long name of a league is cut."""
    name, number = fixture.season.league.name, f" {fixture.season.number}.{fixture.number}"
    if len(name) + len(number) > NAME_LENGTH:
        name = f"{name[: NAME_LENGTH - len(number) - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"
    return name + number
