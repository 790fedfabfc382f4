"""The addresses of the operator's page."""

from django.urls import URLPattern, URLResolver, path

from roadkill_site.operation import views

app_name = "operation"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.page, name="page"),
    path("races/again", views.races_again, name="races_again"),
    path("races/<slug:public_id>/again", views.race_again, name="race_again"),
    path("ways/again", views.ways_again, name="ways_again"),
    path("ways/<slug:key>/again", views.way_again, name="way_again"),
    path("mails/<int:mail_id>/again", views.mail_again, name="mail_again"),
    path("mails/<int:mail_id>/release", views.mail_release, name="mail_release"),
    path("mails/<int:mail_id>/refuse", views.mail_turn_away, name="mail_refuse"),
    path("gaps/<int:gap>/credit", views.gap_credit, name="gap_credit"),
]
