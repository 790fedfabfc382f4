"""Leagues and who is in them: made, entered, left; seasons laid out, and entrants withdrawn."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games.leagues.ratings import MU, SIGMA
from games.leagues.tables import DEFAULT, TIE_BREAKS
from games.models import Campaign, Entrant, League, LeagueDriver, Race, Season
from games.models.people import Person
from games.runtime.campaigns import rules_of
from games.runtime.rulesets import BOT_TITLES
from games.selectors.hosting import races_of_league
from games.services.agreements import SETTABLE, one_line, race_set, refuse_teams, ruleset_named
from games.services.campaign_desk import campaign_lock
from games.services.campaigns import refuse_upgrades
from games.services.errors import FieldRefused, InvitationRefused, LeagueUnknown, NotHost, SeasonRefused
from games.services.seats import BOT_NAMES
from games.tempo import policies, tempos

NAME_LENGTH: Final = 48
"""The names of its races add division and number, and may have sixty letters."""
SETTINGS: Final = SETTABLE - {"name", "seats", "is_public", "starts_when_full", "bots_allowed"}
"""What a season says of each of its races."""
MOST_RACES_EACH: Final = 60
MOST_DIVISIONS: Final = 20
MOST_DAYS: Final = 366
"""Campaigns take long."""
MAKES: Final = ("races", "campaigns")
MOST_AHEAD: Final = timedelta(days=366)
MOST_ENTRANTS: Final = 400
_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyz"


@transaction.atomic
def league_create(*, by: Person, name: str, ruleset: str = "roadkill", is_public: bool = False) -> League:
    """Make a league; ``by`` becomes its host and takes part only by entering a season like anybody.

    A host's leagues have different names, so that a form sent twice makes one. Raises FieldRefused.
    """
    ruleset_named(ruleset)
    line = one_line("name", name, "A league", NAME_LENGTH)
    if not isinstance(is_public, bool):
        raise FieldRefused("is_public", "“is_public” is yes or no.")
    if League.objects.filter(host_id=by.pk, name__iexact=line).exists():
        raise FieldRefused("name", "You host a league of this name already.")
    return League.objects.create(
        public_id=_public_id(),
        name=line,
        ruleset=ruleset,
        host_id=by.pk,
        is_public=is_public,
        entry_key=secrets.token_urlsafe(16),
        host_seen_at=(now := timezone.now()),
        created_at=now,
    )


@transaction.atomic
def league_update(
    *,
    league_id: int,
    by: Person,
    name: str | None = None,
    is_public: bool | None = None,
    new_key: bool = False,
    host: int | None = None,
) -> League:
    """Change a league; host only.

    ``is_public``: a league that is for its members from now on takes its races with it, those that are over too; one
    that is opened opens only what it makes from then on, since whoever drove in private agreed to no more. ``new_key``:
    make the link of entry anew, so that the old one lets nobody in. ``host``: row id of the driver of this league, a
    person, who hosts it from now on, and the races that it makes from now on. Raises FieldRefused, NotHost.
    """
    league = league_for_change(league_id, by=by)
    if name is not None:
        league.name = one_line("name", name, "A league", NAME_LENGTH)
        if League.objects.filter(host_id=by.pk, name__iexact=league.name).exclude(pk=league.pk).exists():
            raise FieldRefused("name", "You host a league of this name already.")
    if is_public is not None:
        league.is_public = is_public
        if not is_public:
            _close_races(league)
    if new_key:
        league.entry_key = secrets.token_urlsafe(16)
    if host is not None:
        heir = LeagueDriver.objects.filter(league=league, pk=host, player__isnull=False).first()
        if heir is None:
            raise FieldRefused("host", "A league is handed over to a person who has entered it; a bot cannot host.")
        league.host_id = heir.player_id or league.host_id
        league.host_seen_at, league.taken_over_at, league.taken_from = timezone.now(), None, None
    league.save()
    return league


def _close_races(league: League) -> None:
    """Make the races of a locked league private; its campaigns' next ones are made as the last, so these wait."""
    going = Campaign.objects.filter(league_fixture__season__league=league, status__in=["running", "paused"])
    for campaign_id in going.order_by("pk").values_list("pk", flat=True):
        campaign_lock(campaign_id)
    public = Race.objects.filter(races_of_league(league=league), is_public=True).values_list("pk", flat=True)
    Race.objects.filter(pk__in=list(public)).update(is_public=False)


