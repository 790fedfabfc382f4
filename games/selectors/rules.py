"""A rule by its number, in our own words, for whoever asks."""

from dataclasses import dataclass

from games.engine.rulebook import UnknownRule
from games.runtime.rulebooks import book_of, keys, rulings_of, words_of


@dataclass(frozen=True)
class RuleTold:
    """One rule: its number, its title, our paraphrase ("" where it is data, not code), and the rulings on it."""

    number: str
    title: str
    words: str
    rulings: tuple[tuple[str, str], ...] = ()


class RuleUnknown(LookupError):
    """There is no such rule; the text is a sentence that names near ones."""


def rule_told(*, ruleset: str, number: str) -> RuleTold:
    """The rule of this number; raises RuleUnknown."""
    if ruleset not in keys():
        raise RuleUnknown("The rules of this game stand in no book here.")
    try:
        rule = book_of(ruleset).rule(number.strip().upper())
    except UnknownRule as unknown:
        raise RuleUnknown(str(unknown)) from unknown
    rulings = rulings_of(ruleset)
    return RuleTold(
        rule.number,
        rule.title,
        words_of(ruleset, rule),
        tuple((one, rulings[one].text) for one in rule.rulings if one in rulings),
    )
