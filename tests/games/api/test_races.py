"""The life of a race by the API."""

from typing import Any

import pytest

from games.models import Race, Seat
from games.services.invitations import invitation_token
from games.services.races import race_cancel, race_join
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.conftest import MakeGame

RACE: dict[str, Any] = {"name": "Dust Devil 300", "seats": 3, "options": {"sections": 3}, "is_public": True}


def created(client: Any, **more: Any) -> dict[str, Any]:
    response = client.post("/api/v1/races", {**RACE, **more}, format="json")
    assert response.status_code == 201, response.json()
    body: dict[str, Any] = response.json()
    assert response.headers["Location"].endswith(f"/api/v1/races/{body['race']['id']}")
    return body


def test_a_race_is_made_listed_joined_started_and_shown(
    alice: User, bob: User, charlie: User, program: Program
) -> None:
    host, second, third = program(alice), program(bob), program(charlie)
    race_id = created(host)["race"]["id"]
    path = f"/api/v1/races/{race_id}"
    assert [one["race"]["id"] for one in third.get("/api/v1/races").json()["results"]] == [race_id]
    assert second.post(f"{path}/join", {"words": "lucky seven"}, format="json").status_code == 200
    assert [one["race"]["id"] for one in second.get("/api/v1/me/races").json()["results"]] == [race_id]
    assert second.put(f"{path}/words", {"words": "lucky eight"}, format="json").status_code == 200
    assert second.post(f"{path}/leave").status_code == 204
    assert second.post(f"{path}/join", {}, format="json").status_code == 200
    assert host.post(f"{path}/seats/bots", {"bot": "driver", "delay_minutes": 3}, format="json").status_code == 201
    shown = third.get(path).json()
    assert shown["race"]["status"] == "running"
    assert (shown["you"], shown["question"]) == (None, None)
    assert {seat["kind"] for seat in shown["seats"]} == {"player", "bot"}
    assert len(host.get(f"{path}/seats").json()) == 3


def test_a_private_race_is_nobodys_to_see_but_who_sits_in_it_or_was_invited(
    alice: User, bob: User, charlie: User, program: Program
) -> None:
    race_id = created(program(alice), is_public=False)["race"]["id"]
    path = f"/api/v1/races/{race_id}"
    for client in (program(bob), program(None)):
        response = client.get(path)
        assert (response.status_code, response.json()["code"]) == (404, "unknown_race")
    assert program(alice).post(f"{path}/invite", {"email": bob.email}, format="json").status_code == 200
    assert program(bob).get(path).status_code == 200
    assert program(charlie).get(path).status_code == 404
    assert program(bob).post(f"{path}/join", {}, format="json").status_code == 200


def test_an_invitation_seats_whoever_bears_it(alice: User, charlie: User, program: Program) -> None:
    race_id = created(program(alice), is_public=False)["race"]["id"]
    path = f"/api/v1/races/{race_id}"
    program(alice).post(f"{path}/invite", {"email": "someone@example.org"}, format="json")
    token = invitation_token(Seat.objects.get(race__public_id=race_id, state="invited"))
    guest = program(charlie)
    assert guest.get(path).status_code == 404
    assert guest.get(f"{path}?invitation={token}").status_code == 200
    forged = guest.post(f"{path}/join", {"invitation": token[:-2]}, format="json")
    assert (forged.status_code, forged.json()["code"]) == (404, "unknown_race")
    assert guest.post(f"{path}/join", {"invitation": token}, format="json").status_code == 200
    assert Seat.objects.get(race__public_id=race_id, player=charlie).state == "joined"


def test_the_host_changes_invites_removes_and_calls_off(alice: User, bob: User, program: Program) -> None:
    host = program(alice)
    race_id = created(host)["race"]["id"]
    path = f"/api/v1/races/{race_id}"
    changed = host.patch(path, {"seats": 4, "policy": "strict", "name": "Slow"}, format="json").json()["race"]
    assert (changed["seats_wanted"], changed["policy"], changed["name"]) == (4, "strict", "Slow")
    program(bob).post(f"{path}/join", {}, format="json")
    seat = Seat.objects.get(race__public_id=race_id, player=bob)
    assert host.delete(f"{path}/seats/{seat.pk}").status_code == 204
    assert host.post(f"{path}/cancel").json()["race"]["status"] == "abandoned"
    assert host.post(f"{path}/start").json()["code"] == "not_open"


