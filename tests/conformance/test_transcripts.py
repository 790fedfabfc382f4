"""What recorded races look like and offer is as it was; `make transcripts` writes it anew, to be reviewed as a diff."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.subject import Subject
from tests.conformance.transcript import offered, transcript

KEPT = Path(__file__).parent / "kept"


Compare = Callable[[str, str], None]


@pytest.fixture
def compare(is_writing_transcripts: bool) -> Compare:
    """Compare a text with the one kept under a name, or keep it."""

    def compared(name: str, text: str) -> None:
        path = KEPT / name
        if is_writing_transcripts:
            path.write_text(text, "utf-8")
        assert path.is_file(), f"{name} is not there: run make transcripts"
        assert text == path.read_text("utf-8"), f"{name} is not as it was: run make transcripts and review the diff"

    return compared


def test_all_viewers_read_of_a_race_what_they_read_before(subject: Subject, compare: Compare) -> None:
    races = subject.fixed()
    for name in subject.golden:
        compare(f"{subject.name}-{name}.txt", transcript(subject, races[name]))


def test_as_many_answers_are_offered_as_before(subject: Subject, compare: Compare) -> None:
    """Perft's cousin: a change in what is offered at fixed positions is seen, whether it was meant or not."""
    counts = {name: offered(subject, race) for name, race in subject.fixed().items()}
    compare(f"{subject.name}-offered.json", json.dumps(counts, indent=1) + "\n")


def test_a_difference_would_be_seen(compare: Compare, is_writing_transcripts: bool) -> None:
    if not is_writing_transcripts:
        kept = next(KEPT.glob("*.txt"))
        with pytest.raises(AssertionError, match="make transcripts"):
            compare(kept.name, kept.read_text("utf-8") + "another line")
