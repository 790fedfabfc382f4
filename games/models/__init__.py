"""The rows of races. Read them through games.selectors and games.runtime; games.services alone writes them."""

from games.models.absence import Lapse, MailFailure, SeatClaim
from games.models.campaign import Campaign, CampaignDriver, CampaignRace, Posting, Purchase, PurchaseRound
from games.models.decision import Decision, Receipt
from games.models.notes import ExtensionAsk, RaceNote, RewindAsk
from games.models.operation import Heartbeat, Outage
from games.models.orders import FollowUp, Plan, StandingOrder
from games.models.outbox import OutboxEvent
from games.models.race import Race
from games.models.record import Entry, Snapshot
from games.models.seat import Seat
from games.models.talk import RaceMessage

__all__ = [
    "Campaign",
    "CampaignDriver",
    "CampaignRace",
    "Decision",
    "Entry",
    "ExtensionAsk",
    "FollowUp",
    "Heartbeat",
    "Lapse",
    "MailFailure",
    "Outage",
    "OutboxEvent",
    "Plan",
    "Posting",
    "Purchase",
    "PurchaseRound",
    "Race",
    "RaceMessage",
    "RaceNote",
    "Receipt",
    "RewindAsk",
    "Seat",
    "SeatClaim",
    "Snapshot",
    "StandingOrder",
]
