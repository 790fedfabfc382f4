"""Reply keys of mails that ask for a purchase."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0007_told_notes")]

    operations = [
        migrations.AddField(model_name="replykey", name="is_purchase", field=models.BooleanField(default=False)),
    ]
