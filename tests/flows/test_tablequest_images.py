"""One API model under two names in one release: one is shown text, the other one images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.benchmark import benchmark
from tasks.core.rows import Context, Judgement, Request
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tests.chromium import installed_chromium
from tests.flows.rows import rows_of
from tests.servers.serving import Server, serving
from tests.without_prefect import flows_as_functions

ROWS = """
[models.base]
engine = "openai"
description = ""
base_url = "{url}"

[models.base-vision]
engine = "openai"
description = "shown images"
base_url = "{url}"
served_as = "base"
shown = "images"
"""


def played(run: RunSettings, server: Server) -> list[dict[str, Any]]:
    """Run it; return what the server was asked, warm-up requests aside."""
    before = len(server.log())
    with flows_as_functions():
        benchmark(run)
    events = server.log()[before:]
    return [event for event in events if event["event"] == "answered" and event["max_tokens"] != 1]


def test_a_model_shown_images_joins_a_frozen_release_of_text_and_is_rated_against_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = "tests.servers.table_judges:reply"
    with serving(log=tmp_path / "log.jsonl", reply_rule=rule) as server:
        models = tmp_path / "models.toml"
        models.write_text(ROWS.format(url=server.url))
        text = settings_of(
            suite="tablequest",
            release="2026.11",
            lake=str(tmp_path / "lake"),
            models_file=str(models),
            workers=1,
            per_level=2,
            baseline="base",
            model=("base",),
            judge=("reference",),
        )
        with monkeypatch.context() as without_chromium:
            without_chromium.setenv("PATH", "")
            asked = played(text, server)
        assert asked
        assert not any(event["images"] for event in asked)
        assert not Path(text.lake, "_images").exists()

        both = replace(
            text,
            model=("base", "base-vision"),
            judge=("reference", f"pairwise=sound@{server.url}"),
            options={**text.options, "chromium": str(installed_chromium())},
        )
        asked = played(both, server)
    answers = {
        name: [row for row in rows_of(text, Request) if row.case_id and row.model == name]
        for name in both.model
    }
    operations = {name: {row.operation for row in rows} for name, rows in answers.items()}
    assert operations == {"base": {"answer"}, "base-vision": {"answer_image"}}
    cases = [{row.case_id for row in rows} for rows in answers.values()]
    assert cases[0] == cases[1]
    assert len([event for event in asked if event["images"]]) == len(cases[1])
    # the text model is asked nothing again, and a judge is sent text
    assert len([event for event in asked if not event["images"]]) == 2 * len(cases[1])
    shown = {row.context_id for row in rows_of(text, Context)}
    assert 0 < len([*Path(text.lake, "_images").glob("*.json")]) <= len(shown)

    games = [row for row in rows_of(text, Judgement) if row.other_model is not None]
    assert {(row.model, row.other_model) for row in games} == {
        ("base", "base-vision"),
        ("base-vision", "base"),
    }
    rated = "from tablequest.ladder select model, elo where level = 'all' and judge = ?"
    with opened_warehouse(Lake(text.lake), text.release) as connection:
        ladder = dict(connection.execute(rated, ["pairwise=sound"]).fetchall())
        asked_by = dict(
            connection.execute("select model, asked_by from reports.tested_models").fetchall()
        )
    assert ladder["base"] == 1000
    assert ladder["base-vision"] < 1000  # no rule of the test reads images
    assert asked_by == {"base": "answer", "base-vision": "answer_image"}
