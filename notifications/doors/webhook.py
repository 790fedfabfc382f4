"""Mail that a provider posts. Django-anymail has checked who posts it; its bytes are kept like any other's."""

import logging
from email import policy
from typing import Any

from notifications.inbound.message import PARSER_ERRORS
from notifications.reply_models import Way
from notifications.services.replies.keeping import MailTooLarge, mail_keep

logger = logging.getLogger(__name__)


def mail_posted(*, event: Any, esp_name: str, **_signal: object) -> None:
    """Keep the mail of an inbound event of anymail's; the provider posts again what is not answered with 200.

    Never the provider's own "stripped" text: what is quoted is found by our own traces.
    """
    message = event.message
    try:
        raw = message.as_bytes(policy=policy.compat32.clone(linesep="\r\n"))
    except PARSER_ERRORS:
        # It would be posted again for days, and would never be anything else.
        logger.exception("A mail posted by %s has no bytes that could be kept", esp_name)
        return
    sender, recipient = message.envelope_sender, message.envelope_recipient
    try:
        kept = mail_keep(
            raw=raw,
            came_by=Way.WEBHOOK,
            envelope_sender=sender,
            envelope_recipients=[recipient] if recipient else [],
        )
    except MailTooLarge as large:
        logger.warning("A mail posted by %s was not kept: %s", esp_name, large)
        return
    logger.info("Mail %s %s by %s", kept.mail_id, "kept" if kept.is_new else "came again", esp_name)
