"""The app that tells players what is asked of them, and reads their replies."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    """Registers the app of notices."""

    name = "notifications"
    default_auto_field = "django.db.models.BigAutoField"
