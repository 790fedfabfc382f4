"""Campaigns between rows and rules: the ledger that rows make, what a race's end gives, the question of a purchase.

And the ledger as the races' records make it, for the check.
"""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine.campaigns import Campaign as Rules
from games.engine.campaigns import Ledger, LedgerBroken, Posting, Purchase, purchase_json, purchase_of
from games.engine.contract import JSON, Outcome
from games.engine.errors import ActionRefused, RecordBroken
from games.models import Campaign, CampaignRace, Entry, PurchaseRound, Race, Snapshot
from games.models import Posting as PostingRow
from games.models import Purchase as PurchaseRow
from games.runtime.errors import RaceFaulty
from games.runtime.position import faults_told, position_of, ruleset_of
from games.runtime.present import seats_read
from games.runtime.replay import outcome_of, record_of_rows, state_after
from games.runtime.rulesets import RULESETS, extras_of
from games.runtime.words import stamp

UPGRADES = "upgrades"
"""The option of a race that says what each car starts with."""


def rules_of(ruleset_key: str) -> Rules | None:
    """What a ruleset says of its campaign; None if it has none, or is not here."""
    return extras_of(RULESETS[ruleset_key]).campaign if ruleset_key in RULESETS else None


def rules_for(campaign: Campaign) -> Rules:
    """What the ruleset of this campaign says of it; raises RaceFaulty."""
    rules = rules_of(campaign.ruleset)
    if rules is None:
        raise RaceFaulty(f"the ruleset “{campaign.ruleset}” is not installed, or has no campaign")
    return rules


def ledger_of(campaign: Campaign, *, race: Race, cars: int, rows: Sequence[PostingRow]) -> Ledger:
    """The ledger that these rows make, in their order, with their drivers; raises RaceFaulty if they cannot be."""
    try:
        return Ledger(rules_for(campaign), options=race.options, cars=cars, postings=map(posting_of, rows))
    except LedgerBroken as broken:
        raise RaceFaulty(f"the ledger of campaign {campaign.public_id} cannot be: {broken}") from broken


def posting_of(row: PostingRow) -> Posting:
    """A line of the ledger as the engine has it."""
    kind: Any = row.kind
    return Posting(car=row.driver.car, kind=kind, points=row.points, rule=row.rule, upgrade=row.upgrade)


# --- A race that is over ----------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What a campaign needs to know of a race that is over. ``scores`` and ``carried`` by the car's number in text."""

    outcome: Outcome
    scores: dict[str, int]
    carried: dict[str, list[str]]


def result_of(race: Race) -> Result:
    """From the race's last state as it is stored; raises RaceFaulty."""
    position = position_of(race, Snapshot.objects.filter(race=race).first())
    return _result(race, position.state)


def result_replayed(race: Race) -> Result:
    """From the race's record, played again; raises RecordBroken with the entry that differs, RaceFaulty."""
    ruleset = ruleset_of(race)
    entries = list(Entry.objects.filter(race=race).order_by("seq"))
    _, state = state_after(ruleset, record_of_rows(race, seats_read(race), entries), len(entries) - 1)
    result = _result(race, state)
    if race.outcome is None or outcome_of(race.outcome) != result.outcome:
        raise RecordBroken("the race's row claims another end than its record gives")
    return result


def _result(race: Race, state: Any) -> Result:
    ruleset = ruleset_of(race)
    with faults_told(race):
        outcome = ruleset.outcome(state)
        if outcome is None:
            raise RaceFaulty("the race is not over")
        extras = extras_of(ruleset)
        return Result(
            outcome=outcome,
            scores=dict(extras.scores(state)),
            carried={car: list(letters) for car, letters in extras.carried(state).items()},
        )


# --- A purchase -------------------------------------------------------------------------


def purchase_question(row: PurchaseRow, ledger: Ledger, *, campaign: Campaign) -> dict[str, JSON]:
    """What an open purchase asks, in the shape of a race's question: its answers are numbered from 1.

    {"decision": the purchase's id, "campaign": the campaign's public id, by which a purchase is told from a race's
    question, "position": how many answers it had, which an answer names, "key", "kind", "clock", "rule", "text",
    "due_at", "due_rule", "otherwise", "is_window", "answers": [{"number", "words", "rule", "action", "cards",
    "effect"}], "forms": [], "sealed": None, "follow": []}
    """
    car, name = row.driver.car, campaign.name
    rule = ledger.campaign.buying_rule
    balance = ledger.balances[car]
    points = f"{balance} point" if balance == 1 else f"{balance} points"
    return {
        "decision": row.pk,
        "campaign": campaign.public_id,
        "position": len(row.acts),
        "key": "purchase",
        "kind": "draft",
        "clock": "turn",
        "rule": rule,
        "text": f"You have {points} in {name}. Do you return upgrades, and do you buy one?"
        if ledger.owned(car)
        else f"You have {points} in {name}. Do you buy an upgrade?",
        "due_at": stamp(row.due_at),
        "due_rule": row.due_rule,
        "otherwise": "If you do not answer in time, you buy nothing.",
        "is_window": False,
        "answers": [
            {
                "number": number,
                "words": ledger.say(offer),
                "rule": rule,
                "action": purchase_json(offer),
                "cards": [],
                "effect": ledger.catalogue[offer.upgrade].effect if offer.do == "buy" else "",
            }
            for number, offer in enumerate(ledger.offers(car), 1)
        ],
        "forms": [],
        "sealed": None,
        "follow": [],
    }


def is_purchase(question: Mapping[str, Any] | None) -> bool:
    """Whether a question, or None, is a campaign's: its number may be that of a race's question too."""
    return question is not None and bool(question.get("campaign"))


