"""Campaigns: listed, made, joined, started, paused, closed; purchases; the ledger and the standings."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from games.api import shapes
from games.api.operation import CampaignOperation, Operation, Pages, PlayerOperation, PurchaseOperation
from games.api.operations.described import described
from games.api.operations.races import INVITATION
from games.selectors import campaigns as selectors
from games.services import campaigns as services
from games.services.errors import Malformed


class CampaignList(Operation):
    """Public campaigns and one's own."""

    pagination_class = Pages

    @described(shapes.CampaignLine(many=True), operation_id="campaigns_list")
    def get(self, request: Request) -> Response:
        """List public campaigns and your own, newest first."""
        found = selectors.campaigns_listed(user=self.user)
        return self.get_paginated_response(self.paginate_queryset(found))


class CampaignCreate(CampaignOperation):
    """A new campaign; who makes it is its host and takes the first seat of its first race."""

    serializer_class = shapes.CampaignWish

    @described(shapes.CampaignShape, status=201, request=shapes.CampaignWish, operation_id="campaigns_create")
    def post(self, request: Request) -> Response:
        """Make a campaign. You host it; drivers gather in its first race, as in any race."""
        campaign = services.campaign_create(by=self.player, **self.told())
        address = reverse("games:api-campaign", args=[campaign.public_id], request=request)
        return self.shown(campaign, status=201, headers={"Location": address})


class CampaignShow(CampaignOperation):
    """One campaign, with its standings."""

    @described(shapes.CampaignShape, operation_id="campaigns_read", parameters=[INVITATION])
    def get(self, request: Request, public_id: str) -> Response:
        """Show a campaign: standings, upgrades, races, who buys, and what is asked of you."""
        return self.shown(self.campaign)


class CampaignStandings(CampaignOperation):
    """The table alone."""

    @described(shapes.StandingLine(many=True), operation_id="campaigns_standings")
    def get(self, request: Request, public_id: str) -> Response:
        """List the cars with their points, most points first."""
        return Response(selectors.campaign_shown(campaign=self.campaign, user=self.user)["standings"])


class CampaignLedger(CampaignOperation):
    """Every line."""

    pagination_class = Pages

    @described(shapes.LedgerLine(many=True), operation_id="campaigns_ledger")
    def get(self, request: Request, public_id: str) -> Response:
        """List the lines of the ledger, the first first."""
        lines = selectors.campaign_ledger(campaign=self.campaign)
        return self.get_paginated_response(self.paginate_queryset(lines))


class CampaignJoin(CampaignOperation):
    """Taking a seat."""

    serializer_class = shapes.Joining

    @described(shapes.CampaignShape, request=shapes.Joining, operation_id="campaigns_join")
    def post(self, request: Request, public_id: str) -> Response:
        """Take a seat before the start: by an invitation, the one kept for you, or a free one of a public campaign."""
        told = self.told()
        campaign = selectors.campaign_get(public_id=public_id, user=self.player, invitation=told.get("invitation", ""))
        services.campaign_join(campaign_id=campaign.pk, by=self.player, **told)
        return self.shown(campaign)


class CampaignStart(CampaignOperation):
    """Drawing the cars."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_start")
    def post(self, request: Request, public_id: str) -> Response:
        """Draw the cars, once for the whole campaign, and ask the first purchase; host only."""
        return self.shown(services.campaign_start(campaign_id=self.campaign.pk, by=self.player))


class CampaignPause(CampaignOperation):
    """Stopping it."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_pause")
    def post(self, request: Request, public_id: str) -> Response:
        """Stop all clocks, and begin no further race; host only."""
        return self.shown(services.campaign_pause(campaign_id=self.campaign.pk, by=self.player))


class CampaignResume(CampaignOperation):
    """Letting it go on."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_resume")
    def post(self, request: Request, public_id: str) -> Response:
        """Let the campaign go on, each clock with the time that it had; host only."""
        return self.shown(services.campaign_resume(campaign_id=self.campaign.pk, by=self.player))


class CampaignClose(CampaignOperation):
    """Ending it without a winner."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_close")
    def post(self, request: Request, public_id: str) -> Response:
        """End the campaign without a winner; host only."""
        return self.shown(services.campaign_close(campaign_id=self.campaign.pk, by=self.player))


