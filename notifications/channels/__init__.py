"""The ways in which a notice can reach a player: one folder each, and one line each in CHANNELS."""

from typing import Final

from notifications.channels.base import Channel
from notifications.channels.email.channel import EmailChannel

CHANNELS: Final[dict[str, Channel]] = {
    channel.key: channel
    for channel in (
        EmailChannel(),
    )
}  # fmt: skip
