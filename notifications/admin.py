"""What an operator sees of mails that came in: where each stands. What they say is between players and the server."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from notifications.reply_models import InboundMail
from notifications.services.replies.nudging import worker_nudge
from notifications.services.replies.taking import mail_confirm, mail_retry


@admin.register(InboundMail)
class InboundMailAdmin(admin.ModelAdmin[Any]):
    """Mails that came in: held ones can be let through, failed ones taken up again. Nothing is edited here.

    Neither bytes nor lines nor recipients: they hold players' orders, and addresses that act.
    """

    list_display = ("pk", "came_at", "came_by", "state", "kind", "sender", "seat", "answer_state", "reason")
    list_filter = ("state", "answer_state", "came_by", "kind")
    list_select_related = ("seat", "seat__race", "seat__player")
    search_fields = ("sender", "seat__race__public_id")
    exclude = ("raw", "report", "envelope_recipients", "key", "own_digest", "digest")
    actions = ("release", "retry")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows are made when mails come."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows are changed by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows stay: by them a mail that comes again is known."""
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[InboundMail]:
        """Without the bytes, which nobody looks at here."""
        return InboundMail.objects.defer("raw", "report")

    @admin.action(description="Let held mails be acted on", permissions=["view"])
    def release(self, request: HttpRequest, queryset: QuerySet[InboundMail]) -> None:
        """As if their players had sent them from their own addresses."""
        self._each(request, queryset, mail_confirm)

    @admin.action(description="Take failed mails up again", permissions=["view"])
    def retry(self, request: HttpRequest, queryset: QuerySet[InboundMail]) -> None:
        """Once what made them fail is mended."""
        self._each(request, queryset, mail_retry)

    def _each(self, request: HttpRequest, queryset: QuerySet[InboundMail], change: Any) -> None:
        count = 0
        for mail_id in queryset.values_list("pk", flat=True):
            if change(mail_id=mail_id, now=timezone.now()):
                worker_nudge(mail_id)
                count += 1
        self.message_user(request, f"{count} mails are taken up.", messages.SUCCESS)
