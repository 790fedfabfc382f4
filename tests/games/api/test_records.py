"""Log, replay, record and catalogue; and that nothing secret is in any of them while a race runs."""

from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from games.engine import record
from games.models import Entry
from games.services.pauses import race_pause, race_resume
from games.services.races import race_create, race_start, seat_add_bot
from games.services.seats import seat_resign
from roadkill_site.accounts.models import User
from tests.games.api.conftest import Program
from tests.games.conftest import Game, MakeGame


def paths_of(race_id: str) -> list[str]:
    """Every address that can be read about a race, from the API's own document."""
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    found = [path for path, operations in schema["paths"].items() if "get" in operations and "{public_id}" in path]
    return [path.replace("{public_id}", race_id).replace("{entry}", "0") for path in found]


def members_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Every member of every object in it, however deep."""
    if isinstance(value, dict):
        yield from value.items()
        for inner in value.values():
            yield from members_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members_of(inner)


@pytest.fixture
def game(toy_game: MakeGame) -> Game:
    return toy_game()


def finish(game: Game) -> None:
    """Two of three resign."""
    for number in (2, 3):
        player = game.seat(number).player
        assert player is not None
        seat_resign(race_id=game.pk, by=player)
    for _ in range(3):
        if game.race.status == "running":
            game.act(1, "rest")
    assert game.race.status == "finished"


def test_the_log_comes_in_parts_that_split_no_entry(game: Game, program: Program) -> None:
    for number in (1, 2, 3, 1):
        game.act(number, "rest")
    path = f"/api/v1/races/{game.race.public_id}/log"
    whole = program(None).get(path).json()
    assert whole["next_since"] is None
    parts: list[dict[str, Any]] = []
    since = None
    while True:
        part = program(None).get(path + "?most=1" + (f"&since={since}" if since is not None else "")).json()
        assert len({line["entry"] for line in part["lines"]}) == 1
        parts += part["lines"]
        since = part["next_since"]
        if since is None:
            break
    assert parts == whole["lines"]


def test_whoever_goes_on_from_a_place_misses_no_note_and_reads_nothing_twice(
    game: Game, alice: User, program: Program
) -> None:
    """What is noted has no entry of its own: it comes behind the last there is, which has been read already."""
    path, read = f"/api/v1/races/{game.race.public_id}/log", program(alice)
    seen: list[Any] = []
    since = [""]

    def look(most: int = 500) -> int:
        part = read.get(f"{path}?most={most}{since[-1]}").json()
        since.append(f"&since={part['place']}")
        seen.extend(part["lines"])
        return len(part["lines"])

    look()
    assert look() == 0
    race_pause(race_id=game.pk, by=alice)
    assert look() == 1
    race_resume(race_id=game.pk, by=alice)
    race_pause(race_id=game.pk, by=alice)
    assert look() == 2
    race_resume(race_id=game.pk, by=alice)
    game.act(1, "rest")
    race_pause(race_id=game.pk, by=alice)
    assert look(most=1) == 1
    while look(most=1):
        pass
    assert seen == read.get(path).json()["lines"]
    assert [line["kind"] for line in seen].count("note") == 5


def test_an_open_race_has_a_place_before_everything(game: Game, alice: User, program: Program) -> None:
    race = race_create(by=alice, name="Not yet", ruleset="toy", is_public=True, starts_when_full=False)
    path, read = f"/api/v1/races/{race.public_id}/log", program(alice)
    place = read.get(path).json()["place"]
    seat_add_bot(race_id=race.pk, by=alice, bot="random")
    race_start(race_id=race.pk, by=alice)
    lines = read.get(f"{path}?since={place}").json()["lines"]
    assert lines
    assert lines == read.get(path).json()["lines"]


@pytest.mark.parametrize("place", ["x", "1.", "1.2.3", "-2", "9999999999", "1.-1"])
def test_a_place_that_is_none_is_refused(game: Game, program: Program, place: str) -> None:
    answer = program(None).get(f"/api/v1/races/{game.race.public_id}/log?since={place}")
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["since"]


def test_a_replay_of_a_running_race_shows_no_acts_and_no_draws(game: Game, alice: User, program: Program) -> None:
    game.act(1, "rest")
    step = program(alice).get(f"/api/v1/races/{game.race.public_id}/replay/1").json()
    assert (step["entry"]["acts"], step["entry"]["draws"]) == ([], [])
    missing = program(alice).get(f"/api/v1/races/{game.race.public_id}/replay/99")
    assert (missing.status_code, missing.json()["code"]) == (404, "unknown_entry")


def test_the_record_is_kept_until_the_race_is_over(game: Game, alice: User, program: Program) -> None:
    path = f"/api/v1/races/{game.race.public_id}/record"
    refused = program(alice).get(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_over")
    finish(game)
    response = program(None).get(path)
    assert response.status_code == 200
    exported = record.load(response.content)
    assert len(exported.entries) == Entry.objects.filter(race_id=game.pk).count()
    assert exported.secret == bytes(game.race.secret).hex()
    step = program(None).get(f"/api/v1/races/{game.race.public_id}/replay/1?eyes=1").json()
    assert step["entry"]["acts"]


def test_no_address_of_a_running_race_gives_away_what_is_secret(
    alice: User, bob: User, program: Program, settings: Any
) -> None:
    race = race_create(by=alice, name="Dust", seats=2, options={"sections": 3}, is_public=True)
    seat_add_bot(race_id=race.pk, by=alice, bot="random")
    race.refresh_from_db()
    assert race.status == "running"
    draws = Entry.objects.get(race=race, seq=0).draws
    assert draws
    secret = bytes(race.secret).hex()
    paths = paths_of(race.public_id)
    assert len(paths) >= 5
    for client in (program(alice), program(bob), program(None)):
        for path in paths:
            response = client.get(path)
            text = response.content.decode()
            assert secret not in text
            for key, value in members_of(response.json() if "json" in response["Content-Type"] else {}):
                assert key not in {"events", "digest", "chance_at", "chance", "seed"}
                assert key not in {"draws", "acts", "secret"} or not value, f"{path} gives {key}"
            assert "ETag" not in response.headers
            assert "Last-Modified" not in response.headers
            assert "no-store" in response.headers["Cache-Control"]


def test_a_spectator_sees_no_hand_and_a_driver_only_the_own(alice: User, program: Program) -> None:
    race = race_create(by=alice, name="Dust", seats=2, options={"sections": 3}, is_public=True)
    seat_add_bot(race_id=race.pk, by=alice, bot="random")
    path = f"/api/v1/races/{race.public_id}"
    assert program(None).get(path).json()["view"]["hand"] == []
    mine = program(alice).get(path).json()
    assert sum(card["count"] for card in mine["view"]["hand"]) == 7


def test_a_component_set_tells_where_each_figure_comes_from(program: Program) -> None:
    rulesets = program(None).get("/api/v1/rulesets").json()
    roadkill = next(one for one in rulesets["rulesets"] if one["key"] == "roadkill")
    assert (roadkill["seats_least"], roadkill["seats_most"]) == (2, 10)
    assert {tempo["key"] for tempo in rulesets["tempos"]} >= {"live", "relaxed"}
    assert all(policy["text"] for policy in rulesets["policies"])
    assert program(None).get("/api/v1/rulesets/roadkill").json() == roadkill
    name = roadkill["component_sets"][0]
    found = program(None).get(f"/api/v1/rulesets/roadkill/components/{name}").json()
    assert sum(card["count"] for card in found["cards"]) == len(found["card_of_number"])
    kinds = {"printed", "inferred", "designed"}
    assert {card["provenance"] for card in found["cards"]} <= kinds
    assert all(set(event["provenance_of"].values()) <= kinds for event in found["events"].values())
    assert set(found["number_provenance"].values()) <= kinds


def test_a_box_of_thunder_road_tells_its_dice_tokens_and_tiles(program: Program) -> None:
    found = program(None).get("/api/v1/rulesets/thunder_road/components/classic").json()
    assert found["dice"]["slam"] == ["top", "top", "bottom", "bottom", "bottom", "bottom"]
    assert found["dice_provenance"]["slam"] == "stated"
    assert sum(kind["count"] + kind["carnage"] for kind in found["hazards"]) == 48
    assert found["commands"]["drift"]["values"] == [3, 4, 5]
    assert len(found["tiles"]) == 20
    assert found["tiles"]["1A"]["rows"][3] == ".?...."
    assert {found["grounds"][symbol] for tile in found["tiles"].values() for row in tile["rows"] for symbol in row} == {
        "road", "off_road", "mud", "rock", "oil", "salt", "glass", "goo", "fire", "ramp",
    }  # fmt: skip
    assert program(None).get("/api/v1/rulesets/thunder_road/components/nosuch").status_code == 404


def test_the_log_is_read_from_its_end_too_and_as_text(game: Game, program: Program) -> None:
    for number in (1, 2, 3, 1):
        game.act(number, "rest")
    path = f"/api/v1/races/{game.race.public_id}/log"
    whole = program(None).get(path).json()["lines"]
    parts: list[dict[str, Any]] = []
    before = game.race.seq + 1
    while True:
        part = program(None).get(f"{path}?before={before}&most=1").json()
        parts = part["lines"] + parts
        assert len({line["entry"] for line in part["lines"]}) == 1
        before = part["previous_before"]
        if before is None:
            break
    assert parts == whole
    assert program(None).get(f"{path}?before=3&since=1").status_code == 400
    text = program(None).get(f"{path}.txt").content.decode()
    assert [line.partition(": ")[2] for line in text.splitlines()[2:]] == [line["text"] for line in whole]
