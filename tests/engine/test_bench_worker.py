"""The worker for benches of engines speaks its lines, and counts what it plays."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_engine_worker.py"


def spoken(*asked: dict[str, Any]) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[str]]:
    lines = "".join(json.dumps(line) + "\n" for line in asked)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seats", "2"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done


def test_the_worker_says_who_it_is_plays_and_measures() -> None:
    (ready, play, again, ops), done = spoken(
        {"cmd": "play", "seconds": 0, "seed": 7},
        {"cmd": "play", "seconds": 0, "seed": 7},
        {"cmd": "ops", "seconds": 0, "states": 1, "seed": 7},
        {"cmd": "quit"},
        {"cmd": "play", "seconds": 0, "seed": 7},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (ready["ready"], ready["seats"], ready["text"]) == ("roadkill", 2, "JSON")
    assert play["games"] == 1
    assert play["actions"] == again["actions"] > 100, "the same seed plays the same race"
    assert play["wall"] > 0
    assert {"copy_us", "dumps_us", "loads_us", "text_bytes", "view_us", "view_bytes", "pickle_us"} == set(ops)
    assert all(value > 0 for value in ops.values())


def test_a_command_that_does_not_exist_ends_it_with_a_sentence() -> None:
    (_ready,), done = spoken({"cmd": "fly"})
    assert done.returncode == 1
    assert "There is no command fly" in done.stderr