@transaction.atomic
def season_create(
    *,
    league_id: int,
    by: Person,
    starts_at: datetime,
    seats: int = 4,
    races_each: int = 6,
    every_days: int = 14,
    divisions: int = 1,
    moving: int = 1,
    tie_breaks: Sequence[str] = DEFAULT,
    makes: str = "races",
    **settings: Any,
) -> Season:
    """Lay out the league's next season; host only. Until it starts, people enter; one season at a time.

    ``seats``: cars in a race. ``races_each``: races of each entrant, the first at ``starts_at`` and one each
    ``every_days`` days (0: all at once). ``divisions``: how many; ``moving``: how many go up and down between two of
    them at the end. ``tie_breaks``: keys of games.leagues.tables.TIE_BREAKS in the order in which they are applied.
    ``settings``: what each race is like, as in games.services.races.race_create (tempo, policy, options,
    pause_cap_hours, holidays_allowed, absences, substitutes, bot_takeover, …). ``makes``: "races", or "campaigns",
    each of which counts as a race does; ``races_each`` and ``every_days`` are then of campaigns.

    Raises FieldRefused, SeasonRefused, NotHost.
    """
    league = league_for_change(league_id, by=by)
    _refuse_makes(league, makes)
    now = timezone.now()
    if Season.objects.filter(league=league, status__in=["entry", "running"]).exists():
        raise SeasonRefused("A season is open or under way; the next one is laid out when it is over.")
    if not now - timedelta(days=1) <= starts_at <= now + MOST_AHEAD:
        raise FieldRefused("starts_at", "A season starts within a year from now.")
    what = makes.removesuffix("s")
    _whole("races_each", races_each, f"The {makes} of each entrant are", 1, MOST_RACES_EACH)
    _whole("every_days", every_days, f"Days from one {what} to the next are", 0, MOST_DAYS)
    _whole("divisions", divisions, "Divisions are", 1, MOST_DIVISIONS)
    _whole("moving", moving, "Between two divisions there move", 0, 10)
    last = Season.objects.filter(league=league).order_by("-number").first()
    return Season.objects.create(
        league=league,
        number=1 if last is None else last.number + 1,
        makes=makes,
        settings=_settings(league, seats, settings, makes=makes),
        seats=seats,
        races_each=races_each,
        every_days=every_days,
        divisions_wanted=divisions,
        moving=moving,
        tie_breaks=_tie_breaks(tie_breaks),
        seed=secrets.token_hex(16),
        starts_at=starts_at,
        created_at=now,
    )


@transaction.atomic
def season_cancel(*, season_id: int, by: Person) -> Season:
    """Call a season off before it has started; host only. Calling it off twice is calling it off once."""
    season = season_for_change(season_id, by=by)
    if season.status == "cancelled":
        return season
    if season.status != "entry":
        raise SeasonRefused("The season has started: it can be closed, not called off.")
    season.status = "cancelled"
    season.closed_at = timezone.now()
    season.save(update_fields=["status", "closed_at"])
    return season


@transaction.atomic
def season_enter(*, season_id: int, by: Person, key: str = "") -> Entrant:
    """Take part in a season before it starts. Entering twice is entering once.

    A public league is open to all; another to its host, to who has raced in it, and to the bearer of its ``key``. Whom
    the host has withdrawn does not come back in this season. Raises InvitationRefused, SeasonRefused.
    """
    season = season_for_change(season_id)
    league = season.league
    driver = LeagueDriver.objects.filter(league=league, player_id=by.pk).first()
    entrant = None if driver is None else Entrant.objects.filter(season=season, driver=driver).first()
    if entrant is not None and entrant.state == "entered":
        return entrant
    is_known = league.is_public or league.host_id == by.pk or driver is not None
    if not is_known and not secrets.compare_digest(key.encode(), league.entry_key.encode()):
        raise InvitationRefused("This league is for members: it takes the host's link to enter.")
    if entrant is not None and entrant.state == "withdrawn":
        raise SeasonRefused("The host has withdrawn you from this season.")
    _open(season)
    if driver is None:
        driver = _driver(league, player_id=by.pk)
    return _entered(season, driver)