@pytest.mark.parametrize(
    ("request_line", "body"),
    [
        (("patch", ""), {"name": "Mine"}),
        (("post", "/start"), {}),
        (("post", "/cancel"), {}),
        (("post", "/invite"), {"email": "x@example.org"}),
        (("post", "/seats/bots"), {}),
    ],
)
def test_what_is_the_hosts_alone_is_refused_to_others(
    alice: User, bob: User, program: Program, request_line: tuple[str, str], body: dict[str, Any]
) -> None:
    method, path = request_line
    race_id = created(program(alice))["race"]["id"]
    before = Race.objects.values().get(public_id=race_id)
    response = getattr(program(bob), method)(f"/api/v1/races/{race_id}{path}", body, format="json")
    assert (response.status_code, response.json()["code"]) == (403, "not_host")
    assert Race.objects.values().get(public_id=race_id) == before


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"ruleset": "chess"}, "ruleset"),
        ({"seats": 1}, "seats"),
        ({"seats": 11}, "seats"),
        ({"seats": "many"}, "seats"),
        ({"options": {"sections": 9}}, "options"),
        ({"options": {"wings": True}}, "options"),
        ({"tempo": "glacial"}, "tempo"),
        ({"tempo": "hours"}, "turn_hours"),
        ({"tempo": "hours", "turn_hours": 2, "reaction_hours": 5}, "reaction_hours"),
        ({"policy": "secret"}, "policy"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_by_its_field(
    alice: User, program: Program, wish: dict[str, Any], field: str
) -> None:
    response = program(alice).post("/api/v1/races", {**RACE, **wish}, format="json")
    problem = response.json()
    assert response.status_code == 400
    assert problem["detail"]
    assert field in {error["field"] for error in problem["errors"]}
    assert not Race.objects.exists()


def test_a_seat_is_given_up_by_the_api(toy_game: MakeGame, bob: User, program: Program) -> None:
    game = toy_game()
    response = program(bob).post(f"/api/v1/races/{game.race.public_id}/resign")
    assert response.status_code == 200
    assert Seat.objects.get(race_id=game.pk, player=bob).state == "resigned"


def test_lists_come_in_pages(alice: User, program: Program) -> None:
    client = program(alice)
    for number in range(3):
        created(client, name=f"Race {number}")
    first = client.get("/api/v1/races?page_size=2").json()
    assert (first["count"], len(first["results"]), first["previous"]) == (3, 2, None)
    second = client.get(first["next"]).json()
    assert [one["race"]["name"] for one in second["results"]] == ["Race 0"]
    beyond = client.get("/api/v1/races?page=7")
    assert (beyond.status_code, beyond.json()["code"]) == (404, "not_found")


def test_reading_needs_nobody_signed_in_and_writing_does(alice: User, program: Program) -> None:
    race_id = created(program(alice))["race"]["id"]
    nobody = program(None)
    assert nobody.get("/api/v1/races").status_code == 200
    assert nobody.get(f"/api/v1/races/{race_id}").status_code == 200
    for path in ("/api/v1/races", f"/api/v1/races/{race_id}/join", f"/api/v1/races/{race_id}/acts"):
        response = nobody.post(path, {}, format="json")
        assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert nobody.get("/api/v1/me/decisions").status_code == 401


def test_a_player_may_look_as_a_spectator(toy_game: MakeGame, alice: User, program: Program) -> None:
    game = toy_game()
    car = game.race.seats.get(player_id=alice.pk).number
    path = f"/api/v1/races/{game.race.public_id}"
    mine = program(alice).get(path).json()
    public = program(alice).get(f"{path}?as=spectator").json()
    assert mine["you"] == car
    assert (public["you"], public["question"]) == (None, None)
    assert public == program(None).get(path).json()


def test_an_invitation_is_declined_once_and_for_all(alice: User, bob: User, charlie: User, program: Program) -> None:
    path = f"/api/v1/races/{created(program(alice), is_public=False)['race']['id']}"
    assert program(alice).post(f"{path}/invite", {"email": bob.email}, format="json").status_code == 200
    response = program(charlie).post(f"{path}/decline", {}, format="json")
    assert (response.status_code, response.json()["code"]) == (404, "unknown_race")
    for _ in range(2):
        assert program(bob).post(f"{path}/decline", {}, format="json").status_code == 204
    assert program(bob).get(path).status_code == 404
    seats = program(alice).get(f"{path}/seats").json()
    assert [(seat["kind"], seat["state"]) for seat in seats] == [("player", "joined"), ("invited", "declined")]


def test_lists_are_read_on_by_next_to_their_end_however_long(
    alice: User, bob: User, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.selectors.races.LISTED_MOST", 3)
    made = [created(program(alice), seats=2, starts_when_full=False)["race"]["id"] for _ in range(7)]
    full = Race.objects.get(public_id=made[2])
    race_join(race_id=full.pk, by=bob)
    race_cancel(race_id=Race.objects.get(public_id=made[5]).pk, by=alice)
    for person, path, wanted in (
        (None, "races", [made[n] for n in (6, 4, 3, 1, 0)]),
        (bob, "races", [made[n] for n in (6, 4, 3, 2, 1, 0)]),
        (alice, "me/races", [made[n] for n in (6, 4, 3, 2, 1, 0, 5)]),
    ):
        address, found = f"/api/v1/{path}?page_size=2", []
        while address:
            page = program(person).get(address).json()
            assert page["count"] == len(wanted)
            assert len(page["results"]) <= 2
            found += [one["race"]["id"] for one in page["results"]]
            address = page["next"]
        assert found == wanted


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"pause_cap_hours": 721}, "pause_cap_hours"),
        ({"pause_cap_hours": -1}, "pause_cap_hours"),
        ({"extension_cap_hours": 1e9}, "extension_cap_hours"),
        ({"absences": 0}, "absences"),
        ({"absences": 11}, "absences"),
        ({"substitutes": "anybody"}, "substitutes"),
    ],
)
def test_clocks_are_agreed_within_bounds(alice: User, program: Program, change: dict[str, Any], field: str) -> None:
    client = program(alice)
    made = client.post("/api/v1/races", {"name": "Bounds"}, format="json").json()["race"]
    assert (made["pause_cap_hours"], made["bank"], made["extension_cap_hours"]) == (168, False, 72)
    answer = client.patch(f"/api/v1/races/{made['id']}", change, format="json")
    assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (400, [field])
    live = client.patch(f"/api/v1/races/{made['id']}", {"tempo": "live"}, format="json").json()["race"]
    assert (live["pause_cap_hours"], live["bank"]) == (0, True)
    own = client.patch(f"/api/v1/races/{made['id']}", {"bank": False, "pause_cap_hours": 2}, format="json").json()
    assert (own["race"]["bank"], own["race"]["pause_cap_hours"]) == (False, 2)
