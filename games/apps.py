"""The app of races: rules, rows, services, pages and API."""

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from games.runtime.component_sets import HostSetsRefused, host_sets_register


class GamesConfig(AppConfig):
    """Registers the app of races, and a host's own component sets."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Read a host's component sets (a bad one stops the start with a sentence); let the signal wake bots.

        Imports stand here because models load only when apps are ready.
        """
        from games.signals import campaign_due, outbox_written  # noqa: PLC0415
        from games.tasks import bots_nudge, campaign_nudge  # noqa: PLC0415

        outbox_written.connect(bots_nudge, dispatch_uid="games.bots_nudge")
        campaign_due.connect(campaign_nudge, dispatch_uid="games.campaign_nudge")
        folder = settings.COMPONENT_SETS_DIR
        if folder is not None:
            try:
                host_sets_register(folder)
            except HostSetsRefused as error:
                raise ImproperlyConfigured(f"COMPONENT_SETS_DIR: {error}") from error