@transaction.atomic
def season_add_bot(*, season_id: int, by: Person, bot: str = "driver") -> Entrant:
    """Let a bot take part in a season before it starts; host only. It keeps its name and rating in later seasons."""
    season = season_for_change(season_id, by=by)
    _open(season)
    if bot not in BOT_TITLES:
        raise FieldRefused("bot", f"There is no bot “{bot}”; there are {', '.join(BOT_TITLES)}.")
    drivers = LeagueDriver.objects.filter(league=season.league, bot=bot)
    idle = drivers.exclude(entries__season=season, entries__state="entered").order_by("pk").first()
    if idle is None:
        taken = set(LeagueDriver.objects.filter(league=season.league, player=None).values_list("name", flat=True))
        names = (f"{name}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))) for name in BOT_NAMES)
        idle = _driver(season.league, bot=bot, name=next(name for name in names if name not in taken))
    return _entered(season, idle)


@transaction.atomic
def season_leave(*, season_id: int, by: Person) -> None:
    """Leave a season: before the start the entry is taken back, later one is drawn for no more races.

    Races under way go on: a driver gives up a seat in the race itself. Leaving twice is leaving once.
    """
    season = season_for_change(season_id)
    _going(season)
    _out(Entrant.objects.filter(season=season, driver__player_id=by.pk).first(), "left")


@transaction.atomic
def entrant_withdraw(*, entrant_id: int, by: Person) -> Entrant:
    """Take an entrant out of a season; host only.

    Results stand, planned races are run without the entrant, who is last in the table and may enter the next season.
    Races under way go on. Withdrawing twice is withdrawing once. Raises SeasonRefused, NotHost, LeagueUnknown.
    """
    found = Entrant.objects.filter(pk=entrant_id).first()
    if found is None:
        raise LeagueUnknown("There is no such entrant.")
    season = season_for_change(found.season_id, by=by)
    _going(season)
    entrant = _out(Entrant.objects.get(pk=entrant_id), "withdrawn")
    assert entrant is not None
    return entrant


# --- What the services of leagues share --------------------------------------------------


def league_for_change(league_id: int, *, by: Person | None = None) -> League:
    """The league, locked until the transaction ends; all that changes in it waits here.

    With ``by`` only for its host. Raises LeagueUnknown, NotHost.
    """
    league = League.objects.select_for_update().filter(pk=league_id).first()
    if league is None:
        raise LeagueUnknown("There is no such league.")
    if by is not None and league.host_id != by.pk:
        raise NotHost("Only the league's host may do this.")
    return league


def season_for_change(season_id: int, *, by: Person | None = None) -> Season:
    """The season with its league, which is locked; with ``by`` only for its host. Raises LeagueUnknown, NotHost."""
    league_id = Season.objects.filter(pk=season_id).values_list("league_id", flat=True).first()
    if league_id is None:
        raise LeagueUnknown("There is no such season.")
    league = league_for_change(league_id, by=by)
    # Read after the lock: whoever was waited for may have changed it.
    season = Season.objects.get(pk=season_id)
    season.league = league
    return season


def race_of_season(season: Season, *, name: str, seats: int) -> Race:
    """A race as the season's settings make it, not saved; raises FieldRefused."""
    race = Race(ruleset=season.league.ruleset, host_id=season.league.host_id)
    given = {"tempo": tempos.DEFAULT, "policy": policies.DEFAULT, "options": {}, **season.settings}
    race_set(
        race,
        {
            **given,
            "name": name,
            "seats": seats,
            "is_public": season.league.is_public,
            "bots_allowed": True,
            "starts_when_full": False,
        },
    )
    return race


def _refuse_makes(league: League, makes: Any) -> None:
    if makes not in MAKES:
        raise FieldRefused("makes", f"A season makes {' or '.join(MAKES)}.")
    if makes == "campaigns" and rules_of(league.ruleset) is None:
        raise FieldRefused("makes", f"{ruleset_named(league.ruleset).title} has no campaign.")


def _settings(league: League, seats: Any, settings: Mapping[str, Any], *, makes: str) -> dict[str, Any]:
    unknown = sorted(set(settings) - SETTINGS)
    if unknown:
        raise FieldRefused(unknown[0], f"A season has no setting “{unknown[0]}”.")
    given = {name: value for name, value in settings.items() if value is not None}
    # Made once to be refused now, and not when its first race is due.
    race = race_of_season(Season(league=league, settings=given), name="Trial", seats=seats)
    refuse_teams(race, "A league")
    if makes == "campaigns":
        refuse_upgrades(race)
    return given


def _tie_breaks(given: Sequence[str]) -> list[str]:
    keys = list(given)
    unknown = [key for key in keys if key not in TIE_BREAKS]
    if unknown or not keys or len(set(keys)) != len(keys):
        raise FieldRefused("tie_breaks", f"Tie-breaks are some of these, each once: {', '.join(TIE_BREAKS)}.")
    return keys


def _whole(field: str, number: Any, what: str, least: int, most: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise FieldRefused(field, f"{what} {least} to {most}.")


def _open(season: Season) -> None:
    if season.status != "entry":
        raise SeasonRefused("The season has started or is over: entries are for the next one.")
    if Entrant.objects.filter(season=season, state="entered").count() >= MOST_ENTRANTS:
        raise SeasonRefused(f"A season has {MOST_ENTRANTS} entrants at most.")


def _going(season: Season) -> None:
    if season.status not in {"entry", "running"}:
        raise SeasonRefused("The season is over.")


def _driver(league: League, **who: Any) -> LeagueDriver:
    return LeagueDriver.objects.create(league=league, mu=MU, sigma=SIGMA, joined_at=timezone.now(), **who)


def _entered(season: Season, driver: LeagueDriver) -> Entrant:
    entrant, _ = Entrant.objects.update_or_create(
        season=season, driver=driver, defaults={"state": "entered", "entered_at": timezone.now()}
    )
    return entrant


def _out(entrant: Entrant | None, state: str) -> Entrant | None:
    if entrant is not None and entrant.state == "entered":
        entrant.state = state
        entrant.save(update_fields=["state"])
    return entrant


def _public_id() -> str:
    for length in (6, 6, 8, 10):
        candidate = "".join(secrets.choice(_LETTERS) for _ in range(length))
        if not League.objects.filter(public_id=candidate).exists():
            return candidate
    raise SeasonRefused("No address is free for another league; try again.")
