"""A real browser for tests: Chromium without a window, told what to do through two pipes.

The DevTools protocol is JSON messages, each ended by a zero byte, on the file descriptors 3 and 4
of a browser started with ``--remote-debugging-pipe``. So nothing but the browser is needed: no
driver, no port, no package.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
    "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-extensions", "--disable-sync", "--hide-scrollbars",
    "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
# Moves the two pipes to the descriptors 3 and 4, then becomes the browser.
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for place, end in zip((3, 4), ends):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 30.0  # seconds for one answer; the machine may be busy with other tests

EXECUTABLE = next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A tab: opens a file, runs scripts in it, and remembers what went wrong there."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._seen: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command of the protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"the browser has not answered in {PATIENCE:g} seconds"
            received = os.read(self._read, 1 << 20)
            assert received, "the browser has ended"
            self._buffer += received
        first, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        self._seen.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(str(params["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"a dialog: {params['message']}")

    def open(self, file: Path, *, script: bool = True) -> None:
        """Open a file, with its scripts or without, and wait until it is loaded."""
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.requests.clear()
        self.complaints.clear()
        self._seen.clear()
        self.send("Page.navigate", url=file.resolve().as_uri())
        while "Page.loadEventFired" not in self._seen:
            self._receive()

    def run(self, script: str) -> Any:
        """Return the value of an expression of JavaScript in the page; promises are awaited."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the text of the first element that a selector finds, as it is shown."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """Click on the first element that a selector finds, where it is on the screen."""
        found = json.dumps(selector)
        where = "{block: 'center', behavior: 'instant'}"
        self.run(f"document.querySelector({found}).scrollIntoView({where})")
        self.settle()
        box = self.run(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"(document.querySelector({found}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left",
                clickCount=1,
            )  # fmt: skip
        self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is drawn, and what that has set off is done."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)))")

    def type(self, selector: str, text: str) -> None:
        """Type into a field, in place of what it holds."""
        self.run(
            f"(field => {{ field.focus(); field.select(); }})"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        self.send("Input.insertText", text=text)
        self.run(
            f"document.querySelector({json.dumps(selector)})"
            f".dispatchEvent(new Event('change', {{bubbles: true}}))"
        )

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key, given by its name and its code."""
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text,
                windowsVirtualKeyCode=code,
            )  # fmt: skip

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Set the size of the window, and whether the system is dark."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.send("Emulation.setEmulatedMedia", features=[scheme, calm])

    def screenshot(self, to: Path, *, whole: bool = False) -> None:
        """Write a picture of what is seen, or of the whole page."""
        answer = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        to.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self, to: Path) -> None:
        """Write the page as it is printed."""
        answer = self.send("Page.printToPDF", preferCSSPageSize=True)
        to.write_bytes(base64.b64decode(answer["data"]))


@contextmanager
def started() -> Iterator[Page]:
    """Start a browser with a profile of its own, and end it."""
    if EXECUTABLE is None:
        pytest.skip(f"no browser is installed: none of {', '.join(NAMES)}")
    if sys.platform == "win32":
        pytest.skip("the browser is talked to through inherited pipes, which Windows has not")
    to_browser, from_browser = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", START, str(to_browser[0]), str(from_browser[1]),
             EXECUTABLE, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser[0])
        os.close(from_browser[1])
        try:
            yield Page(from_browser[0], to_browser[1])
        finally:
            os.close(to_browser[1])
            os.close(from_browser[0])
            process.terminate()
            process.wait(PATIENCE)
