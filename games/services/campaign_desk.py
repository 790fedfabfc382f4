"""A campaign on the desk: locked, and carried on to where it waits for somebody.

Its first race's cars are drawn, points are posted, purchases are asked in order, the next race is made and begun. Each
step stands in rows that cannot be written twice, so whoever does it, and how often, comes to the same.

Whoever locks a campaign and a race locks the campaign first.
"""

import logging
from datetime import datetime
from typing import Final

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from games.engine.campaigns import Ledger, purchase_json
from games.engine.campaigns import Posting as Line
from games.engine.campaigns import Purchase as Answer
from games.engine.chance import commitment
from games.engine.contract import JSON
from games.engine.errors import ActionRefused
from games.models import (
    Campaign,
    CampaignDriver,
    CampaignRace,
    OutboxEvent,
    Posting,
    Purchase,
    PurchaseRound,
    Race,
    Seat,
)
from games.runtime.campaigns import UPGRADES, bot_purchase, ledger_of, result_of, rules_for, source_of
from games.runtime.errors import RaceFaulty
from games.runtime.play import seating_of
from games.runtime.position import drivers, faults_told, race_key, ruleset_of
from games.selectors.calendars import PLAIN, calendar_of, holidays_of
from games.services import races
from games.services.desk import announce, race_lock
from games.services.faults import fault_mark
from games.services.notes import race_note
from games.services.starting import OPEN, set_off
from games.tempo.calendars import Calendar, counted, deadline

logger = logging.getLogger(__name__)

MOST_STEPS: Final = 200
"""Steps that one transaction takes; a campaign that wants more goes on with the next sweep."""
COPIED: Final = (
    "ruleset",
    "seats_wanted",
    "starts_when_full",
    "turn_minutes",
    "reaction_minutes",
    "policy",
    "pause_cap_minutes",
    "holidays_allowed",
    "bank",
    "absences_allowed",
    "substitutes",
    "bot_takeover",
    "extension_cap_minutes",
    "bots_allowed",
    "is_public",
    "host_id",
    "host_seen_at",
)
"""What a campaign's next race has from the one before it."""


def campaign_lock(campaign_id: int, *, skip_locked: bool = False) -> Campaign | None:
    """The campaign's row, locked until the transaction ends; None: there is none, or somebody else holds it."""
    skip = skip_locked and connection.features.has_select_for_update_skip_locked
    return Campaign.objects.select_for_update(skip_locked=skip).filter(pk=campaign_id).first()


def campaign_buying_lock(*, race_id: int) -> Campaign | None:
    """The campaign in which this race is bought for, locked until the transaction ends; None of any other race.

    For whoever then locks the race: a campaign is locked before its races.
    """
    waiting = CampaignRace.objects.filter(race_id=race_id, race__status=OPEN)
    campaign_id = waiting.values_list("campaign_id", flat=True).first()
    return None if campaign_id is None else campaign_lock(campaign_id)


def campaign_attend(*, campaign_id: int, now: datetime | None = None) -> bool:
    """Do what is due in one campaign, unless another process is at it; whether anything was done.

    A race of it that cannot be begun or read is marked, told to its host, and tried again by the sweep.
    """
    at = timezone.now() if now is None else now
    race_id = 0
    try:
        with transaction.atomic():
            campaign = campaign_lock(campaign_id, skip_locked=True)
            if campaign is None:
                return False
            desk = CampaignDesk(campaign, at)
            race_id = desk.current.race_id
            return desk.go_on()
    except ActionRefused as refused:
        logger.exception("campaign %s cannot go on", campaign_id)
        fault = refused if isinstance(refused, RaceFaulty) else RaceFaulty(str(refused))
        fault_mark(race_id=race_id, error=fault, now=at)
        return False


def campaign_of_race_attend(*, race_id: int) -> None:
    """Do what is due in the campaign that this race belongs to, if it belongs to one."""
    campaign_id = CampaignRace.objects.filter(race_id=race_id).values_list("campaign_id", flat=True).first()
    if campaign_id is not None:
        campaign_attend(campaign_id=campaign_id)


