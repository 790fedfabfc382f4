"""What an operator sees: races and their faults, seats, the outbox, signs of life. Nothing is edited here.

An operator may play too, so states, sealed answers, draws and secrets are not on these pages, nor who is asked in a
window, nor when it will close.
"""

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from games.models import (
    Campaign,
    CampaignDriver,
    CampaignRace,
    Entry,
    ExtensionAsk,
    Heartbeat,
    Lapse,
    League,
    MailFailure,
    Outage,
    OutboxEvent,
    Posting,
    Purchase,
    PurchaseRound,
    Race,
    RaceNote,
    RewindAsk,
    Seat,
    SeatClaim,
)
from games.selectors.notices import QUESTION_KINDS
from games.selectors.operation import next_try_of
from games.services.hosting import hosts_relieve, league_hosts_relieve
from games.services.operation import races_retry


class ReadOnly(admin.ModelAdmin[Any]):
    """Rows to be looked at."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows are made by services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows are changed by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows stay."""
        return False


class IsFaulty(admin.SimpleListFilter):
    """Races that cannot go on by themselves."""

    title = "faulty"
    parameter_name = "faulty"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Only those, or all."""
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Race]) -> QuerySet[Race]:
        """Those with a fault, if asked for."""
        return queryset.exclude(fault="") if self.value() == "yes" else queryset


@admin.register(Race)
class RaceAdmin(ReadOnly):
    """Races, the faulty ones to be found and tried again."""

    list_display = ("public_id", "name", "ruleset", "status", "seq", "fault_at", "tried_again_at", "fault")
    list_filter = ("status", IsFaulty, "ruleset", "policy")
    search_fields = ("public_id", "name")
    exclude = ("secret", "turn_mark", "turn_used_s", "turn_paused_s", "chance_at", "wake_at")
    actions = ("retry", "relieve")

    @admin.display(description="tried again at")
    def tried_again_at(self, race: Race) -> datetime | None:
        """When a faulty race is tried again, unless that would tell when a window closes."""
        return next_try_of(race)

    @admin.action(description="Try faulty races again with the next sweep", permissions=["view"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Race]) -> None:
        """Do not wait for the time at which they would be tried anyway."""
        count = races_retry(race_ids=list(queryset.values_list("pk", flat=True)), now=timezone.now())
        self.message_user(request, f"{count} races are tried again within a minute.", messages.SUCCESS)

    @admin.action(description="Let the driver who joined first host in place of the host", permissions=["view"])
    def relieve(self, request: HttpRequest, queryset: QuerySet[Race]) -> None:
        """For races whose host is gone for good."""
        count = hosts_relieve(race_ids=list(queryset.values_list("pk", flat=True)))
        self.message_user(request, f"{count} races have another host, who is told by mail.", messages.SUCCESS)


@admin.register(League)
class LeagueAdmin(ReadOnly):
    """Leagues, for those whose hosts are gone for good."""

    list_display = ("public_id", "name", "ruleset", "host", "host_seen_at", "is_public")
    list_filter = ("ruleset", "is_public")
    list_select_related = ("host",)
    search_fields = ("public_id", "name")
    # Lets its bearer in.
    exclude = ("entry_key",)
    actions = ("relieve",)

    @admin.action(description="Let whoever came to it first host in place of the host", permissions=["view"])
    def relieve(self, request: HttpRequest, queryset: QuerySet[League]) -> None:
        """With the races under way that the former host hosts."""
        count = league_hosts_relieve(league_ids=list(queryset.values_list("pk", flat=True)))
        self.message_user(request, f"{count} leagues have another host.", messages.SUCCESS)


@admin.register(Seat)
class SeatAdmin(ReadOnly):
    """Who sits where."""

    list_display = ("race", "number", "joined_order", "player", "bot", "state", "lapses", "offered_at")
    list_filter = ("state", "bot")
    list_select_related = ("race", "player")
    search_fields = ("race__public_id", "player__display_name")
    exclude = ("asides",)


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    """How far records have come; what stands in them is exported by race_export."""

    list_display = ("race", "seq", "turn", "digest", "created_at")
    list_select_related = ("race",)
    search_fields = ("race__public_id",)
    exclude = ("acts", "draws", "events", "may_undo")


@admin.register(OutboxEvent)
class OutboxEventAdmin(ReadOnly):
    """What happened and whether it was passed on; without questions, whose number would tell how many were asked."""

    list_display = ("kind", "race", "seq", "created_at", "processed_at")
    list_filter = ("kind",)
    list_select_related = ("race",)
    search_fields = ("race__public_id",)
    exclude = ("seat", "player", "decision_id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxEvent]:
        """All but questions."""
        return OutboxEvent.objects.exclude(kind__in=QUESTION_KINDS)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnly):
    """Signs of life."""

    list_display = ("name", "at")


@admin.register(Outage)
class OutageAdmin(ReadOnly):
    """When the server was away; manage.py heartbeat_gaps credits by hand."""

    list_display = ("start", "end", "noted_at", "credited_at")


@admin.register(RaceNote)
class RaceNoteAdmin(ReadOnly):
    """What the server has added to the logs of races: everybody may read it."""

    list_display = ("race", "seq", "text", "at")
    list_select_related = ("race",)
    search_fields = ("race__public_id",)


@admin.register(ExtensionAsk)
class ExtensionAskAdmin(ReadOnly):
    """Who has asked the others for more time."""

    list_display = ("race", "seat", "minutes", "created_at", "granted_at")
    list_select_related = ("race", "seat", "seat__player")
    search_fields = ("race__public_id",)


@admin.register(RewindAsk)
class RewindAskAdmin(ReadOnly):
    """Which hosts have asked to go back."""

    list_display = ("race", "to_seq", "host", "asked_at", "done_at", "void")
    list_select_related = ("race", "host")
    search_fields = ("race__public_id",)


@admin.register(Lapse)
class LapseAdmin(ReadOnly):
    """Turns that lapsed: all saw them pass."""

    list_display = ("player", "seat", "opened_at", "due_at")
    list_select_related = ("player", "seat", "seat__player")


@admin.register(MailFailure)
class MailFailureAdmin(ReadOnly):
    """When our mail did not reach a player, who was not held to be away."""

    list_display = ("player", "since", "until")
    list_select_related = ("player",)


@admin.register(SeatClaim)
class SeatClaimAdmin(ReadOnly):
    """Who would drive on."""

    list_display = ("seat", "player", "at")
    list_select_related = ("seat", "seat__player", "player")


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    """Campaigns and where each stands; a race of one that has a fault is tried again among the races."""

    list_display = ("public_id", "name", "ruleset", "status", "winner", "created_at", "started_at", "ended_at")
    list_filter = ("status", "ruleset")
    search_fields = ("public_id", "name")


@admin.register(CampaignDriver)
class CampaignDriverAdmin(ReadOnly):
    """Who drives which car, and in whose place."""

    list_display = ("campaign", "car", "player", "bot", "former_player")
    list_select_related = ("campaign", "player", "former_player")
    search_fields = ("campaign__public_id", "player__display_name")


@admin.register(CampaignRace)
class CampaignRaceAdmin(ReadOnly):
    """The races of campaigns, and when their points were posted."""

    list_display = ("campaign", "number", "race", "posted_at")
    list_select_related = ("campaign", "race")
    search_fields = ("campaign__public_id", "race__public_id")


@admin.register(Posting)
class PostingAdmin(ReadOnly):
    """The ledgers, line by line; the database refuses to change one, and ledger_check makes them anew."""

    list_display = ("campaign", "number", "driver", "kind", "points", "balance", "upgrade", "rule", "source")
    list_filter = ("kind",)
    list_select_related = ("campaign", "driver", "driver__player")
    search_fields = ("campaign__public_id", "source")


@admin.register(PurchaseRound)
class PurchaseRoundAdmin(ReadOnly):
    """Purchases before a race, in the order of the cars."""

    list_display = ("campaign", "race", "order", "opened_at", "closed_at")
    list_select_related = ("campaign", "race")
    search_fields = ("campaign__public_id",)


@admin.register(Purchase)
class PurchaseAdmin(ReadOnly):
    """What each car answered, in words; without the keys of forms, and without the hours that made its deadline."""

    list_display = ("round", "place", "driver", "answers", "due_at", "answered_at")
    list_select_related = ("round__race", "driver", "driver__player")
    search_fields = ("round__campaign__public_id",)
    readonly_fields = ("answers",)
    exclude = ("acts", "due_rule", "left_s", "counts_from")

    @admin.display(description="answers")
    def answers(self, purchase: Purchase) -> str:
        """As everybody reads them on the campaign's page."""
        return "; ".join(act["receipt"]["words"] for act in purchase.acts)
