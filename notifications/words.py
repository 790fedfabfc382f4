"""Plain words for kinds and states of notices."""

from typing import Final

KIND_WORDS: Final = {
    "invited": "invitation",
    "started": "the race has started",
    "turn": "your turn",
    "question": "a question to you",
    "purchase": "you may buy an upgrade",
    "purchase_lapsed": "your purchase was not answered in time",
    "campaign_started": "a campaign has started",
    "campaign_paused": "a campaign is paused",
    "campaign_resumed": "a campaign goes on",
    "campaign_closed": "a campaign is closed",
    "campaign_over": "a campaign is won",
    "campaign_left": "a driver has dropped out of a campaign",
    "campaign_lost": "a bot drives your car in a campaign",
    "reminder": "a reminder of what waits",
    "lapsed": "your answer did not come in time",
    "finished": "the race is over",
    "cancelled": "the race was called off",
    "seat_gone": "a driver was away",
    "seat_offered": "your seat is offered to others",
    "seat_claimed": "a seat has found a driver",
    "seat_taken": "your seat was taken over",
    "seat_lost": "a seat was taken back",
    "declined": "an invitation was declined",
    "host_new": "you host the race now",
    "host_lost": "another driver hosts the race now",
    "fault": "the race is held up",
    "rewind_ask": "the host asks to go back",
    "rewound": "the race has gone back",
}
STATE_WORDS: Final = {
    "pending": "waiting",
    "sending": "on its way",
    "sent": "sent",
    "failed": "given up",
    "bounced": "came back",
    "dropped": "not sent",
}
OVERTAKEN: Final = "answered or over meanwhile"
"""Why a question is not told any more."""

ENDPOINT_KINDS: Final = frozenset(KIND_WORDS) - {"invited"}
"""The kinds that reach a player, who can switch each off for each way."""
CHANNEL_WORDS: Final = {"email": "mail", "webhook": "webhook", "push": "browser"}
FORM_WORDS: Final = {"generic": "a program: signed JSON", "discord": "a Discord channel", "slack": "a Slack channel"}
FAILURE_WORDS: Final = {
    "transient": "it may work later; the other side said:",
    "permanent": "for good; the other side said:",
    "error": "our own fault, which the operator can read in the log:",
}
OCCASION_WORDS: Final = {
    "daily": "your daily mail",
    "story": "new lines of the public log",
    "trial": "a trial message",
}
