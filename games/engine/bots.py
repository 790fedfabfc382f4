"""Players without a person: one that answers at random, and the shape of one that plays from its view."""

from random import Random
from typing import Any, Protocol

import msgspec

from games.engine.contract import JSON, Decision, Field, Form


class Bot(Protocol):
    """A player that knows what its seat may know and nothing else."""

    def choose(self, view: JSON, decision: Decision) -> Any:
        """An answer to the decision; must be one that it offers."""
        ...


def random_answer(decision: Decision, rng: Random) -> Any:
    """One of the offered answers, each menu entry and form equally likely; a form is filled in at random."""
    place = int(rng.random() * (len(decision.menu) + len(decision.forms)))
    if place < len(decision.menu):
        return decision.menu[place]
    return random_fill(decision.forms[place - len(decision.menu)], rng)


def random_fill(form: Form, rng: Random) -> Any:
    """The form's action with every field filled in at random."""
    return msgspec.structs.replace(form.action, **{field.name: _value(field, rng) for field in form.fields})


def _value(field: Field, rng: Random) -> JSON:
    if field.kind == "one":
        return rng.choice(field.values)
    if field.kind == "some":
        count = rng.randint(field.least, min(field.most, len(field.values)))
        return tuple(field.values[i] for i in sorted(rng.sample(range(len(field.values)), count)))
    if field.kind == "number":
        return rng.randint(field.least, field.most)
    return ""


class RandomBot:
    """Answers at random; for simulations and as the mark that a better bot must beat."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)  # noqa: S311 - a bot's whims need no secrecy

    def choose(self, view: JSON, decision: Decision) -> Any:
        """Any offered answer."""
        return random_answer(decision, self._rng)
