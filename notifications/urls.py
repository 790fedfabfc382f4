"""The addresses of the development mailbox."""

from django.urls import URLPattern, URLResolver, path

from notifications.mailbox import views

app_name = "mailbox"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.mailbox, name="list"),
    path("empty", views.mailbox_empty, name="empty"),
    path("<str:key>/", views.mailbox_mail, name="mail"),
    path("<str:key>/reply", views.mailbox_reply, name="reply"),
    path("<str:key>/html", views.mailbox_html, name="html"),
]
