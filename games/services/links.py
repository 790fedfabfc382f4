"""Links to act.

Signed texts that name one answer to one question, put into mails and read by the page that they open.

A link is no session: it proves that its bearer was sent this very question, and nothing else. Reading it
changes nothing; the page acts only when its button is pressed, and the act goes through action_submit like
any other.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.urls import reverse

from games.engine.errors import ActionRefused
from games.runtime.campaigns import is_purchase

SALT: Final = "games.services.links"
FORM: Final = 1
"""The form of the signed list; a link in a form that is not known any more is refused like a broken one."""
PURCHASE: Final = "purchase"
"""What stands last in the list of a link that answers a purchase."""
_LENGTHS: Final = (6, 7)


class LinkRefused(ActionRefused):
    """The link was not made here, or a part of it was lost on the way."""

    code = "bad_link"


@dataclass(frozen=True)
class Link:
    """What a link names.

    ``number`` is the answer's number when the mail was written, ``action`` that answer as JSON, or None where
    the answer is a form that still has to be filled in. ``is_purchase``: ``decision_id`` is a campaign's Purchase,
    which is asked of the seat before its race begins. ``signed_at``: when it was made, in seconds since 1970 (UTC); a
    seat may have passed to another player since.
    """

    seat_id: int
    decision_id: int
    position: int
    number: int
    action: dict[str, Any] | None
    is_purchase: bool = False
    signed_at: int = field(default=0, compare=False)


def link_token(*, seat_id: int, question: dict[str, Any], number: int) -> str:
    """The signed text for answer ``number`` of a presentation's ``question``, safe to stand in an address.

    Raises ValueError if the question has no such answer or form.
    """
    action: dict[str, Any] | None = None
    for answer in question["answers"]:
        if answer["number"] == number:
            action = answer["action"]
            break
    else:
        if all(form["number"] != number for form in question["forms"]):
            raise ValueError(f"question {question['decision']} has no answer {number}")
    facts = [FORM, seat_id, question["decision"], question["position"], number, action]
    if is_purchase(question):
        facts.append(PURCHASE)
    return signing.dumps(facts, salt=SALT, compress=True)


def link_read(token: str) -> Link:
    """What the link names; raises LinkRefused unless it was signed with the present key or a former one.

    A link has no age: it holds good while its decision is open, which only the present question can tell.
    """
    try:
        facts = signing.loads(token, salt=SALT)
    except signing.BadSignature as broken:
        raise LinkRefused(
            "This link is not whole, or was not made here. Open it again from the mail, whole."
        ) from broken
    if not isinstance(facts, list) or len(facts) not in _LENGTHS or facts[0] != FORM:
        raise LinkRefused("This link was made by another version of the server. Open the race's page instead.")
    return Link(
        seat_id=facts[1],
        decision_id=facts[2],
        position=facts[3],
        number=facts[4],
        action=facts[5],
        is_purchase=facts[6:] == [PURCHASE],
        signed_at=_signed_at(token),
    )


def _signed_at(token: str) -> int:
    """When a token, known to be ours, was signed: Django's signer puts it before the signature."""
    return signing.b62_decode(token.rsplit(":", 2)[1])


def link_address(*, seat_id: int, question: dict[str, Any], number: int) -> str:
    """The whole address of the link, as it stands in a mail."""
    token = link_token(seat_id=seat_id, question=question, number=number)
    return settings.SITE_URL + reverse("games:act_link", args=[token])
