"""Mails that come in: the keys by which they act, each mail with what became of it, and how far a mailbox was read.

ReplyKey, InboundMail, PolledFolder.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

DIGEST_LENGTH = 64
MESSAGE_ID_LENGTH = 250


class ReplyKey(models.Model):
    """A reply address that was put into one mail: it acts for one seat, and answers one question.

    Of the key only its keyed hash is kept (notifications.inbound.address). ``decision_id`` and ``position``: the
    question of that mail, 0 in a mail that asked none; ``is_purchase``: it is a campaign's Purchase. ``player``: to
    whom the mail went; a seat may pass on.
    """

    seat = models.ForeignKey("games.Seat", on_delete=models.CASCADE, related_name="reply_keys")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reply_keys")
    decision_id = models.BigIntegerField(default=0)
    is_purchase = models.BooleanField(default=False)
    position = models.PositiveIntegerField(default=0)
    key_hash = models.CharField(max_length=DIGEST_LENGTH, unique=True)
    # The mail that it stands in, for programs that answer to the sender and leave Reply-To aside.
    message_id = models.CharField(max_length=MESSAGE_ID_LENGTH, db_index=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        """Row and seat; of the key itself nothing is known."""
        return f"reply key {self.pk} of seat {self.seat_id}"


class InboundState(models.TextChoices):
    """Where a mail stands; stored and held may still change by themselves or by their player."""

    STORED = "stored"
    HELD = "held"
    DONE = "done"
    REFUSED = "refused"
    IGNORED = "ignored"
    FAILED = "failed"


class AnswerState(models.TextChoices):
    """Whether a mail is answered, and how that ended."""

    NONE = "none"
    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    WITHHELD = "withheld"
    FAILED = "failed"


class Way(models.TextChoices):
    """By which door a mail came."""

    LMTP = "lmtp"
    SMTP = "smtp"
    IMAP = "imap"
    WEBHOOK = "webhook"
    PAGE = "page"


class InboundMail(models.Model):
    """One mail as it came, kept before anything else is done with it, and what became of it.

    ``raw``: its bytes, NULL once they have been deleted. ``envelope_sender``: NULL where the way in does not tell it.
    ``kind``: of notifications.inbound.kinds. ``reason``: why it is in its state, for the operator. ``report``: what the
    answer says of each line (notifications.services.replies.reports). ``own_digest``: of the sender's own lines.
    """

    came_by = models.CharField(max_length=10, choices=Way.choices)
    came_at = models.DateTimeField()
    raw = models.BinaryField(null=True, blank=True)
    size = models.PositiveIntegerField()
    digest = models.CharField(max_length=DIGEST_LENGTH, unique=True)
    message_id = models.CharField(max_length=MESSAGE_ID_LENGTH, blank=True)
    envelope_sender = models.CharField(max_length=320, null=True, blank=True)  # noqa: DJ001  ("" is the null sender)
    envelope_recipients = models.JSONField(default=list, blank=True)

    state = models.CharField(max_length=10, choices=InboundState.choices, default=InboundState.STORED)
    reason = models.CharField(max_length=300, blank=True)
    kind = models.CharField(max_length=20, blank=True)
    sender = models.CharField(max_length=320, blank=True)
    key = models.ForeignKey(ReplyKey, on_delete=models.SET_NULL, null=True, blank=True, related_name="mails")
    seat = models.ForeignKey("games.Seat", on_delete=models.SET_NULL, null=True, blank=True, related_name="mails_in")
    # When its player said by a link that it is theirs, or the operator did.
    confirmed_at = models.DateTimeField(null=True, blank=True)
    own_digest = models.CharField(max_length=DIGEST_LENGTH, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    acted_at = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(null=True, blank=True)

    answer_state = models.CharField(max_length=10, choices=AnswerState.choices, default=AnswerState.NONE)
    answer_to = models.CharField(max_length=320, blank=True)
    answer_message_id = models.CharField(max_length=MESSAGE_ID_LENGTH, blank=True, db_index=True)
    answer_attempts = models.PositiveSmallIntegerField(default=0)
    answer_due_at = models.DateTimeField(null=True, blank=True)
    answer_detail = models.CharField(max_length=500, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["message_id"], condition=~Q(message_id=""), name="inbound_message_id_once"),
            models.CheckConstraint(condition=Q(state__in=InboundState.values), name="inbound_state_is_known"),
            models.CheckConstraint(condition=Q(answer_state__in=AnswerState.values), name="inbound_answer_is_known"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["due_at"], condition=Q(state="stored"), name="inbound_to_be_taken"),
            models.Index(
                fields=["answer_due_at"],
                condition=Q(answer_state__in=["pending", "sending"]),
                name="inbound_to_be_answered",
            ),
            models.Index(fields=["sender", "answered_at"], name="inbound_by_sender"),
        ]

    def __str__(self) -> str:
        """Row and state: whose it is stands in its fields."""
        return f"mail {self.pk}: {self.state}"


class PolledFolder(models.Model):
    """How far a polled mailbox has been read. A UID means something within one UIDVALIDITY (RFC 3501, 2.3.1.1)."""

    place = models.CharField(max_length=300, unique=True)
    uidvalidity = models.BigIntegerField()
    last_uid = models.BigIntegerField(default=0)
    polled_at = models.DateTimeField()

    def __str__(self) -> str:
        """The place, which names host and folder."""
        return self.place
