"""The forms of a race's life before and around its turns; what is legal is for the services to say."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms

from games.runtime import catalogue
from games.runtime.rulesets import BOT_TITLES
from games.services.agreements import MOST_ABSENCES, MOST_EXTENSION_MINUTES
from games.tempo import policies, tempos

SEATS: Final = (2, 10)
MOST_IN_TEAMS: Final = 20
SECTIONS: Final = (3, 8)
WORDS_LENGTH: Final = 200
NAME_LENGTH: Final = 60
CAMPAIGN_NAME_LENGTH: Final = 40
RULESET: Final = "roadkill"
ROUNDS: Final = (6, 20)
TRACK_LENGTH: Final = 200
DELAYS: Final = ((0, "answers at once"), (30, "takes half an hour"), (240, "takes four hours"))


class PlainForm(forms.Form):
    """A form whose fields are drawn by our own templates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make ids that do not clash when several forms stand on a page."""
        kwargs.setdefault("auto_id", f"{type(self).__name__.lower()}-%s")
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    def refuse(self, field: str | None, text: str) -> None:
        """Put a service's refusal at the field it names, or on top."""
        self.add_error(field if field in self.fields else None, text)


class WordsForm(PlainForm):
    """What a driver adds to the shuffles before the start."""

    words = forms.CharField(
        label="Your words for the draws",
        max_length=WORDS_LENGTH,
        required=False,
        help_text="Anything at all. They are mixed into all draws, so that nobody alone has chosen them.",
    )


