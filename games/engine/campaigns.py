"""Races in series: what a ruleset says of its campaign, and the ledger, which is the truth about points and upgrades.

All of it is pure: the server keeps the postings as rows and makes the ledger from them, and a check makes them anew
from the races' records by the same functions.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, Literal, Protocol

import msgspec

from games.engine.contract import JSON, Outcome
from games.engine.errors import Malformed, RuleViolation

PostingKind = Literal["opening", "earned", "penalty", "clamp", "forced_return", "lost", "bought", "returned"]
TAKES: Final = frozenset({"bought"})
GIVES_BACK: Final = frozenset({"returned", "forced_return", "lost"})
_NOTHING: Final = frozenset({"nothing", "buy nothing", "pass"})
"""Words for an answer that buys nothing."""


class Upgrade(msgspec.Struct, frozen=True):
    """What can be bought between races. ``price`` in points."""

    letter: str
    name: str
    price: int
    effect: str = ""


class Posting(msgspec.Struct, frozen=True):
    """One line of a ledger.

    ``points``: what it adds to the car's total, below 0 for what it takes. ``upgrade``: the letter it speaks of, or "".
    ``kind``: "opening" (what each car begins with), "earned" and "penalty" (a race's points, above and below 0),
    "clamp" (what a total that would be below 0 is spared), "forced_return" (an upgrade given back for a penalty),
    "lost" (an upgrade lost in a race, for no points), "bought", "returned" (by its owner's wish).
    """

    car: int
    kind: PostingKind
    points: int
    rule: str
    upgrade: str = ""


class Purchase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An answer to what a purchase asks: {"do": "buy" or "return", "upgrade": letter} or {"do": "nothing"}."""

    do: Literal["buy", "return", "nothing"]
    upgrade: str = ""


class Campaign(Protocol):
    """What a ruleset says of races in series. ``rules``: the number in its book for each kind of posting.

    ``buying_rule``: the number under which a purchase is asked and refused.
    """

    starting_points: int
    goal: int
    rules: Mapping[PostingKind, str]
    buying_rule: str

    def catalogue(self, options: Mapping[str, JSON]) -> Mapping[str, Upgrade]:
        """What can be bought, by letter in alphabetical order; ``options`` are a race's."""
        ...

    def first_order(self, cars: int) -> tuple[int, ...]:
        """The cars in the order in which they buy before the first race."""
        ...

    def order_after(self, outcome: Outcome) -> tuple[int, ...]:
        """The cars in the order in which they buy after a race that ended so."""
        ...

    def returned_for(self, price: int) -> int:
        """What an upgrade of this price gives when it is returned."""
        ...

    def winner(self, outcome: Outcome, balances: Mapping[int, int]) -> int | None:
        """The car that has won the campaign with the race that ended so, its points counted; None: it goes on."""
        ...

    def choose(self, level: str, ledger: "Ledger", car: int, seed: int) -> Purchase:
        """What a bot of this level answers at its purchase."""
        ...


class LedgerBroken(ValueError):
    """A posting that cannot be: a total below 0, an upgrade owned twice, or returned by who has it not."""


class Ledger:
    """Balances and owners, as postings in their order make them; the methods give new postings and take them up."""

    def __init__(
        self, campaign: Campaign, *, options: Mapping[str, JSON], cars: int, postings: Iterable[Posting] = ()
    ) -> None:
        """For so many cars. Raises LedgerBroken for postings that cannot be."""
        self.campaign = campaign
        self.catalogue = campaign.catalogue(options)
        self.cars = cars
        self.balances = dict.fromkeys(range(1, cars + 1), 0)
        self.owners: dict[str, int] = {}
        for posting in postings:
            self.take_up(posting)

    def take_up(self, posting: Posting) -> Posting:
        """Count a posting in; raises LedgerBroken and changes nothing if it cannot be."""
        car, letter = posting.car, posting.upgrade
        if car not in self.balances:
            raise LedgerBroken(f"there is no car {car}")
        if self.balances[car] + posting.points < 0:
            raise LedgerBroken(f"car {car} would have {self.balances[car] + posting.points} points")
        if posting.kind in TAKES and letter in self.owners:
            raise LedgerBroken(f"{letter} is owned by car {self.owners[letter]} already")
        if posting.kind in GIVES_BACK and self.owners.get(letter) != car:
            raise LedgerBroken(f"car {car} does not own {letter}")
        self.balances[car] += posting.points
        if posting.kind in TAKES:
            self.owners[letter] = car
        elif posting.kind in GIVES_BACK:
            del self.owners[letter]
        return posting

    def owned(self, car: int) -> tuple[str, ...]:
        """The letters that a car has, in alphabetical order."""
        return tuple(sorted(letter for letter, owner in self.owners.items() if owner == car))

    @property
    def upgrades(self) -> dict[str, list[str]]:
        """What each car that has any starts its next race with, as the race's option has it: {"1": ["A", "D"]}."""
        return {str(car): list(self.owned(car)) for car in self.balances if self.owned(car)}

    # --- what happens -------------------------------------------------------------------

    def open(self) -> list[Posting]:
        """What each car begins with."""
        return [self._post(car, "opening", self.campaign.starting_points) for car in self.balances]

    def settle(self, *, scores: Mapping[str, int], carried: Mapping[str, Sequence[str]]) -> list[Posting]:
        """The postings of a race: what was lost in it, what each car earned, and how a score below 0 is paid.

        ``scores``: points by car; ``carried``: the letters with which each car ended it.
        """
        done: list[Posting] = []
        for car in self.balances:
            kept = set(carried.get(str(car), ()))
            done += [self._post(car, "lost", 0, letter) for letter in self.owned(car) if letter not in kept]
        for car in self.balances:
            score = scores[str(car)]
            if score >= 0:
                done.append(self._post(car, "earned", score))
            else:
                done += self._penalty(car, -score)
        return done

    def _penalty(self, car: int, due: int) -> list[Posting]:
        """Upgrades are given back, the cheapest that gives something first, until it can be paid; the rest is spared.

        What is given back and spared stands before the penalty, so that no total is below 0 between two lines.
        """
        done: list[Posting] = []
        cheapest = sorted(self.owned(car), key=lambda letter: (self.catalogue[letter].price, letter))
        for letter in cheapest:
            gives = self.campaign.returned_for(self.catalogue[letter].price)
            if self.balances[car] >= due:
                break
            if gives:
                done.append(self._post(car, "forced_return", gives, letter))
        if self.balances[car] < due:
            done.append(self._post(car, "clamp", due - self.balances[car]))
        done.append(self._post(car, "penalty", -due))
        return done

    def offers(self, car: int) -> tuple[Purchase, ...]:
        """What this car may answer at its purchase, in a fixed order: buy, return, nothing."""
        buys = [
            Purchase("buy", letter) for letter in self.catalogue if self.refusal(car, Purchase("buy", letter)) is None
        ]
        returns = [Purchase("return", letter) for letter in self.owned(car)]
        return (*buys, *returns, Purchase("nothing"))

    def refusal(self, car: int, purchase: Purchase) -> str | None:
        """Why this answer is not allowed, as a sentence, or None."""
        letter = purchase.upgrade
        if purchase.do == "nothing":
            return "Buying nothing names no upgrade." if letter else None
        upgrade = self.catalogue.get(letter)
        if upgrade is None:
            return f"There is no upgrade “{letter[:20]}”; there are {', '.join(self.catalogue)}."
        owner = self.owners.get(letter)
        if purchase.do == "return":
            return None if owner == car else f"Your car has no {upgrade.name}, so it cannot be returned."
        if owner is not None:
            mine = "Your car has it already" if owner == car else f"Car {owner} has it"
            return f"{mine}: the {upgrade.name} is there once."
        if upgrade.price > self.balances[car]:
            return f"The {upgrade.name} costs {upgrade.price}; you have {self.balances[car]}."
        return None

    def purchase(self, car: int, purchase: Purchase) -> Posting | None:
        """The posting of an answer, None for one that buys nothing. Raises RuleViolation and changes nothing."""
        refused = self.refusal(car, purchase)
        if refused is not None:
            raise RuleViolation(refused, rule=self.campaign.buying_rule)
        if purchase.do == "nothing":
            return None
        price = self.catalogue[purchase.upgrade].price
        if purchase.do == "buy":
            return self._post(car, "bought", -price, purchase.upgrade)
        return self._post(car, "returned", self.campaign.returned_for(price), purchase.upgrade)

    def say(self, purchase: Purchase) -> str:
        """The words of an answer: "Buy F, Cruise Control, for 3"."""
        if purchase.do == "nothing":
            return "Buy nothing"
        upgrade = self.catalogue[purchase.upgrade]
        points = upgrade.price if purchase.do == "buy" else self.campaign.returned_for(upgrade.price)
        return f"{purchase.do.title()} {upgrade.letter}, {upgrade.name}, for {points}"

    def read(self, text: str) -> Purchase:
        """The answer that words mean: those of say(), or shorter ones ("buy F", "return Cruise Control", "nothing").

        Raises Malformed with a sentence; whether the answer is allowed, refusal() says.
        """
        words = " ".join(text.replace(",", " ").split()).casefold()
        if words in _NOTHING:
            return Purchase("nothing")
        do, _, rest = words.partition(" ")
        if do not in ("buy", "return") or not rest:
            raise Malformed("A purchase is answered by buy or return and an upgrade, as in «buy F», or by «nothing».")
        named, _, price = rest.removeprefix("the ").partition(" for ")
        for upgrade in self.catalogue.values():
            letter, name = upgrade.letter.casefold(), upgrade.name.casefold()
            if named in (letter, name, f"{letter} {name}"):
                answer = Purchase("buy" if do == "buy" else "return", upgrade.letter)
                if price and not self.say(answer).endswith(f" for {price}"):
                    raise Malformed(f"That is not its price: «{self.say(answer)}» is what you may write.")
                return answer
        raise Malformed(f"There is no upgrade «{named[:40]}»; there are {', '.join(self.catalogue)}.")

    def _post(self, car: int, kind: PostingKind, points: int, upgrade: str = "") -> Posting:
        return self.take_up(Posting(car=car, kind=kind, points=points, rule=self.campaign.rules[kind], upgrade=upgrade))


def purchase_of(given: Any) -> Purchase:
    """An answer from JSON; raises Malformed."""
    try:
        return msgspec.convert(given, Purchase)
    except msgspec.ValidationError as wrong:
        raise Malformed(
            'An answer to a purchase is {"do": "buy" or "return", "upgrade": "F"} or {"do": "nothing"}.'
        ) from wrong


def purchase_json(purchase: Purchase) -> dict[str, JSON]:
    """An answer as JSON."""
    built: dict[str, JSON] = msgspec.to_builtins(purchase)
    return built


def choice(level: str, ledger: Ledger, car: int, seed: int, *, reserve: int = 0) -> Purchase:
    """What a plain bot answers: the dearest upgrade that leaves it ``reserve`` points; "random" takes any offer.

    For a ruleset's ``choose``: who buys late in a campaign gains less of it, so a reserve grows with the total.
    """
    offers = ledger.offers(car)
    if level == "random":
        return Random(seed).choice(offers)  # noqa: S311  (a bot's purchase is no secret)
    within = [
        one
        for one in offers
        if one.do == "buy" and ledger.balances[car] - ledger.catalogue[one.upgrade].price >= reserve
    ]
    return max(within, key=lambda one: ledger.catalogue[one.upgrade].price, default=Purchase("nothing"))
