"""The addresses of accounts.

Those of the sign-in library stand here one by one: what it could do with passwords is not reachable.
"""

from allauth.account import views as library
from django.conf import settings
from django.urls import URLPattern, path

from roadkill_site.accounts import views

urlpatterns: list[URLPattern] = [
    path("", views.profile, name="account_profile"),
    path("hours/", views.hours, name="account_hours"),
    path("holidays/", views.holiday_take, name="account_holiday_take"),
    path("holidays/<int:holiday_id>/take-back/", views.holiday_take_back, name="account_holiday_take_back"),
    path("tokens/", views.token_create, name="account_token_create"),
    path("tokens/<int:token_id>/revoke/", views.token_revoke, name="account_token_revoke"),
    path("sign-in/", views.SignInPage.as_view(), name="account_login"),
    path("sign-in/code/", library.confirm_login_code, name="account_confirm_login_code"),
    path("join/", library.signup, name="account_signup"),
    path("join/code/", library.email_verification_sent, name="account_email_verification_sent"),
    path("sign-out/", library.logout, name="account_logout"),
    path("closed/", library.account_inactive, name="account_inactive"),
    path("mail-address/", library.email, name="account_email"),
    path("again/", library.request_reauthentication_code, name="account_request_reauthentication_code"),
    path("again/code/", library.confirm_reauthentication_code, name="account_confirm_reauthentication_code"),
    # Names by which the library links to signing in; there is one way only.
    path("sign-in/again/", views.SignInPage.as_view(), name="account_request_login_code"),
    path("sign-in/help/", views.SignInPage.as_view(), name="account_reset_password"),
]

if settings.DEVELOPMENT:
    urlpatterns.append(path("sign-in-link/<str:token>/", views.sign_in_by_link, name="account_sign_in_link"))
