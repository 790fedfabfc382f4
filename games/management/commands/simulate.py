"""`manage.py simulate roadkill --races 200 --seats 6`: races between bots, and what they say of bots and engine."""

import json
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from games.engine.errors import ActionRefused
from games.runtime.rulesets import BOT_TITLES, RULESETS
from games.runtime.simulation import MOST_TURNS, Plan, simulate

WIDTH: Final = 40
"""Letters of the progress bar."""
FIGURES: Final = """
What the figures mean:
  bot                 who drives: "driver" plays from its view to win; "random" gives any offered answer.
  finished            races with a result within turn_limit turns (--turns).
  answers             an action is one answer by one seat: the legal answers are enumerated, one of them is chosen and
                      applied through the public driver, and its events and draws are kept.
  seconds             spent in the engine: dealing, enumerating, applying. Starting Python and Django is not in it.
  actions_per_second  answers by these seconds, for one process. To set beside another engine's, take it with
                      --bot random: its player costs next to nothing, and the benches of other engines use one.
  bot_seconds         spent by the bots on their views and their thinking.
  actions_per_second_with_bots   answers by both.
"""


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader of whole numbers within bounds."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ArgumentTypeError(f"{text} is no whole number from {least} to {most}")
        return int(text)

    return read


class Command(BaseCommand):
    """Races between bots."""

    help = "Run whole races between bots and report how they went and how fast."
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the lines of the explanation as they are."""
        parser = super().create_parser(prog_name, subcommand, epilog=FIGURES, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races, how many, by whom."""
        parser.add_argument("ruleset", help=f"key of a ruleset: {', '.join(RULESETS)}")
        parser.add_argument("--races", type=whole(1, 1_000_000), default=100, help="how many races (default 100)")
        parser.add_argument("--seats", type=whole(1, 100), default=6, help="cars in each race (default 6)")
        parser.add_argument("--seed", type=whole(0, 2**63), default=1, help="the same seed gives the same races")
        parser.add_argument(
            "--sections", type=whole(1, 100), help="length of the course, where a ruleset has that option"
        )
        parser.add_argument("--components", help="a component set, where a ruleset has that option")
        parser.add_argument("--bot", choices=tuple(BOT_TITLES), default="driver", help="who drives (default driver)")
        parser.add_argument(
            "--turns",
            type=whole(1, 1_000_000),
            help="a race that takes more turns counts as unfinished "
            f"(default {MOST_TURNS['driver']} for driver, {MOST_TURNS['random']} for random)",
        )
        parser.add_argument("--jobs", type=whole(1, 64), default=1, help="processes that share the races (default 1)")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the races, with a bar on a terminal."""
        plan = _plan(options)
        bar = self._bar(plan.races) if self.stderr.isatty() else None
        report = simulate(plan, jobs=options["jobs"], each=bar or (lambda done: None))
        if bar is not None:
            self.stderr.write("\r" + " " * (WIDTH + 30) + "\r", ending="")
        self.stdout.write(json.dumps(report) if options["json"] else _told(report))

    def _bar(self, races: int) -> Callable[[int], None]:
        def show(done: int) -> None:
            full = WIDTH * done // races
            self.stderr.write(f"\r[{'#' * full}{'.' * (WIDTH - full)}] {done} of {races} races", ending="")
            self.stderr.flush()

        return show


def _plan(options: dict[str, Any]) -> Plan:
    """What was asked for, checked by the ruleset's own words."""
    key = options["ruleset"]
    if key not in RULESETS:
        raise CommandError(f"There is no ruleset {key}; there are {', '.join(RULESETS)}.")
    ruleset = RULESETS[key]
    fewest, most = ruleset.seats
    if not fewest <= options["seats"] <= most:
        raise CommandError(f"{ruleset.title} is for {fewest} to {most} drivers.")
    given = {name: options[name] for name in ("sections", "components") if options[name] is not None}
    try:
        complete = ruleset.options(given)
    except ActionRefused as refused:
        raise CommandError(str(refused)) from refused
    return Plan(
        ruleset=key,
        levels=(options["bot"],) * options["seats"],
        options=complete,
        seed=options["seed"],
        races=options["races"],
        most_turns=options["turns"] or MOST_TURNS[options["bot"]],
    )


def _told(report: dict[str, Any]) -> str:
    """The report for people."""
    endings = ", ".join(f"{reason} {count}" for reason, count in report["endings"].items()) or "none"
    winners = ", ".join(f"seat {seat}: {count}" for seat, count in report["winners_by_seat"].items())
    lines = (
        f"{report['races']} races of {report['seats']} cars, bot: {report['bot']}, seed {report['seed']}",
        f"finished   {report['finished']} within {report['turn_limit']} turns",
        f"turns      {report['turns']}; a race: mean {report['turns_mean']}, longest {report['turns_longest']}",
        f"endings    {endings}",
        f"winners    {winners}",
        f"wrecks     {report['wrecks']}",
        f"answers    {report['answers']}",
        f"engine     {report['seconds']} s: {report['actions_per_second']:,} actions/s a process",
        f"bots       {report['bot_seconds']} s: {report['actions_per_second_with_bots']:,} actions/s with theirs",
        f"in all     {report['wall_seconds']} s on {report['jobs']} process" + ("es" if report["jobs"] > 1 else ""),
    )
    return "\n".join(lines)
