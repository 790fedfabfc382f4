"""The site as a WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

from roadkill_site.start import start_or_stop

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roadkill_site.settings")

application = start_or_stop(get_wsgi_application)
