"""The grammar of a reply: what is an order, what ends the reading, and what is asked about instead of guessed."""

import datetime as dt
import zoneinfo

import pytest

from notifications.inbound.absence import Unclear, until_read
from notifications.inbound.orders import COMMANDS_MOST, Orders, Outcome, Recognised, orders_read
from tests.notifications.inbound.sample_mails import said

GAME = {"pass 2 with move 2", "end turn", "play swerve", "if passed: end turn", "always pass"}
TODAY = dt.date(2026, 12, 1)  # a Tuesday


def recognise(text: str) -> Recognised | Unclear | None:
    if text.casefold().startswith("trade"):
        return Unclear("Trade what?")
    return Recognised(text, text.casefold()) if text.casefold() in GAME else None


def read(text: str, zone: str = "Europe/Lisbon") -> Orders:
    lines = [line.strip() for line in text.split("\n")]
    return orders_read(lines, recognise=recognise, today=TODAY, zone=zoneinfo.ZoneInfo(zone))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("3", "3"),
        ("3.", "3"),
        ("#3", "3"),
        ("(3)", "3"),
        ("No. 3", "3"),
        ("Option three!", "3"),
        ("\N{FULLWIDTH DIGIT THREE}", "3"),
        ("\N{ARABIC-INDIC DIGIT THREE}", "3"),
        ("3\ufe0f\u20e3", "3"),
        ("PASS", "pass"),
        ("Pass...", "pass"),
        ("- pass", "pass"),
        ("*pass*", "pass"),
        ('"Undo."', "undo"),
        ("HAND", "hand"),
        ("status", "status"),
        ("Log!", "log"),
        ("help", "help"),
        ("back", "back"),
        ("rules 6.41", "rules 6.41"),
        ("Rule 6.41.", "rules 6.41"),
        ("rules", "rules"),
        ("say Hi, all!", "say Hi, all!"),
        ("SAY: 3", "say 3"),
        ("Play  Swerve.", "play swerve"),
        ("if passed: end turn", "if passed: end turn"),
        ("always pass", "always pass"),
        ("2) end turn", "2: end turn"),
        ("2. end turn (6.9)", "2: end turn"),
        ("AWAY UNT\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}L 24.12.2026", "away until 2026-12-24"),
        ("away unt\N{LATIN SMALL LETTER DOTLESS I}l fr\N{LATIN SMALL LETTER DOTLESS I}day", "away until 2026-12-04"),
    ],
)
def test_a_line_is_the_order_that_it_says(line: str, wanted: str) -> None:
    orders = read(line)
    assert [said(command) for command in orders.commands] == [wanted]
    assert [told.outcome for told in orders.lines] == [Outcome.READ]


@pytest.mark.parametrize(
    "line", ["3 weeks", "passing by", "no", "handy", "say", "1234", "6.41", "I pass", "back soon", "x" * 800, "..."]
)
def test_a_line_that_only_looks_like_an_order_is_none(line: str) -> None:
    orders = read(line)
    assert (orders.commands, orders.questions) == ((), ())
    assert [told.outcome for told in orders.lines] == [Outcome.IGNORED]


def test_prose_above_the_first_order_is_passed_over_and_the_first_line_below_that_is_none_ends_the_reading() -> None:
    orders = read("Hi there!\n\nsorry for the wait\n\npass\nsay bye\n\nCheers,\nRita\n\n3")
    assert [said(command) for command in orders.commands] == ["pass", "say bye"]
    assert [line.outcome.value for line in orders.lines] == ["ignored", "ignored", "read", "read"] + ["ignored"] * 3
    assert all(line.why for line in orders.lines if line.outcome is not Outcome.READ)


def test_a_slip_between_orders_undoes_all_of_them() -> None:
    orders = read("pass 2 with Move 2\nplya swerve\nend turn")
    assert orders.commands == ()
    assert orders.questions == ("“plya swerve” was not understood, and orders follow it: nothing was done.",)


