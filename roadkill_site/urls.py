"""The addresses of the site."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularJSONAPIView

from roadkill_site import notices_api
from roadkill_site.health import health
from roadkill_site.hours_api import HolidayTake, HolidayTakeBack, Hours

handler500 = "roadkill_site.breakdown.page_failed"

# Operators sign in as everybody does, by a mailed code.
admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health, name="health"),
    path("account/", include("roadkill_site.accounts.urls")),
    path("api/v1/openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("api/v1/me/hours", Hours.as_view(), name="api-my-hours"),
    path("api/v1/me/holidays", HolidayTake.as_view(), name="api-my-holidays"),
    path("api/v1/me/holidays/<int:holiday_id>", HolidayTakeBack.as_view(), name="api-my-holiday"),
    path("api/v1/me/notices", notices_api.Wishes.as_view(), name="api-my-notices"),
    path("api/v1/me/notices/log", notices_api.NoticeLog.as_view(), name="api-my-notices-log"),
    path("api/v1/me/calendar", notices_api.CalendarRenew.as_view(), name="api-my-calendar"),
    path("api/v1/me/ways", notices_api.Ways.as_view(), name="api-my-ways"),
    path("api/v1/me/ways/<int:way_id>", notices_api.OneWay.as_view(), name="api-my-way"),
    path("api/v1/me/ways/<int:way_id>/act", notices_api.WayDo.as_view(), name="api-my-way-act"),
    path("admin/", admin.site.urls),
    path("operator/", include("roadkill_site.operation.urls")),
    path("mail/", include("notifications.mail_urls")),
    path("", include("games.urls")),
]

if settings.INBOUND_WEBHOOK:
    urlpatterns.append(path("mail/in/", include("notifications.webhook_urls")))

if settings.DEVELOPMENT:
    urlpatterns.append(path("mailbox/", include("notifications.urls")))
