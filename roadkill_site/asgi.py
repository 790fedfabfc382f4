"""The site as an ASGI application."""

import os

from django.core.asgi import get_asgi_application

from roadkill_site.start import start_or_stop

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")

application = start_or_stop(get_asgi_application)
