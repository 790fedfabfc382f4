"""What the commands that run races in memory share: which races, how many at once, a bar, the report."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from games.engine.contract import JSON
from games.engine.errors import ActionRefused
from games.management.progress import Bar
from games.runtime.rulesets import RULESETS, refuse_drivers


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers within bounds."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"{text} is no whole number from {least} to {most}")
        return int(text)

    return read


def named_option(text: str) -> tuple[str, JSON]:
    """A ruleset's option by name, its value as JSON where it can be read as such, else as a word."""
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise ArgumentTypeError(f"{text} is no option: write NAME=VALUE")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


class SimulationCommand(BaseCommand):
    """Base of the commands that run whole races in memory. ``figures`` explains what is reported, for --help."""

    figures: ClassVar[str]
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the lines of the explanation as they are."""
        parser = super().create_parser(prog_name, subcommand, epilog=self.figures, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races, and how many."""
        parser.add_argument("ruleset", help=f"key of a ruleset: {', '.join(RULESETS)}")
        parser.add_argument("--races", type=whole(1, 1_000_000), default=100, help="how many races (default 100)")
        parser.add_argument("--seats", type=whole(1, 100), default=6, help="drivers in each race (default 6)")
        parser.add_argument("--seed", type=whole(0, 2**63), default=1, help="the same seed gives the same races")
        parser.add_argument(
            "--sections", type=whole(1, 100), help="length of the course, where a ruleset has that option"
        )
        parser.add_argument("--components", help="a component set, where a ruleset has that option")
        parser.add_argument("--upgrades", help="draft or reverse_draft, where a ruleset has that option")
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            type=named_option,
            metavar="NAME=VALUE",
            help="any other option of the ruleset, such as track=beginner; may be given several times",
        )
        parser.add_argument("--jobs", type=whole(1, 64), default=1, help="processes that share the races (default 1)")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the races, with a bar on a terminal, and report."""
        report = self.report(race_options(options), options)
        self.stdout.write(json.dumps(report) if options["json"] else self.told(report))

    def report(self, race: dict[str, JSON], options: dict[str, Any]) -> dict[str, JSON]:
        """Run them and give the figures. ``race``: the ruleset's options, complete."""
        raise NotImplementedError

    def told(self, report: dict[str, JSON]) -> str:
        """The figures for people."""
        raise NotImplementedError

    def bar(self, races: int) -> Bar:
        """A bar over so many races."""
        return Bar(races, "races", sys.stderr)


def race_options(options: dict[str, Any]) -> dict[str, JSON]:
    """The options of each race, as the ruleset completes them; raises CommandError in the ruleset's own words."""
    key = options["ruleset"]
    if key not in RULESETS:
        raise CommandError(f"There is no ruleset {key}; there are {', '.join(RULESETS)}.")
    ruleset = RULESETS[key]
    wanted = {name: options.get(name) for name in ("sections", "components", "upgrades")}
    given = {name: value for name, value in wanted.items() if value is not None}
    given.update(options.get("option", ()))
    try:
        made = ruleset.options(given)
    except ActionRefused as refused:
        raise CommandError(str(refused)) from refused
    if refusal := refuse_drivers(ruleset, made, options["seats"]):
        raise CommandError(refusal)
    return made
