"""What a driver answers beforehand, on pages: written or chosen, tried, kept, removed; seen by nobody else."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from games.models import Plan, Race, Seat
from games.models import StandingOrder as StandingRow
from games.selectors.beforehand import beforehand_of, occasions_of
from games.services.plans import plan_save
from games.services.races import race_create, race_join, race_start
from games.services.seats import seat_resign
from games.services.standing import standing_save
from games.services.sweep import sweep
from games.web.order_forms import order_form, order_text
from roadkill_site.accounts.models import User
from tests.games.conftest import Game, MakeGame
from tests.games.noninterference import dealt
from tests.games.test_roadkill import MakeRoad, passing, road
from tests.games.web.conftest import Browser, all_rows
from tests.games.web.markup import Element, Page, faults_of

__all__ = ["road"]
Open = Callable[[User | None], Browser]
MARKED = "when passed by car 2 or 3: Machine Gun, else ask me"
SECRETS = ("Machine Gun", "Your plan", "Your orders", "standing order", "end, draw 0", "/orders/")
"""Words that stand on no page of anybody else while the orders of MARKED and a plan are kept."""


@pytest.fixture
def game(road: MakeRoad, clock: time_machine.Traveller) -> Game:
    """Car 1 is about to be passed by car 2 and holds a Machine Gun."""
    return passing(road, ["machine_gun"])


@pytest.fixture
def true_game(alice: User, bob: User, charlie: User, clock: time_machine.Traveller) -> Iterator[Game]:
    """The same, dealt so from the start: a race whose record can be replayed, as a trial does."""
    hands = {1: ["move_1", "machine_gun"], 2: ["move_2", "move_2", "move_2"], 3: ["fate", "move_1"]}
    with dealt(hands, like=hands):
        race = race_create(by=alice, name="Road", seats=3, is_public=True, starts_when_full=False)
        for person in (bob, charlie):
            race_join(race_id=race.pk, by=person)
        race_start(race_id=race.pk, by=alice)
        game = Game(race)
        for number, words in ((1, "start with Move 1"), (1, "end, draw 0"), (2, "start with Move 2")):
            game.act(number, words)
        yield game


def at(game: Game, path: str = "") -> str:
    return f"/races/{game.race.public_id}/orders/{path}"


def driver(game: Game, number: int, browser: Open) -> Browser:
    return browser(game.seat(number).player)


def kept(game: Game, number: int = 1) -> list[str]:
    return [one["words"] for one in beforehand_of(race=game.race, seat=game.seat(number))["orders"]]


def order(game: Game, number: int, *texts: str) -> None:
    standing_save(race_id=game.pk, seat_id=game.seat(number).pk, texts=texts)


def plan(game: Game, number: int, *lines: str, key: str = "k") -> None:
    plan_save(race_id=game.pk, seat_id=game.seat(number).pk, lines=lines, idempotency_key=key)


def send(visitor: Browser, there: str, **fields: Any) -> Any:
    """Post to an address from the page of orders, with its token."""
    if "csrftoken" not in visitor.client.cookies:
        visitor.get(re.sub(r"orders/.*", "orders/", there))
    return visitor.post(there, fields)


def alerts(html: str) -> list[Element]:
    return [one for one in Page(html).elements if one.attributes.get("role") == "alert"]


def key_of(html: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', html)
    assert found
    return found[1]


def pass_window(game: Game, clock: time_machine.Traveller) -> None:
    game.act(2, "pass 1 with Move 2")
    clock.shift(timedelta(days=1))
    sweep()


# --- In words ---------------------------------------------------------------------------


def test_orders_in_words_are_tried_and_then_saved(true_game: Game, browser: Open) -> None:
    alice = driver(true_game, 1, browser)
    assert faults_of(alice.html(at(true_game))) == []
    before = all_rows() + str(StandingRow.objects.count())
    texts = f"{MARKED}\n\nwhen attacked: pass"
    tried = send(alice, at(true_game), texts=texts, do="try")
    html = tried.content.decode()
    assert tried.status_code == 200
    assert faults_of(html) == []
    assert "Nothing is kept yet." in html
    assert "else pass</span>. What you add" in html, "no gap before the full stop"
    assert texts in Page(html).all("textarea")[0].text
    assert all_rows() + str(StandingRow.objects.count()) == before
    saved = send(alice, at(true_game), texts=texts, do="save")
    assert (saved.status_code, saved["Location"]) == (303, at(true_game))
    assert kept(true_game) == ["when attacked: pass", MARKED]
    page = Page(alice.html(at(true_game)))
    assert [e.text for e in page.elements if e.attributes.get("role") == "status"] == [
        "Your 2 standing orders are kept. From the next question on they count."
    ]
    assert [e.text for e in page.all("p") if e.attributes.get("class") == "typed"] == kept(true_game)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ("when any card is played: pass", "without that wish it never acts"),
        ("when any card is played: pass\nwhen attacked: pass", "without that wish one of them never acts"),
        ("when attacked: pass", ""),
        ("when any card is played by car 2 with Move 2: Fate, else pass", ""),
    ],
)
def test_an_order_that_passes_on_what_only_who_wishes_is_asked_says_so(
    true_game: Game, browser: Open, texts: str, told: str
) -> None:
    alice = driver(true_game, 1, browser)
    send(alice, at(true_game), texts=texts, do="save")
    page = Page(alice.html(at(true_game)))
    (said,) = [e.text for e in page.elements if e.attributes.get("role") == "status"]
    assert told in said
    assert ("wish" in said) == bool(told)


def test_a_trial_tells_what_was_done_and_what_would_have_been(
    true_game: Game, browser: Open, clock: time_machine.Traveller
) -> None:
    pass_window(true_game, clock)
    alice = driver(true_game, 1, browser)
    html = unescape(send(alice, at(true_game), texts="when passed: Machine Gun, else pass").content.decode())
    text = Page(html).text()
    assert "Of your last 1 window this would have answered 1" in text
    assert "You answered no card. It would have answered Machine Gun." in text
    html = send(alice, at(true_game), texts="when attacked: pass").content.decode()
    assert "this would have answered 0" in html
    assert "You would have been asked." in html


@pytest.mark.parametrize("do", ["try", "save"])
@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ("when eaten: pass", "I know no moment"),
        ("", "Write an order first"),
        ("when passed: pass\nwhen attacked by car 9: pass", "no car 9"),
        ("\n".join(["when passed: pass"] * 41), "at most 40"),
        ("when passed: pass, until 1999-01-01" + "x" * 400, "at most 400 letters"),
    ],
)
def test_what_cannot_be_read_keeps_what_was_typed(game: Game, browser: Open, do: str, texts: str, says: str) -> None:
    alice = driver(game, 1, browser)
    response = send(alice, at(game), texts=texts, do=do)
    if says == "at most 40" and do == "save":
        # Forty-one times the same moment is one order.
        assert response.status_code == 303
        return
    html = response.content.decode()
    assert response.status_code == 400
    assert faults_of(html) == []
    assert says in alerts(html)[0].text
    box = Page(html).all("textarea")[0]
    assert box.text.strip() == texts
    assert box.attributes["aria-invalid"] == "true"
    assert not StandingRow.objects.exists()


def test_saving_twice_keeps_one(game: Game, browser: Open) -> None:
    alice = driver(game, 1, browser)
    for _ in range(2):
        assert send(alice, at(game), texts=MARKED, do="save").status_code == 303
    assert kept(game) == [MARKED]


def test_what_is_typed_is_text_and_never_markup(game: Game, browser: Open) -> None:
    alice = driver(game, 1, browser)
    nasty = "when <script>alert(1)</script>: pass</textarea><img src=x>"
    html = send(alice, at(game), texts=nasty, do="save").content.decode()
    assert "<script>alert" not in html
    assert "<img" not in html
    assert nasty in unescape(html)
    # The promise of a trade is the one place in an order where any text may stand.
    line = "trade with 2: give Move 1 for nothing: </textarea><img src=x onerror=alert(1)>"
    html = send(alice, at(game, "plan"), lines=f"if eaten: {line}", key="k").content.decode()
    assert "<img" not in html
    plan(game, 1, line)
    for there in (at(game), f"/races/{game.race.public_id}/"):
        html = alice.html(there)
        assert faults_of(html) == []
        assert "<img" not in html
        assert line in unescape(html)


# --- By choosing ------------------------------------------------------------------------


def test_an_order_is_chosen_without_any_syntax(true_game: Game, browser: Open) -> None:
    alice = driver(true_game, 1, browser)
    page = Page(alice.html(at(true_game)))
    moments = [e.attributes["value"] for e in page.all("option")]
    assert moments[:2] == ["passed", "attacked"]
    there = at(true_game, "new?when=attacked")
    html = alice.html(there)
    assert faults_of(html) == []
    filled = {
        "car": ["2", "3"],
        "having": ["Ram"],
        "play": ["Swerve", "", "Firm Shoulders"],
        "otherwise": "pass",
        "until": "turn",
        "until_date": "",
    }
    tried = send(alice, there, do="try", **filled)
    html = tried.content.decode()
    words = "when attacked by car 2 or 3 with Ram: Swerve, Firm Shoulders, else pass, this turn"
    assert faults_of(html) == []
    assert words in html
    assert not StandingRow.objects.exists()
    marked = [e.attributes["value"] for e in Page(html).elements if {"checked", "selected"} & set(e.attributes)]
    assert marked == ["2", "3", "Ram", "Swerve", "Firm Shoulders", "pass", "turn"]
    assert send(alice, there, do="save", **filled).status_code == 303
    assert kept(true_game) == [words]
    assert "For this turn only." in alice.html(at(true_game))


@pytest.mark.parametrize(
    ("filled", "says"),
    [
        ({"car": ["leader", "2"]}, "not both"),
        ({"play": ["Nuke"]}, "“Nuke” is not to choose here"),
        ({"having": ["Kindness"]}, "“Kindness” is not to choose here"),
        ({"until": "date"}, "Until the end of which day?"),
        ({"until": "turn", "until_date": "2026-06-05"}, "leave the day empty"),
        ({"until": "date", "until_date": "2026-05-01"}, "has gone by"),
        ({"car": ["<b>"]}, "I do not understand"),
    ],
)
def test_a_form_that_is_refused_keeps_what_was_filled_in(
    game: Game, browser: Open, filled: dict[str, Any], says: str
) -> None:
    alice = driver(game, 1, browser)
    fields = {"otherwise": "pass", "play": ["Swerve"], "do": "save", **filled}
    response = send(alice, at(game, "new?when=attacked"), **fields)
    html = response.content.decode()
    assert response.status_code == 400
    assert faults_of(html) == []
    assert says in alerts(html)[0].text
    checked = [e.attributes["value"] for e in Page(html).all("input") if "checked" in e.attributes]
    assert "pass" in checked
    assert not StandingRow.objects.exists()


def test_every_moment_with_all_its_parts_can_be_said_by_its_form(game: Game, browser: Open) -> None:
    alice = driver(game, 1, browser)
    occasions = occasions_of(race=game.race, seat=game.seat(1))
    assert len(occasions) > 10
    for occasion in occasions:
        filled: dict[str, Any] = {
            "car": ["2"],
            "having": occasion["having"][:4],
            "play": occasion["answers"][:8],
            "otherwise": "pass",
            "do": "save",
            "until_date": "2026-06-20",
        }
        assert faults_of(alice.html(at(game, f"new?when={occasion['key']}"))) == []
        response = send(alice, at(game, f"new?when={occasion['key']}"), **filled)
        assert response.status_code == 303, (occasion, response.content.decode())
        for answer in (*occasion["answers"], *occasion["having"]):
            assert answer in alice.html(at(game, f"new?when={occasion['key']}")) or "&" in answer
    assert len(kept(game)) == len(occasions)
    assert alice.get(at(game, "new?when=eaten")).status_code == 404
    assert alice.get(at(game, "new")).status_code == 404


def test_a_moment_that_no_car_brings_about_asks_for_none() -> None:
    occasion = {"key": "check", "words": "a check comes", "answers": [], "having": [], "by_car": False}
    form = order_form(occasion, [(2, "Bob")])
    assert (form.cars, form.having, form.slots, form.otherwise) == ((), (), (), "ask")

    class Filled:
        def get(self, name: str) -> Any:
            return None

        def getlist(self, name: str) -> list[Any]:
            return ["2"] if name == "car" else []

    assert order_text(occasion, Filled()) == "when a check comes: ask me"


# --- The list ---------------------------------------------------------------------------


def test_orders_are_removed_one_by_one_or_all_at_once(game: Game, browser: Open) -> None:
    order(game, 1, MARKED, "when attacked: pass", "when robbed: pass")
    alice = driver(game, 1, browser)
    html = alice.html(at(game))
    removals = re.findall(r'action="([^"]+/remove)"', html)
    assert len(removals) == 3
    assert send(alice, removals[0]).status_code == 303
    assert kept(game) == ["when attacked: pass", MARKED]
    again = send(alice, removals[0])
    assert again.status_code == 404
    assert "no such standing order" in again.content.decode()
    assert len(kept(game)) == 2
    for _ in range(2):
        assert send(alice, at(game, "clear")).status_code == 303
    assert kept(game) == []


def test_an_order_moves_up_the_list(game: Game, browser: Open) -> None:
    order(game, 1, MARKED, "when attacked: pass", "when robbed: pass")
    alice = driver(game, 1, browser)
    html = alice.html(at(game))
    moves = re.findall(r'action="([^"]+/move)">.*?name="place" value="(\d+)"', html, re.DOTALL)
    assert [place for _, place in moves] == ["1", "2"], "the first is the first"
    last, place = moves[-1]
    assert send(alice, last, place=place).status_code == 303
    assert kept(game) == ["when robbed: pass", MARKED, "when attacked: pass"]
    for wrong in ("", "0", "x", "9999"):
        assert send(alice, last, place=wrong).status_code == 400
    assert kept(game) == ["when robbed: pass", MARKED, "when attacked: pass"]


def test_who_removes_the_order_that_brought_a_wish_is_told_that_the_wish_stays(game: Game, browser: Open) -> None:
    order(game, 3, "when any card is played: Fate, else pass", "when attacked: pass")
    charlie = driver(game, 3, browser)
    attacked, wished = re.findall(r'action="([^"]+/remove)"', charlie.html(at(game)))
    send(charlie, attacked)
    assert "The wish that came with it stays" not in charlie.html(at(game))
    send(charlie, wished)
    assert "The wish that came with it stays" in charlie.html(at(game))


def test_an_order_says_until_when_and_whether_it_has_run_out(
    game: Game, browser: Open, clock: time_machine.Traveller
) -> None:
    order(game, 1, "when passed: pass, until 2026-06-02", "when attacked: pass")
    alice = driver(game, 1, browser)
    text = Page(alice.html(at(game))).text()
    assert "Until Wed 3 Jun, 00:00" in text
    assert "run out" not in text
    assert "2 standing orders answer for you." in Page(alice.html(f"/races/{game.race.public_id}/")).text()
    clock.shift(timedelta(days=2))
    assert "It has run out" in Page(alice.html(at(game))).text()
    assert "1 standing order answers for you." in Page(alice.html(f"/races/{game.race.public_id}/")).text()


# --- The plan ---------------------------------------------------------------------------


def test_a_plan_is_written_shown_replaced_and_cancelled(game: Game, browser: Open) -> None:
    alice = driver(game, 1, browser)
    html = alice.html(at(game))
    there = at(game, "plan")
    fields = {"lines": "attack 2 with Machine Gun\r\nif hit: end, draw 0\r\n", "key": key_of(html)}
    for _ in range(2):
        response = send(alice, there, **fields)
        assert (response.status_code, response["Location"]) == (303, f"{at(game)}#plan")
    assert Plan.objects.count() == 1
    html = alice.html(at(game))
    assert faults_of(html) == []
    text = Page(html).text()
    assert "It waits for its first line." in text
    assert "attack 2 with Machine Gun next" in text
    race_page = alice.html(f"/races/{game.race.public_id}/")
    assert faults_of(race_page) == []
    assert "It waits for its first line. Next: attack 2 with Machine Gun" in " ".join(Page(race_page).text().split())
    assert send(alice, there, lines="end, draw 0", key=key_of(html)).status_code == 303
    assert sorted(Plan.objects.values_list("state", flat=True)) == ["cancelled", "waiting"]
    cancelled = send(alice, at(game, "plan/cancel"), back="race")
    assert (cancelled.status_code, cancelled["Location"]) == (303, f"/races/{game.race.public_id}/")
    assert "Your plan is cancelled" in alice.html(f"/races/{game.race.public_id}/")
    again = send(alice, at(game, "plan/cancel"))
    assert again["Location"] == at(game)
    assert "no plan waiting" in alice.html(at(game))


def test_a_plan_that_has_stopped_says_at_what_and_why(game: Game, browser: Open) -> None:
    bob = driver(game, 2, browser)
    send(bob, at(game, "plan"), lines="attack 3 with Ram\nend", key="k-1")
    text = Page(bob.html(at(game))).text()
    assert "Stopped." in text
    assert "attack 3 with Ram stopped here" in text
    assert "Stopped." in Page(bob.html(f"/races/{game.race.public_id}/")).text()


@pytest.mark.parametrize(
    ("lines", "key", "says"),
    [("", "k", "at least one order"), ("if passed: end", "k", "cannot begin"), ("end", "", "needs a key")],
)
def test_a_plan_that_is_refused_keeps_what_was_typed(
    game: Game, browser: Open, lines: str, key: str, says: str
) -> None:
    alice = driver(game, 1, browser)
    response = send(alice, at(game, "plan"), lines=lines, key=key)
    html = response.content.decode()
    assert response.status_code == 400
    assert faults_of(html) == []
    assert says in alerts(html)[0].text
    box = next(e for e in Page(html).all("textarea") if e.attributes["name"] == "lines")
    assert box.text == lines


# --- The report -------------------------------------------------------------------------


def test_what_fired_is_told_to_its_owner(game: Game, browser: Open, clock: time_machine.Traveller) -> None:
    order(game, 1, "when passed: pass")
    pass_window(game, clock)
    text = Page(driver(game, 1, browser).html(at(game))).text()
    assert "No card by standing order" in text
    assert "No card by standing order" not in Page(driver(game, 2, browser).html(at(game))).text()


def test_after_the_race_the_whole_report_stands_and_nothing_can_be_ordered(
    game: Game, browser: Open, clock: time_machine.Traveller
) -> None:
    order(game, 1, "when passed: pass")
    pass_window(game, clock)
    alice = driver(game, 1, browser)
    alice.get(at(game))
    for number in (2, 3):
        seat_resign(race_id=game.pk, by=game.seat(number).player)  # type: ignore[arg-type]
    assert game.race.status == "finished"
    assert "What your orders did" in alice.html(f"/races/{game.race.public_id}/")
    html = alice.html(at(game))
    assert faults_of(html) == []
    page = Page(html)
    assert page.all("h1")[0].text == "What your orders did"
    assert "No card by standing order" in page.text()
    assert not page.all("textarea")
    assert send(alice, at(game), texts=MARKED, do="try").status_code == 409
    assert send(alice, at(game), texts=MARKED, do="save").status_code == 409
    assert send(alice, at(game, "plan"), lines="end", key="k").status_code == 409
    assert alice.get(at(game, "new?when=passed")).status_code == 409


# --- Nobody else ------------------------------------------------------------------------


def test_nobody_else_sees_anything_of_it(game: Game, browser: Open, db: None) -> None:
    order(game, 3, MARKED)
    plan(game, 3, "end, draw 0")
    assert game.race.host_id == Seat.objects.get(race_id=game.pk, player__email="alice@example.org").player_id
    race_page = f"/races/{game.race.public_id}/"
    for number in (1, 2):
        visitor = driver(game, number, browser)
        text = Page(visitor.html(at(game))).text()
        assert "You have none: you are asked each time." in text
        assert MARKED not in text
        assert "It waits" not in text
        text = Page(visitor.html(race_page)).text()
        assert "No standing orders" in text
        assert "Your plan" not in text
    for user in (None, User.objects.create_user("dora@example.org", display_name="Dora")):
        html = browser(user).html(race_page)
        assert [words for words in SECRETS[1:] if words in html] == []


def test_orders_and_plans_of_others_are_out_of_reach(game: Game, browser: Open, db: None) -> None:
    order(game, 3, MARKED)
    plan(game, 3, "end, draw 0")
    foreign = StandingRow.objects.get()
    bob = driver(game, 2, browser)
    bob.get(at(game))
    assert send(bob, at(game, f"{foreign.pk}/remove")).status_code == 404
    assert send(bob, at(game, f"{foreign.pk}/move"), place="1").status_code == 404
    assert send(bob, at(game, "clear")).status_code == 303
    assert send(bob, at(game, "plan/cancel")).status_code == 303
    dora = browser(User.objects.create_user("dora@example.org", display_name="Dora"))
    dora.get(f"/races/{game.race.public_id}/")
    dora.get("/")
    for path, fields in [
        ("", {"texts": MARKED, "do": "save"}),
        ("new?when=passed", {"do": "save"}),
        (f"{foreign.pk}/remove", {}),
        (f"{foreign.pk}/move", {"place": "1"}),
        ("clear", {}),
        ("plan", {"lines": "end", "key": "k"}),
        ("plan/cancel", {}),
    ]:
        assert dora.post(at(game, path), fields).status_code == 403
    assert dora.get(at(game)).status_code == 403
    stranger = browser(None)
    assert stranger.get(at(game)).status_code == 302
    assert StandingRow.objects.get() == foreign
    assert Plan.objects.get().state == "waiting"


def test_there_is_no_page_of_orders_before_a_race_or_of_a_hidden_one(
    browser: Open, alice: User, bob: User, clock: time_machine.Traveller
) -> None:
    race = race_create(by=alice, name="Later", seats=2, is_public=False)
    assert browser(alice).get(f"/races/{race.public_id}/orders/").status_code == 409
    assert browser(bob).get(f"/races/{race.public_id}/orders/").status_code == 404


def test_who_has_left_the_course_sees_the_report_and_no_forms(
    game: Game, browser: Open, clock: time_machine.Traveller
) -> None:
    order(game, 3, MARKED)
    seat_resign(race_id=game.pk, by=game.seat(3).player)  # type: ignore[arg-type]
    charlie = driver(game, 3, browser)
    html = charlie.html(at(game))
    assert faults_of(html) == []
    assert not Page(html).all("textarea")
    assert charlie.get(at(game, "new?when=passed")).status_code == 409


def test_a_driver_who_takes_a_seat_over_reads_nothing_of_the_one_before(
    game: Game, browser: Open, clock: time_machine.Traveller, db: None
) -> None:
    order(game, 1, "when passed: pass")
    pass_window(game, clock)
    heir = User.objects.create_user("dora@example.org", display_name="Dora")
    assert "No card by standing order" in Page(driver(game, 1, browser).html(at(game))).text()
    clock.shift(timedelta(minutes=1))
    Seat.objects.filter(pk=game.seat(1).pk).update(player=heir, joined_at=timezone.now())
    assert "Nothing yet." in Page(browser(heir).html(at(game))).text()


# --- Looking ----------------------------------------------------------------------------


def test_looking_changes_nothing_and_is_stored_nowhere(game: Game, browser: Open) -> None:
    order(game, 1, MARKED)
    plan(game, 1, "end, draw 0")
    alice = driver(game, 1, browser)
    before = all_rows() + repr(list(StandingRow.objects.values())) + repr(list(Plan.objects.values()))
    for path in ("", "new?when=passed", "clear", "plan", "plan/cancel", "?report=all"):
        response = alice.get(at(game, path))
        assert response.status_code in {200, 405}, path
        assert {"private", "no-store"} <= {part.strip() for part in response["Cache-Control"].split(",")}
        assert "ETag" not in response
        assert "Last-Modified" not in response
    assert all_rows() + repr(list(StandingRow.objects.values())) + repr(list(Plan.objects.values())) == before


def test_a_game_without_standing_orders_and_plans_says_so(toy_game: MakeGame, browser: Open) -> None:
    game = toy_game()
    html = driver(game, 1, browser).html(at(game))
    assert faults_of(html) == []
    assert "This game knows no standing orders." in html
    assert "This game knows no plans." in html
    assert Race.objects.get(pk=game.pk).status == "running"
