"""The signals of the app of races."""

from django.dispatch import Signal

outbox_written = Signal()
"""Sent after a transaction that wrote outbox rows or left a bot's question open: a nudge, the rows are the truth.

Arguments: ``race_id`` (int), ``bots`` (bool: a bot's answer is due at once).
"""

campaign_due = Signal()
"""Sent after a transaction that drew the cars of a campaign's first race, or ended a race: a nudge for its campaign.

Argument: ``race_id`` (int), of any race; most belong to no campaign.
"""
