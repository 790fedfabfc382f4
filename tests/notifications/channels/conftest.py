"""A listener on loopback that answers as it is told to, and endpoints that lead there."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pytest_django import Settings

from notifications.channels.push.sealing import private_key_make


@dataclass
class Listener:
    """What came, and what is answered."""

    address: str
    status: int = 204
    said: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], None] = lambda: None
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(body) for _, _, body in self.came]


@pytest.fixture
def listener(settings: Settings) -> Iterator[Listener]:
    """A web server on loopback; the guard lets it be reached, as an operator may."""
    settings.WEBHOOK_PRIVATE_ADDRESSES = True

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.came.append((self.path, dict(self.headers), body))
            found.before()
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(found.said.encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing of a client that has gone."""

    server = Server(("127.0.0.1", 0), Handler)
    found = Listener(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def push_key(settings: Settings) -> str:
    """The site has a key for web push."""
    settings.PUSH_PRIVATE_KEY = private_key_make()
    return str(settings.PUSH_PRIVATE_KEY)