def bot_purchase(row: PurchaseRow, ledger: Ledger, *, race: Race) -> Purchase:
    """What the bot that drives this car answers; nobody can foresee it, and it is the same whenever it is asked."""
    driver = row.driver
    text = f"purchase/{driver.car}/{len(row.acts)}"
    seed = int.from_bytes(hmac.digest(bytes(race.secret), text.encode(), "sha256")[:8], "big")
    return ledger.campaign.choose(driver.bot, ledger, driver.car, seed)


# --- The check --------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """A line that the ledger should have. ``race``: the number of the race that it is tied to, or None."""

    posting: Posting
    source: str
    balance: int
    race: int | None


def source_of(posting: Posting, *, race: int) -> str:
    """What a line of a race's end, or of the beginning (race 0), is posted for."""
    what = f"{posting.kind}/{posting.upgrade}" if posting.upgrade else posting.kind
    return f"race/{race}/{posting.car}/{what}" if race else f"opening/{posting.car}"


class Recomputed:
    """A campaign's ledger made anew from its races' records and the answers to its purchases.

    ``expected``: the lines it should have; ``faults``: what does not fit otherwise, a sentence each.
    """

    def __init__(self, campaign: Campaign) -> None:
        """Replays every race of it that is over, which takes some seconds a race. Raises RaceFaulty."""
        self.expected: list[Expected] = []
        self.faults: list[str] = []
        self._campaign = campaign
        self._rules = rules_for(campaign)
        self._races = list(campaign.races.select_related("race").order_by("number"))
        self._cars = campaign.drivers.count()
        self._winner: int | None = None
        if campaign.started_at is not None:
            self._ledger = Ledger(self._rules, options=self._races[0].race.options, cars=self._cars)
            self._run()
        if campaign.winner != self._winner:
            self._fault(f"{_car(campaign.winner)} stands there as the winner; the races give {_car(self._winner)}")

    def _run(self) -> None:
        for posting in self._ledger.open():
            self._expect(posting, source_of(posting, race=0), race=None)
        order = self._rules.first_order(self._cars)
        rounds = {one.race_id: one for one in PurchaseRound.objects.filter(campaign=self._campaign)}
        for row in self._races:
            if self._winner is not None:
                self._fault(f"race {row.number} was made after the campaign was won")
            self._purchases(row, rounds.get(row.pk), order)
            if row.posted_at is None:
                return
            try:
                result = result_replayed(row.race)
            except RecordBroken as broken:
                self._fault(f"the record of race {row.number} does not replay: {broken}")
                return
            for posting in self._ledger.settle(scores=result.scores, carried=result.carried):
                self._expect(posting, source_of(posting, race=row.number), race=row.number)
            self._winner = self._rules.winner(result.outcome, self._ledger.balances)
            order = self._rules.order_after(result.outcome)

    def _purchases(self, row: CampaignRace, found: PurchaseRound | None, order: tuple[int, ...]) -> None:
        if found is None:
            self._fault(f"race {row.number} has no purchases before it")
            return
        if found.order != list(order):
            self._fault(f"the purchases before race {row.number} go by {found.order}; the order is {list(order)}")
        for purchase in found.purchases.select_related("driver").order_by("place"):
            for step, act in enumerate(purchase.acts):
                try:
                    posting = self._ledger.purchase(purchase.driver.car, purchase_of(act["action"]))
                except ActionRefused as refused:
                    self._fault(f"purchase {purchase.pk}, answer {step + 1}, cannot have been: {refused}")
                    continue
                if posting is not None:
                    self._expect(posting, f"purchase/{purchase.pk}/{step}", race=row.number)
        started = row.race.options.get(UPGRADES, {}) if row.race.started_at is not None else self._ledger.upgrades
        if started != self._ledger.upgrades:
            self._fault(f"race {row.number} was started with {started}; the ledger gives {self._ledger.upgrades}")

    def _expect(self, posting: Posting, source: str, *, race: int | None) -> None:
        # Counted by this list itself, so that a line is compared with the sum of those before it.
        before = sum(one.posting.points for one in self.expected if one.posting.car == posting.car)
        self.expected.append(Expected(posting, source, before + posting.points, race))

    def _fault(self, text: str) -> None:
        self.faults.append(text[0].upper() + text[1:] + ".")


def ledger_faults(campaign: Campaign) -> list[str]:
    """What differs between a campaign's ledger and its races' records, a sentence each; [] if nothing does."""
    try:
        made = Recomputed(campaign)
    except (RaceFaulty, LedgerBroken) as error:
        return [f"The ledger cannot be made anew: {getattr(error, 'detail', error)}."]
    rows = {row.source: row for row in PostingRow.objects.filter(campaign=campaign).select_related("driver", "race")}
    return [*made.faults, *_compared(made, rows)]


def _compared(made: Recomputed, rows: dict[str, PostingRow]) -> Iterator[str]:
    left = dict(rows)
    for number, expected in enumerate(made.expected, 1):
        row = left.pop(expected.source, None)
        should = _line(expected.posting, expected.balance, expected.race)
        if row is None:
            yield f"There is no line {number}, {expected.source}: {should}."
            continue
        stands = _line(posting_of(row), row.balance, None if row.race is None else row.race.number)
        if (row.number, stands) != (number, should):
            yield f"Line {row.number}, {row.source}, says {stands}; the records give line {number}: {should}."
    for row in left.values():
        yield f"Line {row.number}, {row.source}, comes of nothing in the records."


def _line(posting: Posting, balance: int, race: int | None) -> str:
    what = f"{posting.kind} {posting.upgrade}" if posting.upgrade else posting.kind
    where = "" if race is None else f", race {race}"
    return f"car {posting.car}, {what} {posting.points:+d}, then {balance} ({posting.rule}{where})"


def _car(car: int | None) -> str:
    return "nobody" if car is None else f"car {car}"
