"""What a ruleset may say beyond the contract, for pages and mails, each with what stands if it does not."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from games.engine.campaigns import Campaign
from games.engine.contract import JSON, Decision, Follow, Form
from games.engine.plans import Planning
from games.engine.standing import Standing


class Extras:
    """A ruleset inherits from this class and overrides what it has. All of it is pure and draws nothing."""

    standing: Standing | None = None
    """What standing orders may say; None for a game that has none."""
    planning: Planning | None = None
    """What plans may say; None for a game that has none."""
    campaign: Campaign | None = None
    """What races in series are in this game; None for a game that has none."""
    sizes: tuple[Mapping[str, JSON], ...] = ({},)
    """Options with which a race takes other numbers of drivers than with none, one set for each; {} first."""

    def drivers(self, options: Mapping[str, JSON]) -> Sequence[int] | None:
        """How many drivers a race with these options takes, rising; None: any number from the fewest to the most."""
        return None

    def car_of(self, options: Mapping[str, JSON], drivers: int, seat: int) -> int:
        """The number of the car, or whatever it is called, of a seat in a race of so many drivers: what people read."""
        return seat

    def seat_sign(self, car: int) -> str:
        """What stands on the sign of a car's drivers, one or two letters: "3"."""
        return str(car)

    def seat_words(self, car: int) -> str:
        """What a seat drives, in words that may stand within a sentence: "car 3"."""
        return f"car {car}"

    def parts(self, state: Any) -> Mapping[int, str]:
        """Where several seats drive one car: what each of them is to it, in words; {} where each has its own.

        It is public, and said behind the car: "car 3, Assistant Driver".
        """
        return {}

    def component_hash(self, options: Mapping[str, JSON]) -> str:
        """The hash of the components that a race with these options is played with; "" for a game that has none."""
        return ""

    def may_be_asked(self, view: JSON) -> tuple[int, ...] | None:
        """The seats that might be asked out of turn, for all that the public view tells; None: all of them.

        When nobody is singled out, a window's deadline is made from their hours: so it tells nothing of who is asked.
        """
        return None

    def follows(self, view: JSON, decision: Decision) -> tuple[Follow, ...]:
        """What may come of this question within the turn, with the answers that can be given beforehand."""
        return ()

    def keeps_secrets(self, before: Any, after: Any) -> bool:
        """Whether an act between these two states showed nobody, its driver included, anything that was hidden.

        Nor may it have been a way to find out, such as whether anybody is asked about it. Only then may its driver take
        it back, and its words are told to all who see that. Draws and private parts of events are looked for elsewhere.
        """
        return False

    def carried(self, state: Any) -> JSON:
        """What each seat takes from this race into the next of its campaign: {"1": ["A"]}, seats without any left out.

        The option by which a race begins with it is the ruleset's (RoadKill: ``upgrades``).
        """
        return {}

    def scores(self, state: Any) -> JSON:
        """What a race is worth to each seat in its campaign, as it stands: {"1": 8, "2": -1}; {} if nothing is."""
        return {}

    def what_now(self, view: JSON, decision: Decision) -> str:
        """A word on this question for a driver who is new to the game, with rule numbers; "" for none."""
        return ""

    def rule_of(self, decision: Decision, action: Any) -> str:
        """The rule that allows this answer to this question; "" for the question's own."""
        return ""

    def value_words(self, view: JSON, field: str, value: JSON) -> str:
        """A form's value as a person reads it."""
        return str(value)

    def path(self, view: JSON, action: Mapping[str, JSON], field: str) -> JSON:
        """A path of an answer as its driver puts it together, for fields of the kind "path"; None if there is none yet.

        {"piece": what moves, "from": its space or "", "count": steps it has, "left": those that are left behind what
        is said, "taken": [step], "next": [step]}, each step {"step": its letter, "space": where it leads or "",
        "words", "fatal": what moves is lost, "gamble": what is to be feared there or "", "ends": nothing beyond it is
        sure}. ``action`` is plain JSON and may be half filled in.
        """
        return None

    def turn_forms(self, view: JSON) -> tuple[Form, ...]:
        """Answers with parts that an own turn might take as the view stands, for lines of a plan; () for none."""
        return ()

    def suggestions(self, view: JSON, action: Mapping[str, JSON], field: str) -> Sequence[JSON]:
        """What a text part of an answer may say as the rest of it stands: [{"value", "words"}]; () for anything.

        ``action`` is plain JSON and may be half filled in.
        """
        return ()

    def risks(self, view: JSON, action: Mapping[str, JSON]) -> tuple[str, ...]:
        """What an answer may cost, a sentence each: a page says so and asks once more; () for nothing to be feared."""
        return ()

    def reason_words(self, reason: str) -> str:
        """How a race ended (``Outcome.reason``), in a sentence."""
        return reason.replace("_", " ")

    def board_words(self, view: JSON) -> JSON:
        """The table in words, as plain JSON without drivers' names; None for a game that tells none.

        {"sections": [{"number", "name": "Section 4", "facts": ["value 1", "Rest Stop"], "markers": ["Fog"], "is_laid",
        "cars": [{"seat", "place", "motion", "damage", "damage_most", "cards", "notes": [words], "words": all of it on
        one line, "hands": "3+5", what each of two drivers holds; may be left out}]}] from the front, cars in race
        order; "away": seats that are out of the race; "cars": {"1": {"where",
        "problems": [words], "markers": [words], "upgrades": [words]}} by seat; "hand": [{"name", "count",
        "text"}] and "figures": [{"label", "text"}] of the viewer, both [] for a spectator; "table": what lies on the
        table, "" for nothing}.

        Where a seat drives several things, each is one of "cars" of its section and has "sign" ("B.M") and "called",
        what stands before its driver's name. A section that is made of spaces has "lines": what is on each of them,
        from the front, in words. "crews": [{"seat", "words"}], what each seat has besides its vehicles. "headings"
        are what letters put over these parts: "course", "car", "held" (the column of "cards" or "hands"), "own",
        "others", and "no_cards" for an empty hand, "" to say nothing of one. All of these may be left out.
        """
        return None

    def place_points(self, cars: int) -> tuple[int, ...]:
        """What the places of a race with so many cars are worth in a league, the first place first.

        Here: 1 for the last and one more for each place up, and one more besides for the winner. Who shares a place
        gets what it is worth.
        """
        return tuple(range(cars + 1, cars, -1)) + tuple(range(cars - 1, 0, -1))

    def counts(self, kind: str, public: Mapping[str, JSON]) -> tuple[Literal["turn", "wreck"], int] | None:
        """What an event adds to its seat's line in a league: a turn begun, a wreck, or nothing."""
        return None
