"""`manage.py simulate_calendar roadkill --races 200`: how many days a race takes among people with their own hours."""

import json
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from dataclasses import replace
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from games.engine.errors import ActionRefused
from games.management.commands.simulate import WIDTH, whole
from games.runtime import days_apart
from games.runtime.rulesets import RULESETS
from games.tempo.policies import DEFAULT as DEFAULT_POLICY
from games.tempo.policies import POLICIES
from games.tempo.tempos import DEFAULT, TEMPOS

FIGURES: Final = """
The same club drives the same number of races in two ways:
  everything  everybody is asked about everything, nothing is answered beforehand.
  ours        our defaults: what touches nobody is not asked, and a share of the drivers gives standing orders for
              reactions and plans turns. How people are modelled stands in games/runtime/days_apart.py.

What the figures mean:
  days_median, days_p90       length of a race in days: half of the races are shorter, nine in ten are.
  waits_a_turn                how often in a turn the race stood still until somebody looked.
  people_waited_for_a_turn    for how many people in all it then stood still.
  ratio                       days_median of ours by that of everything.
"""


def share(text: str) -> float:
    """A reader of parts from 0 to 1."""
    try:
        part = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no number") from error
    if not 0 <= part <= 1:
        raise ArgumentTypeError(f"{text} is no part from 0 to 1")
    return part


class Command(BaseCommand):
    """Days and waits of races among simulated people."""

    help = "Run races among simulated people who look at their mail at human hours, and report days and waits."
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the lines of the explanation as they are."""
        parser = super().create_parser(prog_name, subcommand, epilog=FIGURES, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races, and what people are like."""
        parser.add_argument("ruleset", help=f"key of a ruleset: {', '.join(RULESETS)}")
        parser.add_argument(
            "--races", type=whole(1, 100_000), default=100, help="how many races each way (default 100)"
        )
        parser.add_argument("--seats", type=whole(1, 100), default=6, help="people in each race (default 6)")
        parser.add_argument("--seed", type=whole(0, 2**63), default=1, help="the same seed gives the same figures")
        parser.add_argument(
            "--sections", type=whole(1, 100), help="length of the course, where a ruleset has that option"
        )
        parser.add_argument("--policy", choices=tuple(POLICIES), default=DEFAULT_POLICY, help="how windows close")
        parser.add_argument("--tempo", choices=tuple(TEMPOS), default=DEFAULT, help=f"clock (default {DEFAULT})")
        parser.add_argument(
            "--median-minutes",
            type=whole(1, 10_080),
            default=180,
            help="median of the time after which somebody looks at a new question (default 180)",
        )
        parser.add_argument(
            "--share",
            type=share,
            default=0.9,
            help="part of the drivers who give standing orders and plans in the second way (default 0.9)",
        )
        parser.add_argument("--jobs", type=whole(1, 64), default=1, help="processes that share the races (default 1)")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run both ways, with a bar on a terminal."""
        club = _club(options)
        report: dict[str, Any] = {
            name: options[name]
            for name in ("ruleset", "races", "seats", "seed", "policy", "tempo", "median_minutes", "share")
        }
        report["options"] = club.options
        done = 0

        def each() -> None:
            nonlocal done
            done += 1
            if self.stderr.isatty():
                both = len(days_apart.WAYS) * club.races
                full = WIDTH * done // both
                self.stderr.write(f"\r[{'#' * full}{'.' * (WIDTH - full)}] {done} of {both} races", ending="")
                self.stderr.flush()

        for way in days_apart.WAYS:
            report[way] = days_apart.figures(days_apart.races(replace(club, way=way), jobs=options["jobs"], each=each))
        report["ratio"] = round(report["ours"]["days_median"] / report["everything"]["days_median"], 3)
        if self.stderr.isatty():
            self.stderr.write("\r" + " " * (WIDTH + 30) + "\r", ending="")
        self.stdout.write(json.dumps(report) if options["json"] else _told(report))


def _club(options: dict[str, Any]) -> days_apart.Club:
    key = options["ruleset"]
    if key not in RULESETS:
        raise CommandError(f"There is no ruleset {key}; there are {', '.join(RULESETS)}.")
    ruleset = RULESETS[key]
    fewest, most = ruleset.seats
    if not fewest <= options["seats"] <= most:
        raise CommandError(f"{ruleset.title} is for {fewest} to {most} drivers.")
    try:
        complete = ruleset.options({} if options["sections"] is None else {"sections": options["sections"]})
    except ActionRefused as refused:
        raise CommandError(str(refused)) from refused
    return days_apart.Club(
        ruleset=key,
        seats=options["seats"],
        options=complete,
        seed=options["seed"],
        races=options["races"],
        policy=options["policy"],
        tempo=TEMPOS[options["tempo"]],
        median_minutes=options["median_minutes"],
        share=options["share"],
        way="ours",
    )


def _told(report: dict[str, Any]) -> str:
    """The report for people."""
    ours, everything = report["ours"], report["everything"]
    head = (
        f"{report['races']} races of {report['seats']} people, tempo {report['tempo']}, windows {report['policy']}; "
        f"people look after {report['median_minutes']} minutes (median)."
    )
    lines = [head, "", f"{'':34}{'everything':>12}{'ours':>12}"]
    lines += [f"{name.replace('_', ' '):34}{everything[name]:>12}{ours[name]:>12}" for name in ours]
    lines += ["", f"A race takes {report['ratio']} of the days."]
    return "\n".join(lines)
