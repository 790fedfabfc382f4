"""Nobody can tell from more time, changed calendars or reminders what another driver holds, or whether one answered.

The worlds of tests.games.noninterference, in which people grant more time, agree on it, take holidays and take them
back while questions are open and while answers lie sealed.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.models import Race, Seat
from games.selectors.reminders import questions_waiting
from games.services import calendars, clocks
from games.services.extensions import extension_agree, extension_ask, extension_grant
from games.services.notes import race_note
from notifications.models import REMINDERS, Notice
from roadkill_site.accounts.models import Holiday, User
from roadkill_site.accounts.services import holiday_take, holiday_take_back
from tests.games.noninterference import HIDDEN, OBSERVERS, WHERE_ONE_IS_NOT_ASKED, differences
from tests.games.test_noninterference import ARMED, BARE, MakeStage, assert_comparable, people, stage

__all__ = ["people", "stage"]

SEEN = {name: OBSERVERS[name] for name in ("presentation", "outbox", "lists", "mails")}
QUICK = {"presentation": OBSERVERS["presentation"]}


def drivers(race_id: int) -> dict[int, User]:
    seats = Seat.objects.filter(race_id=race_id).select_related("player")
    return {seat.number: seat.player for seat in seats if seat.number is not None and seat.player is not None}


def more_time(race_id: int, moment: str) -> None:
    """The host grants time; while answers lie sealed a driver asks for it, and all agree."""
    race = Race.objects.select_related("host").get(pk=race_id)
    if moment == "asked":
        extension_grant(race_id=race_id, by=race.host, minutes=20, key=f"host-{race.seq}")
        return
    sits = drivers(race_id)
    asker = max(sits)
    ask = extension_ask(race_id=race_id, by=sits[asker], minutes=10, key=f"ask-{race.seq}")
    for number, player in sits.items():
        if number != asker:
            extension_agree(race_id=race_id, by=player, ask_id=ask.pk)


def holidays(race_id: int, moment: str) -> None:
    """Everybody takes tomorrow off while something is asked; while answers lie sealed, all take it back."""
    day = (timezone.now() + timedelta(days=1)).date()
    for player in drivers(race_id).values():
        if moment == "asked" and not Holiday.objects.filter(user=player, first=day).exists():
            holiday_take(user=player, first=day, last=day)
        elif moment == "sealed":
            for holiday in Holiday.objects.filter(user=player, first__gt=timezone.now().date()):
                holiday_take_back(user=player, holiday_id=holiday.pk)


@pytest.mark.parametrize("meanwhile", [more_time, holidays])
@pytest.mark.parametrize("policy", ["strict", "paced"])
def test_a_hand_shows_in_nothing_that_moves_a_deadline(
    stage: MakeStage, policy: str, meanwhile: Callable[[int, str], None]
) -> None:
    made = stage(policy)
    armed, bare = (made.one(hands, SEEN, meanwhile=meanwhile) for hands in (ARMED, BARE))
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


def test_a_driver_who_does_not_answer_looks_to_others_like_one_who_need_not(stage: MakeStage) -> None:
    """Whom a window waits for is reminded, alone and of what nobody else can tell that it was asked."""
    made = stage("strict")
    seen = {**WHERE_ONE_IS_NOT_ASKED, "reminded": lambda _race, _viewer: reminded_others()}
    seen = {name: seen[name] for name in ("presentation", "outbox", "lists", "mails", "reminded")}
    armed, bare = (made.one(hands, seen, is_silent=True) for hands in (ARMED, BARE))
    assert_comparable(armed, bare)
    assert differences(armed, bare) == []


def reminded_others() -> int:
    """How many reminders have been made for others than the hidden driver."""
    return Notice.objects.filter(occasion__in=REMINDERS).exclude(seat__number=HIDDEN).count()


# --- Planted leaks ----------------------------------------------------------------------


def what_is_sealed_is_not_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    real = clocks.Clocks.put_off

    def leaking(self: clocks.Clocks, row: Any, *given: Any, **more: Any) -> None:
        if row.is_real:
            real(self, row, *given, **more)

    monkeypatch.setattr(clocks.Clocks, "put_off", leaking)


def a_calendar_is_noted_where_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    real = calendars._race_clocks_set

    def leaking(race_id: int, number: int, now: Any) -> None:
        real(race_id, number, now)
        race = Race.objects.get(pk=race_id)
        if race.decisions.filter(is_real=True, window__isnull=False, seat__number=HIDDEN).exists():
            race_note(race, key=f"leak/{race.seq}", text="A deadline was moved.", now=now)

    monkeypatch.setattr(calendars, "_race_clocks_set", leaking)


def reminders_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    real = questions_waiting

    def leaking(*, now: Any) -> Any:
        found = real(now=now)
        for one in found:
            race = Race.objects.get(pk=one.race_id)
            if one.half_at <= now:
                race_note(race, key=f"leak/{race.seq}", text="Somebody is reminded.", now=now)
        return found

    monkeypatch.setattr("notifications.services.reminders.questions_waiting", leaking)


@pytest.mark.parametrize(
    ("leak", "more"),
    [
        (what_is_sealed_is_not_put_off, {"meanwhile": more_time}),
        (a_calendar_is_noted_where_it_matters, {"meanwhile": holidays}),
        (reminders_are_noted, {"is_silent": True}),
    ],
)
def test_a_planted_leak_of_time_is_noticed(
    stage: MakeStage,
    monkeypatch: pytest.MonkeyPatch,
    leak: Callable[[pytest.MonkeyPatch], None],
    more: dict[str, Any],
) -> None:
    made = stage("strict")
    seen = {"mails": WHERE_ONE_IS_NOT_ASKED["mails"], **QUICK} if "is_silent" in more else QUICK
    assert differences(*(made.one(hands, seen, **more) for hands in (ARMED, BARE))) == []
    leak(monkeypatch)
    assert differences(*(made.one(hands, seen, **more) for hands in (ARMED, BARE))) != []
