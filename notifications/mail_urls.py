"""The addresses at which players look after their mail.

Stopping a race's mails, what was sent, a closed address.
"""

from django.urls import URLPattern, URLResolver, path

from notifications import feed_views, reply_views, views, wish_views

app_name = "notifications"
urlpatterns: list[URLPattern | URLResolver] = [
    path("stop/<str:token>", views.mail_stop, name="mail_stop"),
    path("confirm/<str:token>", reply_views.mail_confirm, name="mail_confirm"),
    path("sent", views.mail_sent, name="mail_sent"),
    path("", wish_views.wishes, name="wishes"),
    path("sent/<int:notice_id>/again", views.mail_retry, name="mail_retry"),
    path("webhook", wish_views.webhook_new, name="webhook_new"),
    path("browser", wish_views.browser_new, name="browser_new"),
    path("way/<int:endpoint_id>", wish_views.endpoint, name="endpoint"),
    path("way/<int:endpoint_id>/act", wish_views.endpoint_act, name="endpoint_act"),
    path("calendar", wish_views.calendar_new, name="calendar_new"),
    path("calendar/<str:token>.ics", feed_views.calendar, name="calendar"),
    path("push-worker.js", wish_views.push_worker, name="push_worker"),
    path("works-again", views.mail_works_again, name="mail_works_again"),
]
