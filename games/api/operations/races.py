"""Races: listed, made, shown, changed; the seats taken and given back before the start."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from games.api import shapes
from games.api.operation import Operation, Pages, PlayerOperation, RaceOperation
from games.api.operations.described import described
from games.selectors import races as selectors
from games.selectors.seats import seat_of
from games.services import guided, hosting
from games.services import races as services

INVITATION = OpenApiParameter(
    "invitation", OpenApiTypes.STR, description="Lets its bearer see a private race before joining."
)


class RaceList(Operation):
    """Public races that may still be joined, newest first."""

    pagination_class = Pages

    @described(shapes.RaceSummary(many=True), operation_id="races_list")
    def get(self, request: Request) -> Response:
        """List the public races that may still be joined, newest first."""
        found = selectors.races_open(user=self.user)
        return self.get_paginated_response(self.paginate_queryset(found))


class RaceCreate(Operation):
    """A new race; who makes it is its host and takes its first seat."""

    serializer_class = shapes.RaceWish

    @described(shapes.Presentation, status=201, request=shapes.RaceWish, operation_id="races_create")
    def post(self, request: Request) -> Response:
        """Make a race. You become its host and take the first seat."""
        race = services.race_create(by=self.player, **self.told())
        address = reverse("games:api-race", args=[race.public_id], request=request)
        shown = selectors.race_shown(race=race, viewer=seat_of(race=race, user=self.player), user=self.player)
        return Response(shown, status=201, headers={"Location": address})


class FirstRace(Operation):
    """A guided first race."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, status=201, request=None, operation_id="races_first")
    def post(self, request: Request) -> Response:
        """Begin a race on the Beginner's Track against three bots, with a word on each of your questions.

        While one is going you get that one.
        """
        race = guided.guided_race(by=self.player)
        address = reverse("games:api-race", args=[race.public_id], request=request)
        shown = selectors.race_shown(race=race, viewer=seat_of(race=race, user=self.player), user=self.player)
        return Response(shown, status=201, headers={"Location": address})


