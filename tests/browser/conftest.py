"""The report in a real browser: Debian's Chromium, offline, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from flows.report import write_report
from tasks.results.report.overview import overview
from tests.browser.hostile import HOSTILE
from tests.chromium import installed_chromium
from tests.invented_lake import RELEASE, SUITE, Invented, invent
from tests.once import made_once

HERE = Path(__file__).parent
LAPTOP = (1280, 800)
MOST_MS = 120_000  # that a page is waited for; a busy machine is slow


_running = ExitStack()  # empty, or one Chromium
_launched: list[Any] = []
_pages: list[Opened] = []  # its pages, each in a context of its own


@pytest.fixture
def browser() -> Any:
    """One Chromium for all files of this folder that follow one another; in CI it must be there."""
    if not _launched:
        program = installed_chromium()
        from playwright.sync_api import sync_playwright

        playwright = _running.enter_context(sync_playwright())
        _launched.append(
            playwright.chromium.launch(
                executable_path=str(program),
                args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            )
        )
        _running.callback(_launched.clear)
        _running.callback(_pages.clear)
        _running.callback(_launched[0].close)
    return _launched[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """End it before a test of another folder: Playwright keeps an event loop in this thread."""
    yield
    if nextitem is None or HERE not in nextitem.path.parents:
        _running.close()


def pytest_sessionfinish() -> None:
    """End it where the tests end early."""
    _running.close()


@pytest.fixture(scope="session")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of three models on twelve filings, some of whose answers are hostile."""

    def make(folder: Path) -> None:
        lake = invent(folder / "lake", Invented(n_filings=12, pairs_per_filing=4, answers=HOSTILE))
        write_report(lake.url, RELEASE, SUITE, folder / "report.html")
        (folder / "index.html").write_text(overview(lake, lambda *_: "report.html"), "utf-8")

    return made_once(tmp_path_factory, "report", make) / "report.html"


@dataclass
class Opened:
    """The report as one reader has it open, and all that the browser complained of or asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


def _opened(browser: Any, n: int) -> Opened:
    """Return a test's nth page, empty. Tests share it, as a new one takes a second."""
    if n == len(_pages):
        context = browser.new_context(offline=True)
        context.set_default_timeout(MOST_MS)
        page = context.new_page()
        opened = Opened(page)
        complain = opened.complaints.append
        troubles = ("error", "warning")
        page.on("console", lambda said: complain(said.text) if said.type in troubles else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("dialog", lambda dialog: (complain(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: opened.requests.append(request.url))
        _pages.append(opened)
    _pages[n].page.goto("about:blank")  # else the next address may differ by its fragment only
    _pages[n].page.mouse.move(0, 0)
    _pages[n].complaints.clear()
    _pages[n].requests.clear()
    return _pages[n]


@pytest.fixture
def open_report(browser: Any, report_file: Path) -> Iterator[Open]:
    """Open the report; at the end, the page must have complained of and asked for nothing."""
    opened: list[Opened] = []

    def open_(
        size: tuple[int, int] = LAPTOP,
        scheme: str = "light",
        fragment: str = "",
        file: Path = report_file,
        ready: str = "#case h3, #case .warning",
    ) -> Opened:
        report = _opened(browser, len(opened))
        opened.append(report)
        report.page.set_viewport_size({"width": size[0], "height": size[1]})
        report.page.emulate_media(media="screen", color_scheme=scheme)
        report.page.goto(file.as_uri() + fragment)
        report.page.wait_for_selector(ready)
        return report

    yield open_
    for report in opened:
        assert report.complaints == []
        assert [url for url in report.requests if not url.startswith("file://")] == []
