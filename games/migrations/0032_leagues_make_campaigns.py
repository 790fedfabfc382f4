"""Leagues make campaigns too: what a season makes, a fixture's campaign, how many races a result took."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def count_wins(apps: Any, schema_editor: Any) -> None:
    """Results that are there already are of single races: who came first has won one."""
    apps.get_model("games", "Result").objects.filter(place=1).update(races_won=1)


class Migration(migrations.Migration):
    """Fields and their constraints."""

    dependencies = [("games", "0031_guided_seats")]

    operations = [
        migrations.RemoveConstraint("fixture", "fixture_has_a_race_once_it_runs"),
        migrations.AddField(
            "fixture",
            "campaign",
            models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="league_fixture",
                to="games.campaign",
            ),
        ),
        migrations.AddField("result", "races", models.PositiveSmallIntegerField(default=1)),
        migrations.AddField("result", "races_won", models.PositiveSmallIntegerField(default=0)),
        migrations.RunPython(count_wins, migrations.RunPython.noop),
        migrations.AddField("season", "makes", models.CharField(default="races", max_length=10)),
        migrations.AddConstraint(
            "fixture",
            models.CheckConstraint(
                condition=models.Q(("race__isnull", False), ("status__in", ["running", "done"]))
                | models.Q(("campaign__isnull", False), ("status__in", ["running", "done"]))
                | models.Q(("status__in", ["planned", "void"])),
                name="fixture_has_a_race_once_it_runs",
            ),
        ),
        migrations.AddConstraint(
            "fixture",
            models.CheckConstraint(
                condition=models.Q(("race", None), ("campaign", None), _connector="OR"), name="fixture_is_one"
            ),
        ),
        migrations.AddConstraint(
            "result",
            models.CheckConstraint(
                condition=models.Q(("races_won__lte", models.F("races"))), name="result_won_is_a_part"
            ),
        ),
        migrations.AddConstraint(
            "season",
            models.CheckConstraint(
                condition=models.Q(("makes__in", ["races", "campaigns"])), name="season_makes_is_known"
            ),
        ),
    ]
