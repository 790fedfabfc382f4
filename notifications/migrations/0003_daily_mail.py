import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('notifications', '0002_reminders'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='notice', name='notice_reminder_has_its_deadline'),
        migrations.RemoveConstraint(model_name='notice', name='notice_reminds_once'),
        migrations.RenameField(model_name='notice', old_name='deadline', new_name='moment'),
        migrations.AddField(
            model_name='notice',
            name='player',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='daily_notices', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='notice',
            name='outbox_event',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='games.outboxevent'),
        ),
        migrations.AlterField(
            model_name='notice',
            name='seat',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='games.seat'),
        ),
        migrations.AlterField(
            model_name='notice',
            name='occasion',
            field=models.CharField(choices=[('news', 'News'), ('half', 'Half'), ('last', 'Last'), ('daily', 'Daily')], default='news', max_length=10),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(condition=Q(('occasion__in', ['half', 'last'])), fields=('outbox_event', 'seat', 'channel', 'occasion', 'moment'), name='notice_reminds_once'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(condition=Q(('occasion', 'daily')), fields=('player', 'moment'), name='notice_daily_once'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(
                condition=(
                    Q(outbox_event__isnull=False, seat__isnull=False, player=None)
                    & (Q(occasion="news", moment=None) | Q(occasion__in=["half", "last"], moment__isnull=False))
                )
                | Q(occasion="daily", outbox_event=None, seat=None, player__isnull=False, moment__isnull=False),
                name="notice_is_whole",
            ),
        ),
        migrations.AddField(model_name='wishes', name='daily_hour', field=models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField(model_name='wishes', name='daily_at', field=models.DateTimeField(blank=True, null=True)),
        migrations.AddField(model_name='wishes', name='urgent_hours', field=models.PositiveSmallIntegerField(default=12)),
        migrations.AddField(model_name='wishes', name='is_mail_stopped', field=models.BooleanField(default=False)),
        migrations.AddConstraint(
            model_name='wishes',
            constraint=models.CheckConstraint(
                condition=Q(daily_hour=None, daily_at=None) | Q(daily_hour__lte=23, daily_at__isnull=False),
                name="wishes_daily_mail_has_its_hour",
            ),
        ),
        migrations.AddIndex(
            model_name='wishes',
            index=models.Index(fields=["daily_at"], condition=Q(daily_at__isnull=False), name="wishes_daily"),
        ),
    ]
