"""The life of a race: made, filled, started, called off, resigned from, handed on."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from games.engine.chance import commitment
from games.models import Decision, Entry, OutboxEvent, Race, Seat
from games.selectors.invitations import seat_kept_for
from games.selectors.races import race_get, race_list_mine, race_list_open, race_present, race_summary
from games.selectors.seats import seat_of
from games.services import invitations
from games.services.errors import (
    FieldRefused,
    InvitationRefused,
    Malformed,
    NotHost,
    NotYourDecision,
    NotYourSeat,
    RaceFull,
    RaceNotOpen,
    RaceNotRunning,
    RaceUnknown,
    SeatNotGone,
)
from games.services.invitations import invitation_address, invitation_seat, invitation_token
from games.services.races import (
    race_cancel,
    race_create,
    race_decline,
    race_invite,
    race_join,
    race_leave,
    race_start,
    race_update,
    seat_add_bot,
    seat_remove,
    seat_replace,
    seat_resign,
    seat_words,
)
from games.services.sweep import sweep
from roadkill_site.accounts.models import User
from tests.games import toy_ruleset
from tests.games.conftest import NOON, Game, MakeGame, person

Clock = time_machine.Traveller
TURN = timedelta(hours=72)


def make(by: User, **settings: Any) -> Race:
    """An open, public toy race of three."""
    return race_create(**{"by": by, "name": "Evening", "ruleset": "toy", "seats": 3, "is_public": True, **settings})


class TestCreate:
    def test_the_host_sits_down_and_the_secret_is_committed_to(self, alice: User, clock: Clock) -> None:
        race = make(alice, words="  lucky   seven ")
        assert (race.status, race.host_id, race.seq) == ("open", alice.pk, 0)
        assert race.options == {"rounds": 10, "components": "matchbox"}
        assert (race.turn_hours, race.reaction_hours, race.policy) == (72, 24, "paced")
        assert race.commitment == commitment(bytes(race.secret))
        seat = race.seats.get()
        assert (seat.player_id, seat.joined_order, seat.number, seat.words) == (alice.pk, 1, None, "lucky seven")

    def test_secrets_differ(self, alice: User) -> None:
        assert make(alice).commitment != make(alice).commitment

    @pytest.mark.parametrize(
        ("field", "settings"),
        [
            ("ruleset", {"ruleset": "ludo"}),
            ("name", {"name": "  "}),
            ("name", {"name": "x" * 61}),
            ("name", {"name": "a\u202eb"}),
            ("seats", {"seats": 1}),
            ("seats", {"seats": 5}),
            ("seats", {"seats": True}),
            ("seats", {"seats": "3"}),
            ("options", {"options": {"rounds": 0}}),
            ("options", {"options": {"sections": 3}}),
            ("options", {"options": {"components": "lost"}}),
            ("tempo", {"tempo": "hasty"}),
            ("tempo", {"tempo": "daily", "turn_hours": 3}),
            ("turn_hours", {"tempo": "hours", "reaction_hours": 3}),
            ("turn_hours", {"tempo": "hours", "turn_hours": float("nan"), "reaction_hours": 3}),
            ("turn_hours", {"tempo": "hours", "turn_hours": "3", "reaction_hours": 3}),
            ("reaction_hours", {"tempo": "hours", "turn_hours": 3}),
            ("reaction_hours", {"tempo": "hours", "turn_hours": 3, "reaction_hours": 4}),
            ("reaction_hours", {"tempo": "hours", "turn_hours": 3, "reaction_hours": 0}),
            ("policy", {"policy": "lax"}),
            ("bots_allowed", {"bots_allowed": "no"}),
            ("words", {"words": "x" * 201}),
        ],
    )
    def test_what_cannot_be_is_refused_by_the_name_of_its_field(
        self, alice: User, field: str, settings: dict[str, Any]
    ) -> None:
        with pytest.raises(FieldRefused) as refused:
            make(alice, **settings)
        assert refused.value.field == field
        assert refused.value.text.endswith(".")
        assert not Race.objects.exists()

    def test_hours_may_be_broken(self, alice: User) -> None:
        race = make(alice, tempo="hours", turn_hours=1.5, reaction_hours=0.25)
        assert (race.turn_minutes, race.reaction_minutes) == (90, 15)
        assert (race.turn_hours, race.reaction_hours) == (1.5, 0.25)

    def test_roadkill_takes_its_own_options(self, alice: User) -> None:
        race = race_create(by=alice, name="Real", seats=10, options={"sections": 3})
        assert race.options == {"sections": 3, "components": "classic"}
        with pytest.raises(FieldRefused) as refused:
            race_create(by=alice, name="Real", options={"sections": 9})
        assert refused.value.field == "options"


class TestUpdate:
    def test_the_host_changes_what_was_agreed(self, alice: User) -> None:
        race = make(alice)
        race_update(race_id=race.pk, by=alice, name="Later", policy="strict", tempo="daily", options={"rounds": 2})
        race.refresh_from_db()
        assert (race.name, race.policy, race.turn_hours, race.options["rounds"]) == ("Later", "strict", 24, 2)

    def test_hours_alone_leave_the_others_as_they_were(self, alice: User) -> None:
        race = make(alice)
        race_update(race_id=race.pk, by=alice, turn_hours=48)
        race.refresh_from_db()
        assert (race.turn_hours, race.reaction_hours) == (48, 24)

    def test_nobody_else_may(self, alice: User, bob: User) -> None:
        with pytest.raises(NotHost):
            race_update(race_id=make(alice).pk, by=bob, name="Mine")

    def test_fewer_seats_than_are_taken_are_refused(self, alice: User, bob: User, charlie: User) -> None:
        race = make(alice, seats=4)
        race_join(race_id=race.pk, by=bob)
        race_join(race_id=race.pk, by=charlie)
        with pytest.raises(FieldRefused) as refused:
            race_update(race_id=race.pk, by=alice, seats=2)
        assert refused.value.field == "seats"

    def test_the_last_seat_that_goes_starts_a_full_race(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        race_update(race_id=race.pk, by=alice, seats=2)
        assert Race.objects.get().status == "running"

    def test_a_race_under_way_is_not_changed(self, toy_game: MakeGame) -> None:
        game = toy_game()
        with pytest.raises(RaceNotOpen, match="started already"):
            race_update(race_id=game.pk, by=game.race.host, name="New")

    def test_bots_that_sit_already_are_not_disallowed(self, alice: User) -> None:
        race = make(alice)
        seat_add_bot(race_id=race.pk, by=alice)
        with pytest.raises(FieldRefused) as refused:
            race_update(race_id=race.pk, by=alice, bots_allowed=False)
        assert refused.value.field == "bots_allowed"

    def test_an_unknown_setting_is_refused(self, alice: User) -> None:
        with pytest.raises(FieldRefused):
            race_update(race_id=make(alice).pk, by=alice, secret=b"1")


class TestJoin:
    def test_a_public_race_is_open_to_all_and_starts_when_full(self, alice: User, bob: User, charlie: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob, words="bob's")
        assert Race.objects.get().status == "open"
        seat = race_join(race_id=race.pk, by=charlie)
        race.refresh_from_db()
        assert race.status == "running"
        assert seat.number in {1, 2, 3}
        assert sorted(s.number or 0 for s in race.seats.all()) == [1, 2, 3]
        assert OutboxEvent.objects.filter(kind="started").count() == 3

    def test_joining_twice_is_joining_once(self, alice: User, bob: User) -> None:
        race = make(alice)
        assert race_join(race_id=race.pk, by=bob) == race_join(race_id=race.pk, by=bob)
        assert race.seats.count() == 2

    def test_a_private_race_takes_an_invitation(self, alice: User, bob: User) -> None:
        race = make(alice, is_public=False)
        with pytest.raises(InvitationRefused):
            race_join(race_id=race.pk, by=bob)

    def test_a_full_race_takes_nobody(self, alice: User, bob: User, charlie: User) -> None:
        race = make(alice, seats=2, starts_when_full=False)
        race_join(race_id=race.pk, by=bob)
        with pytest.raises(RaceFull):
            race_join(race_id=race.pk, by=charlie)

    def test_a_race_under_way_takes_nobody(self, toy_game: MakeGame) -> None:
        with pytest.raises(RaceNotOpen):
            race_join(race_id=toy_game().pk, by=person("Dora"))

    def test_whoever_leaves_may_come_again(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        race_leave(race_id=race.pk, by=bob)
        assert seat_of(race=race, user=bob) is None
        assert race_join(race_id=race.pk, by=bob).state == "joined"

    def test_the_host_calls_off_and_does_not_leave(self, alice: User) -> None:
        with pytest.raises(NotHost):
            race_leave(race_id=make(alice).pk, by=alice)

    def test_nobody_leaves_a_race_under_way(self, toy_game: MakeGame, bob: User) -> None:
        with pytest.raises(RaceNotOpen):
            race_leave(race_id=toy_game().pk, by=bob)


class TestInvitations:
    def test_an_invitation_keeps_a_seat_and_is_mailed(self, alice: User, clock: Clock) -> None:
        race = make(alice, is_public=False)
        seat = race_invite(race_id=race.pk, by=alice, email=" Dora@Example.org ")
        assert (seat.state, seat.invited_email) == ("invited", "dora@example.org")
        assert OutboxEvent.objects.get().kind == "invited"
        assert invitation_seat(invitation_token(seat)) == seat
        assert invitation_token(seat) in invitation_address(seat)

    def test_it_works_for_people_without_an_account_yet_and_whatever_their_address_then_is(self, alice: User) -> None:
        race = make(alice, is_public=False)
        token = invitation_token(race_invite(race_id=race.pk, by=alice, email="dora@example.org"))
        other = User.objects.create_user("d.other@example.org", display_name="Dora")
        assert race_get(public_id=race.public_id, invitation=token) == race
        seat = race_join(race_id=race.pk, by=other, invitation=token)
        assert (seat.player_id, seat.state, seat.joined_order) == (other.pk, "joined", 2)

    def test_an_account_with_the_address_needs_no_token(self, alice: User, bob: User) -> None:
        race = make(alice, is_public=False)
        race_invite(race_id=race.pk, by=alice, email="BOB@example.org")
        assert race_get(public_id=race.public_id, user=bob) == race
        assert race_join(race_id=race.pk, by=bob).state == "joined"

    def test_only_the_host_sees_where_an_invitation_went(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        shown = {
            person: [
                seat["address"] for seat in race_present(race=race, viewer=seat_of(race=race, user=person))["seats"]
            ]
            for person in (alice, bob, None)
        }
        assert shown == {alice: ["", "", "dora@example.org"], bob: ["", "", ""], None: ["", "", ""]}

    def test_inviting_twice_is_one_invitation(self, alice: User) -> None:
        race = make(alice)
        first = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        assert race_invite(race_id=race.pk, by=alice, email="dora@example.org") == first
        assert OutboxEvent.objects.count() == 1

    @pytest.mark.parametrize(
        "email",
        ["", "dora", "dora@", "a b@example.org", "alice@example.org", '"a\x01b"@example.org', "a@example\u200b.org"],
    )
    def test_who_cannot_be_invited_is_refused(self, alice: User, email: str) -> None:
        with pytest.raises(FieldRefused) as refused:
            race_invite(race_id=make(alice).pk, by=alice, email=email)
        assert refused.value.field == "email"
        assert "Alice" not in refused.value.text

    def test_nobody_is_pestered_with_invitations(self, alice: User, clock: Clock) -> None:
        race = make(alice)
        for _ in range(invitations.MOST_TO_ONE):
            seat = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
            seat_remove(race_id=race.pk, by=alice, seat_id=seat.pk)
        with pytest.raises(FieldRefused, match="3 invitations to this address"):
            race_invite(race_id=make(alice).pk, by=alice, email="Dora@example.org")
        race_invite(race_id=race.pk, by=alice, email="eric@example.org")
        clock.shift(invitations.DAY)
        race_invite(race_id=race.pk, by=alice, email="dora@example.org")

    def test_a_host_mails_only_so_many_invitations_a_day(
        self, alice: User, bob: User, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(invitations, "MOST_A_DAY", 2)
        for name in ("dora", "eric"):
            race_invite(race_id=make(alice).pk, by=alice, email=f"{name}@example.org")
        with pytest.raises(FieldRefused, match="2 invitations in the last day"):
            race_invite(race_id=make(alice).pk, by=alice, email="fred@example.org")
        race_invite(race_id=make(bob).pk, by=bob, email="fred@example.org")

    def test_only_the_host_invites_and_only_into_free_seats(self, alice: User, bob: User) -> None:
        race = make(alice, seats=2)
        with pytest.raises(NotHost):
            race_invite(race_id=race.pk, by=bob, email="dora@example.org")
        race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        with pytest.raises(RaceFull):
            race_invite(race_id=race.pk, by=alice, email="emil@example.org")
        with pytest.raises(RaceFull):
            race_join(race_id=race.pk, by=bob)

    def test_a_used_or_withdrawn_or_foreign_or_forged_invitation_is_refused(self, alice: User, bob: User) -> None:
        race, other = make(alice), make(alice)
        used = race_invite(race_id=race.pk, by=alice, email="bob@example.org")
        token = invitation_token(used)
        with pytest.raises(InvitationRefused, match="another race"):
            race_join(race_id=other.pk, by=bob, invitation=token)
        with pytest.raises(InvitationRefused, match="not whole"):
            race_join(race_id=race.pk, by=bob, invitation=token[:-1])
        race_join(race_id=race.pk, by=bob, invitation=token)
        with pytest.raises(InvitationRefused, match="taken back"):
            race_join(race_id=race.pk, by=person("Dora"), invitation=token)
        withdrawn = race_invite(race_id=other.pk, by=alice, email="emil@example.org")
        seat_remove(race_id=other.pk, by=alice, seat_id=withdrawn.pk)
        with pytest.raises(InvitationRefused, match="taken back"):
            invitation_seat(invitation_token(withdrawn))

    def test_open_invitations_lapse_at_the_start(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        invited = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        race_start(race_id=race.pk, by=alice)
        invited.refresh_from_db()
        assert invited.state == "left"
        assert len(race_present(race=race, viewer=None)["seats"]) == 2


class TestStart:
    def test_cars_are_drawn_and_the_draw_is_the_first_of_the_record(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game()
        entry = Entry.objects.get(race_id=game.pk, seq=0)
        label, size, seating = entry.draws[0]
        assert (label, size) == ("seating", 3)
        seats = Seat.objects.filter(race_id=game.pk).order_by("joined_order")
        assert [seat.number for seat in seats] == [place + 1 for place in seating]
        assert (game.race.rules_version, game.race.component_hash, game.race.started_at) == (1, "matchbox-1", NOON)

    def test_words_change_the_shuffles(self, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("games.services.races.secret_make", lambda: b"s" * 32)
        decks = []
        for words in ("", "", "heads"):
            race = make(alice, seats=2)
            race_join(race_id=race.pk, by=bob, words=words)
            decks.append(Entry.objects.get(race=race).draws[1])
        assert decks[0] == decks[1] != decks[2]

    def test_only_the_host_starts_and_only_once(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        with pytest.raises(NotHost):
            race_start(race_id=race.pk, by=bob)
        race_start(race_id=race.pk, by=alice)
        with pytest.raises(RaceNotOpen):
            race_start(race_id=race.pk, by=alice)

    def test_one_driver_is_no_race(self, alice: User) -> None:
        race = make(alice)
        with pytest.raises(RaceNotOpen, match="2 to 4 drivers; 1 of the seats"):
            race_start(race_id=race.pk, by=alice)
        assert Race.objects.get().status == "open"

    def test_words_are_added_before_the_start_and_shown_after_it(self, alice: User, bob: User) -> None:
        race = make(alice, seats=2, starts_when_full=False)
        seat_words(race_id=race.pk, by=alice, words="mine")
        race_join(race_id=race.pk, by=bob)
        assert [seat["words"] for seat in race_present(race=race, viewer=None)["seats"]] == ["", ""]
        race_start(race_id=race.pk, by=alice)
        assert sorted(seat["words"] for seat in race_present(race=race, viewer=None)["seats"]) == ["", "mine"]
        with pytest.raises(RaceNotOpen):
            seat_words(race_id=race.pk, by=alice, words="late")

    def test_only_who_sits_adds_words(self, alice: User, bob: User) -> None:
        with pytest.raises(NotYourSeat):
            seat_words(race_id=make(alice).pk, by=bob, words="mine")


class TestCancel:
    def test_those_who_had_joined_are_told(self, alice: User, bob: User) -> None:
        race = make(alice)
        race_join(race_id=race.pk, by=bob)
        race_cancel(race_id=race.pk, by=alice)
        race.refresh_from_db()
        assert race.status == "abandoned"
        assert OutboxEvent.objects.get().seat.player_id == bob.pk
        with pytest.raises(RaceNotOpen, match="called off"):
            race_start(race_id=race.pk, by=alice)

    def test_only_before_the_start(self, toy_game: MakeGame) -> None:
        game = toy_game()
        with pytest.raises(RaceNotOpen):
            race_cancel(race_id=game.pk, by=game.race.host)


class TestResign:
    def test_the_car_leaves_and_the_race_goes_on(self, toy_game: MakeGame, bob: User) -> None:
        game = toy_game()
        seat_resign(race_id=game.pk, by=bob)
        seat = Seat.objects.get(race_id=game.pk, player=bob)
        assert seat.state == "resigned"
        entry = Entry.objects.get(race_id=game.pk, seq=1)
        assert entry.acts[0] == {"seat": seat.number, "action": {"do": "withdraw"}, "origin": "resigned"}
        assert game.present(None)["waiting"]["seat"] != seat.number
        seat_resign(race_id=game.pk, by=bob)
        assert game.race.seq == entry.seq

    def test_a_withdrawal_in_words_is_the_same(self, toy_game: MakeGame) -> None:
        game = toy_game()
        receipt = game.act(2, "withdraw")
        assert (receipt["status"], receipt["entry"]) == ("applied", 1)
        assert game.seat(2).state == "resigned"
        with pytest.raises(NotYourDecision):
            game.act(2, "rest")

    def test_the_last_one_left_has_won(self, toy_game: MakeGame) -> None:
        game = toy_game()
        game.act(2, "withdraw")
        game.act(3, "withdraw")
        race = game.race
        assert race.outcome is not None
        assert (race.status, race.outcome["reason"], race.outcome["places"][0]) == ("finished", "last_one", [1])
        assert game.present(None)["result"]["reason"] == "last one"

    def test_another_windows_sealed_answers_stay(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(hands={1: (3,), 2: (0, 2), 3: (9,)}, policy="strict")
        game.act(3, "ask me about snuffing")
        game.act(1, "strike 2 with 3")
        game.act(2, "guard")
        decision = game.question(2)["decision"]
        game.act(3, "withdraw")
        assert game.question(2)["sealed"]["words"] == "guard"
        assert game.question(2)["decision"] == decision
        assert game.act(2, "nothing", expected_seq=1)["status"] == "sealed"

    def test_whoever_has_no_seat_cannot_resign(self, toy_game: MakeGame) -> None:
        with pytest.raises(NotYourSeat):
            seat_resign(race_id=toy_game().pk, by=person("Dora"))

    def test_before_the_start_one_leaves(self, alice: User) -> None:
        with pytest.raises(RaceNotRunning):
            seat_resign(race_id=make(alice).pk, by=alice)

    def test_without_withdrawals_in_the_rules_defaults_are_given(
        self, toy_game: MakeGame, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        short = toy_ruleset.Strike | toy_ruleset.Rest | toy_ruleset.Nothing | toy_ruleset.Guard
        monkeypatch.setattr(toy_ruleset.RULESET, "action_type", short, raising=False)
        game = toy_game(players=2)
        game.act(1, "rest")
        player = game.seat(2).player
        assert player is not None
        seat_resign(race_id=game.pk, by=player)
        assert Entry.objects.get(race_id=game.pk, seq=2).acts == [
            {"seat": 2, "action": {"do": "rest"}, "origin": "resigned"}
        ]
        assert game.present(None)["waiting"]["seat"] == 1


class TestDecline:
    def test_a_declined_invitation_frees_the_seat_tells_the_host_and_is_void(
        self, alice: User, bob: User, clock: Clock
    ) -> None:
        race = make(alice, seats=2, is_public=False)
        seat = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        token = invitation_token(seat)
        for _ in range(2):
            race_decline(race_id=race.pk, by=None, invitation=token)
        told = OutboxEvent.objects.get(kind="declined")
        assert (told.seat_id, told.player_id) == (seat.pk, alice.pk)
        with pytest.raises(InvitationRefused, match="was declined; ask the host"):
            race_join(race_id=race.pk, by=bob, invitation=token)
        with pytest.raises(RaceUnknown):
            race_get(public_id=race.public_id, invitation=token)
        shown = {
            viewer: [one["state"] for one in race_present(race=race, viewer=viewer)["seats"]]
            for viewer in (seat_of(race=race, user=alice), None)
        }
        assert list(shown.values()) == [["joined", "declined"], ["joined"]]
        again = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        assert again.pk != seat.pk
        assert race_join(race_id=race.pk, by=bob, invitation=invitation_token(again)).state == "joined"
        assert Race.objects.get(pk=race.pk).status == "running"

    def test_by_mail_address_too_but_by_nobody_else(self, alice: User, bob: User, charlie: User) -> None:
        race = make(alice)
        race_invite(race_id=race.pk, by=alice, email=bob.email)
        for who in (alice, charlie, None):
            with pytest.raises(InvitationRefused, match="no invitation"):
                race_decline(race_id=race.pk, by=who)
        race_decline(race_id=race.pk, by=bob)
        assert race_list_mine(user=bob) == []
        race_leave(race_id=race.pk, by=bob)
        assert race_join(race_id=race.pk, by=bob).state == "joined", "a public race is open to all the same"

    def test_a_declined_seat_of_a_race_under_way_waits_for_the_host_and_is_mailed_nothing(
        self, toy_game: MakeGame, clock: Clock
    ) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        for number in (1, 2):
            seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, email="dora@example.org")
            gone.refresh_from_db()
            race_decline(race_id=game.pk, by=None, invitation=invitation_token(gone))
            assert OutboxEvent.objects.filter(kind="declined", player=game.race.host).count() == number
        before = OutboxEvent.objects.filter(seat=gone).count()
        while (asked := Decision.objects.get(race_id=game.pk)).seat_id != gone.pk:
            game.do_least()
        clock.move_to(asked.due_at)
        sweep()
        assert OutboxEvent.objects.filter(seat=gone).count() == before
        line = next(one for one in game.present(None)["seats"] if one["id"] == gone.pk)
        assert (line["state"], line["gone"]) == ("declined", True)
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot="random")
        gone.refresh_from_db()
        assert (gone.state, gone.bot) == ("joined", "random")

    def test_what_was_declined_is_forgotten_at_the_start(self, alice: User, bob: User) -> None:
        race = make(alice, starts_when_full=False)
        seat = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        race_decline(race_id=race.pk, by=None, invitation=invitation_token(seat))
        race_join(race_id=race.pk, by=bob)
        race_start(race_id=race.pk, by=alice)
        seat.refresh_from_db()
        assert seat.state == "left"

    def test_an_invitation_to_a_race_that_was_called_off_is_past_declining(self, alice: User) -> None:
        race = make(alice)
        seat = race_invite(race_id=race.pk, by=alice, email="dora@example.org")
        race_cancel(race_id=race.pk, by=alice)
        with pytest.raises(RaceNotOpen, match="called off"):
            race_decline(race_id=race.pk, by=None, invitation=invitation_token(seat))


class TestTakenBack:
    def test_whom_the_host_took_out_comes_back_by_invitation_only(self, alice: User, bob: User, charlie: User) -> None:
        race = make(alice)
        seat = race_join(race_id=race.pk, by=bob)
        seat_remove(race_id=race.pk, by=alice, seat_id=seat.pk)
        told = OutboxEvent.objects.get(kind="seat_lost")
        assert (told.seat_id, told.player_id) == (seat.pk, bob.pk)
        with pytest.raises(InvitationRefused, match="taken your seat in this race away"):
            race_join(race_id=race.pk, by=bob)
        race_join(race_id=race.pk, by=charlie)
        race_invite(race_id=race.pk, by=alice, email=bob.email)
        assert race_join(race_id=race.pk, by=bob).state == "joined"

    def test_pressing_a_button_twice_takes_and_gives_once(
        self, toy_game: MakeGame, clock: Clock, alice: User, bob: User
    ) -> None:
        race = make(alice)
        seat = race_join(race_id=race.pk, by=bob)
        for _ in range(2):
            seat_remove(race_id=race.pk, by=alice, seat_id=seat.pk)
        assert OutboxEvent.objects.filter(kind="seat_lost").count() == 1
        game = toy_game(players=2)
        gone = let_go(game, clock)
        names = {seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot="random").name for _ in range(2)}
        assert len(names) == 1
        assert OutboxEvent.objects.filter(kind="seat_lost").count() == 2

    def test_the_link_of_a_declined_invitation_is_no_bar_to_who_was_invited_anew(self, alice: User, bob: User) -> None:
        race = make(alice, is_public=False)
        token = invitation_token(race_invite(race_id=race.pk, by=alice, email=bob.email))
        race_decline(race_id=race.pk, by=None, invitation=token)
        with pytest.raises(InvitationRefused, match="declined"):
            race_join(race_id=race.pk, by=bob, invitation=token)
        again = race_invite(race_id=race.pk, by=alice, email=bob.email)
        assert seat_kept_for(race=race, user=bob, invitation=token) == again
        assert race_join(race_id=race.pk, by=bob, invitation=token).pk == again.pk

    def test_whoever_was_invited_again_may_leave_and_come_back(self, alice: User, bob: User) -> None:
        race = make(alice)
        seat_remove(race_id=race.pk, by=alice, seat_id=race_join(race_id=race.pk, by=bob).pk)
        race_invite(race_id=race.pk, by=alice, email=bob.email)
        race_join(race_id=race.pk, by=bob)
        race_leave(race_id=race.pk, by=bob)
        assert race_join(race_id=race.pk, by=bob).state == "joined"

    @pytest.mark.parametrize("new", [{"bot": "random"}, {"email": "dora@example.org"}])
    def test_the_former_driver_is_told_and_not_the_new_one(
        self, toy_game: MakeGame, clock: Clock, new: dict[str, Any]
    ) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, **new)
        told = OutboxEvent.objects.get(kind="seat_lost")
        assert (told.seat_id, told.player_id) == (gone.pk, gone.player_id)


def let_go(game: Game, clock: Clock) -> Seat:
    """Let a player who is not the host miss two turns."""
    host = game.race.host_id
    while True:
        row = Decision.objects.get(race_id=game.pk)
        if row.seat.player_id == host or row.seat.bot:
            game.do_least()
            continue
        clock.move_to(row.due_at)
        sweep()
        seat = Seat.objects.get(pk=row.seat_id)
        if seat.lapses == 2:
            return seat


class TestGone:
    def test_a_seat_that_is_there_is_not_the_hosts_to_take(self, toy_game: MakeGame, bob: User) -> None:
        game = toy_game()
        seat = Seat.objects.get(race_id=game.pk, player=bob)
        with pytest.raises(SeatNotGone):
            seat_remove(race_id=game.pk, by=game.race.host, seat_id=seat.pk)
        with pytest.raises(SeatNotGone):
            seat_replace(race_id=game.pk, by=game.race.host, seat_id=seat.pk, bot="random")
        with pytest.raises(NotHost):
            seat_remove(race_id=game.pk, by=bob, seat_id=seat.pk)

    def test_one_that_has_gone_is_removed(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        seat_remove(race_id=game.pk, by=game.race.host, seat_id=gone.pk)
        gone.refresh_from_db()
        assert gone.state == "removed"
        assert game.race.status == "finished"
        told = OutboxEvent.objects.get(kind="seat_lost")
        assert (told.seat_id, told.player_id) == (gone.pk, gone.player_id)

    def test_or_given_to_a_bot(self, toy_game: MakeGame, clock: Clock, bob: User) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        host = next(s.number for s in Seat.objects.filter(race_id=game.pk) if s.player_id == game.race.host_id)
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot="random")
        gone.refresh_from_db()
        assert (gone.player_id, gone.bot, gone.state, gone.lapses) == (None, "random", "joined", 0)
        assert seat_of(race=game.race, user=bob) is None
        assert host is not None
        while game.present(None)["waiting"]["seat"] == host:
            game.do_least()
        clock.shift(60)
        assert sweep().bot_answers >= 1

    def test_a_question_already_put_is_answered_by_the_new_bot(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        while Decision.objects.get(race_id=game.pk).seat_id != gone.pk:
            game.do_least()
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot="random", delay_minutes=5)
        row = Decision.objects.get(race_id=game.pk)
        assert row.bot_at is not None
        assert game.race.wake_at == row.bot_at
        clock.move_to(row.bot_at)
        assert sweep().bot_answers == 1

    def test_or_offered_to_somebody_else_by_mail(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        old = gone.player
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, email="dora@example.org")
        gone.refresh_from_db()
        assert (gone.state, gone.player_id) == ("invited", None)
        assert OutboxEvent.objects.filter(kind="invited", seat=gone).count() == 1
        dora = person("Dora")
        taken = race_join(race_id=game.pk, by=dora, invitation=invitation_token(gone))
        assert (taken.pk, taken.number, taken.player_id, taken.state) == (gone.pk, gone.number, dora.pk, "joined")
        assert old is not None
        assert seat_of(race=game.race, user=old) is None

    def test_an_offer_mailed_to_a_wrong_address_can_be_made_anew(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        for address in ("dora@exmaple.org", "dora@example.org", "dora@example.org"):
            seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, email=address)
        assert OutboxEvent.objects.filter(kind="invited", seat=gone).count() == 2

    def test_the_new_driver_does_not_get_the_former_ones_receipts(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        while (
            asked := Decision.objects.get(race_id=game.pk)
        ).seat.player_id == game.race.host_id or asked.key != "act":
            game.do_least()
        number = asked.seat.number
        assert number is not None
        game.act(number, "rest", idempotency_key="walk-1")
        gone = let_go(game, clock)
        dora = person("Dora")
        seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, email=dora.email)
        race_join(race_id=game.pk, by=dora)
        # A gift may be put to the seat before its turn.
        while (asked := Decision.objects.get(race_id=game.pk)).seat_id != gone.pk or asked.key != "act":
            game.do_least()
        before = game.race.seq
        assert game.act(number, "rest", idempotency_key="walk-1")["position"] == before + 1

    def test_one_who_resigned_cannot_be_replaced(self, toy_game: MakeGame) -> None:
        game = toy_game()
        number = next(n for n in (1, 2, 3) if game.seat(n).player_id != game.race.host_id)
        game.act(number, "withdraw")
        with pytest.raises(SeatNotGone, match="left the race"):
            seat_replace(race_id=game.pk, by=game.race.host, seat_id=game.seat(number).pk, bot="random")

    def test_a_replacement_is_a_bot_or_somebody_and_not_both(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2)
        gone = let_go(game, clock)
        for bot, email in (("", ""), ("random", "dora@example.org")):
            with pytest.raises(Malformed, match="one of the two"):
                seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot=bot, email=email)

    def test_no_bot_where_none_is_allowed(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game(players=2, bots_allowed=False)
        gone = let_go(game, clock)
        with pytest.raises(FieldRefused, match="for people"):
            seat_replace(race_id=game.pk, by=game.race.host, seat_id=gone.pk, bot="random")

    def test_before_the_start_the_host_takes_any_seat_but_the_own(self, alice: User, bob: User) -> None:
        race = make(alice)
        seat = race_join(race_id=race.pk, by=bob)
        seat_remove(race_id=race.pk, by=alice, seat_id=seat.pk)
        assert seat_of(race=race, user=bob) is None
        with pytest.raises(SeatNotGone):
            seat_remove(race_id=race.pk, by=alice, seat_id=race.seats.get(player=alice).pk)


class TestBotsSitDown:
    def test_a_bot_takes_a_seat_and_fills_a_race(self, alice: User) -> None:
        race = make(alice, seats=2)
        seat = seat_add_bot(race_id=race.pk, by=alice, bot="random", delay_minutes=3)
        assert (seat.bot, seat.bot_delay_s, seat.name) == ("random", 180, "Axle")
        assert Race.objects.get().status == "running"

    @pytest.mark.parametrize("given", [{"bot": "genius"}, {"delay_minutes": -1}, {"delay_minutes": 7 * 24 * 60 + 1}])
    def test_one_that_is_not_there_is_refused(self, alice: User, given: dict[str, Any]) -> None:
        with pytest.raises(FieldRefused):
            seat_add_bot(race_id=make(alice).pk, by=alice, **given)

    def test_a_race_for_people_takes_none(self, alice: User) -> None:
        with pytest.raises(FieldRefused, match="for people"):
            seat_add_bot(race_id=make(alice, bots_allowed=False).pk, by=alice)

    def test_only_the_host_adds_one(self, alice: User, bob: User) -> None:
        with pytest.raises(NotHost):
            seat_add_bot(race_id=make(alice).pk, by=bob)


class TestReading:
    def test_a_private_race_is_nobodys_business(self, alice: User, bob: User) -> None:
        race = make(alice, is_public=False)
        assert race_get(public_id=race.public_id, user=alice) == race
        for user in (bob, None):
            with pytest.raises(RaceUnknown):
                race_get(public_id=race.public_id, user=user)
        with pytest.raises(RaceUnknown):
            race_get(public_id=race.public_id, invitation="forged")
        with pytest.raises(RaceUnknown):
            race_get(public_id="none")

    def test_lists_hold_what_they_should(self, alice: User, bob: User, toy_game: MakeGame) -> None:
        game = toy_game()
        public, private = make(alice), make(alice, is_public=False)
        race_invite(race_id=private.pk, by=alice, email="bob@example.org")
        full = make(alice, seats=2, starts_when_full=False)
        race_join(race_id=full.pk, by=bob)
        assert [one["race"]["id"] for one in race_list_open()] == [public.public_id]
        assert [one["race"]["id"] for one in race_list_open(user=bob)] == [full.public_id, public.public_id]
        mine = race_list_mine(user=bob)
        assert [one["race"]["id"] for one in mine] == [
            game.race.public_id,
            full.public_id,
            private.public_id,
        ]
        assert [one["your_state"] for one in mine] == ["joined", "joined", "invited"]

    def test_a_summary_says_whether_one_is_asked(self, toy_game: MakeGame, clock: Clock) -> None:
        game = toy_game()
        first = race_summary(race=game.race, user=game.seat(1).player)
        assert (first["asked"], first["you"], first["due_at"]) == (True, 1, "2026-06-04T12:00:00Z")
        second = race_summary(race=game.race, user=game.seat(2).player)
        assert (second["asked"], second["you"], second["due_at"]) == (False, 2, None)
        assert second["waiting"] == {"kind": "turn", "seat": 1, "car": "car 1", "due_at": "2026-06-04T12:00:00Z"}

    def test_lists_take_few_statements_however_many_races(
        self, alice: User, django_assert_max_num_queries: Any
    ) -> None:
        for _ in range(5):
            make(alice)
        with django_assert_max_num_queries(2):
            assert len(race_list_mine(user=alice)) == 5
