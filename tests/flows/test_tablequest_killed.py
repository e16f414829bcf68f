"""TableQuest's build and its judging are killed, twice each, and end as an unbroken run does."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.pipeline.resolved import settings_of
from tasks.warehouse.raw_tables import row_types
from tests.flows.rows import rows_of
from tests.flows.test_durability import MEASURED, finish, kill_after, received, settle_down
from tests.forked import Forked
from tests.servers.serving import Server, serving

MODELS = ("base", "clean", "messy")
JUDGE = "sound"
IN_FLIGHT = 8
N_KILLS = 2

# What the commands do, without Prefect: `python -c RUN SETTINGS VERB ...`.
RUN = """
import json, sys
from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from tasks.pipeline.resolved import settings_of
run = settings_of(**json.loads(sys.argv[1]))
if "build" in sys.argv:
    ingest(run)
    build(run)
if "infer" in sys.argv:
    infer(run)
if "judge" in sys.argv:
    judge(run)
"""


def sent(server: Server, since: int = 0) -> Counter[str]:
    return Counter(prompt for prompt, is_primer in received(server, since) if not is_primer)


def test_a_build_and_a_judging_that_are_killed_twice_end_with_the_rows_of_an_unbroken_run(
    tmp_path: Path,
) -> None:
    models, log = tmp_path / "models.toml", tmp_path / "log"
    rule = "tests.servers.table_judges:reply"

    def given(lake: str) -> dict[str, Any]:
        return {
            "suite": "tablequest",
            "lake": str(tmp_path / lake),
            "models_file": str(models),
            "workers": 1,
            "generator": ["clean"],
            "verifier": ["clean"],
            "model": MODELS,
            "judge": [f"pairwise={JUDGE}"],
            "hard": True,
            "baseline": "base",
            "compare": "all",
            "context_tokens": 2_000,  # many snippets, so that a kill comes before the end
        }

    def start(lake: str, *verbs: str) -> Forked:
        return Forked(RUN, json.dumps(given(lake)), *verbs, stderr=tmp_path / f"{lake}.stderr")

    def tables(lake: str) -> dict[str, list[Any]]:
        run = settings_of(**given(lake))
        found = {name: rows_of(run, row_type) for name, row_type in row_types().items()}
        return found | {"responses": [replace(row, **MEASURED) for row in found["responses"]]}

    with serving(delay_ms=20, reply_rule=rule, log=log) as server:
        models.write_text(
            "".join(
                f'[models.{name}]\nengine = "openai"\ndescription = "scripted"\n'
                f'base_url = "{server.url}"\nin_flight = {IN_FLIGHT}\n'
                for name in (*MODELS, JUDGE)
            ),
            encoding="utf-8",
        )
        finish(start("unbroken", "build", "infer", "judge"))
        once, n_events = sent(server), len(server.log())
        for verbs in (("build", "infer"), ("judge",)):
            for _ in range(N_KILLS):
                kill_after(start("killed", *verbs), server, 20, 0.01)
                settle_down(server)
            finish(start("killed", *verbs))
        again = sent(server, n_events)
    assert set(again) == set(once)
    assert 0 < again.total() - once.total() <= 2 * N_KILLS * IN_FLIGHT
    assert tables("killed") == tables("unbroken")
