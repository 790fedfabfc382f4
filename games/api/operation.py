"""What every operation is built on: who asks, how often, and how a refusal is told."""

from collections.abc import Callable
from typing import Any, Final

from django.http import Http404
from django.utils import timezone
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import JSONParser
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle, BaseThrottle, UserRateThrottle

from games.api.errors import refusal_told
from games.selectors.campaigns import campaign_get, campaign_shown
from games.selectors.leagues import league_get, league_part, season_get, season_part
from games.selectors.races import race_get, race_shown
from games.selectors.seats import seat_of
from games.services.campaigns import purchase_answer
from games.services.errors import NotYourSeat, RaceNotRunning
from games.services.hosting import host_seen, league_host_seen
from roadkill_site.accounts.models import User

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class AnonymousRate(AnonRateThrottle):
    """Requests of an address without token or session."""

    scope = "anonymous"
    rate = "120/min"


class ReadingRate(UserRateThrottle):
    """Requests of a player that read."""

    scope = "reading"
    rate = "600/min"

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count what reads only."""
        return request.method not in SAFE or super().allow_request(request, view)


class WritingRate(UserRateThrottle):
    """Requests of a player that write."""

    scope = "writing"
    rate = "240/min"

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count what writes only."""
        return request.method in SAFE or super().allow_request(request, view)


class Pages(PageNumberPagination):
    """Lists come in pages: {"count", "next", "previous", "results"}."""

    page_size = 25
    page_size_query_param = "page_size"
    max_page_size = 100


class JSONBody(JSONParser):
    """A body in JSON; one that is nested without end is refused like any other that cannot be read."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """The body as Python has it."""
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as endless:
            raise ParseError("JSON parse error - lists or objects are nested too deeply.") from endless


class Operation(GenericAPIView[Any]):
    """Base of every operation. Reading what is public needs nobody signed in; writing does."""

    permission_classes: tuple[type[BasePermission], ...] = (IsAuthenticatedOrReadOnly,)
    throttle_classes: tuple[type[BaseThrottle], ...] = (AnonymousRate, ReadingRate, WritingRate)
    parser_classes = (JSONBody,)
    pagination_class: type[PageNumberPagination] | None = None

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response]:
        """Refusals are problem documents."""
        return refusal_told

    @property
    def user(self) -> User | None:
        """Who asks, or None."""
        user = self.request.user
        return user if isinstance(user, User) else None

    @property
    def player(self) -> User:
        """Who asks, where the permission has made sure that it is somebody."""
        assert self.user is not None
        return self.user

    def told(self, values: dict[str, Any] | None = None) -> dict[str, Any]:
        """The request's body (or `values`) as checked by the operation's serializer.

        A member that the operation does not know is refused: left out in silence, a slip of the pen would change what
        is asked for.
        """
        given = self.request.data if values is None else values
        serializer = self.get_serializer(data=given)
        if isinstance(given, dict):
            _refuse_unknown(given, list(getattr(serializer, "fields", ())))
        serializer.is_valid(raise_exception=True)
        checked: dict[str, Any] = serializer.validated_data
        return checked


def _refuse_unknown(given: dict[str, Any], known: list[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        text = f"There is no such member; there are {', '.join(known)}."
        raise ValidationError({name[:40]: text for name in unknown[:3]})


class PlayerOperation(Operation):
    """An operation on what is the asking player's own."""

    permission_classes = (IsAuthenticated,)


class RaceOperation(Operation):
    """An operation on one race: whoever may not see it is told that there is none."""

    @property
    def race(self) -> Any:
        """The race of the address."""
        race = race_get(
            public_id=self.kwargs["public_id"],
            user=self.user,
            invitation=self.request.query_params.get("invitation", ""),
        )
        if self.user is not None:
            host_seen(race=race, by=self.user, now=timezone.now())
        return race

    def seat(self, race: Any) -> Any:
        """The asking player's seat in it, or None."""
        return seat_of(race=race, user=self.user)

    def presented(self, race: Any, **more: Any) -> dict[str, Any]:
        """The race as the asking player, or else a spectator, may see it."""
        return race_shown(race=race, viewer=self.seat(race), user=self.user, **more)

    def changed(self, *, status: int = 200) -> Response:
        """The race as it is after a change."""
        return Response(self.presented(self.race), status=status)


class DriverOperation(RaceOperation):
    """An operation on what one driver has answered beforehand."""

    def driver(self) -> tuple[Any, Any]:
        """The race and the asking player's seat; raises NotYourSeat, and RaceNotRunning before the start."""
        race = self.race
        seat = self.seat(race)
        if seat is None:
            raise NotYourSeat("You hold no seat in this race.")
        if race.started_at is None:
            raise RaceNotRunning("The race has not started, or was called off: orders are for a race under way.")
        return race, seat


class LeagueOperation(Operation):
    """An operation on one league: whoever may not see it is told that there is none."""

    @property
    def league(self) -> Any:
        """The league of the address."""
        league = league_get(
            public_id=self.kwargs["public_id"], user=self.user, key=self.request.query_params.get("key", "")
        )
        if self.user is not None:
            league_host_seen(league=league, by=self.user, now=timezone.now())
        return league

    def season(self) -> Any:
        """The season of the address, of a league that may be seen."""
        season = season_get(league=self.league, number=self.kwargs["number"])
        assert season is not None
        return season

    def shown(self, league: Any, *, status: int = 200) -> Response:
        """The league; its key to the host alone."""
        part = league_part(league=league, user=self.user)
        if part["is_host"]:
            part["entry_key"] = league.entry_key
        return Response(part, status=status)

    def season_shown(self, *, status: int = 200) -> Response:
        """The season as it is after a change."""
        return Response(season_part(season=self.season(), user=self.user), status=status)


class CampaignOperation(Operation):
    """An operation on one campaign: whoever may not see it is told that there is none."""

    @property
    def campaign(self) -> Any:
        """The campaign of the address."""
        return campaign_get(
            public_id=self.kwargs["public_id"],
            user=self.user,
            invitation=self.request.query_params.get("invitation", ""),
        )

    def shown(self, campaign: Any, *, status: int = 200, **more: Any) -> Response:
        """The campaign as the asking player may see it now."""
        campaign.refresh_from_db()
        return Response(campaign_shown(campaign=campaign, user=self.user), status=status, **more)


class PurchaseOperation(CampaignOperation):
    """What the operations on a purchase share."""

    def present_question(self) -> dict[str, Any]:
        """What is asked now, for a refusal."""
        question = campaign_shown(campaign=self.campaign, user=self.user)["question"]
        return {"question": question, **({} if question is None else {"position": question["position"]})}

    def answered(self, told: dict[str, Any], action: dict[str, Any]) -> Response:
        """Give the answer."""
        receipt = purchase_answer(
            campaign_id=self.campaign.pk,
            by=self.player,
            purchase_id=told["decision"],
            position=told["position"],
            action=action,
            idempotency_key=told["key"],
            origin="api",
        )
        return Response(receipt)


class NoOperation(Operation):
    """Answers every address of the API that is none."""

    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse before anything is asked of the request."""
        raise Http404
