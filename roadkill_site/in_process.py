"""Web server, worker and beat as threads of one process: for playing on one machine without any service.

Threads, not child processes, because the broker that needs no server (memory://) passes messages between
threads only, and because threads cannot outlive the process. The worker takes one task at a time: SQLite has
one writer anyway. Tasks are the real ones on their real way through the broker, so what is seen here is what
a server with Redis does.
"""

import threading
from collections.abc import Callable
from typing import Any, Final

import celery.worker.state
from celery import Celery, signals
from celery.beat import Scheduler, Service
from celery.worker import WorkController
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

STOP_WITHIN: Final = 10.0
"""Seconds that a part may take to end what it is doing."""


class Part:
    """A part of the server in a thread of its own."""

    def __init__(self, name: str, run: Callable[[], None], stop: Callable[[], None]) -> None:
        """`run` ends some time after `stop` was called."""
        self.name = name
        self._stop = stop
        self._thread = threading.Thread(target=run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended, by itself or by failing."""
        return self._thread.is_alive()

    def ask_to_stop(self) -> None:
        """Say that it should end."""
        self._stop()

    def has_stopped(self) -> bool:
        """Wait until it has ended; False if it did not in time."""
        self._thread.join(STOP_WITHIN)
        return not self._thread.is_alive()


def web_part(server: ThreadedWSGIServer, application: Callable[..., Any]) -> Part:
    """The web server, which listens already."""
    server.set_app(application)

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return Part("web", server.serve_forever, stop)


def web_listen(host: str, port: int) -> ThreadedWSGIServer:
    """A web server that holds the port and answers nothing yet; raises OSError if it cannot have the port."""
    return ThreadedWSGIServer((host, port), WSGIRequestHandler, ipv6=False)


def worker_part(app: Celery) -> Part:
    """The worker."""
    worker = WorkController(
        app=app,
        pool="solo",
        hostname="play@localhost",
        without_heartbeat=True,
        without_mingle=True,
        without_gossip=True,
    )
    # What the worker's own command would send: it makes tasks begin and end with fresh database connections.
    signals.worker_init.send(sender=worker)

    def stop() -> None:
        # The exit code with which the worker would end, were it a process.
        setattr(celery.worker.state, "should_stop", 0)  # noqa: B010  (its stubs know only None)

    return Part("worker", worker.start, stop)


def beat_part(app: Celery, *, every: float) -> Part:
    """The beat, with each entry of the schedule at least every so many seconds.

    Nothing of it is kept on disk.
    """
    app.conf.beat_schedule = {
        name: {**entry, "schedule": min(float(entry["schedule"]), every), "options": {"expires": every}}
        for name, entry in app.conf.beat_schedule.items()
    }
    service = Service(app, max_interval=1, scheduler_cls=Scheduler)
    return Part("beat", service.start, service.stop)


def wait_while_running(parts: list[Part], asked_to_stop: threading.Event) -> Part | None:
    """Return when asked to stop (None), or the first part that has ended by itself."""
    while not asked_to_stop.wait(0.5):
        for part in parts:
            if not part.is_running:
                return part
    return None


def stop_all(parts: list[Part]) -> list[str]:
    """Stop the parts together; returns the names of those that did not end in time."""
    for part in parts:
        part.ask_to_stop()
    return [part.name for part in parts if not part.has_stopped()]
