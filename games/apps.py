"""The app of races: rules, rows, services, pages and API."""

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Registers the app of races."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
