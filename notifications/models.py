"""What is to be told to whom, each try to tell it, and who wants to hear what.

Notice, Attempt, ClosedAddress, Pause, Wishes, CalendarEntry, Endpoint.

A notice stores which row of the outbox it tells and to which seat, never its text: it is rendered when it is
sent, for that one viewer.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

import notifications.reply_models  # noqa: F401  (mails that come in have rows of their own)

KIND_LENGTH = 20
URGENT_HOURS = 12
ADDRESS_LENGTH = 254
"""Longest mail address (RFC 5321, 4.5.3.1.3)."""


class NoticeState(models.TextChoices):
    """Where a notice stands; pending and sending may still change."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    BOUNCED = "bounced"
    DROPPED = "dropped"


class Occasion(models.TextChoices):
    """Why a notice is made.

    Something happened; half or nine tenths of the time to answer have gone by; it is the hour of the daily mail; a
    race's public log has new lines for a shared endpoint; an endpoint's owner wants to see whether it works.
    """

    NEWS = "news"
    HALF = "half"
    LAST = "last"
    DAILY = "daily"
    STORY = "story"
    TRIAL = "trial"


REMINDERS = (Occasion.HALF, Occasion.LAST)


class Notice(models.Model):
    """One thing to tell one seat by one channel; or one player, by name, what comes of no single event.

    ``moment``: for a reminder the deadline that it speaks of, since a question that is put off has new ones; for what
    comes of no event the time that it is for. ``endpoint``: where, of a channel that has them. ``is_fallback``: made
    because another channel did not get through, whatever is switched off.
    """

    outbox_event = models.ForeignKey(
        "games.OutboxEvent", on_delete=models.CASCADE, null=True, blank=True, related_name="notices"
    )
    seat = models.ForeignKey("games.Seat", on_delete=models.CASCADE, null=True, blank=True, related_name="notices")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="notices_by_name"
    )
    endpoint = models.ForeignKey(
        "notifications.Endpoint", on_delete=models.CASCADE, null=True, blank=True, related_name="notices"
    )
    is_fallback = models.BooleanField(default=False)
    channel = models.CharField(max_length=KIND_LENGTH)
    occasion = models.CharField(max_length=10, choices=Occasion.choices, default=Occasion.NEWS)
    moment = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=NoticeState.choices, default=NoticeState.PENDING)
    # Made with the row and kept, so that a second try is the same mail to every mailbox.
    message_id = models.CharField(max_length=200, unique=True)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    # Not before this time.
    due_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    # Why it was dropped or given up, for the player's delivery log.
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["outbox_event", "seat", "channel"],
                condition=Q(occasion="news", endpoint=None),
                name="notice_once",
            ),
            models.UniqueConstraint(
                fields=["outbox_event", "seat", "endpoint"],
                condition=Q(occasion="news", endpoint__isnull=False),
                name="notice_once_an_endpoint",
            ),
            models.UniqueConstraint(
                fields=["outbox_event", "seat", "channel", "occasion", "moment"],
                condition=Q(occasion__in=["half", "last"], endpoint=None),
                name="notice_reminds_once",
            ),
            models.UniqueConstraint(
                fields=["outbox_event", "seat", "endpoint", "occasion", "moment"],
                condition=Q(occasion__in=["half", "last"], endpoint__isnull=False),
                name="notice_reminds_once_an_endpoint",
            ),
            models.UniqueConstraint(
                fields=["player", "moment"], condition=Q(occasion="daily"), name="notice_daily_once"
            ),
            models.CheckConstraint(
                condition=(
                    Q(outbox_event__isnull=False, seat__isnull=False, player=None)
                    & (Q(occasion="news", moment=None) | Q(occasion__in=["half", "last"], moment__isnull=False))
                )
                | (
                    Q(outbox_event=None, seat=None, player__isnull=False, moment__isnull=False)
                    & (Q(occasion="daily", endpoint=None) | Q(occasion__in=["story", "trial"], endpoint__isnull=False))
                ),
                name="notice_is_whole",
            ),
            models.CheckConstraint(condition=Q(state__in=NoticeState.values), name="notice_state_is_known"),
            models.CheckConstraint(
                condition=Q(sent_at=None) | Q(state=NoticeState.SENT),
                name="notice_sent_has_its_time",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=[NoticeState.PENDING, NoticeState.SENDING]),
                name="notice_open",
            ),
        ]

    def __str__(self) -> str:
        """Row, channel and state."""
        return f"notice {self.pk} by {self.channel}: {self.state}"


class AttemptResult(models.TextChoices):
    """How a try ended."""

    SENT = "sent"
    TRANSIENT = "transient"
    PERMANENT = "permanent"
    DROPPED = "dropped"
    ERROR = "error"


class Attempt(models.Model):
    """One try to deliver a notice.

    Written once, when the try has ended; a try that a crash cut short has none.
    """

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    address = models.CharField(max_length=ADDRESS_LENGTH, blank=True)
    result = models.CharField(max_length=10, choices=AttemptResult.choices)
    # What the other side said, or why nothing was sent.
    detail = models.CharField(max_length=500, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(result__in=AttemptResult.values), name="attempt_result_is_known"),
        ]
        ordering: ClassVar[list[str]] = ["started_at", "pk"]

    def __str__(self) -> str:
        """Number and result."""
        return f"try {self.number} of {self.notice_id}: {self.result}"


