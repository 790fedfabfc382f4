"""Lines that the server adds to a race's log."""

from datetime import datetime

from games.models import Race, RaceNote


def race_note(race: Race, *, key: str, text: str, now: datetime) -> bool:
    """Add a line to a locked race's log; False if one with this key is there already."""
    last = race.entries.order_by("-seq").values_list("turn", flat=True).first()
    _, is_new = RaceNote.objects.get_or_create(
        race=race, key=key, defaults={"seq": race.seq, "turn": last or 0, "text": text[:400], "at": now}
    )
    if is_new and not race.has_notes:
        race.has_notes = True
        race.save(update_fields=["has_notes"])
    return is_new
