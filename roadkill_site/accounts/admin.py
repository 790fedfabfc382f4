"""Accounts as an operator sees them."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from roadkill_site.accounts.models import ApiToken, Holiday, User


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    """Players: found by name or mail address, closed and opened again."""

    list_display = ("display_name", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("display_name", "email")
    ordering = ("display_name",)
    fields = (
        "display_name",
        "email",
        "time_zone",
        "quiet_from",
        "quiet_until",
        "days_off",
        "is_active",
        "is_staff",
        "is_superuser",
        "last_login",
        "date_joined",
    )
    readonly_fields = ("last_login", "date_joined")


@admin.register(Holiday)
class HolidayAdmin(admin.ModelAdmin[Holiday]):
    """Holidays that players have taken; taken and taken back by them alone."""

    list_display = ("user", "first", "last", "created_at")
    search_fields = ("user__display_name",)
    readonly_fields: ClassVar[tuple[str, ...]] = ("user", "first", "last", "created_at")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Taking a holiday is its player's act."""
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin[ApiToken]):
    """Tokens: seen and revoked here, made by their owners only."""

    list_display = ("label", "prefix", "user", "created_at", "last_used_at", "revoked_at")
    search_fields = ("label", "prefix", "user__display_name")
    fields = ("user", "label", "prefix", "created_at", "last_used_at", "revoked_at")
    readonly_fields: ClassVar[tuple[str, ...]] = ("user", "label", "prefix", "created_at", "last_used_at")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody makes a token for somebody else."""
        return False
