"""The addresses of the API.

One class is one operation; an address that has several is a class made of them.
"""

from django.urls import URLPattern, path, re_path

from games.api.operation import NoOperation
from games.api.operations import acts, back, beforehand, campaigns, catalogue, clocks, leagues, races, records, seats


class Races(races.RaceList, races.RaceCreate):
    """All races."""


class OneRace(races.RaceShow, races.RaceUpdate):
    """One race."""


class Orders(beforehand.OrdersShow, beforehand.OrdersSave, beforehand.OrdersClear):
    """A driver's standing orders."""


class OneOrder(beforehand.OrderMove, beforehand.OrderRemove):
    """One of a driver's standing orders."""


class OnePlan(beforehand.PlanShow, beforehand.PlanSave, beforehand.PlanCancel):
    """A driver's plan."""


class Leagues(leagues.LeagueList, leagues.LeagueCreate):
    """All leagues."""


class OneLeague(leagues.LeagueShow, leagues.LeagueUpdate):
    """One league."""


class Rewind(back.RewindShow, back.RewindAsk):
    """The host's request to go back."""


class Campaigns(campaigns.CampaignList, campaigns.CampaignCreate):
    """All campaigns."""


_LEAGUE = "leagues/<slug:public_id>"
_SEASON = f"{_LEAGUE}/seasons/<int:number>"
_DRIVER = f"{_LEAGUE}/drivers/<int:driver>"
_RACE = "races/<slug:public_id>"
_CAMPAIGN = "campaigns/<slug:public_id>"

