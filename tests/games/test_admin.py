"""The operator's pages: faults are seen and tried again, and nothing is shown that a player may not know."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from games.models import (
    Campaign,
    CampaignDriver,
    CampaignRace,
    Entry,
    Heartbeat,
    League,
    OutboxEvent,
    Posting,
    Purchase,
    PurchaseRound,
    Race,
    Seat,
    Snapshot,
)
from games.runtime.errors import RaceFaulty
from games.services.faults import fault_mark
from games.services.heartbeat import heartbeat_note
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games.circuits import circuit_started, cup_at_hand
from tests.games.conftest import Game, MakeGame
from tests.games.leagues import some_people, toy_league, toy_season

TURN = timedelta(hours=72)


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("olga@example.org", display_name="Olga"))
    return client


@pytest.fixture
def faulty(toy_game: MakeGame, clock: time_machine.Traveller) -> Game:
    """A race that a sweep has found broken."""
    game = toy_game()
    Snapshot.objects.filter(race_id=game.pk).update(state=b"?")
    clock.shift(TURN)
    sweep()
    return game


def test_a_fault_is_seen_and_tried_again(operator: Client, faulty: Game, toy_game: MakeGame) -> None:
    toy_game()
    page = operator.get("/admin/games/race/?faulty=yes")
    assert faulty.race.fault in page.context["cl"].result_list[0].fault
    assert [race.pk for race in page.context["cl"].result_list] == [faulty.pk]
    before = faulty.race.wake_at
    answer = operator.post("/admin/games/race/", {"action": "retry", "_selected_action": [str(faulty.pk)]}, follow=True)
    assert "1 races are tried again" in answer.content.decode()
    assert faulty.race.wake_at == timezone.now() != before


def test_only_faulty_races_are_woken(operator: Client, toy_game: MakeGame, clock: time_machine.Traveller) -> None:
    game = toy_game()
    before = game.race.wake_at
    operator.post("/admin/games/race/", {"action": "retry", "_selected_action": [str(game.pk)]})
    assert game.race.wake_at == before


@pytest.mark.parametrize("model", [Race, Seat, Entry, OutboxEvent, Heartbeat])
def test_rows_are_looked_at_and_never_changed(operator: Client, toy_game: MakeGame, model: type) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(1, "strike 2 with 3")
    game.act(2, "guard")
    heartbeat_note()
    row = model.objects.first()  # type: ignore[attr-defined]
    name = model.__name__.lower()
    listed = operator.get(f"/admin/games/{name}/")
    shown = operator.get(f"/admin/games/{name}/{row.pk}/change/")
    assert (listed.status_code, shown.status_code) == (200, 200)
    assert operator.get(f"/admin/games/{name}/add/").status_code == 403
    assert operator.post(f"/admin/games/{name}/{row.pk}/change/", {}).status_code == 403
    assert operator.post(f"/admin/games/{name}/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_when_a_window_closes_is_not_told_by_a_fault(operator: Client, faulty: Game, toy_game: MakeGame) -> None:
    other = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    other.act(1, "strike 2 with 3")
    fault_mark(race_id=other.pk, error=RaceFaulty("a rule breaks"), now=timezone.now(), by_player=True)
    page = operator.get("/admin/games/race/?faulty=yes")
    listed = {race.pk: page.context["cl"].model_admin.tried_again_at(race) for race in page.context["cl"].result_list}
    assert listed == {faulty.pk: faulty.race.wake_at, other.pk: None}
    assert other.race.wake_at is not None


def test_how_many_were_asked_is_not_told_by_the_outbox(operator: Client, toy_game: MakeGame) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(1, "strike 2 with 3")
    rows = list(OutboxEvent.objects.filter(kind="question"))
    assert rows
    listed = operator.get("/admin/games/outboxevent/").context["cl"].result_list
    assert listed
    assert {row.kind for row in listed}.isdisjoint({"turn", "question"})
    assert operator.get(f"/admin/games/outboxevent/{rows[0].pk}/change/").status_code == 302


@pytest.mark.parametrize("model", [Race, Seat, Entry])
def test_no_hand_no_sealed_answer_and_no_secret_is_shown(operator: Client, toy_game: MakeGame, model: type) -> None:
    game = toy_game(hands={1: (3,), 2: (0,), 3: (5,)})
    game.act(3, "ask me about snuffing")
    game.act(1, "strike 2 with 3")
    game.act(2, "guard")
    secret = bytes(game.race.secret)
    for row in model.objects.all():  # type: ignore[attr-defined]
        shown = operator.get(f"/admin/games/{model.__name__.lower()}/{row.pk}/change/").content.decode()
        for hidden in ("snuff", "guard", "&#x27;do&#x27;", "seating", secret.hex(), repr(secret)):
            assert hidden not in shown


def test_others_are_kept_out(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("eve@example.org", display_name="Eve"))
    assert client.get("/admin/games/race/").status_code == 302


def test_another_driver_is_made_host_of_a_race_whose_host_is_gone_for_good(
    operator: Client, toy_game: MakeGame, bob: User
) -> None:
    game = toy_game()
    former = game.race.host
    operator.post("/admin/games/race/", {"action": "relieve", "_selected_action": [game.pk]})
    assert game.race.host == bob
    told = {event.kind: event.player_id for event in OutboxEvent.objects.filter(kind__startswith="host_")}
    assert told == {"host_new": bob.pk, "host_lost": former.pk}


def test_a_league_whose_host_is_gone_for_good_gets_another_and_shows_no_key(operator: Client, bob: User) -> None:
    host, *others = some_people(3)
    season = toy_season(toy_league(host), others)
    page = operator.get(f"/admin/games/league/{season.league_id}/change/").content.decode()
    assert "Sunday cup" in page
    assert season.league.entry_key not in page
    operator.post("/admin/games/league/", {"action": "relieve", "_selected_action": [season.league_id]})
    assert League.objects.get().host == bob


@pytest.mark.parametrize("model", [Campaign, CampaignDriver, CampaignRace, Posting, PurchaseRound, Purchase])
def test_campaigns_are_looked_at_and_never_changed(operator: Client, alice: User, bob: User, model: type) -> None:
    with cup_at_hand():
        going = circuit_started([alice, bob])
        going.answer({"do": "buy", "upgrade": "R"}, idempotency_key="a-key-of-the-form")
        row = model.objects.order_by("pk").first()  # type: ignore[attr-defined]
        address = f"/admin/games/{model.__name__.lower()}/"
        pages = [operator.get(f"{address}{part}") for part in ("", f"{row.pk}/change/")]
        assert [page.status_code for page in pages] == [200, 200]
        assert [operator.get(f"{address}add/").status_code] == [403]
        assert operator.post(f"{address}{row.pk}/change/", {"points": "9"}).status_code == 403
        assert operator.post(f"{address}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        seen = "".join(page.content.decode() for page in pages)
        secret = bytes(going.last.race.secret)
        for hidden in ("a-key-of-the-form", secret.hex(), repr(secret)):
            assert hidden not in seen


def test_an_operator_sees_what_was_bought_in_words(operator: Client, alice: User, bob: User) -> None:
    with cup_at_hand():
        circuit_started([alice, bob]).buy("R")
        assert "Buy R, Part R, for 3" in operator.get("/admin/games/purchase/").content.decode()
        assert "purchase/" in operator.get("/admin/games/posting/").content.decode()
