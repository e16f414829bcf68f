"""A pair says who wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.core.rows import QAPair
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import Engine
from tasks.models.catalogue import find_model
from tasks.suites.failsafeqa import pairs
from tasks.suites.shared.published import document_of, filing_of
from tests.scripted import Scripted
from tests.step_inputs import step_inputs
from tests.tasks.suites.failsafeqa.perturbations.conftest import OPERATIONS, context_of, pair_of

ENGINES = [
    (Extractive(OPERATIONS, RULES), "by rules, unchecked"),
    (Scripted(lambda call: "", model="gpt-x", identity="hash"), "gpt-x"),
]


@pytest.mark.parametrize(("engine", "writer"), ENGINES, ids=["rules", "model"])
def test_a_pair_names_the_model_that_wrote_it_or_says_that_rules_did(
    engine: Engine, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = pair_of(0, "harbor", "What did Harbor sell?", "Lanterns.")
    monkeypatch.setattr(pairs.grounded, "write", lambda *args, **options: [pair])
    monkeypatch.setattr(pairs.cited, "cite", lambda found, *args, **options: found)
    document = document_of("harbor", "Harbor sells lanterns.", [])
    filing = filing_of("harbor", document.text, "harbor.txt")
    context = context_of("harbor", document.text)
    inputs = step_inputs(
        "failsafeqa",
        document,
        filing,
        shard=[replace(context, document_ids=(document.document_id,))],
        models={"citer": (find_model("extractive"),)},
        engines={"generator": [engine], "citer": [engine]},
    )
    (made,) = [row for row in pairs.build_pairs(inputs) if isinstance(row, QAPair)]
    assert made.traits["written_by"] == writer
