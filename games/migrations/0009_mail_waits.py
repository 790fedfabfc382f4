"""A row of the outbox may wait, and a receipt says how its act came."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two fields."""

    dependencies = [("games", "0008_standing_orders_and_plans")]

    operations = [
        migrations.AddField("outboxevent", "not_before", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "receipt", "origin", models.CharField(blank=True, default="", max_length=10), preserve_default=False
        ),
    ]
