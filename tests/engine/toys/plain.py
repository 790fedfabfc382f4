"""What the small games share: no options, no asides, and words that are the action's JSON."""

import json
from collections.abc import Mapping
from typing import Any

from games.engine import codec
from games.engine.contract import JSON, Decision
from games.engine.errors import Malformed, Refusal


class PlainWords:
    """The words of a game without a renderer, and one source of what is legal: the menu."""

    title: str
    version = 1
    answers_conceal = True
    action_type: Any

    def options(self, given: Mapping[str, JSON]) -> dict[str, JSON]:
        """None."""
        if given:
            raise Malformed(f"{self.title} has no options.", rule="0")
        return {}

    def pending(self, state: Any) -> tuple[Decision, ...]:
        """Each game has its own."""
        raise NotImplementedError

    def verify(self, state: Any, seat: int, action: Any) -> Refusal | None:
        """What the menu has, or a fill of a form whose fields are all met."""
        decision = next(one for one in self.pending(state) if one.seat == seat)
        return None if action in decision.menu else Refusal(decision.rule, "That is not among the answers")

    def is_aside(self, action: Any) -> bool:
        """Everything answers a question."""
        return False

    def say(self, view: JSON, action: Any) -> str:
        """The action's JSON."""
        return codec.dump(action).decode()

    def read(self, view: JSON, text: str) -> Any:
        """The action of a JSON."""
        return codec.action_from_json(self.action_type, json.loads(text))

    def tell(self, seen: Mapping[str, JSON]) -> str:
        """The event's kind."""
        return f"{str(seen['kind']).capitalize()} ({seen['rule']})"

    def ask(self, view: JSON, decision: Decision) -> str:
        """The question's key."""
        return f"{decision.key.capitalize()}?"
