"""The forms of accounts: joining, and the profile."""

import zoneinfo

from django import forms
from django.conf import settings
from django.http import HttpRequest

from roadkill_site.accounts.models import DISPLAY_NAME_LENGTH, User, display_name_check


def zone_choices() -> list[tuple[str, str]]:
    """Every time zone that this machine knows, by name."""
    return [(name, name.replace("_", " ")) for name in sorted(zoneinfo.available_timezones())]


class JoinForm(forms.Form):
    """What a new player says besides a mail address; the sign-in library adds the address."""

    display_name = forms.CharField(
        label="Name that other players see",
        max_length=DISPLAY_NAME_LENGTH,
        validators=[display_name_check],
        strip=True,
    )
    time_zone = forms.ChoiceField(label="Time zone", choices=zone_choices, initial=settings.TIME_ZONE)
    field_order = ["email", "display_name", "time_zone"]

    def clean_display_name(self) -> str:
        """Refuse a name that another player has, in whatever case it is written."""
        name: str = self.cleaned_data["display_name"]
        if User.objects.filter(display_name__iexact=name).exists():
            raise forms.ValidationError("Another player has this name; choose another one.", code="taken")
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing is left to do: the adapter has saved name and zone with the account."""
