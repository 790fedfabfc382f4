"""A driver who misses turns: the host gives the seat to a bot or to somebody else; the old driver's links are void."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from games.models import Decision, Seat
from games.services.invitations import invitation_address
from games.services.links import link_token
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.web.conftest import Browser, all_rows, hidden_fields
from tests.games.web.markup import faults_of

Open = Callable[[User | None], Browser]


def address(game: Game, path: str = "") -> str:
    return f"/races/{game.race.public_id}/{path}"


@pytest.fixture
def left_alone(road_game: Callable[..., Game], clock: time_machine.Traveller, alice: User) -> tuple[Game, Seat]:
    """A race of two in which Bob has missed two turns and is asked again; the race and his seat."""
    # Open, so that a window that a deal brings about closes with its answer.
    game = road_game(players=2, is_public=False, policy="open")
    for _ in range(12):
        row = Decision.objects.select_related("seat__player", "seat__race").get(race_id=game.pk)
        assert row.seat.number is not None
        if row.seat.player == alice:
            game.do_least()
        elif row.seat.offered_at is not None:
            return game, row.seat
        else:
            clock.shift(timedelta(days=4))
            sweep()
    raise AssertionError("Bob never went")


def test_the_host_sees_who_has_gone_and_nobody_else_is_offered_to_deal_with_it(
    left_alone: tuple[Game, Seat], browser: Open, alice: User, bob: User
) -> None:
    game, seat = left_alone
    html = browser(alice).html(address(game))
    assert "Drivers who have gone" in html
    assert address(game, f"seat/{seat.pk}/remove") in html
    assert faults_of(html) == []
    page = browser(alice).html(address(game, f"seat/{seat.pk}/remove"))
    assert faults_of(page) == []
    assert "Let a bot drive on" in page
    assert "Drivers who have gone" not in browser(bob).html(address(game))
    assert "Let a bot drive on" not in browser(bob).html(address(game, f"seat/{seat.pk}/remove"))


def test_a_bot_drives_on(left_alone: tuple[Game, Seat], browser: Open, alice: User) -> None:
    game, seat = left_alone
    host = browser(alice)
    host.get(address(game, f"seat/{seat.pk}/remove"))
    fields = {"bot": "driver", "delay_minutes": "0"}
    assert host.post(address(game, f"seat/{seat.pk}/bot"), fields).status_code == 303
    assert Seat.objects.get(pk=seat.pk).bot == "driver"
    assert "A bot drives on." in host.html(address(game))


def test_what_a_host_fills_in_wrongly_is_said_on_the_same_page(
    left_alone: tuple[Game, Seat], browser: Open, alice: User
) -> None:
    game, seat = left_alone
    host = browser(alice)
    host.get(address(game, f"seat/{seat.pk}/remove"))
    before = all_rows()
    for path, fields in (("bot", {"bot": "nobody", "delay_minutes": "0"}), ("offer", {"email": "nowhere"})):
        response = host.post(address(game, f"seat/{seat.pk}/{path}"), fields)
        assert response.status_code == 422
        assert faults_of(response.content.decode()) == []
    assert all_rows() == before


def test_the_seat_is_offered_by_mail_and_taken_and_the_old_drivers_link_shows_and_does_nothing_private(
    left_alone: tuple[Game, Seat], browser: Open, alice: User, clock: time_machine.Traveller
) -> None:
    game, seat = left_alone
    assert seat.number is not None
    question = game.question(seat.number)
    old_link = f"/act/{link_token(seat_id=seat.pk, question=question, number=1)}"
    reader = browser(None)
    fields = hidden_fields(reader.html(old_link))
    clock.shift(timedelta(minutes=5))

    host = browser(alice)
    host.get(address(game, f"seat/{seat.pk}/remove"))
    assert host.post(address(game, f"seat/{seat.pk}/offer"), {"email": "dora@example.org"}).status_code == 303
    path = "/" + invitation_address(Seat.objects.get(pk=seat.pk)).split("://", 1)[1].split("/", 1)[1]
    assert "Make an account" in browser(None).html(path)
    dora = browser(User.objects.create_user("dora@example.org", display_name="Dora"))
    html = dora.html(address(game))
    assert "A seat is offered to you" in html
    assert faults_of(html) == []
    assert dora.post(address(game, "join"), {"invitation": "", "words": ""}).status_code == 303
    assert Seat.objects.get(pk=seat.pk).player == dora.user
    html = dora.html(address(game))
    assert "Your hand" in html
    assert "A seat is offered to you" not in html

    before = all_rows()
    html = reader.html(old_link)
    assert "That question is closed" in html
    assert question["text"] not in html
    assert 'class="hand"' not in html
    assert reader.client.post(old_link, fields).status_code in {403, 409}
    assert all_rows() == before
    new_link = f"/act/{link_token(seat_id=seat.pk, question=game.question(seat.number), number=1)}"
    assert "Nothing has been sent yet." in reader.html(new_link)
