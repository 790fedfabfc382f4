"""The sample mails and what must be read of them (README.md tells the format)."""

import datetime as dt
import json
import zoneinfo
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from notifications.inbound.body import Traces
from notifications.inbound.kinds import Kind, Ours
from notifications.inbound.orders import Asked, Away, Command, Number, Orders, Recognised, Rules, orders_read
from notifications.inbound.reading import Envelope, Reading, mail_read

FOLDER: Final = Path(__file__).parent / "samples"
SECRET: Final = b"samples sign with this"
TODAY: Final = dt.date(2026, 12, 1)
ZONE: Final = zoneinfo.ZoneInfo("Europe/Lisbon")
# Kinds of samples that speak of what the caller does with a reply.
_REPLIES: Final = frozenset({"command", "spoof", "stale", "duplicate"})


@dataclass(frozen=True)
class Server:
    """Whose mails a sample answers."""

    ours: Ours
    traces: Traces
    authserv_id: str
    words: frozenset[str]

    def recognise(self, text: str) -> Recognised | None:
        """The few words of the game that the samples use."""
        return Recognised(text.casefold(), text.casefold()) if text.casefold() in self.words else None


@dataclass(frozen=True)
class Sample:
    """One mail and its line of the index."""

    file: str
    server: Server
    row: dict[str, Any]

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        return (FOLDER / self.file).read_bytes()

    @property
    def kind(self) -> Kind:
        """What the reading half must take it for."""
        if self.row["kind"] in _REPLIES:
            return Kind.REPLY if self.row["expected"] else Kind.BLANK
        return Kind(self.row["kind"])

    def read(self) -> Reading:
        """What it is and says."""
        return mail_read(
            self.raw,
            envelope=Envelope(),
            ours=self.server.ours,
            traces=self.server.traces,
            authserv_id=self.server.authserv_id,
        )

    def orders(self, reading: Reading) -> Orders:
        """What it asks for."""
        return orders_read(
            reading.own.lines,
            recognise=self.server.recognise,
            today=TODAY,
            zone=ZONE,
            is_cut_short=reading.own.is_cut_short,
        )


def samples() -> list[Sample]:
    """Every line of the index."""
    index = json.loads((FOLDER / "index.json").read_text("utf-8"))
    servers = {name: _server(told) for name, told in index["servers"].items()}
    return [Sample(row["file"], servers[row["server"]], row) for row in index["samples"]]


def _server(told: dict[str, Any]) -> Server:
    return Server(
        Ours(told["domain"], tuple(told["senders"]), (SECRET,)),
        Traces((told["domain"],), (told["name"],), (told["marker"],)),
        told["authserv_id"],
        frozenset(told["words"]),
    )


def said(command: Command) -> str:
    """A command in the words of the index."""
    match command:
        case Asked():
            return command.word.value
        case Number():
            return f"{command.number}: {command.also.words}" if command.also else str(command.number)
        case Rules():
            return f"rules {command.number}".strip()
        case Away():
            return f"away until {command.until}"
        case Recognised():
            return command.words
        case _:
            return f"say {command.text}"
