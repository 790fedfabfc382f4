"""Why an act was refused, by kind: cannot be read, not allowed, not yours, race over; and broken records."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """Why an act is not allowed: the rule's number and one sentence for the player."""

    rule: str
    text: str


class ActionRefused(Exception):
    """Base of every refusal a player may see.

    ``code`` is a stable word for programs, ``rule`` a rule number ("" when no rule of the game is meant), ``text`` a
    sentence.
    """

    code = "refused"

    def __init__(self, text: str, *, rule: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.text} ({self.rule})" if self.rule else self.text


class Malformed(ActionRefused):
    """The act could not be read: unknown words, missing or ill-typed parts."""

    code = "malformed"


class Ambiguous(ActionRefused):
    """The words could mean more than one act."""

    code = "ambiguous"


class RuleViolation(ActionRefused):
    """The act was read but a rule forbids it; ``rule`` says which."""

    code = "illegal"

    @classmethod
    def of(cls, refusal: Refusal) -> "RuleViolation":
        """The exception for a refusal that a rule function returned."""
        return cls(refusal.text, rule=refusal.rule)


class NotYourDecision(ActionRefused):
    """Nothing is asked of this seat now."""

    code = "not_yours"


class RaceOver(ActionRefused):
    """The race has ended; nobody acts any more."""

    code = "over"


class RecordBroken(Exception):
    """A record does not replay: ``entry`` is the sequence number, the message says what differs."""

    def __init__(self, text: str, *, entry: int = -1) -> None:
        super().__init__(text if entry < 0 else f"entry {entry}: {text}")
        self.entry = entry
