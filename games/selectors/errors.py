"""Why a reader gets nothing."""

from games.engine.errors import ActionRefused


class RaceUnknown(ActionRefused):
    """There is no such race, or it is none of this viewer's business (404)."""

    code = "unknown_race"


class CampaignUnknown(ActionRefused):
    """There is no such campaign, or it is none of this viewer's business (404)."""

    code = "unknown_campaign"


class RaceNotOver(ActionRefused):
    """What is asked for is secret until the race is over (409)."""

    code = "not_over"


class EntryUnknown(ActionRefused):
    """The race's record has no such entry (404)."""

    code = "unknown_entry"


class LeagueUnknown(ActionRefused):
    """There is no such league, season or driver of it, or it is none of this viewer's business (404)."""

    code = "unknown_league"


class LeagueUnseen(LeagueUnknown):
    """There is no such league, or it is for its members only: the same answer to both (404)."""
