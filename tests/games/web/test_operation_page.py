"""The operator's page and `manage.py operator_status`: for staff, with every button, and nothing that is secret."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.models import Decision, Outage, OutboxEvent, Snapshot
from games.services.heartbeat import heartbeat_note
from games.services.outages import outage_credit, outage_note
from games.services.sweep import sweep
from notifications.models import Attempt, ClosedAddress, Notice
from notifications.reply_models import InboundMail
from notifications.services.addresses import address_close
from notifications.services.dispatch import outbox_dispatch
from roadkill_site.accounts.models import User
from roadkill_site.operation.overview import overview
from tests.games.conftest import NOON, Game, MakeGame
from tests.games.web.conftest import Browser

PAGE = "/operator/"
TURN = timedelta(hours=72)
CountQueries = Callable[[int], AbstractContextManager[Any]]


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_superuser("olga@example.org", display_name="Olga")


@pytest.fixture
def operator(olga: User) -> Browser:
    return Browser(olga)


def mail_row(state: str, **more: Any) -> InboundMail:
    number = InboundMail.objects.count()
    now = timezone.now()
    facts = {"raw": b"x", "size": 1, "came_by": "lmtp", "came_at": now, "due_at": now, "digest": f"{number:064}"}
    return InboundMail.objects.create(state=state, **(facts | more))


def press(operator: Browser, address: str) -> str:
    """Press the button that posts to this address, which must be on the page; returns what the page says then."""
    assert f'action="{PAGE}{address}"' in operator.html(PAGE)
    return after(operator, operator.post(PAGE + address, {}))


def sure(operator: Browser, address: str) -> str:
    """Follow the link to this address, which must be on the page, and press its button."""
    assert f'href="{PAGE}{address}"' in operator.html(PAGE)
    asked = operator.html(PAGE + address)
    assert '<form method="post">' in asked
    return after(operator, operator.post(PAGE + address, {}))


def after(operator: Browser, answer: Any) -> str:
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE)
    said = re.search(r'<div class="banner[^>]*><p>(.*?)</p>', operator.html(PAGE))
    assert said is not None
    return said[1].replace("&#x27;", "'")


def in_order() -> None:
    """Nothing is left over that would need a hand."""
    heartbeat_note()
    OutboxEvent.objects.update(processed_at=timezone.now())
    Notice.objects.update(state="sent")


# Who sees it


def test_strangers_sign_in_players_find_nothing_and_staff_find_a_link(operator: Browser, alice: User) -> None:
    addresses = [PAGE, *(PAGE + rest for rest in ("mails/1/release", "mails/1/refuse", "gaps/1/credit"))]
    posts = ("races/again", "races/k7f3q2/again", "ways/again", "ways/player-1-email/again", "mails/1/again")
    stranger, player = Browser(None), Browser(alice)
    for address in addresses:
        assert stranger.get(address).headers["Location"] == f"/account/sign-in/?next={address}"
        assert player.get(address).status_code == 404
    player.html("/races/")
    for rest in posts:
        player.html("/account/")
        assert player.post(PAGE + rest, {}).status_code == 404
        assert operator.get(PAGE + rest).status_code == 405
    assert f'href="{PAGE}"' in operator.html("/races/")
    assert PAGE not in player.html("/races/")
    assert PAGE not in stranger.html("/races/")


def test_a_button_needs_the_pages_token(operator: Browser) -> None:
    assert operator.post(f"{PAGE}races/again", {}, token="").status_code == 403


def test_staff_without_any_right_to_rows_see_it_too(db: None) -> None:
    user = User.objects.create_user("sam@example.org", display_name="Sam", is_staff=True)
    assert "Operation" in Browser(user).html(PAGE)


# What it says and does


def test_where_all_is_well_it_says_so(operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    toy_game()
    in_order()
    page = operator.html(PAGE)
    assert '<p class="stamp ok">In order</p>' in page
    for said in ("every race goes on", "what was due has been done", "None is held", "Everybody is reached"):
        assert said in page
    assert overview(now=timezone.now()).needs == []


def test_a_race_held_up_is_retried(operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    public_id = game.race.public_id
    in_order()
    whole = bytes(Snapshot.objects.get(race_id=game.pk).state)
    Snapshot.objects.filter(race_id=game.pk).update(state=b"?")
    clock.shift(TURN)
    sweep()
    page = operator.html(PAGE)
    assert "1 race is held up" in page
    assert "Needs a hand" in page
    assert game.race.fault.split(":")[0] in page
    assert press(operator, f"races/{public_id}/again").startswith(f"Race {public_id} still cannot go on: ")
    assert press(operator, "races/again") == "1 race that is held up is tried within a minute."
    assert game.race.wake_at == timezone.now()
    Snapshot.objects.filter(race_id=game.pk).update(state=whole)
    assert press(operator, f"races/{public_id}/again") == f"Race {public_id} goes on."
    for wrong, said in ((public_id, f"Race {public_id} is not held up."), ("nowhere", "There is no race “nowhere”.")):
        assert after(operator, operator.post(f"{PAGE}races/{wrong}/again", {})) == said


def test_of_questions_past_their_deadline_turns_name_a_car_and_windows_nobody(
    operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    toy_game(tempo="hours", turn_hours=2, reaction_hours=1)
    window = toy_game(hands={1: (3,), 2: (0,), 3: (5,)}, tempo="hours", turn_hours=2, reaction_hours=1)
    window.act(1, "strike 2 with 3")
    clock.shift(timedelta(hours=3))
    page = operator.html(PAGE)
    assert "2 questions are past the deadline" in page
    told = re.findall(r"<td>(a window|the turn of car \d|a question to car \d)</td>", page)
    assert sorted(told) == ["a window", "the turn of car 1"]


def test_a_silent_worker_and_news_that_nobody_passes_on_need_a_hand(
    operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    toy_game()
    assert overview(now=timezone.now()).needs == [
        "Worker and beat have never given a sign of life. Start worker and beat."
    ]
    heartbeat_note()
    outbox_dispatch()
    OutboxEvent.objects.filter(kind="started").update(processed_at=None)
    clock.shift(timedelta(minutes=16))
    assert overview(now=timezone.now()).needs == [
        "Worker and beat have given no sign of life since 2026-06-01 12:00 UTC. Start worker and beat.",
        "News has lain in the outbox since 2026-06-01 12:00 UTC, and no notices are made of it.",
        "Notices have waited since 2026-06-01 12:00 UTC, and nobody sends them.",
    ]
    assert "silent" in operator.html(PAGE)


def test_ways_by_which_nothing_gets_through_are_opened(
    operator: Browser, toy_game: MakeGame, alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    for player in (alice, bob):
        address_close(channel="email", address=player.email, detail="550 5.1.1 <no> such user", at=NOON)
    page = operator.html(PAGE)
    assert "550 5.1.1 &lt;no&gt; such user" in page
    assert alice.email not in page
    said = press(operator, f"ways/player-{alice.pk}-email/again")
    assert said == "The way is open, and what did not get through is tried again within a minute."
    assert [row.address for row in ClosedAddress.objects.all()] == [bob.email]
    again = after(operator, operator.post(f"{PAGE}ways/player-{alice.pk}-email/again", {}))
    assert again.startswith(f"Nothing fails by a way “player-{alice.pk}-email”")
    assert press(operator, "ways/again") == "1 way is open and tried again within a minute."
    assert not ClosedAddress.objects.exists()


def test_mails_are_let_through_refused_and_retried(
    operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game()
    seat = game.seat(2)
    secret = {"report": {"lines": [{"text": "machine gun"}]}, "raw": b"machine gun"}
    held = [mail_row("held", seat=seat, sender="m@evil.example", **secret) for _ in range(2)]
    refused = mail_row("refused", seat=seat, reason="refused", acted_at=NOON, **secret)
    page = operator.html(PAGE)
    assert "m@evil.example" in page
    assert "it could not be done as it stood" in page
    for number, what in ((held[0].pk, "release"), (held[1].pk, "refuse")):
        asked = operator.html(f"{PAGE}mails/{number}/{what}")
        assert "machine gun" not in page + asked
        assert seat.player is not None
        assert seat.player.display_name in asked
    assert {row.state for row in InboundMail.objects.all()} == {"held", "refused"}, "to look changes nothing"
    assert sure(operator, f"mails/{held[0].pk}/release") == f"Mail {held[0].pk} is let through and acted on."
    assert sure(operator, f"mails/{held[1].pk}/refuse") == f"Mail {held[1].pk} is refused; nothing was done."
    assert press(operator, f"mails/{refused.pk}/again") == f"Mail {refused.pk} is taken up again."
    states = dict(InboundMail.objects.values_list("pk", "state"))
    assert states == {held[0].pk: "stored", held[1].pk: "refused", refused.pk: "stored"}
    InboundMail.objects.update(state="done")
    for rest in ("again", "release", "refuse"):
        said = after(operator, operator.post(f"{PAGE}mails/{held[0].pk}/{rest}", {}))
        assert said.startswith(f"Mail {held[0].pk} ")
        assert "is taken up" not in said
        assert set(InboundMail.objects.values_list("state", flat=True)) == {"done"}
    for rest in ("release", "refuse"):
        assert operator.get(f"{PAGE}mails/0/{rest}").status_code == 404


def test_deadlines_are_put_off_for_a_gap_after_a_second_look(
    operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = toy_game()
    row = Decision.objects.get(race_id=game.pk)
    clock.move_to(row.due_at - timedelta(hours=1))
    gap = outage_note(start=row.due_at - timedelta(hours=3), end=row.due_at - timedelta(hours=2), now=timezone.now())
    address = f"gaps/{gap.pk}/credit"
    assert "not put off yet" in operator.html(PAGE)
    operator.html(PAGE + address)
    assert Decision.objects.get(pk=row.pk).due_at == row.due_at, "to look changes nothing"
    assert sure(operator, address) == "The deadlines of 1 race are put off, and their logs say so."
    assert Decision.objects.get(pk=row.pk).due_at == row.due_at + timedelta(hours=1)
    assert sure(operator, address).startswith("No deadline had to be put off")
    for answer in (operator.get(f"{PAGE}gaps/0/credit"), operator.post(f"{PAGE}gaps/0/credit", {})):
        assert answer.status_code == 404


# How it is made


class Tables(HTMLParser):
    """Which tables have a caption, and cells that no header belongs to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[dict[str, Any]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append({"caption": 0, "heads": 0, "rows": []})
        elif tag == "caption":
            self.tables[-1]["caption"] += 1
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in {"th", "td"}:
            self.tables[-1]["rows"][-1].append((tag, dict(attrs).get("scope")))


def troubled(toy_game: MakeGame, clock: time_machine.Traveller) -> Game:
    """A server on which everything is wrong at once."""
    game = toy_game()
    broken = toy_game()
    outbox_dispatch()
    Snapshot.objects.filter(race_id=broken.pk).update(state=b"?")
    heartbeat_note()
    clock.shift(TURN)
    sweep()
    clock.shift(TURN + timedelta(hours=1))
    outage_credit(outage=outage_note(start=NOON, end=NOON + timedelta(hours=2), now=NOON), now=timezone.now())
    seat = game.seat(2)
    for state in ("held", "refused", "failed"):
        mail_row(state, seat=seat, reason="it breaks", sender="m@evil.example")
    lost, now = Notice.objects.order_by("pk")[0], timezone.now()
    Notice.objects.filter(pk=lost.pk).update(state="failed", created_at=now)
    Attempt.objects.create(notice=lost, number=16, result="transient", detail="451 later", started_at=now, ended_at=now)
    address_close(channel="email", address="bob@example.org", detail="550", at=NOON)
    return game


def test_every_table_has_a_caption_and_every_cell_its_headers(
    operator: Browser, toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    troubled(toy_game, clock)
    page = operator.html(PAGE)
    tables = Tables(page).tables
    assert len(tables) == 8
    for table in tables:
        assert table["caption"] == 1
        head, *rows = table["rows"]
        assert set(head) == {("th", "col")}
        assert rows
        for row in rows:
            assert len(row) == len(head)
            assert row[0] == ("th", "row")
    named = re.findall(r"<(?:button|a)[^>]*class=\"(?:btn )?(?:second|bad) small\"[^>]*>(.*?)</(?:button|a)>", page)
    assert len(named) == len(set(named)) > 6, "no two buttons are called alike"
    assert not re.search(r"<script(?! src)|\son\w+=|\sstyle=", page)


def test_more_rows_take_no_more_statements(
    toy_game: MakeGame, clock: time_machine.Traveller, django_assert_num_queries: CountQueries
) -> None:
    for count in (1, 4):
        for _ in range(count):
            troubled(toy_game, clock)
            clock.move_to(NOON)
            Outage.objects.all().delete()
        clock.move_to(NOON + TURN * 3)
        with django_assert_num_queries(16):
            seen = overview(now=timezone.now())
        assert seen.races_failed_count == (1 if count == 1 else 5)
        clock.move_to(NOON)


# manage.py operator_status


def status(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("operator_status", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def test_the_status_is_zero_where_nothing_needs_a_hand(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    toy_game()
    in_order()
    code, said = status()
    assert (code, said.splitlines()[:2]) == (0, ["As of 2026-06-01 12:00 UTC.", "Nothing needs a hand."])
    assert status("--quiet") == (0, "")
    code, said = status("--json")
    assert (code, json.loads(said)["needs"]) == (0, [])


def test_the_status_is_one_where_something_does_and_names_what(
    toy_game: MakeGame, clock: time_machine.Traveller
) -> None:
    game = troubled(toy_game, clock)
    code, said = status()
    assert code == 1
    quiet_code, quiet = status("--quiet")
    assert quiet_code == 1
    needs = quiet.splitlines()
    assert len(needs) == 7
    assert [f"! {need}" for need in needs] == said.splitlines()[1 : len(needs) + 1]
    for part in (game.race.public_id, "player-", "m@evil.example", "gap 2026-06-01 12:00", "tries 2", "worker: silent"):
        assert part in said
    code, data = status("--json")
    seen = json.loads(data)
    assert (code, seen["needs"]) == (1, needs)
    assert [race["race"] for race in seen["races_failed"]] != []
    assert {mail["state"] for mail in seen["mails_listed"]} == {"held", "refused", "failed"}
    assert "raw" not in data
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("operator_status", "--json", "--quiet")


def test_the_help_says_what_the_status_means_and_what_helps(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("operator_status", "--help")
    told = capsys.readouterr().out
    assert "Exit status 0 if nothing needs a hand, 1 if something does" in told
    for command in ("race_retry", "delivery_retry", "inbound_release", "inbound_refuse", "inbound_retry"):
        assert command in told
