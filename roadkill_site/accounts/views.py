"""The pages of accounts: profile, hours and holidays, API tokens, and the sign-in link of a development server."""

from http import HTTPStatus

from allauth.account import views as library
from allauth.account.stages import EmailVerificationStage, LoginStage
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from roadkill_site.accounts import selectors, services
from roadkill_site.accounts.adapter import TOO_MANY
from roadkill_site.accounts.forms import HolidayForm, HoursForm, ProfileForm, TokenForm
from roadkill_site.accounts.models import User


class SignInPage(library.RequestLoginCodeView):  # type: ignore[misc]
    """Where a code to sign in is asked for."""

    def form_invalid(self, form: Form) -> HttpResponse:
        """Show the form again; a limit that has been reached is no mistake in the form (429)."""
        answer: HttpResponse = super().form_invalid(form)
        if any(form.has_error(name, TOO_MANY) for name in form.fields):
            answer.status_code = HTTPStatus.TOO_MANY_REQUESTS
            answer["Retry-After"] = "60"
        return answer

    def _redirect_to_pending_stage(self, request: HttpRequest, stage: LoginStage) -> HttpResponseRedirect:
        """End a joining that waits for its code, instead of leading back to it.

        Who joins with an address that has joined already gets no code, but a mail whose link leads here.
        """
        if stage.key == EmailVerificationStage.key:
            stage.abort()
            return HttpResponseRedirect(request.get_full_path())
        answer: HttpResponseRedirect = super()._redirect_to_pending_stage(request, stage)
        return answer


@login_required
def profile(request: HttpRequest) -> HttpResponse:
    """Show the signed-in player's name, zone and tokens, and take a new name or zone."""
    user = _player(request)
    if request.method == "POST":
        # The form writes into the account that it is given before it has checked it: give it one of its own.
        form = ProfileForm(request.POST, instance=User.objects.get(pk=user.pk))
        if form.is_valid():
            form.save()
            messages.success(request, "Your profile is saved.")
            return redirect("account_profile")
        return _profile_page(request, form=form, status=422)
    return _profile_page(request, form=ProfileForm(instance=user))


@login_required
@require_POST
def hours(request: HttpRequest) -> HttpResponse:
    """Say when one's time does not count."""
    form = HoursForm(request.POST)
    if form.is_valid():
        try:
            services.hours_set(user=_player(request), **form.cleaned_data)
        except services.HoursRefused as refused:
            form.add_error(refused.field, str(refused))
        else:
            messages.success(request, "Your hours are saved. They hold in races that let pauses count.")
            return redirect("account_profile")
    return _profile_page(request, hours_form=form, status=422)


@login_required
@require_POST
def holiday_take(request: HttpRequest) -> HttpResponse:
    """Take a holiday."""
    form = HolidayForm(request.POST)
    if form.is_valid():
        try:
            holiday = services.holiday_take(user=_player(request), **form.cleaned_data)
        except services.HoursRefused as refused:
            form.add_error(refused.field, str(refused))
        else:
            messages.success(request, f"Your holiday is taken: {holiday.first:%-d %B %Y} to {holiday.last:%-d %B %Y}.")
            return redirect("account_profile")
    return _profile_page(request, holiday_form=form, status=422)


@login_required
@require_POST
def holiday_take_back(request: HttpRequest, holiday_id: int) -> HttpResponse:
    """Take a holiday back, or end one that has begun."""
    if not services.holiday_take_back(user=_player(request), holiday_id=holiday_id):
        raise Http404("You have no such holiday, or it is over.")
    messages.success(request, "The holiday is taken back; deadlines that it had put off are nearer again.")
    return redirect("account_profile")


@login_required
@require_POST
def token_create(request: HttpRequest) -> HttpResponse:
    """Make an API token and show its key, this once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _profile_page(request, token_form=form, status=422)
    try:
        _, key = services.api_token_create(user=_player(request), label=form.cleaned_data["label"])
    except services.TokenRefused as refused:
        form.add_error(None, str(refused))
        return _profile_page(request, token_form=form, status=422)
    return _profile_page(request, new_key=key)


@login_required
@require_POST
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """End one of the signed-in player's tokens."""
    if not services.api_token_revoke(user=_player(request), token_id=token_id):
        raise Http404("You have no such token.")
    messages.success(request, "The token is revoked; it opens nothing any more.")
    return redirect("account_profile")


def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show whom a development server's link would sign in; only the button does it, so no scanner does."""
    user = services.sign_in_link_user(token)
    if user is None:
        address = services.sign_in_link_address(token)
        return render(request, "accounts/sign_in_link_refused.html", {"address": address}, status=410)
    if request.method != "POST":
        return render(request, "accounts/sign_in_link.html", {"player": user})
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect(settings.LOGIN_REDIRECT_URL)


def _player(request: HttpRequest) -> User:
    assert request.user.is_authenticated
    return request.user


def _profile_page(
    request: HttpRequest,
    *,
    form: ProfileForm | None = None,
    token_form: TokenForm | None = None,
    hours_form: HoursForm | None = None,
    holiday_form: HolidayForm | None = None,
    new_key: str | None = None,
    status: int = 200,
) -> HttpResponse:
    user = _player(request)
    now = timezone.now()
    kept = {"quiet_from": user.quiet_from, "quiet_until": user.quiet_until, "days_off": user.days_off}
    context = {
        "form": form or ProfileForm(instance=user),
        "hours_form": hours_form or HoursForm(initial=kept),
        "holiday_form": holiday_form or HolidayForm(),
        "holidays": selectors.holiday_list(user=user, now=now),
        "days_left": selectors.hours_of(user=user, now=now)["holiday_days_left"],
        "token_form": token_form or TokenForm(),
        "tokens": selectors.api_token_list(user=user),
        "new_key": new_key,
    }
    return render(request, "accounts/profile.html", context, status=status)