class RaceGuide(RaceOperation):
    """Whether your questions come with a word on what to do now."""

    serializer_class = shapes.GuideGiven

    @described(shapes.Presentation, request=shapes.GuideGiven, operation_id="races_guide")
    def put(self, request: Request, public_id: str) -> Response:
        """Have a word said on each of your questions (`what_now`), or no more; on the Beginner's Track there is one."""
        guided.seat_guide(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed()


class RaceShow(RaceOperation):
    """One race as the asking player, or a spectator, may see it."""

    @described(
        shapes.Presentation,
        operation_id="races_read",
        parameters=[
            INVITATION,
            OpenApiParameter("as", OpenApiTypes.STR, enum=["me", "spectator"], description="Whose eyes."),
        ],
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Show a race with its question, view and latest log lines, as you may see it."""
        race = self.race
        is_spectator = request.query_params.get("as", "me") == "spectator"
        viewer = None if is_spectator else self.seat(race)
        shown = selectors.race_shown(race=race, viewer=viewer, user=None if is_spectator else self.user)
        return Response(shown)


class RaceUpdate(RaceOperation):
    """Changes before the start."""

    serializer_class = shapes.RaceChange

    @described(shapes.Presentation, request=shapes.RaceChange, operation_id="races_update")
    def patch(self, request: Request, public_id: str) -> Response:
        """Change what is agreed, while the race is open; host only."""
        services.race_update(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed()


class RaceCancel(RaceOperation):
    """Calling a race off."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="races_cancel")
    def post(self, request: Request, public_id: str) -> Response:
        """Call the race off before its start; host only."""
        services.race_cancel(race_id=self.race.pk, by=self.player)
        return self.changed()


class RaceJoin(RaceOperation):
    """Taking a seat."""

    serializer_class = shapes.Joining

    @described(shapes.Presentation, request=shapes.Joining, operation_id="races_join")
    def post(self, request: Request, public_id: str) -> Response:
        """Take a seat: by an invitation, the one kept for your address, or a free one of a public race."""
        told = self.told()
        race = selectors.race_get(public_id=public_id, user=self.player, invitation=told.get("invitation", ""))
        services.race_join(race_id=race.pk, by=self.player, **told)
        return self.changed()


class RaceDecline(RaceOperation):
    """Declining an invitation."""

    serializer_class = shapes.Declining

    @described(None, status=204, request=shapes.Declining, operation_id="races_decline")
    def post(self, request: Request, public_id: str) -> Response:
        """Decline an invitation: its seat becomes free, and the host is told."""
        invitation = self.told().get("invitation", "")
        race, _seat = selectors.race_invited_to(public_id=public_id, user=self.player, invitation=invitation)
        services.race_decline(race_id=race.pk, by=self.player, invitation=invitation)
        return Response(status=204)


class RaceLeave(RaceOperation):
    """Giving a seat back."""

    serializer_class = shapes.Nothing

    @described(None, status=204, request=None, operation_id="races_leave")
    def post(self, request: Request, public_id: str) -> Response:
        """Give your seat back before the start."""
        services.race_leave(race_id=self.race.pk, by=self.player)
        return Response(status=204)


class RaceStart(RaceOperation):
    """The start."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="races_start")
    def post(self, request: Request, public_id: str) -> Response:
        """Draw the car numbers and ask the first question; host only."""
        services.race_start(race_id=self.race.pk, by=self.player)
        return self.changed()


class RaceInvite(RaceOperation):
    """Inviting by mail."""

    serializer_class = shapes.Inviting

    @described(shapes.Presentation, request=shapes.Inviting, operation_id="races_invite")
    def post(self, request: Request, public_id: str) -> Response:
        """Keep a seat for whoever bears the invitation that is mailed to this address; host only."""
        services.race_invite(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed()


class RaceHost(RaceOperation):
    """Hosting handed over or taken over."""

    serializer_class = shapes.Hosting

    @described(shapes.Presentation, request=shapes.Hosting, operation_id="races_host")
    def post(self, request: Request, public_id: str) -> Response:
        """Hand hosting over to another driver (host only), or take over from a host who is away."""
        seat_id = self.told().get("seat")
        if seat_id is None:
            hosting.race_host_take(race_id=self.race.pk, by=self.player)
        else:
            hosting.race_host_pass(race_id=self.race.pk, by=self.player, seat_id=seat_id)
        return self.changed()


class RaceWords(RaceOperation):
    """What a seat adds to the shuffles."""

    serializer_class = shapes.WordsGiven

    @described(shapes.Presentation, request=shapes.WordsGiven, operation_id="races_words")
    def put(self, request: Request, public_id: str) -> Response:
        """Set what your seat adds to the race's secret, before the start."""
        services.seat_words(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed()


class RacePartner(RaceOperation):
    """With whom one drives."""

    serializer_class = shapes.PartnerGiven

    @described(shapes.Presentation, request=shapes.PartnerGiven, operation_id="races_partner")
    def put(self, request: Request, public_id: str) -> Response:
        """Say with whom you would share a car, before the start of a race of teams."""
        services.seat_partner(race_id=self.race.pk, by=self.player, **self.told())
        return self.changed()


class RaceResign(RaceOperation):
    """Resigning."""

    serializer_class = shapes.Nothing

    @described(shapes.Presentation, request=None, operation_id="races_resign")
    def post(self, request: Request, public_id: str) -> Response:
        """Give up your seat in a race under way; your car leaves as the rules say."""
        services.seat_resign(race_id=self.race.pk, by=self.player)
        return self.changed()


class MyRaces(PlayerOperation):
    """The asking player's races."""

    pagination_class = Pages

    @described(shapes.RaceSummary(many=True), operation_id="my_races_list")
    def get(self, request: Request) -> Response:
        """List the races in which you sit, that you host, or to which you are invited; under way first."""
        found = selectors.races_mine(user=self.player)
        return self.get_paginated_response(self.paginate_queryset(found))
