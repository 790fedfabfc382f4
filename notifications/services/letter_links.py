"""The links to act that stand in letters."""

from collections.abc import Mapping

from games.selectors.notices import NoticeFacts
from games.services.links import link_address


def answer_addresses(facts: NoticeFacts) -> Mapping[int, str]:
    """Each answer's and form's link, by its number; none if nothing is asked."""
    question = facts.presented["question"]
    if question is None:
        return {}
    numbers = [answer["number"] for answer in (*question["answers"], *question["forms"])]
    return {number: link_address(seat_id=facts.seat.pk, question=question, number=number) for number in numbers}
