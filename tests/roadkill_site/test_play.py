"""`manage.py play` on a free port: everything comes up, plays, and ends with Ctrl-C."""

import html
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).parents[2]
START_SECONDS = 90.0
STOP_SECONDS = 15.0

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Playing:
    """A `manage.py play` of its own, with everything it writes in a folder of its own."""

    def __init__(self, port: int, folder: Path) -> None:
        self.address = f"http://127.0.0.1:{port}"
        # Nothing of the environment around the tests may reach it but what a process needs to run.
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR"}}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play"],
            cwd=ROOT,
            env={**kept, "PORT": str(port), "VAR_DIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""

    def read_until(self, mark: str) -> None:
        """Read what it says until a line holds the mark; fails if it ends before."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if mark in line:
                return
        pytest.fail(f"It ended before it said {mark!r}:\n{self.said}")

    def stop(self, number: int = signal.SIGINT) -> int:
        """Send the signal and wait; returns the exit code."""
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=STOP_SECONDS)
        self.said += rest
        return self.process.returncode


Play = Callable[[int], Playing]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Starts one, which is ended by force if the test has not ended it."""
    started: list[Playing] = []

    def start(port: int) -> Playing:
        started.append(Playing(port, tmp_path))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
        one.process.communicate()


def group_of(process: "subprocess.Popen[str]") -> list[str]:
    """The processes of its session that still are, by their command lines."""
    listed = subprocess.run(["ps", "-eo", "pid=,sid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [args for _, sid, args in rows if int(sid) == process.pid and "<defunct>" not in args]


def test_it_starts_everything_says_where_and_ends_all_of_it(play: Play) -> None:
    playing = play(free_port())
    playing.read_until("Ctrl-C")
    link = re.search(r"Sign in by +(\S+)", playing.said)
    race = re.search(r"The demo race +(\S+)", playing.said)
    mailbox = re.search(r"All mail is at +(\S+)", playing.said)
    assert link is not None
    assert race is not None
    assert mailbox is not None
    assert "you@example.org" in playing.said, "the address with which a second device signs in"
    assert all(found[1].startswith(playing.address) for found in (link, race, mailbox))

    browser = signed_in(playing)
    shown = browser.get(race[1], timeout=10)
    assert shown.status_code == 200
    assert "Demo race" in shown.text

    _wait_for(lambda: "Demo race: your turn" in browser.get(mailbox[1], timeout=10).text)
    key = re.search(r'href="(/mailbox/[0-9a-f-]+/)"', browser.get(mailbox[1], timeout=10).text)
    assert key is not None
    assert "/mail/stop/" in browser.get(playing.address + key[1], timeout=10).text
    style = re.search(r'href="(/static/[^"]+\.css)"', shown.text)
    assert style is not None
    assert browser.get(playing.address + style[1], timeout=10).status_code == 200

    assert len(group_of(playing.process)) == 1, "one process holds everything"
    assert playing.stop() == 0
    assert playing.said.rstrip().endswith("Stopped.")
    assert "Traceback" not in playing.said
    assert "GET /" not in playing.said, "lines of requests would push the addresses away"
    assert group_of(playing.process) == []
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", int(playing.address.rpartition(":")[2])))


def test_bots_act_and_links_in_mails_work(play: Play) -> None:
    playing = play(free_port())
    playing.read_until("Ctrl-C")
    browser = signed_in(playing)
    race_id = re.findall(r"/races/(\w+)/", playing.said)[0]
    pressed: set[str] = set()

    def has_a_bot_acted() -> bool:
        """Whether the record holds more than what was pressed here; presses "end" in each mail that asks."""
        address = end_link(browser, playing.address)
        if address and address not in pressed:
            page = browser.get(address, timeout=10).text
            fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
            sent = {name: html.unescape(value) for name, value in fields} | {"csrfmiddlewaretoken": csrf_token(page)}
            browser.post(address, sent, timeout=10).raise_for_status()
            pressed.add(address)
        shown = browser.get(f"{playing.address}/api/v1/races/{race_id}", timeout=10).json()
        return bool(shown["race"]["position"] > len(pressed))

    _wait_for(has_a_bot_acted)
    assert playing.stop(signal.SIGTERM) == 0


def signed_in(playing: Playing) -> requests.Session:
    """A browser that has pressed the button behind the sign-in link."""
    link = re.search(r"Sign in by +(\S+)", playing.said)
    assert link is not None
    browser = requests.Session()
    page = browser.get(link[1], timeout=10)
    browser.post(link[1], {"csrfmiddlewaretoken": csrf_token(page.text)}, timeout=10).raise_for_status()
    return browser


def csrf_token(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found is not None, "the page shows no button"
    return found[1]


def end_link(browser: requests.Session, address: str) -> str:
    """The link to "end" in the newest mail, or "" if it asks nothing."""
    listed = browser.get(f"{address}/mailbox/", timeout=10).text
    key = re.search(r'href="(/mailbox/[0-9a-f-]+/)"', listed)
    if key is None:
        return ""
    text = html.unescape(re.sub(r"<[^>]+>", "", browser.get(address + key[1], timeout=10).text))
    found = re.search(r"^ *\d+(?:\.| =) end\b[^\n]*\n +(\S+/act/\S+)$", text, re.MULTILINE)
    return found[1] if found else ""


def test_a_taken_port_is_told_in_one_sentence_that_says_what_to_do(play: Play) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        playing = play(port)
        output, _ = playing.process.communicate(timeout=START_SECONDS)
    assert playing.process.returncode == 1
    assert output.strip() == (
        f"CommandError: Port {port} is taken by another program. Choose another one: make play PORT={port + 1}"
    )


def _wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.2)
