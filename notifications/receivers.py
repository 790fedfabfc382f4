"""What happens when games says that the outbox has something: the worker is nudged."""

import logging

from kombu.exceptions import OperationalError

from notifications.tasks import dispatch_outbox

logger = logging.getLogger(__name__)


def worker_nudge(**_signal: object) -> None:
    """Ask the worker to look into the outbox now.

    The broker may be away: the act is committed all the same, and the sweep looks within a minute.
    """
    try:
        dispatch_outbox.apply_async(retry=False)
    except OperationalError as away:
        logger.warning("The broker did not take a nudge: %s", away)
