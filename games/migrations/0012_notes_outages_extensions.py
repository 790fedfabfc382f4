"""Notes in logs, outages, and requests for more time."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0011_clocks'),
    ]

    operations = [
        migrations.AddField(
            model_name='race',
            name='has_notes',
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name='Outage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start', models.DateTimeField(unique=True)),
                ('end', models.DateTimeField()),
                ('noted_at', models.DateTimeField()),
                ('credited_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-start'],
                'constraints': [models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='outage_ends_after_it_begins')],
            },
        ),
        migrations.CreateModel(
            name='ExtensionAsk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField()),
                ('minutes', models.PositiveIntegerField()),
                ('key', models.CharField(max_length=100)),
                ('agreed', models.JSONField(default=list)),
                ('created_at', models.DateTimeField()),
                ('granted_at', models.DateTimeField(blank=True, null=True)),
                ('race', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='extension_asks', to='games.race')),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='extension_asks', to='games.seat')),
            ],
            options={
                'ordering': ['race', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('seat', 'key'), name='extension_ask_once'), models.UniqueConstraint(condition=models.Q(('granted_at__isnull', True)), fields=('seat', 'seq'), name='extension_ask_one_waits')],
            },
        ),
        migrations.CreateModel(
            name='RaceNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField()),
                ('turn', models.PositiveIntegerField(default=0)),
                ('key', models.CharField(max_length=200)),
                ('text', models.CharField(max_length=400)),
                ('at', models.DateTimeField()),
                ('race', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='games.race')),
            ],
            options={
                'ordering': ['race', 'seq', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('race', 'key'), name='race_note_once')],
            },
        ),
    ]
