"""Players without a person: one that answers at random, and the shape of one that plays from its view."""

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

import msgspec

from games.engine.contract import JSON, Decision, Field, Form

FILLS = 20
"""How often a linked form is filled in before a random player gives it up."""


class Bot(Protocol):
    """A player that knows what its seat may know and nothing else."""

    def choose(self, view: JSON, decision: Decision) -> Any:
        """An answer to the decision; must be one that it offers."""
        ...


def random_answer(decision: Decision, rng: Random, is_allowed: Callable[[Any], bool] | None = None) -> Any:
    """One of the offered answers, each menu entry and form equally likely; a form is filled in at random.

    Of a linked form not every fill is allowed: with ``is_allowed`` a refused one is drawn again, FILLS times at most,
    and then the default stands; without it linked forms are left alone.
    """
    menu, forms = decision.menu, decision.forms
    if is_allowed is None:
        forms = tuple(form for form in forms if not form.linked)
    place = int(rng.random() * (len(menu) + len(forms)))
    if place < len(menu):
        return menu[place]
    form = forms[place - len(menu)]
    if not form.linked or is_allowed is None:
        return random_fill(form, rng)
    for _ in range(FILLS):
        fill = random_fill(form, rng)
        if is_allowed(fill):
            return fill
    return decision.default


def random_fill(form: Form, rng: Random) -> Any:
    """The form's action with every field filled in at random."""
    return msgspec.structs.replace(form.action, **{field.name: _value(field, rng) for field in form.fields})


def _value(field: Field, rng: Random) -> JSON:
    if field.kind == "one":
        return rng.choice(field.values)
    if field.kind == "some":
        return _some(field, rng)
    if field.kind == "number":
        return rng.randint(field.least, field.most)
    return ""


def _some(field: Field, rng: Random) -> tuple[JSON, ...]:
    """So many of the values in their order: each is taken with the chance of what is wanted among what is left."""
    left = len(field.values)
    random = rng.random
    wanted = field.least + int(random() * (min(field.most, left) - field.least + 1))
    taken = []
    for value in field.values:
        if random() * left < wanted:
            taken.append(value)
            wanted -= 1
        left -= 1
    return tuple(taken)


class RandomBot:
    """Answers at random; for simulations and as the mark that a better bot must beat. It leaves linked forms alone."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)  # noqa: S311  (an opponent is no secret)

    def choose(self, view: JSON, decision: Decision) -> Any:
        """Any offered answer."""
        return random_answer(decision, self._rng)
