"""`manage.py ledger_check`: does every line of a campaign's ledger come of its races' records and its purchases?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.management.progress import with_bar
from games.selectors.campaigns import campaigns_to_check, ledger_differences
from games.selectors.errors import CampaignUnknown


class Command(BaseCommand):
    """Makes ledgers anew by replaying every race that is over, and compares them line by line."""

    help = "Make every campaign's ledger anew from its races' records. Exit status 1 if a line differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which campaigns."""
        parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help="only these campaigns, by their ids")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check one campaign after another; each difference is named with its line."""
        try:
            campaigns = campaigns_to_check(public_ids=options["campaigns"])
        except CampaignUnknown as unknown:
            raise CommandError(unknown.text) from unknown
        differing = 0
        for campaign in with_bar(campaigns, "campaigns"):
            differences = ledger_differences(campaign=campaign)
            differing += bool(differences)
            for difference in differences:
                self.stdout.write(f"campaign {campaign.public_id}: {difference}")
        if differing:
            raise CommandError(f"Ledgers that differ from the records: {differing} of {len(campaigns)}.")
        self.stdout.write(self.style.SUCCESS(f"Ledgers checked: {len(campaigns)}. Each comes of its races' records."))
