"""Clocks by calendars: what races agree about pauses, banks, absences and extensions, and the clocks of questions."""

from django.db import migrations, models
from django.db.models import Q


def clocks_of_open_questions(apps, schema_editor):
    """Questions that are open go on: their time has counted by the hour, so what is left of it is what was given."""
    Decision = apps.get_model("games", "Decision")
    Race = apps.get_model("games", "Race")
    for row in Decision.objects.select_related("race"):
        row.counts_from = row.opened_at
        row.left_s = max(0, int((row.due_at - row.opened_at).total_seconds()))
        if row.clock == "turn" and row.window is None:
            row.used_s = max(0, row.race.turn_minutes * 60 - row.left_s)
        row.save(update_fields=["counts_from", "left_s", "used_s"])
    for race in Race.objects.filter(status="running", turn_left_s__isnull=False):
        race.turn_used_s = max(0, race.turn_minutes * 60 - race.turn_left_s)
        race.save(update_fields=["turn_used_s"])


class Migration(migrations.Migration):
    """Races as before let pauses count, know no banks and no extensions."""

    dependencies = [("games", "0010_hosting")]

    operations = [
        migrations.AddField("race", "pause_cap_minutes", models.PositiveIntegerField(default=0)),
        migrations.AddField("race", "holidays_allowed", models.BooleanField(default=True)),
        migrations.AddField("race", "bank", models.JSONField(blank=True, null=True)),
        migrations.AddField("race", "absences_allowed", models.PositiveSmallIntegerField(default=2)),
        migrations.AddField("race", "substitutes", models.CharField(default="host", max_length=5)),
        migrations.AddField("race", "bot_takeover", models.BooleanField(default=False)),
        migrations.AddField("race", "extension_cap_minutes", models.PositiveIntegerField(default=0)),
        migrations.AddField("race", "paused_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("race", "turn_used_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("race", "turn_paused_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("seat", "bank_s", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("decision", "due_rule", models.CharField(blank=True, max_length=400)),
        migrations.AddField("decision", "counts_from", models.DateTimeField(null=True)),
        migrations.AddField("decision", "left_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("decision", "used_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("decision", "paused_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("decision", "extra_s", models.PositiveIntegerField(default=0)),
        migrations.AddField("decision", "extensions", models.JSONField(blank=True, default=list)),
        migrations.AddField("decision", "credits", models.JSONField(blank=True, default=list)),
        migrations.RunPython(clocks_of_open_questions, migrations.RunPython.noop),
        migrations.RemoveField("race", "turn_left_s"),
        migrations.AlterField("decision", "counts_from", models.DateTimeField()),
        migrations.AlterField("decision", "left_s", models.PositiveIntegerField()),
        migrations.AddConstraint(
            "race",
            models.CheckConstraint(name="race_substitutes_is_known", condition=Q(substitutes__in=["host", "first"])),
        ),
        migrations.AddConstraint(
            "race",
            models.CheckConstraint(
                name="race_pauses_only_while_it_runs", condition=Q(paused_at__isnull=True) | Q(status="running")
            ),
        ),
    ]
