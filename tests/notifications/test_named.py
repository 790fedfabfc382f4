"""What is told to one person by name, whoever holds the seat that it is about."""

from collections.abc import Callable

from django.core import mail
from django.utils import timezone

from games.models import Seat
from games.services.hosting import race_host_pass
from games.services.invitations import invitation_token
from games.services.races import race_create, race_decline, race_invite, race_join
from games.services.seats import seat_remove, seat_replace
from notifications.selectors import notices_of_player
from roadkill_site.accounts.models import User
from tests.notifications.conftest import Running

Deliver = Callable[[], dict[str, int]]


def told(user: User) -> list[tuple[str, str]]:
    """Subject and text of the mails to this person."""
    return [(str(one.subject), str(one.body)) for one in mail.outbox if one.to == [user.email]]


def test_the_former_driver_is_mailed_and_whoever_is_offered_the_seat_gets_the_offer_alone(
    running: Running, wren: User, olu: User, deliver: Deliver
) -> None:
    deliver()
    mail.outbox.clear()
    seat = running.seat(olu)
    Seat.objects.filter(pk=seat.pk).update(offered_at=timezone.now())
    dora = User.objects.create_user("dora@example.org", display_name="Dora")
    seat_replace(race_id=running.race.pk, by=wren, seat_id=seat.pk, email=dora.email)
    race_join(race_id=running.race.pk, by=dora)
    deliver()
    ((subject, text),) = told(olu)
    assert subject == "Dust Devil 300: your seat was taken back"
    assert "Wren has taken back your seat, since your turns were missed." in text
    assert told(dora) == []
    kinds = {
        user: [notice.outbox_event.kind for notice in notices_of_player(player_id=user.pk) if notice.outbox_event]
        for user in (olu, dora)
    }
    assert kinds[olu] == ["seat_lost"]
    assert "seat_lost" not in kinds[dora]


def test_whom_the_host_takes_out_before_the_start_is_told(wren: User, olu: User, deliver: Deliver) -> None:
    race = race_create(by=wren, name="Dust Devil 300", seats=3, is_public=True)
    seat_remove(race_id=race.pk, by=wren, seat_id=race_join(race_id=race.pk, by=olu).pk)
    deliver()
    ((subject, text),) = told(olu)
    assert subject == "Dust Devil 300: your seat was taken back"
    assert "turns were missed" not in text


def test_the_host_is_told_who_declined(wren: User, deliver: Deliver) -> None:
    race = race_create(by=wren, name="Dust Devil 300", seats=3)
    seat = race_invite(race_id=race.pk, by=wren, email="dora@example.org")
    race_decline(race_id=race.pk, by=None, invitation=invitation_token(seat))
    deliver()
    assert [one.to for one in mail.outbox] == [[wren.email]]
    ((subject, text),) = told(wren)
    assert subject == "Dust Devil 300: an invitation was declined"
    assert "dora@example.org has declined your invitation." in text


def test_whoever_hosts_from_now_on_is_told(running: Running, wren: User, olu: User, deliver: Deliver) -> None:
    deliver()
    mail.outbox.clear()
    race_host_pass(race_id=running.race.pk, by=wren, seat_id=running.seat(olu).pk)
    deliver()
    assert [subject for subject, _text in told(olu)] == ["Dust Devil 300: you host the race now"]
    assert told(wren) == []
