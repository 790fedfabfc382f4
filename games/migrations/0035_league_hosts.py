"""When a league's host was last there, and from whom it was taken over; of leagues that are here, the day of the update.
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Three fields."""

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("games", "0034_campaign_letters"),
    ]

    operations = [
        migrations.AddField(
            "league",
            "host_seen_at",
            models.DateTimeField(default=django.utils.timezone.now),
            preserve_default=False,
        ),
        migrations.AddField("league", "taken_over_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "league",
            "taken_from",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            "league",
            models.CheckConstraint(
                condition=models.Q(("taken_from", None), ("taken_over_at", None))
                | models.Q(("taken_from__isnull", False), ("taken_over_at__isnull", False)),
                name="league_taken_over_from_somebody",
            ),
        ),
    ]
