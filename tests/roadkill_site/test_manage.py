"""manage.py by whatever Python: it hands over to the project's own, or says what to do."""

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
