"""What stands where, and what stands nowhere: one place a thing, no address of a registry, no path of one machine."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Left behind by tools and by running the server: never part of the tree (.gitignore says the same).
NOT_OURS = {
    ".git", ".venv", "var", "htmlcov", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis",
    ".import_linter_cache", "node_modules",
}  # fmt: skip
# Put together from pieces, so that this file does not hold what it looks for.
NOWHERE = {
    "a registry's host": "|".join(
        re.escape(host)
        for host in ("pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.debian" + ".org")
    ),
    "an index in place of the machine's own": "--(extra-)?index" + "-url|--find" + "-links",
    "a path of one machine": r"(?<![\w.])/(work|home/\w+)" + "/",
    "an unfinished thing": r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b",
}
TOP_LEVEL = {
    ".ci", ".dockerignore", ".gitignore", ".pre-commit-config.yaml", "ARCHITECTURE.md", "CHANGELOG.md",
    "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "docker", "docs", "games", "manage.py", "notifications",
    "pyproject.toml", "requirements-dev.in", "requirements-dev.txt", "requirements.in", "requirements.txt",
    "roadkill_site", "scripts", "tests",
}  # fmt: skip


def our_files(folder: Path = ROOT) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in NOT_OURS or path.suffix == ".pyc" or path.name.startswith((".coverage", ".env")):
            continue
        if path.is_dir():
            yield from our_files(path)
        else:
            yield path


def texts() -> Iterator[tuple[Path, str]]:
    for path in our_files():
        try:
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # A picture or a typeface.


@pytest.mark.parametrize("what", sorted(NOWHERE))
def test_no_file_holds(what: str) -> None:
    pattern = re.compile(NOWHERE[what])
    found = [f"{path}: {match[0]}" for path, text in texts() for match in pattern.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a registry's host", "from https://files.python" + "hosted.org/x"),
        ("an index in place of the machine's own", "--index" + "-url=somewhere"),
        ("a path of one machine", "see /wo" + "rk/main"),
        ("an unfinished thing", "# TO" + "DO: later"),
    ],
)
def test_the_search_would_find(what: str, line: str) -> None:
    assert re.search(NOWHERE[what], line)


def test_the_top_level_holds_what_the_architecture_says() -> None:
    assert {path.name for path in ROOT.iterdir()} - NOT_OURS - TOP_LEVEL - {".coverage", ".env"} == set()


def test_modules_are_named_for_what_they_hold() -> None:
    vague = {"utils", "helpers", "common", "manager", "managers", "handler", "handlers", "misc", "util", "helper"}
    assert [str(path) for path, _ in texts() if path.suffix == ".py" and path.stem in vague] == []


def test_a_module_is_a_chapter_or_a_job_not_a_world() -> None:
    lengths = {str(path): text.count("\n") for path, text in texts() if path.suffix == ".py"}
    assert {path: lines for path, lines in lengths.items() if lines > 900} == {}


@pytest.mark.parametrize("lock", ["requirements", "requirements-dev"])
def test_the_lock_pins_everything_that_is_asked_for_with_hashes(lock: str) -> None:
    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    asked = {
        plain(found[1])
        for line in (ROOT / f"{lock}.in").read_text().splitlines()
        if (found := re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)", line))
    }
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / f"{lock}.txt").read_text())
    pinned = {plain(entry.split("==")[0]) for entry in entries}
    assert asked - pinned == set()
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_lock_of_the_server_is_part_of_the_lock_of_its_checks() -> None:
    def pins(lock: str) -> set[str]:
        return set(re.findall(r"^\S+==\S+", (ROOT / lock).read_text(), re.MULTILINE))

    assert pins("requirements.txt") <= pins("requirements-dev.txt")


def test_python_is_asked_for_in_the_same_words_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["tool"]["mypy"]["python_version"] == "3.11"
    assert project["tool"]["ruff"]["target-version"] == "py311"
    assert "(3, 11)" in (ROOT / "Makefile").read_text()
