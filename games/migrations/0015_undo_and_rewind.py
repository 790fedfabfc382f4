import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0014_absences_and_substitutes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='back',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='entry',
            name='by',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='entry',
            name='may_undo',
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='seat',
            name='driver_seq',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.CreateModel(
            name='RewindAsk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('to_seq', models.PositiveIntegerField()),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('key', models.CharField(max_length=100)),
                ('agreed', models.JSONField(default=list)),
                ('asked_at', models.DateTimeField()),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('done_seq', models.PositiveIntegerField(blank=True, null=True)),
                ('void', models.CharField(blank=True, max_length=300)),
                ('host', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('race', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rewind_asks', to='games.race')),
            ],
            options={
                'ordering': ['race', '-pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='rewindask',
            constraint=models.UniqueConstraint(fields=('race', 'key'), name='rewind_ask_once'),
        ),
        migrations.AddConstraint(
            model_name='rewindask',
            constraint=models.UniqueConstraint(condition=models.Q(('done_at__isnull', True), ('void', '')), fields=('race',), name='rewind_ask_one_waits'),
        ),
    ]
