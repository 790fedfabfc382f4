"""Leagues: founded, seasons laid out and run, entered and left; tables, ratings, drivers, pace."""

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from games.api import league_shapes as shapes
from games.api.operation import LeagueOperation, Operation, Pages
from games.api.operations.described import described
from games.api.shapes import Nothing
from games.selectors import leagues as selectors
from games.selectors import standings
from games.services import leagues as services
from games.services import seasons
from games.services.errors import LeagueUnknown
from games.services.hosting import league_host_take

KEY = OpenApiParameter("key", OpenApiTypes.STR, description="Lets its bearer see a league of members before entering.")


class LeagueList(Operation):
    """Leagues."""

    @described(shapes.LeagueLine(many=True), operation_id="leagues_list")
    def get(self, request: Request) -> Response:
        """List public leagues and your own, at most a hundred, those with a season open or under way first."""
        return Response(selectors.leagues_of(user=self.user))


class LeagueCreate(Operation):
    """A new league."""

    serializer_class = shapes.LeagueWish

    @described(shapes.LeagueShape, status=201, request=shapes.LeagueWish, operation_id="leagues_create")
    def post(self, request: Request) -> Response:
        """Found a league. You become its host."""
        league = services.league_create(by=self.player, **self.told())
        part = {**selectors.league_part(league=league, user=self.player), "entry_key": league.entry_key}
        address = reverse("games:api-league", args=[league.public_id], request=request)
        return Response(part, status=201, headers={"Location": address})


class LeagueShow(LeagueOperation):
    """One league."""

    @described(shapes.LeagueShape, operation_id="leagues_read", parameters=[KEY])
    def get(self, request: Request, public_id: str) -> Response:
        """Show a league and its seasons."""
        return self.shown(self.league)


class LeagueUpdate(LeagueOperation):
    """Changes of a league."""

    serializer_class = shapes.LeagueChange

    @described(shapes.LeagueShape, request=shapes.LeagueChange, operation_id="leagues_update")
    def patch(self, request: Request, public_id: str) -> Response:
        """Change name or who may see it, make the link of entry anew, or hand the league over; host only."""
        return self.shown(services.league_update(league_id=self.league.pk, by=self.player, **self.told()))


class LeagueTake(LeagueOperation):
    """Taking a league over."""

    serializer_class = Nothing

    @described(shapes.LeagueShape, request=None, operation_id="leagues_take_over")
    def post(self, request: Request, public_id: str) -> Response:
        """Take a league over from a host who has been away: the right of whoever came to it first.

        After twice as many days away it is the right of anybody who takes part in its season.
        """
        league_host_take(league_id=self.league.pk, by=self.player)
        return self.shown(self.league)


class SeasonCreate(LeagueOperation):
    """A new season."""

    serializer_class = shapes.SeasonWish

    @described(shapes.SeasonShape, status=201, request=shapes.SeasonWish, operation_id="seasons_create")
    def post(self, request: Request, public_id: str) -> Response:
        """Lay out the next season; host only, one at a time."""
        season = services.season_create(league_id=self.league.pk, by=self.player, **self.told())
        return Response(selectors.season_part(season=season, user=self.player), status=201)


class SeasonShow(LeagueOperation):
    """One season."""

    @described(shapes.SeasonShape, operation_id="seasons_read", parameters=[KEY])
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Show a season: what was agreed and how far it is."""
        return self.season_shown()


class SeasonStart(LeagueOperation):
    """The draw."""

    serializer_class = Nothing

    @described(shapes.SeasonShape, request=None, operation_id="seasons_start")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Put the entrants into divisions and draw all fixtures now; host only."""
        seasons.season_start(season_id=self.season().pk, by=self.player)
        return self.season_shown()


class SeasonCancel(LeagueOperation):
    """Calling a season off."""

    serializer_class = Nothing

    @described(shapes.SeasonShape, request=None, operation_id="seasons_cancel")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Call a season off before it starts; host only."""
        services.season_cancel(season_id=self.season().pk, by=self.player)
        return self.season_shown()


class SeasonClose(LeagueOperation):
    """The end of a season."""

    serializer_class = Nothing

    @described(shapes.SeasonShape, request=None, operation_id="seasons_close")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Close a season before its last race; what is planned is called off; host only, not while anything runs."""
        seasons.season_close(season_id=self.season().pk, by=self.player)
        return self.season_shown()


class SeasonEnter(LeagueOperation):
    """Entering."""

    serializer_class = shapes.Entering

    @described(shapes.SeasonShape, request=shapes.Entering, operation_id="seasons_enter")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Take part in a season before it starts; your races then start by themselves on their dates."""
        key = self.told().get("key", "")
        league = selectors.league_get(public_id=public_id, user=self.player, key=key)
        season = selectors.season_get(league=league, number=number)
        assert season is not None
        services.season_enter(season_id=season.pk, by=self.player, key=key)
        return self.season_shown()


class SeasonLeave(LeagueOperation):
    """Leaving."""

    serializer_class = Nothing

    @described(shapes.SeasonShape, request=None, operation_id="seasons_leave")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Leave a season; races under way go on with you."""
        services.season_leave(season_id=self.season().pk, by=self.player)
        return self.season_shown()


class EntrantList(LeagueOperation):
    """Who takes part."""

    @described(shapes.EntrantShape(many=True), operation_id="entrants_list", parameters=[KEY])
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """List who takes part in a season; four hundred at most, so in one piece."""
        return Response(selectors.entrants_of(season=self.season()))


