"""What standing orders answer to an open question; without rows, so that simulations on other processes can ask too."""

from collections.abc import Sequence
from typing import Any

from games.engine import standing
from games.engine.contract import JSON, Decision, Ruleset
from games.runtime.rulesets import standing_of


def standing_answer(
    ruleset: Ruleset[Any], state: Any, view: JSON, decision: Decision, orders: Sequence[standing.StandingOrder]
) -> Any | None:
    """What these orders answer to an open question; None: its owner is asked."""
    rules = standing_of(ruleset)
    if rules is None or not orders:
        return None
    happening = rules.happening(view, decision)
    order = standing.chosen(orders, happening)
    if order is None or happening is None:
        return None
    return standing.answer(ruleset, state, decision, order, lambda action: rules.fit(action, happening, order.having))
