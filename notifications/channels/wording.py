"""What every channel says of a letter in one line."""

from typing import Any

from django.template.loader import render_to_string

from notifications.letters import Letter

SUBJECT_MOST = 120


def subject_of(letter: Letter, context: dict[str, Any] | None = None) -> str:
    """Race and what is wanted, in one line; never anything hidden."""
    if letter.kind == "trial":
        return f"{letter.race_name}: this way works"
    printed = render_to_string(f"notifications/email/{letter.kind}/subject.txt", context or {"letter": letter})
    words = " ".join(printed.split())
    return words if len(words) <= SUBJECT_MOST else words[: SUBJECT_MOST - 1] + "…"
