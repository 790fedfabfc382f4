"""Two seats may drive one car: each notes its car and what it is to it, and races take twice as many drivers."""

from typing import ClassVar

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q


def car_is_number(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """So far every driver has had a car of their own."""
    apps.get_model("games", "Seat").objects.filter(number__isnull=False).update(car=F("number"))


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("games", "0032_leagues_make_campaigns")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.AddField("seat", "car", models.PositiveSmallIntegerField(null=True, blank=True)),
        migrations.AddField("seat", "part", models.CharField(max_length=20, blank=True, default="")),
        migrations.AddField(
            "seat",
            "partner_wish",
            models.ForeignKey("games.Seat", models.SET_NULL, null=True, blank=True, related_name="+"),
        ),
        migrations.RunPython(car_is_number, migrations.RunPython.noop),
        migrations.RemoveConstraint("seat", "seat_number_is_a_car"),
        migrations.AddConstraint(
            "seat",
            models.CheckConstraint(
                name="seat_number_is_a_place",
                condition=Q(number__isnull=True) | Q(number__gte=1, number__lte=20),
            ),
        ),
        migrations.RemoveConstraint("race", "race_has_seats"),
        migrations.AddConstraint(
            "race",
            models.CheckConstraint(name="race_has_seats", condition=Q(seats_wanted__gte=1, seats_wanted__lte=20)),
        ),
    ]
