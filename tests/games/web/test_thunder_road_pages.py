"""Thunder Road's races on pages: laid out, driven by tapping spaces or in letters, fatal steps asked about twice."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from games.engine.plans import Condition
from games.models import Plan, Race, Seat
from games.rulesets.thunder_road.game import RULESET
from games.runtime.rulesets import RULESETS
from games.services.demo import demo_race
from games.services.links import link_token
from games.services.races import race_create, race_join, race_start
from roadkill_site.accounts.models import User
from tests.games.conftest import Game
from tests.games.web.conftest import Browser, all_rows, hidden_fields
from tests.games.web.markup import Page, faults_of

Open = Callable[[User | None], Browser]
FOREIGN = re.compile(r"\b(cards?|hands?|Sections?|fuel|deck|Road Log)\b", re.IGNORECASE)
"""Words of RoadKill that mean nothing here."""
MOST = 400

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def thunder_road(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thunder Road is played here."""
    monkeypatch.setitem(RULESETS, "thunder_road", RULESET)


@pytest.fixture
def game(alice: User, bob: User, charlie: User) -> Game:
    """A race of three crews of cars."""
    race = race_create(
        by=alice, name="Dust Drive", ruleset="thunder_road", seats=3, is_public=True, starts_when_full=False
    )
    race_join(race_id=race.pk, by=bob)
    race_join(race_id=race.pk, by=charlie)
    race_start(race_id=race.pk, by=alice)
    return Game(race)


def asked(game: Game) -> tuple[Seat, dict[str, Any]]:
    """The seat that is asked, and what."""
    number = next(n for n in range(1, 4) if getattr(game.seat(n), "decision", None) is not None)
    return game.seat(number), game.question(number)


def driven_to(game: Game, wanted: Callable[[dict[str, Any], dict[str, Any]], bool]) -> tuple[Seat, dict[str, Any]]:
    """Play the usual answers until a question is wanted, which its view and itself tell."""
    for _ in range(MOST):
        seat, question = asked(game)
        presented = game.present(seat.number)
        if wanted(presented["view"], question):
            return seat, question
        # A move without a way, so that the way is asked for.
        first = next((one for one in question["answers"] if one["action"]["do"] == "move"), question["answers"][0])
        game.act(seat.number or 0, action=first["action"])
    raise AssertionError("nobody was asked that")


def steps_of(game: Game, seat: Seat) -> list[dict[str, Any]]:
    view = game.present(seat.number)["view"]
    return list(RULESET.path(view, {"do": "drive", "path": ""}, "path")["next"])


def is_drive(view: dict[str, Any], question: dict[str, Any]) -> bool:
    return bool(question["key"] == "drive" and view["left"] > 1)


def form_address(html: str) -> str:
    """Where the form of a path is, as the race's page links to it."""
    return unescape(re.findall(r'<a class="ans[^>]*href="([^"]+)"', html)[-1])


def links_of(html: str, text: str) -> list[str]:
    return [unescape(one) for one in re.findall(r'href="([^"]+)"', html) if text in unescape(one)]


def test_a_way_is_tapped_step_by_step_without_a_script_and_looking_changes_nothing(game: Game, browser: Open) -> None:
    seat, _ = driven_to(game, is_drive)
    player = browser(seat.player)
    before = all_rows()
    html = player.html(f"/races/{game.race.public_id}/")
    path = next(one["step"] for one in steps_of(game, seat) if not one["ends"])
    taps = links_of(html, f"part-path={path}")
    assert taps, "each step is a link on the drawing"
    composed = player.html(taps[0].split("#")[0])
    assert f'value="{path}"' in composed
    assert before == all_rows()
    longer = links_of(composed, f"part-path={path}F")[0].split("#")[0]
    twice = player.html(longer)
    assert f'value="{path}F"' in twice
    assert links_of(twice, f"part-path={path}#"), "and back"


def test_a_way_in_letters_is_driven_as_it_is_sent(game: Game, browser: Open) -> None:
    seat, _ = driven_to(game, is_drive)
    step = next(one for one in steps_of(game, seat) if not one["fatal"] and not one["gamble"])
    player = browser(seat.player)
    address = form_address(player.html(f"/races/{game.race.public_id}/"))
    seq = game.race.seq
    response = player.press(address, **{"part-path": f" {step['step'].lower()} "})
    assert response.status_code == 303
    assert game.race.seq > seq
    assert step["space"] in [piece["at"] for piece in game.present(None)["view"]["pieces"]]


