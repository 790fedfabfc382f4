"""An IMAP server of a few commands (RFC 3501), with one folder, on loopback: what is needed to look after a mailbox."""

import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Folder:
    """The mails of a folder by UID, which of them were seen, and what its clients asked for."""

    uidvalidity: int = 7
    mails: dict[int, bytes] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    # What is said of each mail's size, if it is not the truth.
    told_size: int | None = None
    said: list[str] = field(default_factory=list)
    port: int = 0

    def put(self, raw: bytes) -> int:
        """A mail comes in; its UID."""
        uid = max(self.mails, default=0) + 1
        self.mails[uid] = raw
        return uid


class _Dialogue(socketserver.StreamRequestHandler):
    folder: Folder

    def handle(self) -> None:
        self._say("* OK ready")
        for line in iter(self.rfile.readline, b""):
            tag, _, command = line.decode().strip().partition(" ")
            self.folder.said.append(command)
            if not self._answer(tag, command):
                return

    def _answer(self, tag: str, command: str) -> bool:
        folder = self.folder
        words = command.upper()
        if words.startswith("CAPABILITY"):
            self._say("* CAPABILITY IMAP4rev1")
        elif words.startswith("LOGIN"):
            if '"secret"' not in command:
                self._say(f"{tag} NO [AUTHENTICATIONFAILED] wrong password")
                return True
        elif words.startswith(("SELECT", "EXAMINE")):
            self._say(f"* {len(folder.mails)} EXISTS", "* FLAGS (\\Seen)", f"* OK [UIDVALIDITY {folder.uidvalidity}] x")
        elif words.startswith("STATUS"):
            self._say(f"* STATUS INBOX (UIDVALIDITY {folder.uidvalidity})")
        elif words.startswith("UID SEARCH"):
            self._say("* SEARCH " + " ".join(str(uid) for uid in self._searched(command)))
        elif words.startswith("UID FETCH"):
            self._fetch(command)
        elif words.startswith("UID STORE"):
            folder.seen.add(int(command.split()[2]))
        elif words.startswith("LOGOUT"):
            self._say("* BYE", f"{tag} OK done")
            return False
        self._say(f"{tag} OK done")
        return True

    def _searched(self, command: str) -> list[int]:
        uids = sorted(self.folder.mails)
        if "UNSEEN" in command:
            return [uid for uid in uids if uid not in self.folder.seen]
        if command.endswith("UID *"):
            return uids[-1:]
        match = re.search(r"UID (\d+):\*", command)
        assert match is not None, command
        # RFC 3501, 6.4.8: the range always holds the last mail, whichever end is the higher.
        return [uid for uid in uids if uid >= int(match[1]) or uid == uids[-1]]

    def _fetch(self, command: str) -> None:
        uid = int(command.split()[2])
        folder = self.folder
        raw = folder.mails.get(uid)
        if raw is None:
            return
        if "RFC822.SIZE" in command:
            self._say(f"* 1 FETCH (UID {uid} RFC822.SIZE {folder.told_size or len(raw)})")
        else:
            assert "BODY.PEEK" in command, "reading must not mark it as seen"
            self.wfile.write(f"* 1 FETCH (UID {uid} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")\r\n")

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


@contextmanager
def imap_server() -> Iterator[Folder]:
    """A server with one empty folder; its password is "secret"."""
    folder = Folder()
    kind: Any = type("Dialogue", (_Dialogue,), {"folder": folder})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), kind) as server:
        server.daemon_threads, server.block_on_close = True, False
        folder.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield folder
        finally:
            server.shutdown()
            thread.join(10)