class ClosedAddress(models.Model):
    """An address that refused a mail for good.

    Nothing is sent there until its owner says that it works again.
    """

    channel = models.CharField(max_length=KIND_LENGTH)
    address = models.CharField(max_length=ADDRESS_LENGTH)
    detail = models.CharField(max_length=500, blank=True)
    closed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint("channel", Lower("address"), name="closed_address_once"),
        ]
        verbose_name_plural = "closed addresses"

    def __str__(self) -> str:
        """Channel only: an address is nobody's business."""
        return f"closed address {self.pk} of {self.channel}"


class Pause(models.Model):
    """No mail about this seat's race to this address, by the wish of whoever reads it.

    It never touches the seat itself.
    """

    seat = models.ForeignKey("games.Seat", on_delete=models.CASCADE, related_name="mail_pauses")
    address = models.CharField(max_length=ADDRESS_LENGTH)
    since = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint("seat", Lower("address"), name="pause_once"),
        ]

    def __str__(self) -> str:
        """The seat."""
        return f"mail pause of seat {self.seat_id}"


class Wishes(models.Model):
    """What one player wants to be told. Whoever has no row has the defaults.

    ``daily_hour``: the hour, in the player's own zone, of one mail a day in place of single ones; ``daily_at``: when
    the next one is made. ``urgent_hours``: what has to be answered within so many hours is mailed by itself even so.
    """

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="wishes")
    reminders = models.BooleanField(default=True)
    daily_hour = models.PositiveSmallIntegerField(null=True, blank=True)
    daily_at = models.DateTimeField(null=True, blank=True)
    urgent_hours = models.PositiveSmallIntegerField(default=URGENT_HOURS)
    # No mail of any race; questions wait on the pages.
    is_mail_stopped = models.BooleanField(default=False)
    # Kinds of notices that are not mailed.
    mail_kinds_off = models.JSONField(default=list, blank=True)
    # Counts the addresses that the calendar of deadlines has had; only the last one shows anything.
    calendar_number = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(daily_hour=None, daily_at=None) | Q(daily_hour__lte=23, daily_at__isnull=False),
                name="wishes_daily_mail_has_its_hour",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["daily_at"], condition=Q(daily_at__isnull=False), name="wishes_daily"),
        ]
        verbose_name_plural = "wishes"

    def __str__(self) -> str:
        """Whose."""
        return f"wishes of player {self.player_id}"


class CalendarEntry(models.Model):
    """What a player's calendar program was told of one deadline.

    ``sequence`` grows with each change that it is told (RFC 5545, 3.8.7.4). ``is_cancelled``: it was answered.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calendar_entries")
    decision_id = models.BigIntegerField()
    race_name = models.CharField(max_length=60)
    due_at = models.DateTimeField()
    sequence = models.PositiveIntegerField(default=0)
    is_cancelled = models.BooleanField(default=False)
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "decision_id"], name="calendar_entry_once"),
        ]
        verbose_name_plural = "calendar entries"

    def __str__(self) -> str:
        """Whose, and which."""
        return f"calendar entry {self.pk} of player {self.player_id}"


class Endpoint(models.Model):
    """A webhook or a browser at which a player wants to be told; or, shared, one that follows a race's public log.

    ``form``: the shape of what a webhook is told: generic, discord, slack. ``secret``: what signs a webhook's messages,
    or the secret that a browser gave; ``browser_key``: its public key. ``kinds_off``, ``races_off``: what is not told
    here. ``is_shared``: others read it too, so it is told what everybody may know of ``race``, after entry ``told_seq``
    of its record and the first ``told_notes`` of what was noted behind it. ``closed_at``: since when nothing is sent,
    for the reason in ``closed_detail``.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="endpoints")
    channel = models.CharField(max_length=KIND_LENGTH)
    form = models.CharField(max_length=10, blank=True)
    label = models.CharField(max_length=60)
    address = models.CharField(max_length=1000)
    secret = models.CharField(max_length=100)
    browser_key = models.CharField(max_length=100, blank=True)
    kinds_off = models.JSONField(default=list, blank=True)
    races_off = models.ManyToManyField("games.Race", blank=True, related_name="+")
    is_shared = models.BooleanField(default=False)
    race = models.ForeignKey("games.Race", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    told_seq = models.IntegerField(default=-1)
    told_notes = models.PositiveIntegerField(default=0)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_detail = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["player", "address"], name="endpoint_once"),
            models.CheckConstraint(
                condition=Q(is_shared=False, race=None) | Q(is_shared=True, race__isnull=False, channel="webhook"),
                name="endpoint_shared_follows_a_race",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["race"], condition=Q(is_shared=True, closed_at=None), name="endpoint_follows"),
        ]

    def __str__(self) -> str:
        """Its label: the address itself is a secret."""
        return f"{self.label} ({self.channel})"