def test_letters_that_lead_nowhere_are_said_to_while_the_way_is_put_together(game: Game, browser: Open) -> None:
    seat, _ = driven_to(game, is_drive)
    player = browser(seat.player)
    left = game.present(seat.number)["view"]["left"]
    step = next(one["step"] for one in steps_of(game, seat) if not one["ends"])
    address = form_address(player.html(f"/races/{game.race.public_id}/"))
    assert "“7” is no way to go on from there" in player.html(f"{address}?part-path={step}7")
    view = game.present(seat.number)["view"]
    told = RULESET.path(view, {"do": "drive", "path": ""}, "path")
    path = ""
    while told["next"]:
        # The safest step each time, so that the way lasts as long as the count.
        path += min(told["next"], key=lambda one: (one["fatal"], bool(one["gamble"]), one["ends"]))["step"]
        told = RULESET.path(view, {"do": "drive", "path": path}, "path")
    html = player.html(f"{address}?part-path={path}LL")
    if told["taken"][-1]["ends"]:
        assert "Behind that nothing is sure" in html
    else:
        assert f"{left} step" in html
        assert "“LL” is more than there are steps" in html


def is_dangerous(kind: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    def dangerous(view: dict[str, Any], question: dict[str, Any]) -> bool:
        if question["key"] != "drive":
            return False
        return any(one[kind] for one in RULESET.path(view, {"do": "drive", "path": ""}, "path")["next"])

    return dangerous


@pytest.mark.parametrize("kind", ["fatal", "gamble"])
def test_what_may_go_wrong_is_asked_twice_in_the_form_and_says_why(game: Game, browser: Open, kind: str) -> None:
    seat, _ = driven_to(game, is_dangerous(kind))
    step = next(one for one in steps_of(game, seat) if one[kind])
    player = browser(seat.player)
    address = form_address(player.html(f"/races/{game.race.public_id}/"))
    before = all_rows()
    response = player.press(address, **{"part-path": step["step"]})
    html = response.content.decode()
    assert response.status_code == 200
    assert step["words"] in unescape(html)
    assert "Nothing has been sent yet" in html
    assert before == all_rows()
    sure = re.findall(r'name="sure" value="(\w+)"', html)
    sent = {**hidden_fields(html), "part-path": step["step"], "sure": sure[0]}
    assert player.post(address, {**sent, "sure": "1"}).status_code == 200, "sure of something else"
    assert before == all_rows()
    assert player.post(address, sent).status_code == 303
    assert before != all_rows()


def test_a_ready_answer_that_is_dangerous_is_asked_twice_too(game: Game, browser: Open) -> None:
    seat, question = driven_to(game, is_dangerous("fatal"))
    step = next(one for one in steps_of(game, seat) if one["fatal"])
    number = next(one["number"] for one in question["answers"] if one["action"].get("path") == step["step"])
    player = browser(seat.player)
    address = f"/races/{game.race.public_id}/answer/{question['decision']}/{number}"
    html = player.html(address)
    assert step["words"] in unescape(html)
    before = all_rows()
    asked_again = player.post(address, {**hidden_fields(html), "risky": "1"})
    assert asked_again.status_code == 200
    assert before == all_rows()
    html = asked_again.content.decode()
    sure = re.findall(r'name="sure" value="(\w+)"', html)
    assert player.post(address, {**hidden_fields(html), "sure": sure[0]}).status_code == 303
    assert before != all_rows()


def test_the_link_of_a_mail_opens_the_same_way_of_driving(game: Game, browser: Open) -> None:
    seat, question = driven_to(game, is_dangerous("fatal"))
    step = next(one for one in steps_of(game, seat) if one["fatal"])
    token = link_token(seat_id=seat.pk, question=question, number=question["forms"][0]["number"])
    stranger = browser(None)
    html = stranger.html(f"/act/{token}")
    (tap,) = {one.split("#")[0] for one in links_of(html, "part-path=") if one.endswith(f"={step['step']}#move")}
    assert tap.startswith(f"/act/{token}?")
    composed = stranger.html(tap)
    before = all_rows()
    answer = stranger.post(f"/act/{token}", {**hidden_fields(composed), "part-path": step["step"]})
    assert answer.status_code == 200
    assert before == all_rows()
    sure = re.findall(r'name="sure" value="(\w+)"', answer.content.decode())
    fields = {**hidden_fields(answer.content.decode()), "part-path": step["step"], "sure": sure[0]}
    assert stranger.post(f"/act/{token}", fields).status_code == 303
    assert before != all_rows()


def test_a_turn_is_looked_at_before_it_is_sent_and_keeps_what_was_chosen(game: Game, browser: Open) -> None:
    seat, question = driven_to(game, lambda view, question: question["key"] == "turn" and bool(question["forms"]))
    player = browser(seat.player)
    address = form_address(player.html(f"/races/{game.race.public_id}/"))
    die = question["forms"][0]["fields"][1]["values"][0]["value"]
    before = all_rows()
    response = player.press(address, **{"part-vehicle": "1", "part-die": "0", "part-path": "3F", "look": "1"})
    html = response.content.decode()
    assert response.status_code == 200
    assert before == all_rows()
    assert f"{die} step" in html
    vehicle = question["forms"][0]["fields"][0]["values"][1]["value"]
    assert re.search(rf'value="1" checked><span>{vehicle}, ', html)
    assert response.content.count(b'name="part-path"') == 1


class Planning:
    """As little as a ruleset may say of plans."""

    conditions = (Condition("hit", "hit"),)

    def on_turn(self, view: Any) -> Any:
        return view

    def came_true(self, condition: str, *, seat: int, view: Any, since: Any) -> bool:
        return False

    def went_well(self, action: Any, *, seat: int, view: Any, since: Any) -> bool:
        return True


def test_a_line_of_a_plan_is_put_together_on_the_board_and_kept_only_when_the_plan_is_saved(
    game: Game, browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RULESET, "planning", Planning())
    waits = next(n for n in range(1, 4) if getattr(game.seat(n), "decision", None) is None)
    player = browser(game.seat(waits).player)
    before = all_rows()
    orders = f"/races/{game.race.public_id}/orders/"
    (address,) = links_of(player.html(orders), "plan/line")
    (tap,) = {one.split("#")[0] for one in links_of(player.html(address), "part-path=4")}
    html = player.html(f"{tap}&part-vehicle=1&part-die=0")
    (line,) = re.findall(r'The line: <b class="typed">([^<]+)</b>', html)
    assert re.fullmatch(r"\w with \d: 4", line)
    (leads,) = links_of(html, "orders/?line=")
    page = player.html(leads.split("#")[0])
    assert f">{line}</textarea>" in page
    assert "Nothing is kept yet" in page
    assert before == all_rows()
    key = re.findall(r'name="key" value="([^"]+)"', page)[0]
    assert player.post(f"{orders}plan", {"lines": line, "key": key}).status_code == 303
    assert Plan.objects.get(seat=game.seat(waits)).state == "waiting"


def test_without_plans_no_line_is_put_together(game: Game, browser: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RULESET, "planning", None)
    player = browser(game.seat(1).player)
    assert "plan/line" not in player.html(f"/races/{game.race.public_id}/orders/")
    assert player.get(f"/races/{game.race.public_id}/orders/plan/line").status_code == 404


@pytest.mark.parametrize("page", ["", "log", "replay", "orders/", "seats/", "clocks/", "resign", "rewind/"])
def test_no_page_of_a_race_speaks_of_what_the_game_has_not(game: Game, browser: Open, page: str) -> None:
    driven_to(game, is_drive)
    player = browser(game.seat(1).player)
    address = f"/races/{game.race.public_id}/{page}"
    if page == "replay":
        address += f"/{game.race.seq}"
    html = player.html(address)
    told = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    told = unescape(re.sub(r"<[^>]+>", " ", told))
    told = told.replace("Hand over hosting", "").replace("by hand", "")
    assert not FOREIGN.findall(told), [told[m.start() - 60 : m.end() + 40] for m in FOREIGN.finditer(told)]
    assert not faults_of(html)


def test_a_race_page_is_under_a_hundred_kilobytes_at_every_question(game: Game, browser: Open) -> None:
    kinds = set()
    for _ in range(60):
        seat, question = asked(game)
        html = browser(seat.player).html(f"/races/{game.race.public_id}/")
        assert len(html.encode()) < 100_000
        assert "/static/games/hexes" in html
        kinds.add(question["key"])
        game.act(seat.number or 0, action=question["answers"][0]["action"])
    assert kinds >= {"turn", "drive"}


def test_a_race_is_laid_out_with_its_options_and_its_lobby_says_them(alice: User, browser: Open) -> None:
    player = browser(alice)
    html = player.html("/races/new?ruleset=thunder_road")
    assert "Sections" not in html
    filled = {
        "ruleset": "thunder_road", "name": "Scrap Cup", "seats": "5", "rig": "on", "carnage": "on", "sides": "B",
        "track": "1a, 3B 2A", "components": "classic", "last_stretch": "9", "hard_stop": "15", "tempo": "relaxed",
        "is_public": "yes", "absences": "2", "substitutes": "host", "words": "",
    }  # fmt: skip
    response = player.post("/races/new", filled)
    assert response.status_code == 303, response.content.decode()
    race = Race.objects.get(name="Scrap Cup")
    assert (race.ruleset, race.seats_wanted) == ("thunder_road", 5)
    assert race.options == {
        "components": "classic", "crews": ["rig"], "carnage": True, "sides": "B", "track": ["1A", "3B", "2A"],
        "last_stretch": 9, "hard_stop": 15,
    }  # fmt: skip
    lobby = player.html(f"/races/{race.public_id}/")
    assert "1A, 3B, 2A, then drawn" in lobby
    assert "Sections" not in lobby


@pytest.mark.parametrize(
    ("given", "words"),
    [({"seats": "6", "rig": "on"}, "drivers"), ({"track": "1A 99Z"}, "tile sides"), ({"last_stretch": "5"}, "6")],
)
def test_what_cannot_be_laid_out_is_said_and_kept(
    alice: User, browser: Open, given: dict[str, str], words: str
) -> None:
    player = browser(alice)
    player.html("/races/new?ruleset=thunder_road")
    filled = {
        "ruleset": "thunder_road", "name": "Scrap Cup", "seats": "3", "sides": "A", "track": "",
        "components": "classic", "last_stretch": "12", "hard_stop": "20", "tempo": "relaxed", "is_public": "no",
    }  # fmt: skip
    response = player.post("/races/new", {**filled, **given})
    html = unescape(response.content.decode())
    assert response.status_code == 422
    assert words in html
    assert "Scrap Cup" in html
    assert not Race.objects.exists()


def test_a_track_list_becomes_the_road_of_a_race(alice: User, browser: Open) -> None:
    player = browser(alice)
    page = player.html("/tracks/thunder_road/?players=6&sides=B&box=classic&carnage=on&list=abcdefghij234567")
    (leads,) = links_of(page, "/races/new?")
    html = player.html(leads)
    fields = {one.attributes["name"]: one for one in Page(html).all("input") if one.attributes.get("name")}
    order = fields["track"].attributes["value"].split()
    assert order[0] == "1B"
    assert all(key.endswith("B") for key in order)
    assert {"checked"} <= set(fields["carnage"].attributes) & set(fields["rig"].attributes) & {"checked"}


def test_the_demo_race_begins_with_a_question_for_you_against_three_bots(browser: Open) -> None:
    race, person = demo_race(email="looker@example.org", ruleset="thunder_road")
    assert (race.ruleset, race.status) == ("thunder_road", "running")
    assert sorted(seat.bot for seat in race.seats.all()) == ["", "driver", "driver", "driver"]
    assert "Your turn" in browser(person).html(f"/races/{race.public_id}/")
    assert demo_race(email="looker@example.org", ruleset="thunder_road") == (race, person)


def test_each_games_rules_lead_to_the_others_and_the_log_leads_to_its_own(game: Game, browser: Open) -> None:
    player = browser(game.seat(1).player)
    html = player.html("/rules/thunder_road/")
    assert "/rules/roadkill/" in links_of(html, "/rules/")
    (current,) = re.findall(r'aria-current="page">([^<]+)</a></nav>|aria-current="page">(Thunder Road[^<]*)</a>', html)
    assert "Thunder Road: Vendetta" in current
    numbers = set(re.findall(r"/rules/thunder_road/#(r[\w-]+)", player.html(f"/races/{game.race.public_id}/")))
    assert numbers
    assert all(f'id="{number}"' in html for number in numbers), numbers


def test_there_are_no_races_of_unknown_games(alice: User, browser: Open) -> None:
    assert browser(alice).get("/races/new?ruleset=chess").status_code == 404


def test_seats_are_called_by_their_letters(game: Game, browser: Open) -> None:
    seat = game.seat(2)
    html = browser(seat.player).html(f"/races/{game.race.public_id}/")
    assert "You drive crew B" in html
    assert "car 2" not in html
    assert "crew B" in [one["car_words"] for one in game.present(None)["seats"]]
