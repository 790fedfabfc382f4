"""The site as an app: it has no rows, only the commands that start it whole."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers the site's own commands, and lets races hear of what accounts tell."""

    name = "roadkill_site"

    def ready(self) -> None:
        """Neither app knows the other; imports stand here because models load only when apps are ready."""
        from games.services.calendars import calendar_changed_receive  # noqa: PLC0415
        from roadkill_site import channel_checks  # noqa: F401, PLC0415  (importing registers them)
        from roadkill_site.accounts.signals import calendar_changed  # noqa: PLC0415

        calendar_changed.connect(calendar_changed_receive, dispatch_uid="games hear of calendars")
