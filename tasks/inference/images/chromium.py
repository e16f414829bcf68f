"""Draw HTML as PNG pages with an installed Chromium.

We talk to it over a pipe, by its DevTools protocol. It gets no network and runs no script of the
page. The page is laid out once, and cut where no cell and no line of text is cut.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

from tasks.core.errors import RunFailed, WrongUsage

# The largest page that OpenAI and Anthropic read as it is, without making it smaller.
WIDTH, HEIGHT = 1536, 768
# Part of the key that pages are stored under. Raise it if the same HTML gives other pages, and
# the version of the steps that show them, too.
VERSION = 1

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_PATIENCE_S = 60.0
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--force-color-profile=srgb",
    "--disable-lcd-text",
    "--font-render-hinting=none",
)


class NoChromium(WrongUsage):
    """There is no Chromium to draw with."""


class CannotDraw(RunFailed):
    """A page cannot be drawn."""


def find_chromium() -> str:
    """Return the path of the Chromium on PATH.

    Raises:
        NoChromium: there is none.
    """
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise NoChromium(
            "Drawing tables needs Chromium, and none is on PATH. Install one (Debian: apt-get "
            "install chromium)."
        )
    return found


class Chromium:
    """A running browser without a window; end it with `close`.

    Raises:
        CannotDraw: it does not start or answer.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self._folder = tempfile.mkdtemp(prefix="tenkbench-chromium-")
        self._log = Path(self._folder, "log")
        self._n_sent = 0
        self._read = b""
        self._session: str | None = None
        # ours; then theirs, with numbers above those that they get in the new process
        (get, self._to), (self._from, put) = os.pipe(), os.pipe()
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 5) for end in (get, put)]
        # Chromium has no sandbox for root, as in most containers; the pages run no scripts.
        flags = [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        try:
            self._pid = os.posix_spawn(
                program,
                [program, *flags, f"--user-data-dir={self._folder}", "about:blank"],
                # neither keys nor the user's own fonts
                {"PATH": os.defpath, "HOME": self._folder, "LANG": "C.UTF-8"},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, str(self._log), os.O_WRONLY | os.O_CREAT, 0o600),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                    (os.POSIX_SPAWN_DUP2, theirs[0], 3),
                    (os.POSIX_SPAWN_DUP2, theirs[1], 4),
                ],
                setpgroup=0,  # Ctrl-C is for us; we end it
            )
        except OSError as error:
            self._clean_up()
            raise CannotDraw(f"{program} does not start: {error.strerror}") from error
        finally:
            for end in (get, put, *theirs):
                os.close(end)
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
            self._frame = self._call("Page.getFrameTree")["frameTree"]["frame"]["id"]
            self._call("Emulation.setScriptExecutionDisabled", value=True)
            self._call(
                "Emulation.setDeviceMetricsOverride",
                width=WIDTH,
                height=HEIGHT,
                deviceScaleFactor=1,
                mobile=False,
            )
        except BaseException:
            self.close()
            raise

    def draw(self, html: str) -> list[bytes]:
        """Return the pages of an HTML document as PNG, top to bottom.

        Raises:
            CannotDraw: a table is too wide to be read, or the browser ended.
        """
        # a damaged filing has halves of surrogate pairs, which JSON cannot hold
        html = html.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        self._call("Page.setDocumentContent", frameId=self._frame, html=html)
        script = files("tasks.inference.images").joinpath("pages.js").read_text(encoding="utf-8")
        found = self._call(
            "Runtime.evaluate",
            expression=f"({script})({WIDTH}, {HEIGHT})",
            returnByValue=True,
        )
        cuts = found["result"].get("value")
        if isinstance(cuts, str):
            raise CannotDraw(
                f"A table is too wide for a page of {WIDTH} px: its text would be too small to "
                f"read. It begins with {cuts!r}. Show tables as text, or leave this filing out"
            )
        if not isinstance(cuts, list):
            raise CannotDraw(f"Chromium could not lay out a page: {found}")
        return [
            base64.b64decode(
                self._call(
                    "Page.captureScreenshot",
                    format="png",
                    captureBeyondViewport=True,
                    clip={"x": 0, "y": top, "width": WIDTH, "height": end - top, "scale": 1},
                )["data"]
            )
            for top, end in pairwise(cuts)
        ]

    def close(self) -> None:
        """End the browser and remove its files."""
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._clean_up()

    def _clean_up(self) -> None:
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _call(self, method: str, **parameters: Any) -> Any:
        """Send one command and wait for its result."""
        self._n_sent += 1
        command: dict[str, Any] = {"id": self._n_sent, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        try:
            with os.fdopen(os.dup(self._to), "wb") as pipe:
                pipe.write(json.dumps(command).encode() + b"\0")
        except BrokenPipeError:
            raise self._ended("it ended") from None
        until = monotonic() + _PATIENCE_S
        while True:
            message = json.loads(self._next(until))
            if message.get("id") == self._n_sent:
                if "error" in message:
                    raise CannotDraw(f"Chromium refused {method}: {message['error']}")
                return message["result"]

    def _next(self, until: float) -> bytes:
        """Return the next message, without the zero byte that ends it."""
        pieces = [self._read]
        while b"\0" not in pieces[-1]:
            if not select.select([self._from], [], [], max(0.0, until - monotonic()))[0]:
                raise self._ended(f"it said nothing for {_PATIENCE_S:g} s")
            if not (piece := os.read(self._from, 1 << 16)):
                raise self._ended("it ended")
            pieces.append(piece)
        message, _, self._read = b"".join(pieces).partition(b"\0")
        return message

    def _ended(self, why: str) -> CannotDraw:
        said = self._log.read_text(errors="replace").strip()[-500:] if self._log.exists() else ""
        return CannotDraw(f"{self.program} cannot draw: {why}. It said: {said or 'nothing'}")
