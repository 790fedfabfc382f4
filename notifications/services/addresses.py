"""Addresses that refused our mail for good: closing them, and opening them again."""

from datetime import datetime

from django.db import transaction

from notifications.models import ClosedAddress


@transaction.atomic
def address_close(*, channel: str, address: str, detail: str, at: datetime) -> None:
    """Send nothing more there; the first reason stands."""
    row = ClosedAddress(channel=channel, address=address.lower(), detail=detail[:500], closed_at=at)
    ClosedAddress.objects.bulk_create([row], ignore_conflicts=True)


@transaction.atomic
def address_open(*, channel: str, address: str) -> bool:
    """Send there again, from the next notice on; False if the address was not closed."""
    return ClosedAddress.objects.filter(channel=channel, address__iexact=address).delete()[0] > 0
