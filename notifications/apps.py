"""The app that tells players what is asked of them, and reads their replies."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    """Registers the app of notices."""

    name = "notifications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to games' signal; imports stand here because models load only when apps are ready."""
        from games.signals import outbox_written  # noqa: PLC0415
        from notifications.receivers import worker_nudge  # noqa: PLC0415

        outbox_written.connect(worker_nudge, dispatch_uid="notifications.worker_nudge")
