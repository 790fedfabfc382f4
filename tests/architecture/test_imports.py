"""The rules need no framework, and every layer imports only what lies below it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Runs in a bare interpreter: -I keeps environment and user packages out.
BARE = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(getattr(package, "__path__", []), name + "."):
        importlib.import_module(module.name)
frameworks = {"django", "rest_framework", "celery", "kombu", "redis", "psycopg", "allauth", "asyncio", "socket"}
sys.exit(" ".join(sorted(frameworks & set(sys.modules))) or None)
"""


def import_alone(*names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", BARE, str(ROOT), *names], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("name", ["games.engine", "games.rulesets.roadkill"])
def test_the_rules_run_without_any_framework(name: str) -> None:
    done = import_alone(name)
    assert (done.returncode, done.stderr) == (0, ""), f"{name} brings in: {done.stderr}"


def test_the_bare_interpreter_would_notice_a_framework() -> None:
    assert "django" in import_alone("games.apps").stderr


def test_the_package_of_games_stays_empty() -> None:
    assert (ROOT / "games" / "__init__.py").read_bytes() == b""


def test_every_layer_imports_only_what_lies_below_it() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
