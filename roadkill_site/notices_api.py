"""What a player is told, and how, for programs: notices have no API of their own."""

from typing import Any, Final

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import PlayerOperation
from games.api.operations.described import described
from games.services.errors import FieldRefused
from notifications.models import Endpoint, Notice, NoticeState
from notifications.selectors import endpoint_list, notices_of_player, notices_overtaken, wishes_of
from notifications.services import endpoints
from notifications.services.calendars import calendar_address, calendar_renew
from notifications.services.wishes import WishRefused, mail_kinds_set, mail_stop_all, wishes_set
from notifications.words import OVERTAKEN

LOG_MOST: Final = 100


class WishesShape(serializers.Serializer[Any]):
    """What you are told by mail. Only you are shown it."""

    is_mail_stopped = serializers.BooleanField(help_text="No mail about races at all.")
    is_daily = serializers.BooleanField(help_text="One mail a day in place of single ones.")
    daily_hour = serializers.IntegerField(allow_null=True, help_text="In your own zone; null without a daily mail.")
    urgent_hours = serializers.IntegerField(help_text="With so many hours left it is mailed at once all the same.")
    reminders = serializers.BooleanField()
    kinds_off = serializers.ListField(child=serializers.CharField(), help_text="Kinds that are not mailed.")
    calendar = serializers.CharField(help_text="The secret address of the calendar of your deadlines.")


class WishesChange(serializers.Serializer[Any]):
    """What should be otherwise."""

    is_mail_stopped = serializers.BooleanField(required=False)
    is_daily = serializers.BooleanField(required=False)
    daily_hour = serializers.IntegerField(required=False)
    urgent_hours = serializers.IntegerField(required=False)
    reminders = serializers.BooleanField(required=False)
    kinds_off = serializers.ListField(required=False, child=serializers.CharField(max_length=20), max_length=40)


class WayShape(serializers.Serializer[Any]):
    """A webhook or a browser. Its address and what signs its messages are not told again."""

    id = serializers.IntegerField()
    channel = serializers.CharField(help_text="webhook or push")
    form = serializers.CharField(help_text="generic, discord, slack; empty for a browser.")
    label = serializers.CharField()  # type: ignore[assignment]
    follows = serializers.CharField(allow_null=True, help_text="The race whose public log is told there.")
    kinds_off = serializers.ListField(child=serializers.CharField())
    races_off = serializers.ListField(child=serializers.CharField())
    closed_at = serializers.DateTimeField(allow_null=True, help_text="Nothing is sent there since then.")
    closed_detail = serializers.CharField()


class NewWayShape(WayShape):
    """A new webhook, with the secret that signs its messages: told this once."""

    secret = serializers.CharField()


class WayMake(serializers.Serializer[Any]):
    """A new webhook."""

    label = serializers.CharField(max_length=60)  # type: ignore[assignment]
    address = serializers.CharField(max_length=1000)
    form = serializers.CharField(required=False, max_length=10)
    follows = serializers.CharField(required=False, max_length=12, allow_blank=True)


class WayChange(serializers.Serializer[Any]):
    """What should be otherwise."""

    label = serializers.CharField(required=False, max_length=60)  # type: ignore[assignment]
    kinds_off = serializers.ListField(required=False, child=serializers.CharField(max_length=20), max_length=40)
    races_off = serializers.ListField(required=False, child=serializers.CharField(max_length=12), max_length=500)


class WayAct(serializers.Serializer[Any]):
    """What to do with it: try (a trial message), reopen (send there again)."""

    do = serializers.ChoiceField(choices=["try", "reopen"])


class NoticeShape(serializers.Serializer[Any]):
    """One line of what was sent to you."""

    kind = serializers.CharField(allow_null=True, help_text="Null for what comes of no single event.")
    occasion = serializers.CharField(help_text="news, half, last (reminders), daily, story, trial")
    race = serializers.CharField(allow_null=True)
    channel = serializers.CharField()
    way = serializers.IntegerField(allow_null=True, help_text="The webhook or browser, by its id.")
    state = serializers.CharField(help_text="pending, sending, sent, failed, bounced, dropped")
    reason = serializers.CharField()
    tries = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)


class NoticesShape(serializers.Serializer[Any]):
    """The newest of what was sent to you."""

    notices = NoticeShape(many=True)


class WaysShape(serializers.Serializer[Any]):
    """Your webhooks and browsers, the oldest first."""

    ways = WayShape(many=True)


def _wishes_told(player_id: int) -> dict[str, Any]:
    row = wishes_of(player_id)
    return {
        "is_mail_stopped": row.is_mail_stopped,
        "is_daily": row.daily_hour is not None,
        "daily_hour": row.daily_hour,
        "urgent_hours": row.urgent_hours,
        "reminders": row.reminders,
        "kinds_off": row.mail_kinds_off,
        "calendar": calendar_address(player_id=player_id),
    }


def _way_told(row: Endpoint) -> dict[str, Any]:
    return {
        "id": row.pk,
        "channel": row.channel,
        "form": row.form,
        "label": row.label,
        "follows": None if row.race is None else row.race.public_id,
        "kinds_off": row.kinds_off,
        "races_off": sorted(race.public_id for race in row.races_off.all()),
        "closed_at": row.closed_at,
        "closed_detail": row.closed_detail,
    }


