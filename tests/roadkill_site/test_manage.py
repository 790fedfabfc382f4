"""manage.py by whatever Python: it hands over to the project's own, or says what to do."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without Django."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


def run(python: Path, manage: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, manage, *arguments], capture_output=True, text=True, check=False)


def test_a_python_without_django_is_told_what_to_do(bare_python: Path, tmp_path: Path) -> None:
    manage = Path(shutil.copy(ROOT / "manage.py", tmp_path))
    done = run(bare_python, manage, "check")
    assert (done.returncode, done.stdout) == (1, "")
    assert "make .venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_python_without_django_hands_over_to_the_projects_own(bare_python: Path, tmp_path: Path) -> None:
    manage = Path(shutil.copy(ROOT / "manage.py", tmp_path))
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/sh\necho handed over: "$@"\nexec {sys.executable} -c ""\n')
    own.chmod(0o755)
    done = run(bare_python, manage, "rule", "roadkill", "6.41")
    assert done.returncode == 0
    assert done.stdout == f"handed over: {manage} rule roadkill 6.41\n"


def in_an_empty_folder(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "VAR_DIR": str(tmp_path / "var"), "DATABASE_URL": ""}
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", *arguments], capture_output=True, text=True, check=False, env=environment
    )


def test_a_command_without_tables_says_that_they_are_to_be_made(tmp_path: Path) -> None:
    done = in_an_empty_folder(tmp_path, "standings_check")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "The database has not the tables of this version: run `manage.py migrate` first.\n"


def test_a_campaign_is_simulated_in_a_clone_where_nothing_was_done_before(tmp_path: Path) -> None:
    arguments = ("simulate_campaign", "roadkill", "--seed", "1", "--seats", "2", "--sections", "3", "--json")
    done = in_an_empty_folder(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["winner"]
    checked = in_an_empty_folder(tmp_path, "ledger_check")
    assert (checked.returncode, checked.stderr) == (0, "")
