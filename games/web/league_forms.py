"""The forms of leagues; what is legal is for the services to say."""

from typing import Any, Final

from django import forms

from games.leagues.tables import DEFAULT, TIE_BREAKS
from games.runtime.campaigns import rules_of
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

    makes = forms.ChoiceField(
        label="What it makes",
        choices=(
            ("races", "Races: each is a result."),
            (
                "campaigns",
                "Campaigns: races in series, with upgrades bought in between. Each is a result, once it is won.",
            ),
        ),
        initial="races",
        widget=forms.RadioSelect,
        required=False,
    )
    starts_at = moment_field("The first ones start", "In your own time zone. Until then people may enter.")
    races_each = forms.IntegerField(label="How many for each driver", min_value=1, max_value=60, initial=6)
    every_days = forms.IntegerField(
        label="Days from one to the next", min_value=0, max_value=366, initial=14, help_text="0: all at once."
    )
    divisions = forms.IntegerField(label="Divisions", min_value=1, max_value=20, initial=1)
    moving = forms.IntegerField(
        label="Drivers who go up and down", min_value=0, max_value=10, initial=1, help_text="Between two divisions."
    )

    def __init__(self, *args: Any, ruleset: str = "", **kwargs: Any) -> None:
        """Offer tie-breaks one after the other, and campaigns in a ``ruleset`` that has any."""
        super().__init__(*args, **kwargs)
        if rules_of(ruleset) is None:
            del self.fields["makes"]
        for number, key in enumerate(DEFAULT):
            self.fields[f"tie_{number + 1}"] = forms.ChoiceField(
                label="First comes who has" if number == 0 else "then", choices=_CHOICES, initial=key, required=False
            )

    @property
    def tie_fields(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks, in order."""
        return [self[f"tie_{number + 1}"] for number in range(len(DEFAULT))]

    def clean(self) -> dict[str, Any]:
        """What races alone may have is refused for campaigns."""
        given = super().clean()
        if given.get("makes") == "campaigns":
            if given.get("upgrades") not in {None, "", "none"}:
                self.add_error("upgrades", "The upgrades of a campaign are bought between its races.")
            if given.get("track") == "beginner":
                self.add_error("track", "Upgrades are of no use on the Beginner's Track: campaigns are the whole game.")
            given["upgrades"] = ""
        return given

    def arguments(self) -> dict[str, Any]:
        """The arguments of games.services.leagues.season_create."""
        given = super().arguments()
        ties = [given.pop(f"tie_{number + 1}") for number in range(len(DEFAULT))]
        given["makes"] = given.get("makes") or "races"
        return {**given, "tie_breaks": [key for key in ties if key]}


class BotEntryForm(PlainForm):
    """A bot for a season."""

    bot = forms.ChoiceField(label="Bot", choices=lambda: list(BOT_TITLES.items()), initial="driver")


class PostponeForm(PlainForm):
    """Another date for a race."""

    to = moment_field("Starts")
