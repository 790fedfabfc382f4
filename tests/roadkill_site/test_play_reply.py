"""`manage.py play` reads replies: a mail in its mailbox is answered on its page, and the answer comes back."""

import re

import pytest

from tests.roadkill_site.test_play import Play, _wait_for, csrf_token, free_port, play, signed_in

__all__ = ["play"]
pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_a_turn_is_played_by_a_reply_in_the_mailbox(play: Play) -> None:
    playing = play(free_port())
    playing.read_until("Ctrl-C")
    browser = signed_in(playing)
    mailbox = f"{playing.address}/mailbox/"
    _wait_for(lambda: "Demo race: your turn" in browser.get(mailbox, timeout=10).text)
    listed = browser.get(mailbox, timeout=10).text
    key = re.search(r'href="(/mailbox/[0-9a-f-]+/)"><b>Demo race: your turn', listed)
    assert key is not None
    page = browser.get(playing.address + key[1], timeout=10).text
    sent = {"text": "say On my way\nend", "csrfmiddlewaretoken": csrf_token(page)}
    browser.post(f"{playing.address}{key[1]}reply", sent, timeout=10).raise_for_status()
    _wait_for(lambda: "your mail, done" in browser.get(mailbox, timeout=10).text)
    race = re.search(r"The demo race +(\S+)", playing.said)
    assert race is not None
    assert "On my way" in browser.get(race[1], timeout=10).text
    assert playing.stop() == 0
    assert "Traceback" not in playing.said