urlpatterns: list[URLPattern] = [
    path("me", catalogue.MeShow.as_view(), name="api-me"),
    path("me/decisions", acts.MyDecisions.as_view(), name="api-my-decisions"),
    path("me/races", races.MyRaces.as_view(), name="api-my-races"),
    path("me/purchases", campaigns.MyPurchases.as_view(), name="api-my-purchases"),
    path("campaigns", Campaigns.as_view(), name="api-campaigns"),
    path(_CAMPAIGN, campaigns.CampaignShow.as_view(), name="api-campaign"),
    path(f"{_CAMPAIGN}/standings", campaigns.CampaignStandings.as_view(), name="api-campaign-standings"),
    path(f"{_CAMPAIGN}/ledger", campaigns.CampaignLedger.as_view(), name="api-campaign-ledger"),
    path(f"{_CAMPAIGN}/join", campaigns.CampaignJoin.as_view(), name="api-campaign-join"),
    path(f"{_CAMPAIGN}/start", campaigns.CampaignStart.as_view(), name="api-campaign-start"),
    path(f"{_CAMPAIGN}/pause", campaigns.CampaignPause.as_view(), name="api-campaign-pause"),
    path(f"{_CAMPAIGN}/resume", campaigns.CampaignResume.as_view(), name="api-campaign-resume"),
    path(f"{_CAMPAIGN}/close", campaigns.CampaignClose.as_view(), name="api-campaign-close"),
    path(f"{_CAMPAIGN}/drop-out", campaigns.CampaignDropOut.as_view(), name="api-campaign-drop-out"),
    path(f"{_CAMPAIGN}/cars/<int:car>/drive", campaigns.CampaignDriveOn.as_view(), name="api-campaign-drive-on"),
    path(f"{_CAMPAIGN}/cars/<int:car>/relieve", campaigns.CampaignRelieve.as_view(), name="api-campaign-relieve"),
    path(f"{_CAMPAIGN}/purchase", campaigns.PurchaseAnswer.as_view(), name="api-purchase"),
    path(f"{_CAMPAIGN}/purchase/buy", campaigns.PurchaseBuy.as_view(), name="api-purchase-buy"),
    path(f"{_CAMPAIGN}/purchase/return", campaigns.PurchaseReturn.as_view(), name="api-purchase-return"),
    path("races", Races.as_view(), name="api-races"),
    path("races/first", races.FirstRace.as_view(), name="api-race-first"),
    path(_RACE, OneRace.as_view(), name="api-race"),
    path(f"{_RACE}/cancel", races.RaceCancel.as_view(), name="api-race-cancel"),
    path(f"{_RACE}/join", races.RaceJoin.as_view(), name="api-race-join"),
    path(f"{_RACE}/decline", races.RaceDecline.as_view(), name="api-race-decline"),
    path(f"{_RACE}/host", races.RaceHost.as_view(), name="api-race-host"),
    path(f"{_RACE}/leave", races.RaceLeave.as_view(), name="api-race-leave"),
    path(f"{_RACE}/start", races.RaceStart.as_view(), name="api-race-start"),
    path(f"{_RACE}/invite", races.RaceInvite.as_view(), name="api-race-invite"),
    path(f"{_RACE}/guide", races.RaceGuide.as_view(), name="api-race-guide"),
    path(f"{_RACE}/partner", races.RacePartner.as_view(), name="api-race-partner"),
    path(f"{_RACE}/words", races.RaceWords.as_view(), name="api-race-words"),
    path(f"{_RACE}/resign", races.RaceResign.as_view(), name="api-race-resign"),
    path(f"{_RACE}/seats", seats.SeatList.as_view(), name="api-seats"),
    path(f"{_RACE}/seats/bots", seats.SeatBot.as_view(), name="api-seat-bot"),
    path("seats/offered", seats.SeatsOffered.as_view(), name="api-seats-offered"),
    path(f"{_RACE}/seats/back", seats.SeatTakeBack.as_view(), name="api-seat-take-back"),
    path(f"{_RACE}/seats/claims", seats.SeatClaims.as_view(), name="api-seat-claims"),
    path(f"{_RACE}/seats/claims/<int:claim_id>/accept", seats.SeatClaimAccept.as_view(), name="api-seat-claim-accept"),
    path(f"{_RACE}/seats/<int:seat_id>/claim", seats.SeatClaim.as_view(), name="api-seat-claim"),
    path(f"{_RACE}/seats/<int:seat_id>", seats.SeatRemove.as_view(), name="api-seat"),
    path(f"{_RACE}/seats/<int:seat_id>/replace", seats.SeatReplace.as_view(), name="api-seat-replace"),
    path(f"{_RACE}/acts", acts.ActSubmit.as_view(), name="api-acts"),
    path(f"{_RACE}/undo", back.ActUndo.as_view(), name="api-undo"),
    path(f"{_RACE}/rewind", Rewind.as_view(), name="api-rewind"),
    path(f"{_RACE}/rewind/<int:ask_id>", back.RewindDrop.as_view(), name="api-rewind-drop"),
    path(f"{_RACE}/rewind/<int:ask_id>/agree", back.RewindAgree.as_view(), name="api-rewind-agree"),
    path(f"{_RACE}/rewind/<int:ask_id>/think-again", back.RewindThinkAgain.as_view(), name="api-rewind-think-again"),
    path(f"{_RACE}/orders", Orders.as_view(), name="api-orders"),
    path(f"{_RACE}/orders/try", beforehand.OrdersTry.as_view(), name="api-orders-try"),
    path(f"{_RACE}/orders/<int:order_id>", OneOrder.as_view(), name="api-order"),
    path(f"{_RACE}/plan", OnePlan.as_view(), name="api-plan"),
    path(f"{_RACE}/clock", clocks.ClockShow.as_view(), name="api-clock"),
    path(f"{_RACE}/clock/ahead", clocks.DeadlinesAhead.as_view(), name="api-clock-ahead"),
    path(f"{_RACE}/clock/pause", clocks.ClockPause.as_view(), name="api-clock-pause"),
    path(f"{_RACE}/clock/resume", clocks.ClockResume.as_view(), name="api-clock-resume"),
    path(f"{_RACE}/clock/extend", clocks.ClockExtend.as_view(), name="api-clock-extend"),
    path(f"{_RACE}/clock/asks", clocks.ClockAsk.as_view(), name="api-clock-ask"),
    path(f"{_RACE}/clock/asks/<int:ask_id>/agree", clocks.ClockAgree.as_view(), name="api-clock-agree"),
    path(f"{_RACE}/log", records.LogRead.as_view(), name="api-log"),
    path(f"{_RACE}/log.txt", records.LogText.as_view(), name="api-log-text"),
    path(f"{_RACE}/replay/<int:entry>", records.ReplayRead.as_view(), name="api-replay"),
    path(f"{_RACE}/record", records.RecordRead.as_view(), name="api-record"),
    path("leagues", Leagues.as_view(), name="api-leagues"),
    path(_LEAGUE, OneLeague.as_view(), name="api-league"),
    path(f"{_LEAGUE}/host", leagues.LeagueTake.as_view(), name="api-league-host"),
    path(f"{_LEAGUE}/ratings", leagues.RatingList.as_view(), name="api-league-ratings"),
    path(f"{_LEAGUE}/paces", leagues.PaceRead.as_view(), name="api-league-paces"),
    path(_DRIVER, leagues.DriverShow.as_view(), name="api-league-driver"),
    path(f"{_DRIVER}/results", leagues.DriverResults.as_view(), name="api-league-driver-results"),
    path(f"{_DRIVER}/against/<int:other>", leagues.DriverAgainst.as_view(), name="api-league-against"),
    path(f"{_LEAGUE}/seasons", leagues.SeasonCreate.as_view(), name="api-seasons"),
    path(_SEASON, leagues.SeasonShow.as_view(), name="api-season"),
    path(f"{_SEASON}/start", leagues.SeasonStart.as_view(), name="api-season-start"),
    path(f"{_SEASON}/cancel", leagues.SeasonCancel.as_view(), name="api-season-cancel"),
    path(f"{_SEASON}/close", leagues.SeasonClose.as_view(), name="api-season-close"),
    path(f"{_SEASON}/enter", leagues.SeasonEnter.as_view(), name="api-season-enter"),
    path(f"{_SEASON}/leave", leagues.SeasonLeave.as_view(), name="api-season-leave"),
    path(f"{_SEASON}/table", leagues.TableRead.as_view(), name="api-season-table"),
    path(f"{_SEASON}/entrants", leagues.EntrantList.as_view(), name="api-entrants"),
    path(f"{_SEASON}/entrants/bots", leagues.EntrantBot.as_view(), name="api-entrant-bot"),
    path(f"{_SEASON}/entrants/<int:entrant>/withdraw", leagues.EntrantWithdraw.as_view(), name="api-entrant-withdraw"),
    path(f"{_SEASON}/fixtures", leagues.FixtureList.as_view(), name="api-fixtures"),
    path(f"{_SEASON}/fixtures/<int:fixture>/postpone", leagues.FixturePostpone.as_view(), name="api-fixture-postpone"),
    path(f"{_SEASON}/fixtures/<int:fixture>/annul", leagues.FixtureAnnul.as_view(), name="api-fixture-annul"),
    path(f"{_SEASON}/fixtures/<int:fixture>/void", leagues.FixtureVoid.as_view(), name="api-fixture-void"),
    path("rulesets", catalogue.RulesetList.as_view(), name="api-rulesets"),
    path("rulesets/<slug:ruleset>", catalogue.RulesetShow.as_view(), name="api-ruleset"),
    path(
        "rulesets/<slug:ruleset>/components/<slug:name>",
        catalogue.ComponentSetShow.as_view(),
        name="api-component-set",
    ),
    path("problems/<slug:code>", catalogue.ProblemShow.as_view(), name="api-problem"),
    re_path(r"^.*$", NoOperation.as_view(schema=None), name="api-nothing"),
]