@pytest.mark.parametrize(
    "line", ["1 or 2", "1, 2", "1/2", "3 and 4", "trade with me", "away", "away until soon", "say " + "x" * 501]
)
def test_what_is_unclear_is_asked_about_and_nothing_is_done(line: str) -> None:
    orders = read(f"pass\n{line}")
    assert orders.commands == ()
    assert len(orders.questions) == 1


def test_stop_ends_the_reading_unless_the_game_has_the_word() -> None:
    assert [said(command) for command in read("pass\nstop\n3").commands] == ["pass"]
    orders = orders_read(
        ["stop", "3"], recognise=lambda text: Recognised(text, text), today=TODAY, zone=zoneinfo.ZoneInfo("UTC")
    )
    assert [said(command) for command in orders.commands] == ["stop", "3"]


def test_more_orders_than_the_cap_are_all_refused() -> None:
    assert len(read("pass\n" * COMMANDS_MOST).commands) == COMMANDS_MOST
    orders = read("pass\n" * (COMMANDS_MOST + 1))
    assert orders.commands == ()
    assert len(orders.questions) == 1


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("2026-12-24", "2026-12-24"),
        ("24.12.2026", "2026-12-24"),
        ("24.12.", "2026-12-24"),
        ("24.12.26", "2026-12-24"),
        ("24. 12. 2026", "2026-12-24"),
        ("dec 24", "2026-12-24"),
        ("december 24th, 2026", "2026-12-24"),
        ("24 dec", "2026-12-24"),
        ("the 24th of december", "2026-12-24"),
        ("1 jan", "2027-01-01"),
        ("dec 1", "2027-12-01"),
        ("24/12", "2026-12-24"),
        ("12/24/2026", "2026-12-24"),
        ("5/5/2027", "2027-05-05"),
        ("friday", "2026-12-04"),
        ("this friday", "2026-12-04"),
        ("tue", "2026-12-08"),
        ("tomorrow", "2026-12-02"),
        ("friday 4 december", "2026-12-04"),
    ],
)
def test_a_day_of_return_is_read_in_many_forms(when: str, wanted: str) -> None:
    assert until_read(f"away until {when}", TODAY) == dt.date.fromisoformat(wanted)


@pytest.mark.parametrize(
    "when",
    [
        "4/12",
        "04/12/2026",
        "next friday",
        "today",
        "2026-11-30",
        "2026-02-30",
        "31.2.",
        "2028-01-01",
        "friday 5 december",
        "x",
    ],
)
def test_a_day_that_could_be_two_or_none_is_asked_about(when: str) -> None:
    answer = until_read(f"away until {when}", TODAY)
    assert isinstance(answer, Unclear)
    assert answer.why.endswith(".")


def test_a_span_counts_from_today_and_an_ambiguous_day_names_both() -> None:
    assert until_read("away for 5 days", TODAY) == dt.date(2026, 12, 6)
    assert until_read("away for two weeks", TODAY) == dt.date(2026, 12, 15)
    answer = until_read("away until 2/3/2027", TODAY)
    assert isinstance(answer, Unclear)
    assert "Tuesday 2 March 2027 or Wednesday 3 February 2027: write 2027-03-02 or 2027-02-03" in answer.why


def test_an_absence_ends_when_its_day_begins_in_the_players_zone_even_where_midnight_is_skipped() -> None:
    (lisbon,) = read("away until 2026-12-24").commands
    (tokyo,) = read("away until 2026-12-24", "Asia/Tokyo").commands
    assert lisbon.ends_at.astimezone(dt.UTC).isoformat() == "2026-12-24T00:00:00+00:00"  # type: ignore[union-attr]
    assert tokyo.ends_at.astimezone(dt.UTC).isoformat() == "2026-12-23T15:00:00+00:00"  # type: ignore[union-attr]
    (beirut,) = read("away until 2027-03-28", "Asia/Beirut").commands
    assert beirut.ends_at.isoformat() == "2027-03-28T01:00:00+03:00"  # type: ignore[union-attr]
