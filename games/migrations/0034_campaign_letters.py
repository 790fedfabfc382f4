"""Kinds of rows of the outbox are whole words, and those of campaigns have two."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0033_teams")]

    operations = [
        migrations.AlterField(model_name="outboxevent", name="kind", field=models.CharField(max_length=20)),
    ]