class RaceForm(WordsForm):
    """All that is agreed before a race: of any game what is agreed here, and what RoadKill's races may be."""

    ruleset = RULESET
    name = forms.CharField(label="Name of the race", max_length=NAME_LENGTH)
    seats = forms.TypedChoiceField(
        label="Drivers",
        coerce=int,
        choices=[
            *((n, str(n)) for n in range(SEATS[0], SEATS[1] + 1)),
            *((n, f"{n}, in teams") for n in range(SEATS[1] + 2, MOST_IN_TEAMS + 1, 2)),
        ],
        initial=4,
    )
    teams = forms.BooleanField(
        label="Teams: two drivers a car",
        required=False,
        help_text="A Driver and an Assistant Driver, each with a hand and turns of their own. For 4, 6 and so on up to "
        "20 drivers; in the lobby everybody may say with whom.",
    )
    sections = forms.TypedChoiceField(
        label="Sections to win",
        coerce=int,
        choices=[(n, str(n)) for n in range(SECTIONS[0], SECTIONS[1] + 1)],
        initial=SECTIONS[1],
    )
    track = forms.ChoiceField(
        label="Rules",
        choices=(("open", "the whole game"), ("beginner", "Beginner's Track")),
        initial="open",
        required=False,
        help_text="The Beginner's Track is a printed map of eight Sections, without fuel and Events.",
    )
    components = forms.ChoiceField(label="Cards", initial="classic")
    upgrades = forms.ChoiceField(
        label="Car upgrades",
        choices=(
            ("none", "none"),
            ("draft", "one for each car, drafted before the start"),
            ("reverse_draft", "two for each car, drafted there and back, five points to spend"),
        ),
        initial="none",
        required=False,
    )
    tempo = forms.ChoiceField(label="Tempo", widget=forms.RadioSelect, initial=tempos.DEFAULT)
    turn_hours = forms.FloatField(label="Hours for a turn", required=False, min_value=0.25, max_value=1440)
    reaction_hours = forms.FloatField(label="Hours for a reaction", required=False, min_value=0.25, max_value=1440)
    policy = forms.ChoiceField(label="When a card may be answered", widget=forms.RadioSelect, initial=policies.DEFAULT)
    is_public = forms.TypedChoiceField(
        label="Who may join",
        coerce=lambda value: value == "yes",
        choices=(("no", "invited"), ("yes", "anybody")),
        widget=forms.RadioSelect,
        initial="no",
    )
    pause_cap_hours = forms.FloatField(
        label="Pauses put a deadline off by at most (hours)",
        required=False,
        min_value=0,
        max_value=tempos.MOST_PAUSE_MINUTES / 60,
        help_text="Quiet hours, days off and holidays. 0: they count. Empty: as the tempo says.",
    )
    holidays_allowed = forms.BooleanField(label="Holidays put deadlines off too", required=False, initial=True)
    bank = forms.BooleanField(label="Keep the bank of time that the tempo may have", required=False, initial=True)
    extension_cap_hours = forms.FloatField(
        label="More time for one question, in all (hours)",
        required=False,
        min_value=0,
        max_value=MOST_EXTENSION_MINUTES / 60,
        help_text="By the host, or by all other drivers together. 0: never. Empty: the hours of a turn.",
    )
    absences = forms.TypedChoiceField(
        label="A seat is offered after its driver was away",
        coerce=int,
        choices=[("1", "once"), ("2", "twice"), *((str(n), f"{n} times") for n in range(3, MOST_ABSENCES + 1))],
        initial="2",
        required=False,
        empty_value="2",
    )
    substitutes = forms.TypedChoiceField(
        label="An offered seat goes to",
        choices=[("host", "whom the host chooses"), ("first", "the first who takes it")],
        initial="host",
        required=False,
        empty_value="host",
    )
    bot_takeover = forms.BooleanField(label="A bot drives on if nobody takes it", required=False)
    bots_allowed = forms.BooleanField(label="Bots may drive", required=False, initial=True)
    starts_when_full = forms.BooleanField(label="Start by itself when full", required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer what the server has: component sets, tempos, policies."""
        super().__init__(*args, **kwargs)
        self._choices("components", ((name, name) for name in catalogue.ruleset(self.ruleset)["component_sets"]))
        self._choices(
            "tempo", [*((key, tempo.title) for key, tempo in tempos.TEMPOS.items()), (tempos.HOURS, "Own hours")]
        )
        if "policy" in self.fields:
            self._choices("policy", ((key, key.title()) for key in policies.POLICIES))

    def _choices(self, name: str, choices: Iterable[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def clean(self) -> dict[str, Any]:
        """Own hours need both figures; a named tempo takes none."""
        given = super().clean() or {}
        if given.get("tempo") == tempos.HOURS:
            for name in ("turn_hours", "reaction_hours"):
                if given.get(name) is None and name not in self.errors:
                    self.add_error(name, "Your own tempo needs these hours.")
        else:
            given["turn_hours"] = given["reaction_hours"] = None
        return given

    def arguments(self) -> dict[str, Any]:
        """The arguments of games.services.races.race_create."""
        given = dict(self.cleaned_data)
        options = {"sections": given.pop("sections"), "components": given.pop("components")}
        upgrades = given.pop("upgrades", "")
        if upgrades:
            options["upgrades"] = upgrades
        if given.pop("track", "") == "beginner":
            # Its map says how long it is.
            del options["sections"]
            options["track"] = "beginner"
        if given.pop("teams", False):
            options["teams"] = True
        return {**given, "absences": int(given["absences"]), "options": options}


class ThunderRoadForm(RaceForm):
    """All that is agreed before a race of Thunder Road."""

    ruleset = "thunder_road"
    sections = None  # type: ignore[assignment]  # The road is laid as long as the race lasts.
    teams = None  # type: ignore[assignment]
    upgrades = None  # type: ignore[assignment]
    policy = None  # type: ignore[assignment]  # Nothing is hidden, so no window waits for appearances.
    seats = forms.TypedChoiceField(
        label="Drivers",
        coerce=int,
        choices=[(n, str(n)) for n in range(2, 7)],
        initial=4,
        help_text="Four drive cars; a fifth and a sixth need the Big Rig or the motorcycles.",
    )
    rig = forms.BooleanField(label="One of them has the Big Rig", required=False)
    bikes = forms.BooleanField(label="One of them has the motorcycles", required=False)
    carnage = forms.BooleanField(label="Carnage: fire, more tokens, tiles 6 and higher", required=False)
    sides = forms.ChoiceField(
        label="Sides of the tiles",
        choices=(("mixed", "A or B, drawn"), ("A", "A, milder"), ("B", "B, harder")),
        initial="mixed",
        required=False,
    )
    track = forms.CharField(  # type: ignore[assignment]
        label="Road tiles in their order",
        required=False,
        max_length=TRACK_LENGTH,
        help_text="Such as 1A 3B 2A, from the rear. Empty: they are drawn as they are laid.",
    )
    components = forms.ChoiceField(label="Box", initial="classic")
    last_stretch = forms.IntegerField(
        label="The finish is set in round",
        min_value=ROUNDS[0],
        max_value=ROUNDS[1],
        initial=12,
        help_text="If it is not set before.",
    )
    hard_stop = forms.IntegerField(
        label="The race ends after round", min_value=ROUNDS[0], max_value=ROUNDS[1], initial=20
    )

    def arguments(self) -> dict[str, Any]:
        """The arguments of games.services.races.race_create."""
        given = dict(self.cleaned_data)
        crews = [crew for crew in ("rig", "bikes") if given.pop(crew)]
        options = {
            "crews": crews,
            "track": given.pop("track").upper().replace(",", " ").split(),
            "sides": given.pop("sides") or "mixed",
            **{name: given.pop(name) for name in ("carnage", "components", "last_stretch", "hard_stop")},
        }
        return {**given, "absences": int(given["absences"]), "ruleset": self.ruleset, "options": options}


RACE_FORMS: Final[dict[str, type[RaceForm]]] = {RULESET: RaceForm, ThunderRoadForm.ruleset: ThunderRoadForm}
"""By ruleset."""


class CampaignForm(RaceForm):
    """All that is agreed before a campaign: what its races are."""

    name = forms.CharField(label="Name of the campaign", max_length=CAMPAIGN_NAME_LENGTH)
    track = None  # type: ignore[assignment]  # Upgrades are of no use on the Beginner's Track.
    teams = None  # type: ignore[assignment]  # A campaign counts by cars that have one driver each.
    seats = forms.TypedChoiceField(
        label="Cars", coerce=int, choices=[(n, str(n)) for n in range(SEATS[0], SEATS[1] + 1)], initial=4
    )
    upgrades = None  # type: ignore[assignment]  # Cars bring along what they have bought.


class MoreTimeForm(PlainForm):
    """More time for what the race waits for."""

    hours = forms.FloatField(label="Hours", min_value=1 / 60, max_value=MOST_EXTENSION_MINUTES / 60)
    key = forms.CharField(max_length=100, widget=forms.HiddenInput)


class RewindForm(PlainForm):
    """Where the host would have the race go back to."""

    to = forms.IntegerField(
        label="Entry",
        min_value=0,
        max_value=9_999_999,
        help_text="The race is as it was after this entry. Look for its number in the log or step by step.",
    )
    reason = forms.CharField(label="Why (all drivers read it)", max_length=200, required=False)
    key = forms.CharField(max_length=100, widget=forms.HiddenInput)


class PartnerForm(PlainForm):
    """With whom one would share a car."""

    partner = forms.TypedChoiceField(label="With whom", coerce=int, required=False, empty_value=None)

    def __init__(self, *args: Any, others: Iterable[tuple[int, str]], **kwargs: Any) -> None:
        """``others``: the seats of the other drivers by their ids, with their names."""
        super().__init__(*args, **kwargs)
        field = self.fields["partner"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [("", "nobody in particular"), *others]


class InviteForm(PlainForm):
    """Whom to keep a seat for."""

    email = forms.EmailField(label="Mail address", help_text="We mail one invitation; nobody else sees the address.")


class BotForm(PlainForm):
    """A bot for a seat."""

    bot = forms.ChoiceField(label="Bot", choices=lambda: list(BOT_TITLES.items()), initial="driver")
    delay_minutes = forms.TypedChoiceField(label="Pace", coerce=int, choices=DELAYS, initial=0)
