"""A run that shows tables as images: what the server gets, what is drawn, sent and refused."""

from __future__ import annotations

import base64
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from tasks.core.rows import Prefix, Request, Response
from tasks.inference.images import images as images_module
from tasks.inference.images.chromium import HEIGHT, WIDTH, NoChromium
from tasks.lake.lake import Lake
from tasks.pipeline.plan import check_run
from tasks.pipeline.resolved import resolve, settings_of
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.suites.registry import SUITES
from tests.chromium import installed_chromium
from tests.forked import Forked
from tests.image_suite import IMITATION
from tests.png import pixels_of
from tests.servers.serving import Server, serving
from tests.servers.toy_models import COMPANIES
from tests.without_prefect import flows_as_functions

N_PROMPTS = 6  # questions with enough votes; each is asked once for two cases
INFER = """
import json, sys
from flows.infer import infer
from tasks.pipeline.resolved import settings_of, resolve
from tasks.suites.registry import SUITES
SUITES["toy"] = "tests.image_suite"
infer(settings_of(**json.loads(sys.argv[1])))
"""


@pytest.fixture(autouse=True)
def suite(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(SUITES, "toy", "tests.image_suite")
    with flows_as_functions():
        yield


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(
        log=tmp_path / "log.jsonl", reply_rule="tests.servers.toy_models:reply", delay_ms=100
    ) as running:
        yield running


@pytest.fixture
def given(server: Server, tmp_path: Path) -> dict[str, Any]:
    """The options of a run whose model is shown images, one call at a time."""
    news = tmp_path / "headlines.csv"
    lines = [f"{company} opens a plant,{company}" for company in COMPANIES]
    news.write_text("\n".join(["title,company", *lines, ""]))
    models = tmp_path / "models.toml"
    models.write_text(
        "".join(
            f'[models.{name}]\nengine = "openai"\ndescription = ""\nbase_url = "{server.url}"\n'
            'in_flight = 1\nshown = "images"\n'
            for name in ("m1", "m2")
        )
        + f'[models.m0]\nengine = "openai"\ndescription = ""\nbase_url = "{server.url}"\n'
    )
    return {
        "suite": "toy",
        "lake": str(tmp_path / "lake"),
        "workers": 1,
        "headlines": str(news),
        "models_file": str(models),
        "model": ["m1"],
        "generator": [f"{name}@{server.url}" for name in ("g1", "g2")],
        "verifier": [f"{name}@{server.url}" for name in ("v1", "v2", "v3")],
    }


@pytest.fixture
def run(given: dict[str, Any]) -> RunSettings:
    installed_chromium()
    return made(given)


def made(given: dict[str, Any]) -> RunSettings:
    return settings_of(**{**given, "model": tuple(given["model"])})


def built(run: RunSettings) -> None:
    ingest(run)
    build(run)


def rows_of(run: RunSettings, row_type: type) -> list[Any]:
    lake = Lake(run.lake)
    commits = [each for each in lake.commits(run.release) if ".infer." in each.step.name]
    return [row for commit in commits for row in lake.read(commit, row_type)]


def shown_to(server: Server) -> list[bytes]:
    """The images of the last request."""
    parts = server.last()["body"]["messages"][-1]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert all(url.startswith("data:image/png;base64,") for url in urls)
    return [base64.b64decode(url.partition(",")[2], validate=True) for url in urls]


def test_a_server_gets_pages_and_the_lake_holds_what_it_got(
    run: RunSettings, server: Server
) -> None:
    built(run)
    before = len(server.log())
    infer(run)
    images = shown_to(server)
    assert len(images) > 1  # 60 rows
    for page in map(pixels_of, images):
        assert page.shape[0] <= HEIGHT
        assert page.shape[1] == WIDTH
        dark = np.nonzero((page < 160).all(axis=2))
        assert len(dark[0]) > 1_000
        assert dark[1].max() < WIDTH - 1
    stored = {path.read_bytes() for path in Path(run.lake, "_images").glob("*.png")}
    assert stored >= {*images}
    asked = [event for event in server.log()[before:] if event["event"] == "answered"]
    listings = [
        [page["digest"] for page in json.loads(path.read_text())["pages"]]
        for path in Path(run.lake, "_images").glob("*.json")
    ]
    assert all(
        [each[:32] for each in event["images"]] in listings for event in asked
    )  # and primers, and no imitation's
    assert IMITATION not in "".join(prefix.text for prefix in rows_of(run, Prefix))
    assert {response.status for response in rows_of(run, Response)} == {"ok"}
    assert len({request.key for request in rows_of(run, Request) if request.case_id}) == N_PROMPTS


def test_a_killed_run_goes_on_and_sends_and_draws_nothing_twice(
    given: dict[str, Any], run: RunSettings, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(run)
    before = len(server.log())

    def answered() -> Counter[str]:
        events = server.log()[before:]
        return Counter(
            event["prompt"]
            for event in events
            if event["event"] == "answered" and event["max_tokens"] != 1  # primers aside
        )

    options = json.dumps(given)
    server.set_faults([{"kind": "hang", "after": 3}])  # after one primer or more
    killed = Forked(INFER, options, stderr=Path(run.lake).with_name("stderr"))
    while len(server.log()[before:]) < 7:  # each is received, then answered; the last one hangs
        assert killed.poll() is None, killed.wait(1)
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait(120)
    server.set_faults([])
    assert 0 < answered().total() < N_PROMPTS
    monkeypatch.setattr(images_module, "Chromium", None)  # every page is in the lake
    infer(run)
    assert len(answered()) == N_PROMPTS
    assert answered().total() <= N_PROMPTS + 1  # the one that was in flight
    n_sent = server.stats()["received"]
    infer(run)
    assert server.stats()["received"] == n_sent


def test_what_cannot_be_shown_or_drawn_is_refused_before_it_starts(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoChromium, match="none is on PATH"):
        check_run(resolve(made(given)))
    monkeypatch.setitem(SUITES, "toy", "tests.toy_suite")
    with pytest.raises(WrongSettings, match=r'"m1" is shown images .* "toy" has none'):
        check_run(resolve(made(given)))
    assert server.stats()["received"] == 0
    assert not Path(given["lake"]).exists()
