"""The masthead's count of what is asked of the signed-in player."""

from typing import Any

from django import template

from games.selectors import decisions

register = template.Library()


@register.simple_tag
def asked_count(user: Any) -> int:
    """How many answers this player owes."""
    return decisions.decision_count_of(user=user)