def _notice_told(notice: Notice, *, is_overtaken: bool) -> dict[str, Any]:
    race = notice.seat.race if notice.seat is not None else None if notice.endpoint is None else notice.endpoint.race
    return {
        "kind": None if notice.outbox_event is None else notice.outbox_event.kind,
        "occasion": notice.occasion,
        "race": None if race is None else race.public_id,
        "channel": notice.channel,
        "way": notice.endpoint_id,
        "state": NoticeState.DROPPED if is_overtaken else notice.state,
        "reason": OVERTAKEN if is_overtaken else notice.reason,
        "tries": notice.attempt_count,
        "made_at": notice.created_at,
        "sent_at": notice.sent_at,
    }


class WishesShow(PlayerOperation):
    """Reading them."""

    @described(WishesShape, operation_id="my_notices_read")
    def get(self, request: Request) -> Response:
        """Say what you are told by mail, and where the calendar of your deadlines is."""
        return Response(_wishes_told(self.player.pk))


class WishesUpdate(PlayerOperation):
    """Changing them."""

    serializer_class = WishesChange

    @described(WishesShape, request=WishesChange, operation_id="my_notices_update")
    def patch(self, request: Request) -> Response:
        """Change what you are told by mail; what you leave out stays."""
        told, player = self.told(), self.player
        kinds_off, is_stopped = told.pop("kinds_off", None), told.pop("is_mail_stopped", None)
        try:
            checked = None if kinds_off is None else endpoints.kinds_checked(kinds_off)
            wishes_set(player=player, now=timezone.now(), **told)
        except (WishRefused, endpoints.EndpointRefused) as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        if checked is not None:
            mail_kinds_set(player_id=player.pk, kinds_off=checked)
        if is_stopped is not None:
            mail_stop_all(player_id=player.pk, is_stopped=is_stopped)
        return Response(_wishes_told(player.pk))


class Wishes(WishesShow, WishesUpdate):
    """What one is told by mail."""


class CalendarRenew(PlayerOperation):
    """Another address for the calendar."""

    serializer_class = shapes.Nothing

    @described(WishesShape, request=shapes.Nothing, operation_id="my_calendar_renew")
    def post(self, request: Request) -> Response:
        """Close the calendar's address and make another."""
        calendar_renew(player_id=self.player.pk)
        return Response(_wishes_told(self.player.pk))


class NoticeLog(PlayerOperation):
    """What was sent."""

    @described(NoticesShape, operation_id="my_notices_log")
    def get(self, request: Request) -> Response:
        """List the newest notices to you, by every way, with what became of them."""
        rows = list(notices_of_player(player_id=self.player.pk, most=LOG_MOST))
        overtaken = notices_overtaken(rows)
        told = [_notice_told(notice, is_overtaken=notice.pk in overtaken) for notice in rows]
        return Response({"notices": told})


class WayList(PlayerOperation):
    """All ways beside mail."""

    @described(WaysShape, operation_id="my_ways_list")
    def get(self, request: Request) -> Response:
        """List your webhooks and browsers."""
        return Response({"ways": [_way_told(row) for row in endpoint_list(player_id=self.player.pk)]})


class WayCreate(PlayerOperation):
    """Making a webhook."""

    serializer_class = WayMake

    @described(NewWayShape, status=201, request=WayMake, operation_id="my_ways_create")
    def post(self, request: Request) -> Response:
        """Add a webhook; with `follows` it tells others the public log of that race."""
        try:
            row = endpoints.webhook_create(player=self.player, **self.told())
        except endpoints.EndpointRefused as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        return Response({**_way_told(row), "secret": row.secret}, status=201)


class Ways(WayList, WayCreate):
    """Ways beside mail."""


class WayOperation(PlayerOperation):
    """An operation on one of one's own ways."""

    def way(self, way_id: int) -> dict[str, Any]:
        """The way as it is now."""
        row = endpoint_list(player_id=self.player.pk).filter(pk=way_id).first()
        if row is None:
            raise Http404
        return _way_told(row)


class WayUpdate(WayOperation):
    """Changing a way."""

    serializer_class = WayChange

    @described(WayShape, request=WayChange, operation_id="my_ways_update")
    def patch(self, request: Request, way_id: int) -> Response:
        """Change its name and what is told there; what you leave out stays."""
        try:
            endpoints.endpoint_change(player=self.player, endpoint_id=way_id, **self.told())
        except endpoints.EndpointUnknown as unknown:
            raise Http404 from unknown
        except endpoints.EndpointRefused as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        return Response(self.way(way_id))


class WayRemove(WayOperation):
    """Removing a way."""

    @described(WaysShape, request=None, operation_id="my_ways_remove")
    def delete(self, request: Request, way_id: int) -> Response:
        """Forget it; nothing is sent there any more."""
        try:
            endpoints.endpoint_remove(player=self.player, endpoint_id=way_id)
        except endpoints.EndpointUnknown as unknown:
            raise Http404 from unknown
        return Response({"ways": [_way_told(row) for row in endpoint_list(player_id=self.player.pk)]})


class WayDo(WayOperation):
    """Trying a way, or opening it again."""

    serializer_class = WayAct

    @described(WayShape, request=WayAct, operation_id="my_ways_do")
    def post(self, request: Request, way_id: int) -> Response:
        """Send a trial message there within a minute, or open it again after it was closed."""
        wish = self.told()["do"]
        try:
            if wish == "try":
                endpoints.endpoint_try(player=self.player, endpoint_id=way_id, now=timezone.now())
            else:
                endpoints.endpoint_reopen(player=self.player, endpoint_id=way_id)
        except endpoints.EndpointUnknown as unknown:
            raise Http404 from unknown
        except endpoints.EndpointRefused as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        return Response(self.way(way_id))


class OneWay(WayUpdate, WayRemove):
    """One way beside mail."""
