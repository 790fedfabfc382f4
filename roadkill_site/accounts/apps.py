"""The app of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the app of accounts and the system checks of the site's settings."""

    name = "roadkill_site.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
