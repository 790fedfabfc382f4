"""`manage.py scenario FILE…`: run scenario files; the exit status is 0 only if all of them pass."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.runtime.scenarios.reading import MalformedScenario, Scenario, read_files
from games.runtime.scenarios.running import run
from games.runtime.scenarios.telling import told


class Command(BaseCommand):
    """Runs scenarios and tells what differed."""

    help = "Run scenario files (see tests/rulesets/README.md). Exit status 0 only if all pass."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files or folders, and which of their scenarios."""
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a scenario file, or a folder of them")
        parser.add_argument(
            "--id",
            action="append",
            default=[],
            metavar="A027",
            help="only this scenario, with its variants",
        )
        parser.add_argument("--story", action="store_true", help="tell what happened in scenarios that pass, too")
        parser.add_argument("--list", action="store_true", help="only list the scenarios")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read everything first: a fault in the last file is told before any scenario runs."""
        try:
            scenarios = _chosen(read_files(options["files"]), options["id"])
            if options["list"]:
                for scenario in scenarios:
                    self.stdout.write(f"{scenario.id:8} {', '.join(scenario.about)}  {scenario.title}")
                return
        except MalformedScenario as error:
            raise CommandError(str(error)) from error
        failed = self._run(scenarios, story=options["story"])
        if failed:
            raise CommandError(f"{failed} of {len(scenarios)} scenarios failed")
        self.stdout.write(self.style.SUCCESS(f"{len(scenarios)} scenario{'s' if len(scenarios) != 1 else ''} passed"))

    def _run(self, scenarios: list[Scenario], *, story: bool) -> int:
        """Run them; returns how many failed. One that cannot be used as written is told and counts as failed."""
        failed = 0
        for scenario in scenarios:
            try:
                result = run(scenario)
            except MalformedScenario as error:
                self.stdout.write(f"FAULT {error}")
                failed += 1
                continue
            failed += not result.passed
            if story or not result.passed:
                self.stdout.write(told(result, story=story))
        return failed


def _chosen(scenarios: list[Scenario], ids: list[str]) -> list[Scenario]:
    """The scenarios with these ids, a variant also by the id of the whole; all if no id is named."""
    if not ids:
        return scenarios
    chosen = [scenario for scenario in scenarios if scenario.id in ids or scenario.whole in ids]
    missing = [name for name in ids if all(name not in (scenario.id, scenario.whole) for scenario in chosen)]
    if missing:
        raise CommandError(f"no scenario here has the id {', '.join(missing)}")
    return chosen