class EntrantBot(LeagueOperation):
    """A bot."""

    serializer_class = shapes.BotEntry

    @described(shapes.EntrantShape(many=True), status=201, request=shapes.BotEntry, operation_id="entrants_bot")
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Let a bot take part in a season before it starts; host only."""
        services.season_add_bot(season_id=self.season().pk, by=self.player, **self.told())
        return Response(selectors.entrants_of(season=self.season()), status=201)


class EntrantWithdraw(LeagueOperation):
    """Taking an entrant out."""

    serializer_class = Nothing

    @described(shapes.EntrantShape(many=True), request=None, operation_id="entrants_withdraw")
    def post(self, request: Request, public_id: str, number: int, entrant: int) -> Response:
        """Take an entrant out of a season; results stand, planned races are run without; host only."""
        season = self.season()
        if entrant not in {one["entrant"] for one in selectors.entrants_of(season=season)}:
            raise LeagueUnknown("This season has no such entrant.")
        services.entrant_withdraw(entrant_id=entrant, by=self.player)
        return Response(selectors.entrants_of(season=season))


class FixtureList(LeagueOperation):
    """Fixtures."""

    pagination_class = Pages

    @described(
        shapes.FixtureShape(many=True),
        operation_id="fixtures_list",
        parameters=[
            KEY,
            OpenApiParameter(
                "status",
                OpenApiTypes.STR,
                enum=["planned", "running", "done", "void"],
                description="Only these; void are those called off or annulled.",
            ),
        ],
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """List the fixtures of a season by date; those that are done the latest first."""
        status = request.query_params.get("status", "")
        found = selectors.Fixtures(season=self.season(), user=self.user, status=status)
        return self.get_paginated_response(self.paginate_queryset(found))


class FixturePostpone(LeagueOperation):
    """Another date."""

    serializer_class = shapes.Postponing

    @described(shapes.FixtureShape, request=shapes.Postponing, operation_id="fixtures_postpone")
    def post(self, request: Request, public_id: str, number: int, fixture: int) -> Response:
        """Put a planned race or campaign off to another date; host only."""
        season = self.season()
        selectors.fixture_part(season=season, fixture_id=fixture, user=self.user)
        seasons.fixture_postpone(fixture_id=fixture, by=self.player, **self.told())
        return Response(selectors.fixture_part(season=season, fixture_id=fixture, user=self.user))


class FixtureVoid(LeagueOperation):
    """Calling a race off."""

    serializer_class = Nothing

    @described(shapes.FixtureShape, request=None, operation_id="fixtures_void")
    def post(self, request: Request, public_id: str, number: int, fixture: int) -> Response:
        """Call a planned race or campaign off for good; host only."""
        season = self.season()
        selectors.fixture_part(season=season, fixture_id=fixture, user=self.user)
        seasons.fixture_void(fixture_id=fixture, by=self.player)
        return Response(selectors.fixture_part(season=season, fixture_id=fixture, user=self.user))


class FixtureAnnul(LeagueOperation):
    """Letting a race count for nothing."""

    serializer_class = shapes.Annulling

    @described(shapes.FixtureShape, request=shapes.Annulling, operation_id="fixtures_annul")
    def post(self, request: Request, public_id: str, number: int, fixture: int) -> Response:
        """Let a race or campaign that has begun, or is over, count for nothing, and say why; host only, for good."""
        season = self.season()
        selectors.fixture_part(season=season, fixture_id=fixture, user=self.user)
        seasons.fixture_annul(fixture_id=fixture, by=self.player, **self.told())
        return Response(selectors.fixture_part(season=season, fixture_id=fixture, user=self.user))


class TableRead(LeagueOperation):
    """Tables."""

    @described(shapes.TableShape(many=True), operation_id="tables_read", parameters=[KEY])
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Read the table of each division of a season, the highest first."""
        return Response(standings.season_tables(season=self.season()))


class RatingList(LeagueOperation):
    """Ratings."""

    pagination_class = Pages

    @described(shapes.RatingLine(many=True), operation_id="ratings_list", parameters=[KEY])
    def get(self, request: Request, public_id: str) -> Response:
        """List the drivers of a league by rating, all seasons together."""
        found = standings.Ratings(league=self.league)
        return self.get_paginated_response(self.paginate_queryset(found))


class DriverShow(LeagueOperation):
    """One driver."""

    @described(shapes.DriverShape, operation_id="drivers_read", parameters=[KEY])
    def get(self, request: Request, public_id: str, driver: int) -> Response:
        """Show a driver of a league: seasons, sums, opponents, and progress over the latest races."""
        found = standings.driver_get(league=self.league, driver_id=driver)
        return Response(standings.driver_part(driver=found))


class DriverResults(LeagueOperation):
    """A driver's results."""

    pagination_class = Pages

    @described(shapes.DriverResult(many=True), operation_id="drivers_results", parameters=[KEY])
    def get(self, request: Request, public_id: str, driver: int) -> Response:
        """List a driver's results in a league, the latest first."""
        found = standings.DriverResults(driver=standings.driver_get(league=self.league, driver_id=driver))
        return self.get_paginated_response(self.paginate_queryset(found))


class DriverAgainst(LeagueOperation):
    """Two drivers."""

    @described(shapes.HeadToHead, operation_id="drivers_against", parameters=[KEY])
    def get(self, request: Request, public_id: str, driver: int, other: int) -> Response:
        """Compare two drivers in the races in which they met."""
        league = self.league
        one, two = (standings.driver_get(league=league, driver_id=pk) for pk in (driver, other))
        return Response(standings.head_to_head(one=one, other=two))


class PaceRead(LeagueOperation):
    """Pace."""

    @described(shapes.PaceShape(many=True), operation_id="paces_read", parameters=[KEY])
    def get(self, request: Request, public_id: str) -> Response:
        """Read when the running races of a league will likely be over, from public clocks alone."""
        return Response(standings.paces(league=self.league, now=timezone.now()))
