"""When a player's time counts, for programs: accounts know no races and have no API of their own."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.operation import PlayerOperation
from games.api.operations.described import described
from games.services.errors import FieldRefused
from roadkill_site.accounts import selectors, services
from roadkill_site.accounts.models import User


class HolidayShape(serializers.Serializer[Any]):
    """A holiday: whole local days, both ends included."""

    id = serializers.IntegerField(read_only=True)
    first = serializers.DateField()
    last = serializers.DateField()


class HoursShape(serializers.Serializer[Any]):
    """When your time does not count. Only you are shown it."""

    time_zone = serializers.CharField()
    quiet_from = serializers.TimeField(allow_null=True, help_text="Local; null for none.", format="%H:%M")
    quiet_until = serializers.TimeField(allow_null=True, help_text="Local; null for none.", format="%H:%M")
    days_off = serializers.ListField(child=serializers.IntegerField(), help_text="0 is Monday.")
    holidays = HolidayShape(many=True, help_text="Those that are not over.")
    holiday_days_left = serializers.DictField(child=serializers.IntegerField(), help_text="By year.")


class HoursChange(serializers.Serializer[Any]):
    """What should be otherwise."""

    time_zone = serializers.CharField(required=False, max_length=64)
    quiet_from = serializers.TimeField(required=False, allow_null=True)
    quiet_until = serializers.TimeField(required=False, allow_null=True)
    days_off = serializers.ListField(required=False, child=serializers.IntegerField(), max_length=7)


class HoursOperation(PlayerOperation):
    """An operation on one's own hours."""

    def hours(self, *, status: int = 200) -> Response:
        """The hours as they are now."""
        player = User.objects.get(pk=self.player.pk)
        return Response(selectors.hours_of(user=player, now=timezone.now()), status=status)


class HoursShow(HoursOperation):
    """Reading them."""

    @described(HoursShape, operation_id="my_hours_read")
    def get(self, request: Request) -> Response:
        """Say when your time does not count."""
        return self.hours()


class HoursUpdate(HoursOperation):
    """Changing them."""

    serializer_class = HoursChange

    @described(HoursShape, request=HoursChange, operation_id="my_hours_update")
    def patch(self, request: Request) -> Response:
        """Change your quiet hours, days off or zone; what you leave out stays."""
        player = User.objects.get(pk=self.player.pk)
        kept = {name: getattr(player, name) for name in ("quiet_from", "quiet_until", "days_off")}
        try:
            services.hours_set(user=player, **{**kept, **self.told()})
        except services.HoursRefused as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        return self.hours()


class HolidayTake(HoursOperation):
    """Taking a holiday."""

    serializer_class = HolidayShape

    @described(HoursShape, status=201, request=HolidayShape, operation_id="my_holidays_take")
    def post(self, request: Request) -> Response:
        """Take a holiday out of your yearly allowance. The same days again are the same holiday."""
        try:
            services.holiday_take(user=self.player, **self.told())
        except services.HoursRefused as refused:
            raise FieldRefused(refused.field, str(refused)) from refused
        return self.hours(status=201)


class HolidayTakeBack(HoursOperation):
    """Taking a holiday back."""

    serializer_class = shapes.Nothing

    @described(HoursShape, request=None, operation_id="my_holidays_take_back")
    def delete(self, request: Request, holiday_id: int) -> Response:
        """Take a holiday back; one that has begun ends today. Deadlines that it had put off are nearer again."""
        if not services.holiday_take_back(user=self.player, holiday_id=holiday_id):
            raise Http404
        return self.hours()


class Hours(HoursShow, HoursUpdate):
    """One's hours."""