class CampaignDropOut(CampaignOperation):
    """Giving one's car up."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_drop_out")
    def post(self, request: Request, public_id: str) -> Response:
        """Give your car up for the rest of the campaign; a bot drives it on until somebody does."""
        campaign = self.campaign
        services.campaign_drop_out(campaign_id=campaign.pk, by=self.player)
        return self.shown(campaign)


class CampaignDriveOn(CampaignOperation):
    """Taking over the car of who dropped out."""

    serializer_class = shapes.DrivingOn

    @described(shapes.CampaignShape, request=shapes.DrivingOn, operation_id="campaigns_drive_on")
    def post(self, request: Request, public_id: str, car: int) -> Response:
        """Drive on the car of a driver who dropped out, with its ledger."""
        invitation = self.told().get("invitation", "")
        campaign = selectors.campaign_for_invited(public_id=public_id) if invitation else self.campaign
        services.campaign_drive_on(campaign_id=campaign.pk, by=self.player, car=car, invitation=invitation)
        return self.shown(campaign)


class CampaignRelieve(CampaignOperation):
    """Giving the car of a driver who has gone to a bot."""

    serializer_class = shapes.Nothing

    @described(shapes.CampaignShape, request=None, operation_id="campaigns_relieve")
    def post(self, request: Request, public_id: str, car: int) -> Response:
        """Give the car of a driver who has gone to a bot, until somebody drives it on; host only."""
        campaign = self.campaign
        services.campaign_relieve(campaign_id=campaign.pk, by=self.player, car=car)
        return self.shown(campaign)


class PurchaseAnswer(PurchaseOperation):
    """Any answer."""

    serializer_class = shapes.PurchaseGiven

    @described(shapes.PurchaseReceipt, request=shapes.PurchaseGiven, operation_id="purchases_answer")
    def post(self, request: Request, public_id: str) -> Response:
        """Answer your purchase by an action, or by the number of an answer."""
        told = self.told()
        if ("action" in told) == ("number" in told):
            raise Malformed("Give an action or the number of an answer, not both and not neither.")
        return self.answered(told, told["action"] if "action" in told else self._numbered(told))

    def _numbered(self, told: dict[str, Any]) -> dict[str, Any]:
        question = selectors.campaign_shown(campaign=self.campaign, user=self.user)["question"]
        if question is None or (question["decision"], question["position"]) != (told["decision"], told["position"]):
            # Either the same act again, which has its receipt, or one that comes too late: the service knows.
            return {"do": "nothing"}
        for answer in question["answers"]:
            if answer["number"] == told["number"]:
                action: dict[str, Any] = answer["action"]
                return action
        raise Malformed(f"There is no answer {told['number']}; there are {len(question['answers'])}.")


class PurchaseBuy(PurchaseOperation):
    """Buying."""

    serializer_class = shapes.UpgradeGiven

    @described(shapes.PurchaseReceipt, request=shapes.UpgradeGiven, operation_id="purchases_buy")
    def post(self, request: Request, public_id: str) -> Response:
        """Buy an upgrade at your purchase, which is over with it."""
        told = self.told()
        return self.answered(told, {"do": "buy", "upgrade": told["upgrade"]})


class PurchaseReturn(PurchaseOperation):
    """Returning."""

    serializer_class = shapes.UpgradeGiven

    @described(shapes.PurchaseReceipt, request=shapes.UpgradeGiven, operation_id="purchases_return")
    def post(self, request: Request, public_id: str) -> Response:
        """Return an upgrade at your purchase; you may go on to return others, and to buy one."""
        told = self.told()
        return self.answered(told, {"do": "return", "upgrade": told["upgrade"]})


class MyPurchases(PlayerOperation):
    """What campaigns ask of the asking player."""

    @described(shapes.AskedPurchase(many=True), operation_id="me_purchases")
    def get(self, request: Request) -> Response:
        """List the purchases that wait for you, soonest deadline first."""
        return Response(selectors.purchases_of(user=self.player))