def campaigns_due(*, now: datetime) -> list[int]:
    """The campaigns in which something is due that needs nobody, the oldest first."""
    drawn = Q(status="lobby", races__race__seats__number__isnull=False)
    called_off = Q(status="lobby", races__race__status="abandoned")
    over = Q(status="running", races__posted_at=None, races__race__status="finished")
    lapsed = Q(status="running", rounds__purchases__answered_at=None, rounds__purchases__due_at__lte=now)
    given_to_bot = Q(status="running", rounds__purchases__answered_at=None) & ~Q(rounds__purchases__driver__bot="")
    # A round that nobody is asked in was left by a process that died, or by one that had done its share.
    between = Q(status="running", rounds__closed_at=None, rounds__isnull=False) & ~Exists(
        Purchase.objects.filter(round__campaign=OuterRef("pk"), answered_at=None)
    )
    found = Campaign.objects.filter(drawn | called_off | over | lapsed | given_to_bot | between)
    waits = Race.objects.filter(campaign_race__campaign=OuterRef("pk"), wake_at__gt=now).exclude(fault="")
    return list(found.exclude(Exists(waits)).order_by("pk").values_list("pk", flat=True).distinct())


class CampaignDesk:
    """One campaign while one transaction works on it, its row locked.

    ``current``: its last race. ``drivers``: by car, empty before its start. ``ledger``: as its rows make it.
    """

    def __init__(self, campaign: Campaign, now: datetime) -> None:
        """Reads rows, locks nothing."""
        self.campaign = campaign
        self.now = now
        self.current = campaign.races.select_related("race").order_by("number").latest("number")
        self.drivers = {one.car: one for one in campaign.drivers.select_related("player")}
        rows = list(campaign.postings.select_related("driver").order_by("number"))
        self.ledger: Ledger = ledger_of(campaign, race=self.race, cars=len(self.drivers), rows=rows)
        self._last = rows[-1].number if rows else 0

    @property
    def race(self) -> Race:
        """The race that is gathering drivers, bought for, or under way; at the end the last."""
        return self.current.race

    @property
    def round(self) -> PurchaseRound | None:
        """The purchases that are going on."""
        return self.campaign.rounds.filter(closed_at=None).first()

    @property
    def purchase(self) -> Purchase | None:
        """What is asked now."""
        rows = Purchase.objects.filter(round__campaign=self.campaign, answered_at=None)
        return rows.select_related("driver__player", "round").first()

    def go_on(self) -> bool:
        """Take every step that needs nobody; whether there was any."""
        taken = False
        for _ in range(MOST_STEPS):
            if not self._step():
                return taken
            taken = True
        return taken

    def _step(self) -> bool:
        if self.campaign.status == "lobby":
            return self._leave_lobby()
        if self.campaign.status != "running":
            return False
        if self.race.status == "finished" and self.current.posted_at is None:
            self._post_race()
            return True
        return self.race.status == OPEN and self._buy()

    # --- from the lobby to the first purchases ------------------------------------------

    def _leave_lobby(self) -> bool:
        if self.race.status == "abandoned":
            self._end("closed")
            return True
        seats = drivers(list(self.race.seats.filter(number__isnull=False).select_related("player")))
        if not seats:
            return False
        rows = [
            CampaignDriver(
                campaign=self.campaign,
                car=seat.number or 0,
                player_id=seat.player_id,
                name=seat.name,
                bot=seat.bot,
                bot_delay_s=seat.bot_delay_s,
            )
            for seat in seats
        ]
        CampaignDriver.objects.bulk_create(rows)
        self.drivers = {one.car: one for one in self.campaign.drivers.select_related("player")}
        self.ledger = ledger_of(self.campaign, race=self.race, cars=len(rows), rows=())
        self.campaign.status = "running"
        self.campaign.started_at = self.now
        self.campaign.save(update_fields=["status", "started_at"])
        for line in self.ledger.open():
            self._write(line, source_of(line, race=0), race=None)
        self.tell_drivers("campaign_started")
        self._open_round(rules_for(self.campaign).first_order(len(rows)))
        return True

    # --- points -------------------------------------------------------------------------

    def _post_race(self) -> None:
        """Put a race that is over into the ledger; then the campaign is won, or the next race is bought for."""
        result = result_of(self.race)
        for line in self.ledger.settle(scores=result.scores, carried=result.carried):
            self._write(line, source_of(line, race=self.current.number), race=self.current)
        self.current.posted_at = self.now
        self.current.save(update_fields=["posted_at"])
        self._follow_seats()
        winner = rules_for(self.campaign).winner(result.outcome, self.ledger.balances)
        if winner is not None:
            self.campaign.winner = winner
            name = self.drivers[winner].shown_name
            text = f"“{name}” (car {winner}) has won {self.campaign.name}, with {self.ledger.balances[winner]} points."
            race_note(self.race, key="campaign", text=text, now=self.now)
            self._end("finished")
            self.tell_drivers("campaign_over")
            return
        self._next_race()
        self._open_round(rules_for(self.campaign).order_after(result.outcome))

    def _write(self, line: Line, source: str, *, race: CampaignRace | None) -> None:
        self._last += 1
        Posting.objects.create(
            campaign=self.campaign,
            number=self._last,
            driver=self.drivers[line.car],
            kind=line.kind,
            points=line.points,
            balance=sum_of(self.campaign, line, self.drivers[line.car]),
            upgrade=line.upgrade,
            race=race,
            rule=line.rule,
            source=source,
            created_at=self.now,
        )

    def _follow_seats(self) -> None:
        """Whoever drove a car at the end of the race drives it on: a seat may have been taken over during it."""
        changed = []
        for seat in Seat.objects.filter(race=self.race, number__isnull=False, state="joined").select_related("player"):
            driver = self.drivers[seat.number or 0]
            if (seat.player_id, seat.bot) != (driver.player_id, driver.bot):
                changed.append((driver, seat))
        for driver, _ in changed:
            # Freed first, so that two who changed cars do not stand in each other's way.
            driver.former_player_id = driver.player_id or driver.former_player_id
            driver.player, driver.bot = None, "driver"
            driver.save(update_fields=["former_player", "player", "bot"])
        for driver, seat in changed:
            driver.player, driver.bot, driver.bot_delay_s, driver.name = (
                seat.player,
                seat.bot,
                seat.bot_delay_s,
                seat.name,
            )
            driver.save(update_fields=["player", "bot", "bot_delay_s", "name"])

    def _end(self, status: str) -> None:
        self.campaign.status = status
        self.campaign.paused_at = None
        self.campaign.ended_at = self.now
        self.campaign.save(update_fields=["status", "paused_at", "ended_at", "winner"])

    # --- the next race ------------------------------------------------------------------

    def _next_race(self) -> None:
        """The race after this one, as that was; each car stands there already, and nobody draws."""
        before, number = self.race, self.current.number + 1
        secret = races.secret_next()
        race = Race.objects.create(
            public_id=races.public_id_free(),
            name=race_name(self.campaign.name, number),
            options={name: value for name, value in before.options.items() if name != UPGRADES},
            secret=secret,
            commitment=commitment(secret),
            created_at=self.now,
            **{field: getattr(before, field) for field in COPIED},
        )
        Seat.objects.bulk_create(
            Seat(
                race=race,
                joined_order=car,
                number=car,
                player_id=driver.player_id,
                name=driver.name,
                bot=driver.bot,
                bot_delay_s=driver.bot_delay_s,
                state="joined",
                joined_at=self.now,
            )
            for car, driver in sorted(self.drivers.items())
        )
        self.current = CampaignRace.objects.create(campaign=self.campaign, number=number, race=race)

    def _begin_race(self) -> None:
        """Begin the race for which all have bought, with what the cars own now."""
        race = race_lock(self.race.pk)
        assert race is not None
        with faults_told(race):
            race.options = ruleset_of(race).options({**race.options, UPGRADES: self.ledger.upgrades})
        race.save(update_fields=["options"])
        self.current.race = race
        seats = drivers(list(Seat.objects.filter(race=race, number__isnull=False).select_related("player")))
        numbers = tuple(seat.number or 0 for seat in seats)
        is_drawn = self.current.number == 1 and seating_of(seats=len(seats), key=race_key(race, seats)) == numbers
        set_off(race, seats, self.now, given=None if is_drawn else numbers)

    # --- purchases ----------------------------------------------------------------------

    def _open_round(self, order: tuple[int, ...]) -> None:
        PurchaseRound.objects.create(campaign=self.campaign, race=self.current, order=list(order), opened_at=self.now)

    def _buy(self) -> bool:
        """Ask the next car, answer for one that needs nobody, or close the round and begin the race."""
        purchase = self.purchase
        if purchase is not None:
            if purchase.driver.bot:
                self.answer(purchase, bot_purchase(purchase, self.ledger, race=self.race), origin="bot")
                return True
            if purchase.due_at <= self.now:
                self.answer(purchase, Answer("nothing"), origin="deadline")
                self._tell_of(purchase, "purchase_lapsed", seq=0)
                announce(self.race.pk, bots=False)
                return True
            return False
        going = self.round
        if going is None:
            return False
        place = going.purchases.count()
        if place < len(going.order):
            self._ask(going, place)
            return True
        going.closed_at = self.now
        going.save(update_fields=["closed_at"])
        self._begin_race()
        return True

    def _ask(self, going: PurchaseRound, place: int) -> None:
        driver = self.drivers[going.order[place]]
        purchase = Purchase(
            round=going,
            driver=driver,
            place=place + 1,
            opened_at=self.now,
            counts_from=self.now,
            left_s=self.race.turn_minutes * 60,
        )
        self.set_due(purchase)
        purchase.save()
        self.tell(purchase)

    def tell(self, purchase: Purchase) -> None:
        """Have the driver told of what is asked, unless a bot drives."""
        if purchase.driver.bot:
            return
        # A driver who takes a car over is told anew.
        before = OutboxEvent.objects.filter(kind="purchase", race=self.race, decision_id=purchase.pk).count()
        self._tell_of(purchase, "purchase", seq=before)
        announce(self.race.pk, bots=False)

    def _tell_of(self, purchase: Purchase, kind: str, *, seq: int) -> None:
        seat = Seat.objects.get(race=self.race, number=purchase.driver.car)
        OutboxEvent.objects.create(
            kind=kind, race=self.race, seat=seat, decision_id=purchase.pk, seq=seq, created_at=self.now
        )

    def tell_drivers(self, kind: str, *, but: int | None = None) -> None:
        """Have all who drive but one player told something of the campaign, by the seats of its present race.

        Who gave a seat up in that race drives on in the next, and is told by name if somebody else has the seat.
        """
        seats = {seat.number: seat for seat in Seat.objects.filter(race=self.race, number__isnull=False)}
        told = []
        for car, driver in sorted(self.drivers.items()):
            if driver.player_id is None or driver.player_id == but:
                continue
            seat = seats[car]
            told.append(
                OutboxEvent(
                    kind=kind,
                    race=self.race,
                    seat=seat,
                    player_id=None if seat.player_id == driver.player_id else driver.player_id,
                    decision_id=OutboxEvent.objects.filter(kind=kind, seat=seat).count(),
                    seq=self.race.seq,
                    created_at=self.now,
                )
            )
        OutboxEvent.objects.bulk_create(told)
        announce(self.race.pk, bots=False)

    def answer(self, purchase: Purchase, answer: Answer, *, origin: str, key: str = "") -> dict[str, JSON]:
        """Take an answer to the open purchase; raises RuleViolation and changes nothing.

        Returns {"words", "step", "posting": number of its line or None, "is_over": whether the purchase is over}.
        """
        step = len(purchase.acts)
        line = self.ledger.purchase(purchase.driver.car, answer)
        words = self.ledger.say(answer)
        if line is not None:
            self._write(line, f"purchase/{purchase.pk}/{step}", race=self.current)
        receipt: dict[str, JSON] = {
            "words": words,
            "step": step,
            "posting": None if line is None else self._last,
            "is_over": answer.do != "return",
        }
        act = {"action": purchase_json(answer), "key": key, "origin": origin, "at": self.now.isoformat()}
        purchase.acts = [*purchase.acts, {**act, "receipt": receipt}]
        if receipt["is_over"]:
            purchase.answered_at = self.now
        purchase.save(update_fields=["acts", "answered_at"])
        return receipt

    # --- the clock of a purchase --------------------------------------------------------

    def set_due(self, purchase: Purchase) -> None:
        """Set the deadline of what is left, on the calendar of whoever drives."""
        due = deadline(
            start=purchase.counts_from,
            minutes=0,
            seconds=purchase.left_s,
            calendar=self._calendar(purchase.driver),
            pause_cap_minutes=self.race.pause_cap_minutes,
        )
        purchase.due_at, purchase.due_rule = due.due_at, due.rule[:400]

    def stop_clock(self, purchase: Purchase) -> None:
        """Take what has counted up to now out of the clock."""
        calendar, cap = self._calendar(purchase.driver), self.race.pause_cap_minutes
        took = counted(purchase.counts_from, self.now, calendar, pause_cap_minutes=cap)
        purchase.left_s = max(0, purchase.left_s - took)
        purchase.counts_from = self.now

    def _calendar(self, driver: CampaignDriver) -> Calendar:
        if driver.player is None:
            return PLAIN
        wants_holidays = self.race.holidays_allowed and self.race.pause_cap_minutes > 0
        holidays = holidays_of([driver.player.pk]).get(driver.player.pk, ()) if wants_holidays else ()
        return calendar_of(driver.player, holidays=holidays)


def sum_of(campaign: Campaign, line: Line, driver: CampaignDriver) -> int:
    """The car's total with this line: the sum of its lines, which the database counts for itself as well."""
    last = Posting.objects.filter(campaign=campaign, driver=driver).order_by("-number").values_list("balance").first()
    return (last[0] if last else 0) + line.points


def race_name(campaign: str, number: int) -> str:
    """The name of a campaign's race."""
    return f"{campaign}: race {number}"
