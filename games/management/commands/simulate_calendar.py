"""`manage.py simulate_calendar roadkill --races 200`: how many days a race takes among people with their own hours."""

from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import replace
from typing import Any, Final

from games.engine.contract import JSON
from games.management.simulating import SimulationCommand, whole
from games.runtime import days_apart
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


class Command(SimulationCommand):
    """Days and waits of races among simulated people."""

    help = "Run races among simulated people who look at their mail at human hours, and report days and waits."
    figures = FIGURES

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which races, and what people are like."""
        super().add_arguments(parser)
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

    def report(self, race: dict[str, JSON], options: dict[str, Any]) -> dict[str, JSON]:
        """Run both ways."""
        given = ("ruleset", "races", "seats", "seed", "policy", "tempo", "median_minutes", "share")
        report: dict[str, JSON] = {**{name: options[name] for name in given}, "options": race}
        club = days_apart.Club(
            **{**{name: options[name] for name in given}, "tempo": TEMPOS[options["tempo"]]}, options=race, way="ours"
        )
        bar = self.bar(len(days_apart.WAYS) * club.races)
        for way in days_apart.WAYS:
            done = days_apart.races(replace(club, way=way), jobs=options["jobs"], each=bar.step)
            report[way] = days_apart.figures(done)
        bar.clear()
        report["ratio"] = round(report["ours"]["days_median"] / report["everything"]["days_median"], 3)
        return report

    def told(self, report: dict[str, JSON]) -> str:
        """The report for people."""
        ours, everything = report["ours"], report["everything"]
        head = (
            f"{report['races']} races of {report['seats']} people, tempo {report['tempo']}, "
            f"windows {report['policy']}; people look after {report['median_minutes']} minutes (median)."
        )
        lines = [head, "", f"{'':34}{'everything':>12}{'ours':>12}"]
        lines += [f"{name.replace('_', ' '):34}{everything[name]:>12}{ours[name]:>12}" for name in ours]
        lines += ["", f"A race takes {report['ratio']} of the days."]
        return "\n".join(lines)
