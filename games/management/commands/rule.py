"""`manage.py rule roadkill 6.41`: everything the product knows of a rule."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.engine.rulebook import MalformedRulebook, UnknownRule
from games.runtime import rulebooks

WIDTH = 100


class Command(BaseCommand):
    """Print a rule's title, status and place, our wording, the rulings on it and the tests that name it."""

    help = (
        "Print what is known of a rule: its title, whether and where it is coded, our wording of it, the "
        "rulings that serve it, and the tests and scenarios that name it. For a ruling such as R6.42 or "
        "R-theft, print its text, the rules it serves and what names it. Without a number, list every rule."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the key of a ruleset and a rule number."""
        parser.add_argument("ruleset", help=f"key of a ruleset: {', '.join(rulebooks.keys())}")
        parser.add_argument(
            "number",
            nargs="?",
            help="rule number of the book, such as 6.41, or BT6.22 for the Beginner's Track sheet; or the id "
            "of a ruling, such as R6.42 or R-theft",
        )

    def handle(self, *args: object, **options: Any) -> None:
        """Print the sheet of one rule, or the list of all."""
        try:
            self.stdout.write("\n".join(_lines(options["ruleset"], options["number"])))
        except (rulebooks.UnknownRuleset, UnknownRule, MalformedRulebook) as error:
            raise CommandError(str(error)) from error


def _lines(key: str, number: str | None) -> Iterator[str]:
    """Yield the lines that answer what was asked."""
    if number is None:
        return _index(key)
    rulings = {ruling.casefold(): ruling for ruling in rulebooks.rulings_of(key)}
    if number.casefold() in rulings:
        return _ruling(key, rulings[number.casefold()])
    return _sheet(rulebooks.sheet_of(key, number))


def _ruling(key: str, ruling: str) -> Iterator[str]:
    """Yield the lines of one ruling."""
    found = rulebooks.rulings_of(key)[ruling]
    yield f"{ruling}  a ruling ({found.section})"
    yield ""
    yield textwrap.fill(found.text, WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield ""
    yield f"Serves {', '.join(rulebooks.book_of(key).served_by(ruling)) or 'no rule'}"
    yield ""
    witnesses = rulebooks.witnesses_of_ruling(key, ruling)
    yield "Tests and scenarios" if witnesses else "Tests and scenarios: none"
    yield from _witnesses(witnesses, "  ")


def _index(key: str) -> Iterator[str]:
    """Yield one line a rule."""
    for rule in rulebooks.book_of(key).rules.values():
        yield f"{rule.number:<7} {rule.status:<10} {rule.title}"


def _sheet(sheet: rulebooks.RuleSheet) -> Iterator[str]:
    """Yield the lines of one rule's sheet."""
    yield f"{sheet.number}  {sheet.title}"
    yield ""
    yield f"part    {sheet.part}"
    yield f"status  {sheet.status}"
    yield f"place   {sheet.place or 'no code: ' + _REASONS[sheet.status]}"
    if sheet.paraphrase:
        yield ""
        yield textwrap.indent(sheet.paraphrase, "  ")
    yield ""
    yield "Rulings" if sheet.rulings else "Rulings: none"
    for ruling in sheet.rulings:
        yield textwrap.fill(
            f"{ruling.id} ({ruling.section}): {ruling.text}",
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
        )
        yield from _witnesses(sheet.witnesses_of_rulings[ruling.id], "    ")
    yield ""
    yield "Tests and scenarios" if sheet.witnesses else "Tests and scenarios: none"
    yield from _witnesses(sheet.witnesses, "  ")


_REASONS = {
    "coded": "its function is missing",
    "table-talk": "it concerns people round a table, or is a heading",
    "not-yet": "it is still to come",
}


def _witnesses(witnesses: tuple[rulebooks.Witness, ...], indent: str) -> Iterator[str]:
    """Yield one line a test or scenario."""
    for witness in witnesses:
        yield f"{indent}{witness.place}  {witness.name}"
