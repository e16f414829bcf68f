"""Draw HTML as PNG pages with an installed Chromium, which Playwright drives.

It gets no network and runs no script of the page. The page is laid out once, and cut where no cell
and no line of text is cut.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from itertools import pairwise
from typing import Any, TypeVar

from tasks.core.errors import RunFailed, WrongUsage

Value = TypeVar("Value")

# The largest page that OpenAI and Anthropic read as it is, without making it smaller.
WIDTH, HEIGHT = 1536, 768
# Part of the key that pages are stored under. Raise it if the same HTML gives other pages, and
# the version of the steps that show them, too.
VERSION = 1

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_PATIENCE_MS = 60_000
_FLAGS = (
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-lcd-text",
    "--font-render-hinting=none",
)


class NoChromium(WrongUsage):
    """There is no Chromium to draw with."""


class CannotDraw(RunFailed):
    """A page cannot be drawn."""


def find_chromium() -> str:
    """Return the path of the Chromium on PATH, or raise `NoChromium`."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        raise NoChromium(
            "Drawing tables needs Playwright. Install it: pip install tenkbench[images]"
        ) from error
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        raise NoChromium(
            "Drawing tables needs Chromium, and none is on PATH. Install one (Debian: apt-get "
            "install chromium)."
        )
    return program


class Chromium:
    """A running browser without a window; end it with `close`.

    A thread of its own talks to it, since Playwright's functions refuse to wait in an event loop.

    Raises:
        CannotDraw: it does not start or answer, or a table is too wide to be read.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self._thread = ThreadPoolExecutor(1, "chromium")
        self._driver: Any = None
        self._page: Any = None
        try:
            self._run(self._start)
        except BaseException:
            self.close()
            raise

    def draw(self, html: str) -> list[bytes]:
        """Return the pages of an HTML document as PNG, top to bottom."""
        return self._run(lambda: self._draw(html))

    def close(self) -> None:
        """End the browser."""
        if self._driver is not None:
            self._thread.submit(self._driver.stop).result()
        self._thread.shutdown()

    def _run(self, act: Callable[[], Value]) -> Value:
        from playwright.sync_api import Error

        try:
            return self._thread.submit(act).result()
        except Error as error:
            raise CannotDraw(f"{self.program} cannot draw: {error.message}") from error

    def _start(self) -> None:
        from playwright.sync_api import sync_playwright

        self._driver = sync_playwright().start()
        browser = self._driver.chromium.launch(
            executable_path=self.program,
            args=_FLAGS,
            # root, as in most containers, has no sandbox; the pages run no scripts
            chromium_sandbox=os.geteuid() != 0,
            # neither keys nor the user's own fonts
            env={"PATH": os.defpath, "HOME": "/nonexistent", "LANG": "C.UTF-8"},
            # Ctrl-C is for us; we end it
            handle_sigint=False,
            handle_sigterm=False,
        )
        self._page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, java_script_enabled=False, offline=True
        )
        self._page.set_default_timeout(_PATIENCE_MS)

    def _draw(self, html: str) -> list[bytes]:
        # a damaged filing has halves of surrogate pairs, which JSON cannot hold
        self._page.set_content(html.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        script = files("tasks.inference.images").joinpath("pages.js").read_text(encoding="utf-8")
        cuts = self._page.evaluate(f"({script})({WIDTH}, {HEIGHT})")
        if isinstance(cuts, str):
            raise CannotDraw(
                f"A table is too wide for a page of {WIDTH} px: its text would be too small to "
                f"read. It begins with {cuts!r}. Show tables as text, or leave this filing out"
            )
        return [
            self._page.screenshot(
                full_page=True, clip={"x": 0, "y": top, "width": WIDTH, "height": end - top}
            )
            for top, end in pairwise(cuts)
        ]
