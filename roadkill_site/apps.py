"""The site as an app: it has no rows, only the commands that start it whole."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers the site's own commands."""

    name = "roadkill_site"
