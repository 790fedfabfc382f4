"""Links to act: what they name, and whom they trust."""

from typing import Any

import pytest
from django.core import signing
from django.test.utils import override_settings

from games.services.links import SALT, Link, LinkRefused, link_address, link_read, link_token

QUESTION: dict[str, Any] = {
    "decision": 5429650523417802,
    "position": 41,
    "answers": [{"number": 1, "action": {"do": "pass", "card": "move_2"}}, {"number": 2, "action": {"do": "stop"}}],
    "forms": [{"number": 3, "action": {"do": "end"}}],
}


def test_a_link_names_seat_decision_position_number_and_action() -> None:
    token = link_token(seat_id=7, question=QUESTION, number=1)
    assert link_read(token) == Link(7, 5429650523417802, 41, 1, {"do": "pass", "card": "move_2"})


def test_a_link_to_a_form_leaves_the_action_open() -> None:
    assert link_read(link_token(seat_id=7, question=QUESTION, number=3)).action is None


def test_there_is_no_link_to_an_answer_that_is_not_offered() -> None:
    with pytest.raises(ValueError, match="no answer 4"):
        link_token(seat_id=7, question=QUESTION, number=4)


@pytest.mark.parametrize("place", [0, 3, 20, -1])
def test_a_changed_letter_breaks_a_link(place: int) -> None:
    token = link_token(seat_id=7, question=QUESTION, number=1)
    changed = "A" if token[place] != "A" else "B"
    broken = token[:place] + changed + (token[place + 1 :] if place != -1 else "")
    with pytest.raises(LinkRefused) as refused:
        link_read(broken)
    assert refused.value.code == "bad_link"


def test_what_was_signed_for_something_else_is_no_link() -> None:
    with pytest.raises(LinkRefused):
        link_read(signing.dumps([1, 7, 5, 41, 1, None], salt="notifications.services.pauses"))


@pytest.mark.parametrize("facts", [[2, 7, 5, 41, 1, None], [1, 7], "text", {"seat": 7}])
def test_a_link_in_an_unknown_form_is_refused(facts: object) -> None:
    with pytest.raises(LinkRefused, match="another version"):
        link_read(signing.dumps(facts, salt=SALT))


def test_a_former_key_still_opens_a_link_until_it_is_taken_away() -> None:
    with override_settings(SECRET_KEY="old"):
        token = link_token(seat_id=7, question=QUESTION, number=2)
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=["old"]):
        assert link_read(token).number == 2
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[]), pytest.raises(LinkRefused):
        link_read(token)


def test_the_address_is_whole() -> None:
    with override_settings(SITE_URL="https://race.example.org"):
        address = link_address(seat_id=7, question=QUESTION, number=1)
    assert address.startswith("https://race.example.org/act/")
    assert link_read(address.rpartition("/")[2]).seat_id == 7
