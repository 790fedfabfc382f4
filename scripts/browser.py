"""A real Chromium driven over its own pipe: pages opened, measured and photographed.

It needs the program `chromium` and no library.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class BrowserMissing(Exception):
    """No Chromium is on this machine."""


class PageFailed(Exception):
    """The browser refused a command, or a page did not load in time."""


class Browser:
    """One Chromium with one page. Commands are those of the DevTools protocol, sent over file descriptors 3 and 4."""

    def __init__(self, *, patience: float = 20.0) -> None:
        program = next((found for name in NAMES if (found := shutil.which(name))), None)
        if program is None:
            raise BrowserMissing(f"None of {', '.join(NAMES)} is installed (on Debian: apt-get install chromium).")
        self._patience = patience
        self._profile = tempfile.TemporaryDirectory(prefix="roadkill-browser-", ignore_cleanup_errors=True)
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()

        def place_pipes() -> None:
            # Copies first, so that neither descriptor is overwritten while it is still needed.
            read, write = os.dup(their_in), os.dup(their_out)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(  # noqa: S603
            [program, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            preexec_fn=place_pipes,  # noqa: PLW1509
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._number = 0
        self._buffer = b""
        self._metrics: dict[str, Any] = {"width": 0, "height": 0, "deviceScaleFactor": 1, "mobile": False}
        self._session = ""
        self.reports: list[str] = []
        self.requests: list[str] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser that this object started."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=10)
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise PageFailed("The browser has ended.")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        read: dict[str, Any] = json.loads(message)
        self._note(read)
        return read

    def _note(self, message: dict[str, Any]) -> None:
        """Keep what the page complains about and what it asks for."""
        given = message.get("params", {})
        if message.get("method") == "Log.entryAdded":
            entry = given["entry"]
            self.reports.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
        elif message.get("method") == "Runtime.exceptionThrown":
            self.reports.append(f"exception: {given['exceptionDetails']['text']}")
        elif message.get("method") == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def _send(self, method: str, **given: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        command: dict[str, Any] = {"id": number, "method": method, "params": given}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == number:
                if "error" in message:
                    raise PageFailed(f"{method}: {message['error']['message']}")
                answer: dict[str, Any] = message["result"]
                return answer

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Send one command for the page and give its result."""
        return self._send(method, **given)

    def look(self, *, width: int, dark: bool, script: bool = True, height: int = 844) -> None:
        """Set the window's width, the system's colours and whether scripts run, from the next page on."""
        self._metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 760}
        self.call("Emulation.setDeviceMetricsOverride", **self._metrics)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def cookie(self, address: str, name: str, value: str) -> None:
        """Give the browser a cookie."""
        self.call("Network.setCookie", url=address, name=name, value=value)

    def open(self, address: str) -> None:
        """Open a page and wait until it and its fonts are there."""
        answer = self.call("Page.navigate", url=address)
        if answer.get("errorText"):
            raise PageFailed(f"{address}: {answer['errorText']}")
        end = time.monotonic() + self._patience
        while self.evaluate("document.readyState") != "complete":
            if time.monotonic() > end:
                raise PageFailed(f"{address} did not load in {self._patience:g} s")
            time.sleep(0.05)
        self.evaluate("document.fonts.ready.then(() => true)")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageFailed(answer["exceptionDetails"]["exception"].get("description", "a script failed"))
        return answer["result"].get("value")

    def photograph(self, path: Path, *, most: int = 8000, whole: bool = True) -> None:
        """Write a picture of the page; ``whole``: from its top to its end (at most so many pixels high)."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        if whole:
            # As high as the page, so that what sticks to the window's lower edge stands at the page's.
            self.call("Emulation.setDeviceMetricsOverride", **{**self._metrics, "height": min(most, size["height"])})
        picture = self.call(
            "Page.captureScreenshot",
            format="png",
            captureBeyondViewport=whole,
            **(
                {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(most, size["height"]), "scale": 1}}
                if whole
                else {}
            ),
        )
        path.write_bytes(base64.b64decode(picture["data"]))
        self.call("Emulation.setDeviceMetricsOverride", **self._metrics)

    def print_pdf(self, path: Path) -> None:
        """Write the page as it would be printed."""
        printed = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        path.write_bytes(base64.b64decode(printed["data"]))
