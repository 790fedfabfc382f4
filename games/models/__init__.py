"""The rows of races. Read them through games.selectors and games.runtime; games.services alone writes them."""

from games.models.absence import Lapse, MailFailure, SeatClaim
from games.models.campaign import Campaign, CampaignDriver, CampaignRace, Posting, Purchase, PurchaseRound
from games.models.decision import Decision, Receipt
from games.models.league import Division, Entrant, Fixture, FixtureSeat, League, LeagueDriver, Rating, Result, Season
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
    "Division",
    "Entrant",
    "Entry",
    "ExtensionAsk",
    "Fixture",
    "FixtureSeat",
    "FollowUp",
    "Heartbeat",
    "Lapse",
    "League",
    "LeagueDriver",
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
    "Rating",
    "Receipt",
    "Result",
    "RewindAsk",
    "Season",
    "Seat",
    "SeatClaim",
    "Snapshot",
    "StandingOrder",
]
