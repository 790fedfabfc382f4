"""The rules need no framework, and every layer imports only what lies below it."""

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
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


def imported_from_outside(*folders: str) -> dict[str, str]:
    """Each module that files of these folders import from outside the standard library, with a file that does."""
    found = {}
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                found.update({name.partition(".")[0]: str(path.relative_to(ROOT)) for name in names})
    ours = {"games", "notifications", "roadkill_site"}
    return {name: path for name, path in found.items() if name not in ours and name not in sys.stdlib_module_names}


def test_the_rules_are_written_with_the_standard_library_and_msgspec_only() -> None:
    assert set(imported_from_outside("games/engine", "games/rulesets")) == {"msgspec"}


def test_the_site_imports_nothing_that_only_its_checks_install() -> None:
    locked = {
        re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower()
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }
    brought_by = packages_distributions()
    imported = imported_from_outside("games", "notifications", "roadkill_site")
    assert {"django", "msgspec", "celery"} <= set(imported)
    not_locked = {
        name: path
        for name, path in imported.items()
        if not {re.sub(r"[-_.]+", "-", package).lower() for package in brought_by.get(name, [])} & locked
    }
    assert not_locked == {}


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
