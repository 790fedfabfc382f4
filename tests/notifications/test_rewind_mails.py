"""What drivers are told when the host asks to go back, and when the race has gone back."""

from collections.abc import Callable

import pytest
from django.core import mail

from games.models import RewindAsk
from games.services.rewinds import rewind_agree, rewind_ask, rewind_drop
from notifications.models import Notice
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]


@pytest.fixture
def asked(running: Running, wren: User, deliver: Deliver) -> RewindAsk:
    """Wren, the host, asks to go back to the beginning; nothing else waits to be told."""
    running.act(running.asked)
    deliver()
    mail.outbox.clear()
    return rewind_ask(race_id=running.race.pk, by=wren, to_seq=0, key="k", reason="I <misread> the map & cards")


def only(to: User) -> mail.EmailMultiAlternatives:
    (sent,) = (one for one in mail.outbox if one.to == [to.email])
    assert isinstance(sent, mail.EmailMultiAlternatives)
    return sent


def test_all_but_the_host_are_asked_with_the_hosts_words_and_the_way_to_agree(
    running: Running, asked: RewindAsk, olu: User, deliver: Deliver
) -> None:
    deliver()
    sent = only(olu)
    assert len(mail.outbox) == 1
    assert sent.subject == "Dust Devil 300: the host asks to go back to entry 0"
    text = sent.body
    assert "In the host's words: I <misread> the map & cards" in text
    running.race.refresh_from_db()
    assert f"It would go back over {running.race.seq} entr" in text
    assert f"/races/{running.race.public_id}/rewind/" in text
    html = str(sent.alternatives[0][0])
    assert "I &lt;misread&gt; the map &amp; cards" in html
    assert "<misread>" not in html


@pytest.mark.parametrize("what", ["agreed", "dropped"])
def test_whoever_has_agreed_or_need_not_any_more_is_not_asked(
    running: Running, asked: RewindAsk, wren: User, olu: User, deliver: Deliver, *, what: str
) -> None:
    if what == "agreed":
        rewind_agree(race_id=running.race.pk, by=olu, ask_id=asked.pk)
    else:
        rewind_drop(race_id=running.race.pk, by=wren, ask_id=asked.pk)
    deliver()
    assert not [one for one in mail.outbox if "asks to go back" in one.subject]
    assert Notice.objects.get(outbox_event__kind="rewind_ask").state == "dropped"


def test_all_are_told_that_the_race_went_back_and_whoever_is_asked_in_one_mail(
    running: Running, asked: RewindAsk, olu: User, deliver: Deliver
) -> None:
    rewind_agree(race_id=running.race.pk, by=olu, ask_id=asked.pk)
    deliver()
    assert len(mail.outbox) == 2
    asks, waits = running.asked.player, running.waiting.player
    assert asks is not None
    assert waits is not None
    told = only(asks)
    assert told.subject.startswith("Dust Devil 300: your turn")
    assert "All have agreed: the race has gone back to entry 0." in told.body
    assert "/act/" in told.body
    told = only(waits)
    assert told.subject == "Dust Devil 300: the race has gone back to entry 0"
    assert "All have agreed: the race has gone back to entry 0." in told.body
    assert "All agreed to go back to entry 0." in told.body, "the story tells it too"
