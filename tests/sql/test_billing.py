"""The accounts equal the server's bill, even if a budget ends a run or answers are empty."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.budget import BudgetReached
from tasks.core.rows import Response
from tasks.inference.operation import Call, grouped
from tasks.models.catalogue import find_model
from tasks.models.prices import Price
from tasks.pipeline.clients import client_of
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tests.calls import group_of, streamed
from tests.servers.serving import Fault, serving

PRICE = Price(prompt=100.0, cached=25.0, output=1_000.0)
MODELS_FILE = """
[models.paid]
engine = "openai"
description = "priced"
served_as = "local"
base_url = "{url}"
price = {{ prompt = 100.0, cached = 25.0, output = 1000.0 }}
in_flight = 8
"""


def settled(run: RunSettings, budget: float) -> tuple[list[tuple[Call, Response]], float]:
    """What one run of a command settles, and the dollars that it counts."""
    model = find_model("paid", run.models_file)
    report = "Net sales rose in every segment but one. " * 8
    calls = [call for document in range(12) for call in group_of(f"{document}. {report}", 5, model)]
    heard: list[tuple[Call, Response]] = []

    resolved = resolve(replace(run, budget=budget))
    try:
        streamed(client_of(resolved, "paid"), grouped(calls), heard)
    except BudgetReached:
        assert len(heard) < len(calls)
    else:
        assert sum(not call.is_primer for call, _ in heard) == len(calls)
    return heard, resolved.context.purse.spent


FAULTS: dict[str, list[Fault]] = {
    "all well": [],
    "empty, then answered": [{"kind": "empty", "share": 0.5, "times": 1}],
    "filtered": [{"kind": "content_filter", "form": "finish_reason", "share": 0.2}],
    "refused, empty, empty again": [
        {"kind": "429", "share": 0.3, "times": 1},
        {"kind": "empty", "share": 0.5, "times": 2},
    ],
}


@pytest.mark.parametrize("faults", FAULTS)
def test_what_was_billed_is_what_the_accounts_say(lake, asked, tmp_path: Path, faults: str) -> None:
    """A run reaches its budget, a second finishes; its calls become rows: no cent is missing."""
    models_file = tmp_path / "models.toml"
    with serving(delay_ms=10, faults=FAULTS[faults]) as server:
        models_file.write_text(MODELS_FILE.format(url=server.url))
        run = RunSettings(lake=str(lake.root), models_file=str(models_file), model=("paid",))
        _, first = settled(run, budget=0.2)
        _, second = settled(run, budget=0.2)
        between = server.stats()
        finished, third = settled(run, budget=100.0)
        stats = server.stats()
    billed = PRICE.of(stats["prompt_tokens"], stats["cached_tokens"], stats["completion_tokens"])
    assert first <= 0.2
    assert second <= 0.2
    assert between["answered"] < stats["answered"]
    assert first + second + third == pytest.approx(billed)

    spent = (
        "select standing, sum(cost_usd) from reports.spending group by standing order by standing"
    )
    before = dict(asked(spent))
    assert sum(before.values()) == pytest.approx(billed)
    assert "in the release" not in before

    for call, response in finished:
        lake.add(call.request, response)
    after = dict(asked(spent))
    assert sum(after.values()) == pytest.approx(billed)
    assert "kept" not in after
    assert after["in the release"] == pytest.approx(
        sum(response.cost_usd or 0.0 for _, response in finished)
    )
    ((of_operations,),) = asked("select sum(cost_usd) from reports.operations")
    assert of_operations == pytest.approx(after["in the release"])
