"""The forms of accounts: joining, the profile, a new API token."""

import zoneinfo
from typing import ClassVar, Final

from django import forms
from django.conf import settings
from django.http import HttpRequest

from roadkill_site.accounts.models import DISPLAY_NAME_LENGTH, ApiToken, User, display_name_check

NO_PLACES = frozenset({"Factory", "localtime"})
"""Names in the database that stand for a machine's setting, not for a place's time."""
NAME_LABEL = "Name that other players see"


def zone_choices() -> list[tuple[str, str]]:
    """Every time zone that this machine knows: its name, and how it is shown."""
    names = sorted(zoneinfo.available_timezones() - NO_PLACES)
    return [(name, name.replace("_", " ")) for name in names]


class JoinForm(forms.Form):
    """What a new player says besides a mail address; the sign-in library adds the address."""

    display_name = forms.CharField(label=NAME_LABEL, max_length=DISPLAY_NAME_LENGTH, validators=[display_name_check])
    time_zone = forms.ChoiceField(label="Time zone", choices=zone_choices, initial=settings.TIME_ZONE)
    field_order = ("email", "display_name", "time_zone")

    def clean_display_name(self) -> str:
        """Refuse a name that another player has, in whatever case it is written."""
        name: str = self.cleaned_data["display_name"]
        if User.objects.filter(display_name__iexact=name).exists():
            raise forms.ValidationError("Another player has this name; choose another one.", code="taken")
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Do nothing: the adapter has saved name and zone with the account; the library wants the method."""


class ProfileForm(forms.ModelForm[User]):
    """What players may change about themselves."""

    time_zone = forms.ChoiceField(label="Time zone", choices=zone_choices)

    class Meta:
        model = User
        fields: ClassVar[list[str]] = ["display_name", "time_zone"]
        labels: ClassVar[dict[str, str]] = {"display_name": NAME_LABEL}


WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class HoursForm(forms.Form):
    """When a player's time does not count."""

    prefix = "hours"
    quiet_from = forms.TimeField(
        label="Quiet from", required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    quiet_until = forms.TimeField(
        label="until", required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    days_off = forms.TypedMultipleChoiceField(
        label="Days off",
        coerce=int,
        required=False,
        choices=list(enumerate(WEEKDAYS)),
        widget=forms.CheckboxSelectMultiple,
    )


class HolidayForm(forms.Form):
    """A holiday to be taken."""

    prefix = "holiday"
    first = forms.DateField(label="First day", widget=forms.DateInput(attrs={"type": "date"}))
    last = forms.DateField(label="Last day", widget=forms.DateInput(attrs={"type": "date"}))


class TokenForm(forms.ModelForm[ApiToken]):
    """What a new API token is for."""

    class Meta:
        model = ApiToken
        fields: ClassVar[list[str]] = ["label"]
        labels: ClassVar[dict[str, str]] = {"label": "What the token is for"}
