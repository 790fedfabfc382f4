"""The one signal of the app of races."""

from django.dispatch import Signal

outbox_written = Signal()
"""Sent after a transaction that wrote outbox rows or left a bot's question open: a nudge, the rows are the truth.

Arguments: ``race_id`` (int), ``bots`` (bool: a bot's answer is due at once).
"""
