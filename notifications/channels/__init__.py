"""The ways in which a notice can reach a player: one folder each, and one line each in CHANNELS.

Their order is that in which they are tried when a deadline nears and the one before did not get through.
"""

from typing import Final

from notifications.channels.base import Channel
from notifications.channels.email.channel import EmailChannel
from notifications.channels.push.channel import PushChannel
from notifications.channels.webhook.channel import WebhookChannel

CHANNELS: Final[dict[str, Channel]] = {
    channel.key: channel
    for channel in (
        EmailChannel(),
        WebhookChannel(),
        PushChannel(),
    )
}  # fmt: skip
