"""`manage.py simulate_campaign roadkill --seed 3 --json`: a campaign of bots to its winner, by the real services."""

import json
import sys
from argparse import ArgumentParser
from time import perf_counter
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from games.engine.contract import JSON
from games.engine.errors import ActionRefused
from games.management.progress import Bar
from games.management.simulating import race_options, whole
from games.management.tables import tables_ready
from games.runtime.campaigns import rules_of
from games.runtime.rulesets import BOT_TITLES, RULESETS
from games.selectors.campaigns import campaign_shown
from games.services.campaign_simulated import campaign_simulate

SHOWN: Final = ("car", "name", "points", "upgrades", "scores", "wins")


class Command(BaseCommand):
    """Writes a campaign into the database at hand; ledger_check can look at it afterwards."""

    help = "Run a campaign between bots to its end, through the services and the ledger. Its rows stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which game, how many cars."""
        parser.add_argument("ruleset", help=f"key of a ruleset: {', '.join(RULESETS)}")
        parser.add_argument("--seats", type=whole(1, 100), default=6, help="cars (default 6)")
        parser.add_argument("--seed", type=whole(0, 2**63), default=1, help="the same seed gives the same campaign")
        parser.add_argument("--bot", choices=tuple(BOT_TITLES), default="driver", help="who drives (default driver)")
        parser.add_argument("--sections", type=whole(1, 100), help="length of the course, where a ruleset has it")
        parser.add_argument("--components", help="a component set, where a ruleset has that option")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run it, with a bar on a terminal that shows how near the leader is to the goal, and report."""
        race = race_options(options)
        rules = rules_of(options["ruleset"])
        if rules is None:
            raise CommandError(f"{RULESETS[options['ruleset']].title} has no campaign.")
        tables_ready()
        bar = Bar(rules.goal, "points of the leader", sys.stderr)
        begun = perf_counter()

        def step(_number: int, leading: int) -> None:
            bar.done = min(rules.goal, leading)
            bar.show()

        bar.show()
        try:
            campaign = campaign_simulate(
                ruleset=options["ruleset"],
                seed=options["seed"],
                seats=options["seats"],
                bot=options["bot"],
                options=race,
                each=step,
            )
        except ActionRefused as refused:
            raise CommandError(refused.text) from refused
        finally:
            bar.clear()
        shown = campaign_shown(campaign=campaign)
        report = {
            "campaign": shown["id"],
            "ruleset": shown["ruleset"],
            "seed": options["seed"],
            "bot": options["bot"],
            "options": shown["options"],
            "races": len(shown["races"]),
            "winners": [one["winner"] for one in shown["races"]],
            "winner": shown["winner"],
            "standings": [{key: line[key] for key in SHOWN} for line in shown["standings"]],
            "seconds": round(perf_counter() - begun, 3),
        }
        self.stdout.write(json.dumps(report) if options["json"] else told(report))


def told(report: dict[str, JSON]) -> str:
    """The report for people."""
    winner = report["winner"]
    made = f"campaign {report['campaign']}: {report['races']} races of {len(report['standings'])} cars"
    lines = [
        f"{made}, bot: {report['bot']}, seed {report['seed']}, {report['seconds']} s",
        f"{winner['name']} (car {winner['car']}) has won.",
    ]
    lines += [
        f"{line['points']:>4}  car {line['car']:<2}  {line['name']:<10}  wins {line['wins']}  "
        f"{' '.join(line['upgrades']) or '-'}"
        for line in report["standings"]
    ]
    return "\n".join(lines)
