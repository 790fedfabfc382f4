"""Replies in a race of teams: changing drivers (12.5), and drawing and passing cards (12.4), by mail alone."""

from email.message import EmailMessage
from urllib.parse import urlsplit

import msgspec
import pytest
from django.test import Client

from games.engine import codec
from games.models import Seat, Snapshot
from games.rulesets.roadkill.components import named
from games.rulesets.roadkill.game import RULESET
from games.selectors.races import race_present
from games.services.races import race_create, race_join
from roadkill_site.accounts.models import User
from tests.games.web.conftest import hidden_fields
from tests.notifications.conftest import Running
from tests.notifications.replies.conftest import Post, reply_to, text_of

HANDS = {
    1: ["landmark", "move_1", "swerve", "red_line"],
    2: ["move_1", "move_2", "swerve", "ram"],
    3: ["smoke_screen", "tool_kit", "road_map", "fate"],
    4: ["move_1", "move_3", "swerve", "ram"],
}


@pytest.fixture
def team_post(wren: User, olu: User) -> Post:
    """Four drivers of two cars; seat 1, whose turn it is, can start and then change drivers."""
    race = race_create(by=wren, name="Pairs", seats=4, options={"sections": 3, "teams": True}, is_public=True)
    people = [User.objects.create_user(f"{name}@example.org", display_name=name.title()) for name in ("ada", "bo")]
    for one in (olu, *people):
        race_join(race_id=race.pk, by=one)
    race.refresh_from_db()
    snapshot = Snapshot.objects.get(race=race)
    state = codec.load(RULESET.state_type, bytes(snapshot.state))
    keys = named("classic").card_keys
    used: set[int] = set()

    def dealt(number: int) -> bytes:
        cards = []
        for key in HANDS[number]:
            card = next(card for card, one in enumerate(keys) if one == key and card not in used)
            used.add(card)
            cards.append(card)
        return bytes(cards)

    cars = tuple(msgspec.structs.replace(car, hand=dealt(car.seat)) for car in state.cars)
    partners = tuple(msgspec.structs.replace(one, hand=dealt(n)) for n, one in enumerate(state.teams.partners, 3))
    pile = bytes(card for card in range(len(keys)) if card not in used)
    teams = msgspec.structs.replace(state.teams, partners=partners)
    state = msgspec.structs.replace(state, cars=cars, teams=teams, pile=pile, discards=b"")
    snapshot.state = codec.dump(state)
    snapshot.save()
    return Post(Running(race))


def hand(post: Post, seat: Seat) -> list[str]:
    """The cards of this seat, by key."""
    view = race_present(race=post.running.race, viewer=seat, log_last=0)["view"]
    return sorted(card["key"] for card in view["hand"] for _ in range(card["count"]))


def send(post: Post, asking: EmailMessage, text: str) -> str:
    """Reply so to a mail; the text of the answer."""
    row = post.send(reply_to(asking, text))
    assert row.state == "done", row.report
    return text_of(post.answer_to(row))


def number_of(text: str, words: str) -> str:
    """Under which number a mail offers this."""
    return next(line.split(" = ")[0].strip() for line in text.splitlines() if f" = {words} (" in line)


def test_drivers_change_and_cards_pass_by_replies_in_words(team_post: Post) -> None:
    seat, asking = team_post.asked()
    partner = Seat.objects.get(race=team_post.running.race, number=3)
    first = text_of(asking)
    assert f"you drive car 1, Driver, with {partner.shown_name}." in first
    assert "Answer by: " in first
    assert "You are: its Driver\nYour partner: Assistant Driver, 4 cards" in first
    assert "Fate" not in first.partition("YOUR HAND AND PANEL")[2]
    asked = send(team_post, asking, "start with Landmark\nchange drivers")
    asking = team_post.asking(seat)
    assert "Drivers have changed and you see both hands." in asked
    assert "If you have not answered by then, this is your answer: leave both hands as they are." in asked
    assert "You are: its Assistant Driver" in asked
    assert "Your partner's hand: Smoke Screen, Fate, Tool Kit, Road Map" in asked
    asked = send(team_post, asking, "keep Move 1 and Fate")
    assert "Your partner's hand" not in asked
    assert hand(team_post, seat) == ["fate", "move_1"]
    assert hand(team_post, partner) == ["red_line", "road_map", "smoke_screen", "swerve", "tool_kit"]
    asked = send(team_post, team_post.asking(seat), "end, draw or pass cards")
    assert "You may draw cards or pass them to your partner, 2 in all. What do you do? (12.4)" in asked
    send(team_post, team_post.asking(seat), number_of(asked, "pass Fate to my partner"))
    assert hand(team_post, seat) == ["move_1"]
    assert "fate" in hand(team_post, partner)
    send(team_post, team_post.asking(seat), "nothing more")
    assert team_post.running.asked.number == 2
    assert hand(team_post, seat) == ["move_1"]


def test_drivers_change_and_cards_pass_by_numbers_and_links(team_post: Post, client: Client) -> None:
    seat, asking = team_post.asked()
    partner = Seat.objects.get(race=team_post.running.race, number=3)
    text = send(team_post, asking, number_of(text_of(asking), "start with Landmark"))
    text = send(team_post, team_post.asking(seat), number_of(text, "change drivers"))
    lines = text.splitlines()
    link = lines[next(n for n, line in enumerate(lines) if "= leave both hands as they are" in line) + 1].strip()
    page = client.get(urlsplit(link).path)
    assert page.status_code == 200
    assert "leave both hands as they are" in page.content.decode()
    assert client.post(urlsplit(link).path, hidden_fields(page.content.decode())).status_code == 303
    assert hand(team_post, partner) == sorted(HANDS[3])
    team_post.deliver()
    send(team_post, team_post.asking(seat), "end, draw or pass cards")
    assert team_post.running.question(seat)["key"] == "draw_or_pass"
    assert team_post.acts()[-3:-1] == [(1, "mail", "change_drivers"), (1, "link", "keep")]
