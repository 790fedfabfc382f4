"""The addresses of the development mailbox."""

from django.urls import URLPattern, URLResolver

app_name = "notifications"
urlpatterns: list[URLPattern | URLResolver] = []
