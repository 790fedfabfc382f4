"""When a race's host was last here; of races that are here already, the day of the update."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """One field."""

    dependencies = [("games", "0009_mail_waits")]

    operations = [
        migrations.AddField(
            "race",
            "host_seen_at",
            models.DateTimeField(default=django.utils.timezone.now),
            preserve_default=False,
        ),
    ]
