"""The forms of leagues; what is legal is for the services to say."""

from typing import Any, Final

from django import forms

from games.leagues.tables import DEFAULT, TIE_BREAKS
from games.runtime.rulesets import BOT_TITLES
from games.web.forms import PlainForm, RaceForm

_MOMENT: Final = "%Y-%m-%dT%H:%M"
_CHOICES: Final = [("", "nothing"), *((key, text) for key, text in TIE_BREAKS.items())]


def moment_field(label: str, help_text: str = "") -> forms.DateTimeField:
    """A day and a time in the reader's zone."""
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_MOMENT)
    return forms.DateTimeField(label=label, widget=widget, help_text=help_text)


class LeagueForm(PlainForm):
    """A new league."""

    name = forms.CharField(label="Name of the league", max_length=48)
    is_public = forms.TypedChoiceField(
        label="Who may see it and enter",
        coerce=lambda value: value == "yes",
        choices=(("no", "Whoever has my link"), ("yes", "Anybody")),
        initial="no",
    )


class SeasonForm(RaceForm):
    """All that is agreed before a season; what its races have in common with others is asked as for a race."""

    name = None  # type: ignore[assignment]  # Django's way to leave out what the base has
    is_public = None  # type: ignore[assignment]
    words = None  # type: ignore[assignment]
    bots_allowed = None  # type: ignore[assignment]
    starts_when_full = None  # type: ignore[assignment]

    starts_at = moment_field("The first races start", "In your own time zone. Until then people may enter.")
    races_each = forms.IntegerField(label="Races of each driver", min_value=1, max_value=60, initial=6)
    every_days = forms.IntegerField(
        label="Days from one to the next", min_value=0, max_value=90, initial=14, help_text="0: all at once."
    )
    divisions = forms.IntegerField(label="Divisions", min_value=1, max_value=20, initial=1)
    moving = forms.IntegerField(
        label="Drivers who go up and down", min_value=0, max_value=10, initial=1, help_text="Between two divisions."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer tie-breaks one after the other."""
        super().__init__(*args, **kwargs)
        for number, key in enumerate(DEFAULT):
            self.fields[f"tie_{number + 1}"] = forms.ChoiceField(
                label="First comes who has" if number == 0 else "then", choices=_CHOICES, initial=key, required=False
            )

    @property
    def tie_fields(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks, in order."""
        return [self[f"tie_{number + 1}"] for number in range(len(DEFAULT))]

    def arguments(self) -> dict[str, Any]:
        """The arguments of games.services.leagues.season_create."""
        given = super().arguments()
        ties = [given.pop(f"tie_{number + 1}") for number in range(len(DEFAULT))]
        return {**given, "tie_breaks": [key for key in ties if key]}


class BotEntryForm(PlainForm):
    """A bot for a season."""

    bot = forms.ChoiceField(label="Bot", choices=lambda: list(BOT_TITLES.items()), initial="driver")


class PostponeForm(PlainForm):
    """Another date for a race."""

    to = moment_field("Starts")
