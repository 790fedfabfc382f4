"""`manage.py simulate roadkill --races 200 --seats 6`: races between bots, and what they say of bots and engine."""

from argparse import ArgumentParser
from typing import Any, Final

from games.engine.contract import JSON
from games.management.simulating import SimulationCommand, whole
from games.runtime.rulesets import BOT_TITLES
from games.runtime.simulation import MOST_TURNS, Plan, simulate

FIGURES: Final = """
What the figures mean:
  bot                 who drives: "driver" plays from its view to win; "random" gives any offered answer.
  winners_by_bot      races won by each kind of bot, with --against.
  finished            races with a result within turn_limit turns (--turns).
  turns_…             how long the races were, from the shortest to the longest.
  wrecks_by_rule      how often each rule has wrecked a car, or eliminated a vehicle where a seat has several.
  answers             an action is one answer by one seat: the legal answers are enumerated, one of them is chosen and
                      applied through the public driver, and its events and draws are kept.
  seconds             spent in the engine: dealing, enumerating, applying. Starting Python and Django is not in it.
  actions_per_second  answers by these seconds, for one process. To set beside another engine's, take it with
                      --bot random: its player costs next to nothing, and the benches of other engines use one.
  bot_seconds         spent by the bots on their views and their thinking.
  actions_per_second_with_bots   answers by both.
"""


class Command(SimulationCommand):
    """Races between bots."""

    help = "Run whole races between bots and report how they went and how fast."
    figures = FIGURES

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races, and by whom."""
        super().add_arguments(parser)
        parser.add_argument("--bot", choices=tuple(BOT_TITLES), default="driver", help="who drives (default driver)")
        parser.add_argument(
            "--against",
            choices=tuple(BOT_TITLES),
            help="another bot for every second seat; the two change seats from race to race",
        )
        parser.add_argument(
            "--turns",
            type=whole(1, 1_000_000),
            help="a race that takes more turns counts as unfinished "
            f"(default {MOST_TURNS['driver']} for driver, {MOST_TURNS['random']} for random)",
        )

    def report(self, race: dict[str, JSON], options: dict[str, Any]) -> dict[str, JSON]:
        """Run the races of one plan."""
        other = options["against"] or options["bot"]
        levels = tuple(other if seat % 2 else options["bot"] for seat in range(options["seats"]))
        plan = Plan(
            ruleset=options["ruleset"],
            levels=levels,
            options=race,
            seed=options["seed"],
            races=options["races"],
            most_turns=options["turns"] or max(MOST_TURNS[level] for level in levels),
        )
        bar = self.bar(plan.races)
        report = simulate(plan, jobs=options["jobs"], each=bar.step)
        bar.clear()
        return report

    def told(self, report: dict[str, JSON]) -> str:
        """The report for people."""
        endings = ", ".join(f"{reason} {count}" for reason, count in report["endings"].items()) or "none"
        bots = ", ".join(f"{level} {count}" for level, count in report["winners_by_bot"].items())
        winners = ", ".join(f"seat {seat}: {count}" for seat, count in report["winners_by_seat"].items())
        wrecks = ", ".join(f"by {rule} {count}" for rule, count in report["wrecks_by_rule"].items())
        lines = (
            f"{report['races']} races of {report['seats']} cars, bot: {report['bot']}, seed {report['seed']}",
            f"finished   {report['finished']} within {report['turn_limit']} turns",
            f"turns      {report['turns']}; a race: mean {report['turns_mean']}, longest {report['turns_longest']}",
            f"endings    {endings}",
            f"winners    {winners}; by bot: {bots or 'none'}",
            f"wrecks     {report['wrecks']}{wrecks and f': {wrecks}'}",
            f"answers    {report['answers']}",
            f"engine     {report['seconds']} s: {report['actions_per_second']:,} actions/s a process",
            f"bots       {report['bot_seconds']} s: {report['actions_per_second_with_bots']:,} actions/s with theirs",
            f"in all     {report['wall_seconds']} s on {report['jobs']} process" + ("es" if report["jobs"] > 1 else ""),
        )
        return "\n".join(lines)
