"""Shared endpoints are told notes behind their last entry, too."""

from typing import Any, ClassVar

from django.db import migrations, models


def count_told_notes(apps: Any, schema_editor: Any) -> None:
    """What was noted before is not told anew: nobody can say of it whether it was."""
    del schema_editor
    notes = apps.get_model("games", "RaceNote").objects
    for row in apps.get_model("notifications", "Endpoint").objects.filter(is_shared=True):
        row.told_notes = notes.filter(race_id=row.race_id, seq=row.told_seq).count()
        row.save(update_fields=["told_notes"])


class Migration(migrations.Migration):
    """How many notes behind the last entry a shared endpoint was told."""

    dependencies: ClassVar[list[Any]] = [
        ("games", "0012_notes_outages_extensions"),
        ("notifications", "0006_replies"),
    ]

    operations: ClassVar[list[Any]] = [
        migrations.AddField(
            model_name="endpoint",
            name="told_notes",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunPython(count_told_notes, migrations.RunPython.noop),
    ]
