"""What accounts tell to whoever listens; accounts themselves know no races."""

from django.dispatch import Signal

calendar_changed = Signal()
"""Sent inside the transaction in which a player's quiet hours, days off or holidays change: ``user_id`` (int)."""
