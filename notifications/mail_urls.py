"""The addresses at which players look after their mail.

Stopping a race's mails, what was sent, a closed address.
"""

from django.urls import URLPattern, URLResolver, path

from notifications import views

app_name = "notifications"
urlpatterns: list[URLPattern | URLResolver] = [
    path("stop/<str:token>", views.mail_stop, name="mail_stop"),
    path("sent", views.mail_sent, name="mail_sent"),
    path("works-again", views.mail_works_again, name="mail_works_again"),
]
