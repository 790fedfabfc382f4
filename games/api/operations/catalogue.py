"""What can be played here, who I am, and what a problem document means."""

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import shapes
from games.api.errors import PROBLEMS
from games.api.operation import Operation, PlayerOperation
from games.api.operations.described import described
from games.runtime import catalogue


class RulesetList(Operation):
    """Rulesets and what races agree on."""

    @described(shapes.Catalogue, operation_id="rulesets_list")
    def get(self, request: Request) -> Response:
        """List rulesets with their component sets, and the tempos, closing policies and bots there are."""
        return Response({"rulesets": catalogue.rulesets(), **catalogue.agreements()})


class RulesetShow(Operation):
    """One ruleset."""

    @described(shapes.RulesetShape, operation_id="rulesets_read")
    def get(self, request: Request, ruleset: str) -> Response:
        """Show a ruleset."""
        return Response(catalogue.ruleset(ruleset))


class ComponentSetShow(Operation):
    """One component set."""

    @described(shapes.ComponentSetShape, operation_id="component_sets_read")
    def get(self, request: Request, ruleset: str, name: str) -> Response:
        """Show a component set: every figure, and where it comes from."""
        return Response(catalogue.component_set(ruleset, name))


class ProblemShow(Operation):
    """One kind of problem."""

    @described(shapes.ProblemKind, operation_id="problems_read")
    def get(self, request: Request, code: str) -> Response:
        """Say what a problem's code means: the address that its documents give as their type."""
        found = PROBLEMS.get(code)
        if found is None:
            raise Http404
        return Response({"code": code, "title": found.title, "status": found.status, "meaning": found.meaning})


class MeShow(PlayerOperation):
    """The asking player."""

    @described(shapes.Me, operation_id="me_read")
    def get(self, request: Request) -> Response:
        """Say who you are."""
        return Response({"name": self.player.display_name, "time_zone": self.player.time_zone})
