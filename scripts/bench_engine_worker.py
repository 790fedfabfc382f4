"""A worker that plays races for a bench of engines: JSON lines on stdin, JSON lines on stdout.

It first says who it is: ``{"ready": "roadkill", "peer": …, "seats": …, "note": …, "text": "JSON"}``. Then it answers

- ``{"cmd": "play", "seconds": 1.0, "seed": 7}``: whole races between random players until the time is up. Of each
  question the legal answers are enumerated, one is drawn, and all drawn are applied through the engine's driver; an
  action is one answer by one seat. Gives ``actions``, ``games``, ``chance`` (0: draws are part of an action), and
  ``wall`` and ``cpu`` in seconds.
- ``{"cmd": "ops", "seconds": 0.05, "states": 5, "seed": 77}``: what it costs, in microseconds, to take a state half way
  through a race to JSON (``dumps_us``) and back (``loads_us``), to copy it by both (``copy_us``), to make what one seat
  may know as JSON (``view_us``), and to pickle it and back (``pickle_us``); ``text_bytes`` and ``view_bytes`` tell
  how long the JSON is.
- ``{"cmd": "quit"}``, or the end of its input: ends it.

``--seats`` and ``--ruleset`` say what is played.
"""

import argparse
import gc
import json
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from games.engine import codec
from games.engine.contract import JSON, Act, Ruleset
from games.runtime.rulesets import RULESETS
from games.runtime.simulation import Course, RandomPlayer


def answers_in(course: Course, player: RandomPlayer) -> Iterator[int]:
    """Play the race to its end; yields how many answers were given at each step."""
    pending = course.ruleset.pending
    while decisions := pending(course.state):
        course.give([Act(one.seat, player.answer(course.state, one)) for one in decisions])
        yield len(decisions)


class Worker:
    """Races of one ruleset for so many seats."""

    def __init__(self, ruleset: Ruleset[Any], seats: int) -> None:
        self.ruleset = ruleset
        self.seats = seats

    def race(self, name: str) -> tuple[Course, RandomPlayer]:
        """The race of this name, dealt, and somebody who answers for all its seats."""
        course = Course(self.ruleset, seats=self.seats, options={}, secret=name.encode())
        return course, RandomPlayer(self.ruleset, name)

    def ready(self) -> dict[str, JSON]:
        """Who this is."""
        return {
            "ready": self.ruleset.key,
            "peer": self.ruleset.title,
            "seats": self.seats,
            "note": "every answer is verified; events and draws are kept",
            "text": "JSON",
        }

    def play(self, seconds: float, seed: int) -> dict[str, JSON]:
        """Whole races until so many seconds are over."""
        actions = games = 0
        began, began_cpu = perf_counter(), process_time()
        while True:
            actions += sum(answers_in(*self.race(f"{seed}/{games}")))
            games += 1
            wall = perf_counter() - began
            if wall >= seconds:
                break
        return {"actions": actions, "games": games, "chance": 0, "wall": wall, "cpu": process_time() - began_cpu}

    def states(self, number: int, seed: int) -> Iterator[Any]:
        """So many states, each half way through a race of its own."""
        for place in range(number):
            name = f"{seed}/{place}"
            half = sum(1 for _ in answers_in(*self.race(name))) // 2
            course, player = self.race(name)
            for _ in zip(range(half), answers_in(course, player), strict=False):
                pass
            yield course.state

    def ops(self, seconds: float, states: int, seed: int) -> dict[str, JSON]:
        """What states cost to write, read, copy, show and pickle."""
        kind = self.ruleset.state_type
        halfway = list(self.states(states, seed))
        texts = [codec.dump(state) for state in halfway]
        view = self.ruleset.view
        return {
            "copy_us": microseconds(lambda state: codec.load(kind, codec.dump(state)), halfway, seconds),
            "dumps_us": microseconds(codec.dump, halfway, seconds),
            "loads_us": microseconds(lambda text: codec.load(kind, text), texts, seconds),
            "text_bytes": sum(map(len, texts)) / len(texts),
            "view_us": microseconds(lambda state: codec.dump(view(state, 1)), halfway, seconds),
            "view_bytes": len(codec.dump(view(halfway[0], 1))),
            "pickle_us": microseconds(lambda state: pickle.loads(pickle.dumps(state, 5)), halfway, seconds),  # noqa: S301
        }


def microseconds(call: Callable[[Any], object], things: Sequence[Any], seconds: float) -> float:
    """What a call costs on average over all the things, after each has been called once."""
    for thing in things:
        call(thing)
    calls = 0
    wall = 0.0
    began = perf_counter()
    while wall <= seconds:
        for thing in things:
            call(thing)
        calls += len(things)
        wall = perf_counter() - began
    return wall / calls * 1e6


def main() -> None:
    """Answer line after line."""
    parser = argparse.ArgumentParser(description="Play races for a bench of engines, by JSON lines.")
    parser.add_argument("--ruleset", default="roadkill", choices=tuple(RULESETS))
    parser.add_argument("--seats", type=int, default=6)
    given = parser.parse_args()
    worker = Worker(RULESETS[given.ruleset], given.seats)
    worker.play(0, 0)
    say(worker.ready())
    for line in sys.stdin:
        asked = json.loads(line)
        command = asked.pop("cmd")
        gc.collect()
        if command == "play":
            say(worker.play(**asked))
        elif command == "ops":
            say(worker.ops(**asked))
        elif command == "quit":
            return
        else:
            sys.exit(f"There is no command {command}; there are play, ops and quit.")


def say(line: dict[str, JSON]) -> None:
    """Print one line at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
