"""What a webhook is told, in the shapes that its readers know.

Nothing hidden is in it: race, what is wanted, until when, an address. A shared one is told the public log.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from notifications.channels.wording import subject_of
from notifications.letters import Letter

TEXT_MOST: Final = 1900
"""Letters; one large service takes 2000."""


def body_generic(letter: Letter, *, name: str) -> dict[str, Any]:
    """Everything as members; see README's section on webhooks."""
    return {
        "id": name,
        "kind": letter.kind,
        "text": _headline(letter),
        "race": {
            "id": letter.thread,
            "name": letter.race_name,
            "game": letter.game,
            "turn": letter.turn,
            "address": letter.race_address,
        },
        "answer_by": letter.question.due_at if letter.question else None,
        "lines": [{"entry": line.entry, "text": line.text} for line in letter.story] if letter.kind == "story" else [],
    }


def body_discord(letter: Letter, *, name: str) -> dict[str, Any]:
    """A message of Discord's; nobody is pinged by a name that looks like a mention."""
    del name
    return {"content": _message(letter, _discord_plain), "allowed_mentions": {"parse": []}}


def body_slack(letter: Letter, *, name: str) -> dict[str, Any]:
    """A message of Slack's."""
    del name
    return {"text": _message(letter, _slack_plain), "unfurl_links": False}


BODIES: Final[dict[str, Callable[..., dict[str, Any]]]] = {
    "generic": body_generic,
    "discord": body_discord,
    "slack": body_slack,
}


def body_of(form: str, letter: Letter, *, name: str) -> bytes:
    """The body in this form, as JSON in UTF-8."""
    return json.dumps(BODIES[form](letter, name=name), ensure_ascii=False, separators=(",", ":")).encode()


def _headline(letter: Letter) -> str:
    return f"{letter.race_name}: {len(letter.story)} new lines" if letter.kind == "story" else subject_of(letter)


def _message(letter: Letter, plain: Callable[[str], str]) -> str:
    if letter.kind != "story":
        due = f"\nAnswer by {letter.question.due}." if letter.question else ""
        return plain(_headline(letter) + due) + "\n" + letter.race_address
    kept: list[str] = []
    room = TEXT_MOST - len(letter.race_address) - len(letter.race_name) - 80
    for line in reversed(letter.story):
        words = plain(line.text)
        if len(words) + 1 > room:
            kept.append("(Older lines stand in the log.)")
            break
        kept.append(words)
        room -= len(words) + 1
    return "\n".join([plain(letter.race_name), *reversed(kept), letter.race_address])[:TEXT_MOST]


def _discord_plain(words: str) -> str:
    return re.sub(r"([\\*_~`|>#\[\]<@-])", r"\\\1", words)


def _slack_plain(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
