"""The app of accounts."""

from django.apps import AppConfig

from roadkill_site import checks

__all__ = ["AccountsConfig", "checks"]


class AccountsConfig(AppConfig):
    """Registers the app of accounts; importing `checks` registers the system checks of the site's settings."""

    name = "roadkill_site.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
