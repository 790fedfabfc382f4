"""Quiet hours, days off and holidays: on the profile page and by the API."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.test import Client
from rest_framework.test import APIClient

from roadkill_site.accounts.models import Holiday, User
from roadkill_site.accounts.services import HoursRefused, holiday_take, holiday_take_back, hours_set
from roadkill_site.accounts.signals import calendar_changed

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def at_noon() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def wren() -> User:
    return User.objects.create_user("wren@example.org", display_name="Wren", time_zone="Europe/Berlin")


@pytest.fixture
def at_wrens(client: Client, wren: User) -> Client:
    client.force_login(wren)
    return client


@pytest.fixture
def program(wren: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(wren)
    return client


def test_a_player_sets_hours_on_the_page(at_wrens: Client, wren: User) -> None:
    given = {"hours-quiet_from": "22:00", "hours-quiet_until": "07:30", "hours-days_off": ["5", "6"]}
    answer = at_wrens.post("/account/hours/", given, follow=True)
    page = answer.content.decode()
    assert "Your hours are saved." in page
    assert 'value="22:00"' in page
    wren.refresh_from_db()
    assert (f"{wren.quiet_from}", f"{wren.quiet_until}", wren.days_off) == ("22:00:00", "07:30:00", [5, 6])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hours-quiet_from": "22:00"}, "Quiet hours need a beginning and an end"),
        ({"hours-quiet_from": "22:00", "hours-quiet_until": "22:00"}, "Quiet hours end at another time"),
        ({"hours-days_off": [str(day) for day in range(7)]}, "Not every day can be a day off"),
    ],
)
def test_hours_that_leave_no_time_are_refused(at_wrens: Client, wren: User, given: Any, sentence: str) -> None:
    answer = at_wrens.post("/account/hours/", given)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    wren.refresh_from_db()
    assert (wren.quiet_from, wren.days_off) == (None, [])


def test_a_holiday_is_taken_and_taken_back_on_the_page(at_wrens: Client, wren: User) -> None:
    answer = at_wrens.post(
        "/account/holidays/", {"holiday-first": "2026-07-01", "holiday-last": "2026-07-10"}, follow=True
    )
    page = answer.content.decode()
    assert "1 July 2026 to 10 July 2026" in page
    assert "18 days left in 2026, 28 days left in 2027" in page
    holiday = Holiday.objects.get(user=wren)
    answer = at_wrens.post(f"/account/holidays/{holiday.pk}/take-back/", follow=True)
    assert "The holiday is taken back" in answer.content.decode()
    assert not Holiday.objects.exists()
    assert at_wrens.post(f"/account/holidays/{holiday.pk}/take-back/").status_code == 404


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        ("2026-05-31", "2026-06-02", "begins today or later"),
        ("2026-07-10", "2026-07-09", "ends on its first day or later"),
        ("2026-07-01", "2026-07-29", "You have 28 days of holiday left in 2026; this takes 29"),
        ("2026-06-10", "2026-06-12", "on some of these days already"),
        ("2031-06-10", "2031-06-12", "within the next two years"),
    ],
)
def test_a_holiday_that_cannot_be_is_refused(wren: User, first: str, last: str, sentence: str) -> None:
    holiday_take(user=wren, first=date(2026, 6, 12), last=date(2026, 6, 12))
    if "28 days" in sentence:
        Holiday.objects.all().delete()
    with pytest.raises(HoursRefused, match=sentence):
        holiday_take(user=wren, first=date.fromisoformat(first), last=date.fromisoformat(last))


def test_the_allowance_is_counted_in_each_year(wren: User) -> None:
    holiday_take(user=wren, first=date(2026, 12, 20), last=date(2027, 1, 10))
    holiday_take(user=wren, first=date(2026, 8, 1), last=date(2026, 8, 16))
    with pytest.raises(HoursRefused, match="0 days of holiday left in 2026"):
        holiday_take(user=wren, first=date(2026, 9, 1), last=date(2026, 9, 1))
    holiday_take(user=wren, first=date(2027, 2, 1), last=date(2027, 2, 18))


def test_today_is_where_the_player_is(wren: User, at_noon: Any) -> None:
    at_noon.move_to(datetime(2026, 6, 1, 22, 30, tzinfo=UTC))
    with pytest.raises(HoursRefused, match="today or later"):
        holiday_take(user=wren, first=date(2026, 6, 1), last=date(2026, 6, 3))
    holiday_take(user=wren, first=date(2026, 6, 2), last=date(2026, 6, 3))


def test_the_same_holiday_twice_is_one(wren: User) -> None:
    first = holiday_take(user=wren, first=date(2026, 7, 1), last=date(2026, 7, 2))
    assert holiday_take(user=wren, first=date(2026, 7, 1), last=date(2026, 7, 2)) == first


def test_a_holiday_that_has_begun_ends_today_and_its_days_are_spent(wren: User, at_noon: Any) -> None:
    holiday = holiday_take(user=wren, first=date(2026, 6, 1), last=date(2026, 6, 14))
    at_noon.shift(3 * 86_400)
    assert holiday_take_back(user=wren, holiday_id=holiday.pk)
    holiday.refresh_from_db()
    assert holiday.last == date(2026, 6, 4)
    assert not holiday_take_back(user=wren, holiday_id=holiday.pk)


def test_nobody_takes_back_the_holiday_of_another(at_wrens: Client) -> None:
    crow = User.objects.create_user("crow@example.org", display_name="Crow")
    holiday = holiday_take(user=crow, first=date(2026, 7, 1), last=date(2026, 7, 2))
    assert at_wrens.post(f"/account/holidays/{holiday.pk}/take-back/").status_code == 404
    assert Holiday.objects.exists()


def test_who_listens_is_told_whose_calendar_has_changed(wren: User) -> None:
    told: list[int] = []

    def hear(user_id: int, **_: Any) -> None:
        told.append(user_id)

    calendar_changed.connect(hear)
    try:
        hours_set(user=wren, quiet_from=None, quiet_until=None, days_off=[6])
        holiday = holiday_take(user=wren, first=date(2026, 7, 1), last=date(2026, 7, 2))
        holiday_take_back(user=wren, holiday_id=holiday.pk)
    finally:
        calendar_changed.disconnect(hear)
    assert told == [wren.pk] * 3


def test_a_program_reads_and_changes_hours(program: APIClient, wren: User) -> None:
    answer = program.patch("/api/v1/me/hours", {"quiet_from": "23:00", "quiet_until": "06:00"}, format="json")
    assert answer.status_code == 200
    answer = program.patch("/api/v1/me/hours", {"days_off": [6, 5]}, format="json")
    assert answer.json() == {
        "time_zone": "Europe/Berlin",
        "quiet_from": "23:00",
        "quiet_until": "06:00",
        "days_off": [5, 6],
        "holidays": [],
        "holiday_days_left": {"2026": 28, "2027": 28},
    }
    answer = program.post("/api/v1/me/holidays", {"first": "2026-06-03", "last": "2026-06-04"}, format="json")
    assert answer.status_code == 201
    (holiday,) = answer.json()["holidays"]
    assert answer.json()["holiday_days_left"]["2026"] == 26
    assert program.delete(f"/api/v1/me/holidays/{holiday['id']}").json()["holidays"] == []
    assert program.delete(f"/api/v1/me/holidays/{holiday['id']}").status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"quiet_from": "23:00"}, "quiet_until"),
        ({"days_off": [7]}, "days_off"),
    ],
)
def test_a_program_is_refused_with_the_field(program: APIClient, change: Any, field: str) -> None:
    answer = program.patch("/api/v1/me/hours", change, format="json")
    assert answer.status_code == 400
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_the_database_refuses_half_of_quiet_hours(wren: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.filter(pk=wren.pk).update(quiet_from="22:00")
