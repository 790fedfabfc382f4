"""The site: settings, addresses, accounts and the worker's app."""

from roadkill_site.celery import app as celery_app

__all__ = ["celery_app"]
