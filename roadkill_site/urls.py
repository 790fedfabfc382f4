"""The addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("games.urls")),
]

if settings.DEVELOPMENT:
    urlpatterns.append(path("mailbox/", include("notifications.urls")))
