"""Table talk: public, capped, escaped, and no act of the game."""

from collections.abc import Callable

import pytest
import time_machine

from games.models import RaceMessage
from games.selectors.talk import talk_of, with_talk
from games.services.errors import Malformed, NotYourDecision, RaceNotRunning
from games.services.talk import A_DAY_MOST, message_say
from tests.games.conftest import Game
from tests.games.web.conftest import Browser

MakeGame = Callable[..., Game]


def say(game: Game, number: int, text: str) -> RaceMessage:
    return message_say(race_id=game.pk, seat_id=game.seat(number).pk, text=text, origin="player")


def test_a_message_is_kept_on_one_line_and_moves_no_position(toy_game: MakeGame) -> None:
    game = toy_game()
    before = game.race.seq
    say(game, 1, "  Nice\n move \t")
    assert [(one["seat"], one["text"], one["entry"]) for one in talk_of(race=game.race, last=5)] == [
        (1, "Nice move", before)
    ]
    assert game.race.seq == before


@pytest.mark.parametrize(("text", "said"), [("", "empty"), ("x" * 501, "501"), ("a\u202eb", "U+202E")])
def test_what_cannot_be_printed_on_a_line_is_refused(toy_game: MakeGame, text: str, said: str) -> None:
    with pytest.raises(Malformed, match=said.replace("+", r"\+")):
        say(toy_game(), 1, text)
    assert not RaceMessage.objects.exists()


def test_a_driver_says_so_much_a_day_and_more_the_next(toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    for number in range(A_DAY_MOST):
        say(game, 1, f"line {number}")
    with pytest.raises(Malformed, match="tomorrow"):
        say(game, 1, "one more")
    say(game, 2, "others may")
    clock.shift(24 * 3600 + 1)
    say(game, 1, "the next day")


def test_only_who_drives_in_a_race_under_way_says_anything(toy_game: MakeGame) -> None:
    game = toy_game()
    game.act(2, action={"do": "withdraw"})
    with pytest.raises(NotYourDecision):
        say(game, 2, "I am out")
    race = game.race
    race.status = "abandoned"
    race.save()
    with pytest.raises(RaceNotRunning):
        say(game, 1, "over")


def test_a_story_has_what_was_said_where_it_was_said(toy_game: MakeGame) -> None:
    game = toy_game()
    say(game, 1, "early")
    game.do_least()
    say(game, 2, "late")
    last = game.race.seq
    story = [{"entry": 0, "text": "deal"}, {"entry": last, "text": "rest"}]
    told = with_talk(race=game.race, story=story, since=None, last=10)
    assert [line["text"].partition(" (car")[0] for line in told] == [
        "deal", f"{game.seat(1).shown_name}", "rest", f"{game.seat(2).shown_name}",
    ]  # fmt: skip
    assert told[1]["text"].endswith("says: “early”")
    assert [line["text"] for line in with_talk(race=game.race, story=story, since=last, last=1)] == [told[3]["text"]]


def test_the_page_escapes_what_is_said_and_offers_the_form_to_drivers_alone(toy_game: MakeGame) -> None:
    game = toy_game()
    address = f"/races/{game.race.public_id}/"
    driver, stranger = Browser(game.seat(1).player), Browser(None)
    assert f'href="{address}say"' in driver.html(address)
    assert f'href="{address}say"' not in stranger.html(address)
    driver.html(f"{address}say")
    assert driver.post(f"{address}say", {"text": "<b>boo</b> & co"}).status_code == 303
    for page in (driver.html(address), stranger.html(address), driver.html(f"{address}say")):
        assert "&lt;b&gt;boo&lt;/b&gt; &amp; co" in page
        assert "<b>boo" not in page
    refused = driver.post(f"{address}say", {"text": " "})
    assert refused.status_code == 400
    assert "the message is empty" in refused.content.decode()
    assert RaceMessage.objects.count() == 1
