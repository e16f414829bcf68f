"""A verifier reads a question and its levers once: what it was asked, on a simulated scheduler."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.inference.client import Client
from tasks.suites.refusalbench.generation.step import perturb
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.refusalbench.verification.step import verify
from tasks.text.tokens import encoding
from tests.bench.scheduler import client as simulated
from tests.bench.scheduler.orders import in_groups
from tests.bench.scheduler.prompts import Numbering, least_computed
from tests.perturbed import base_question, generator, inputs_of, pair_of, verifier

LEAST_SHARE = 0.99


@pytest.mark.parametrize("setting", ["single", "multi"])
@pytest.mark.parametrize("replicas", [1, 8])
def test_perturbations_of_one_question_and_stratum_find_the_prefix(
    setting: Setting, replicas: int
) -> None:
    bases = [base_question(number, setting) for number in range(4)]
    rows = [*bases, *map(pair_of, bases)]
    engines = [Client(generator(name), part=None) for name in "abcd"]
    made = perturb(inputs_of(*rows, engines={"generator": engines}))  # type: ignore[dict-item]
    judge = verifier("v")
    asked = {"generator": [], "verifier": [Client(judge, part=None)]}
    list(verify(inputs_of(*rows, *made, engines=asked)))  # type: ignore[arg-type]
    numbering, ids = Numbering(), encoding().encode_ordinary
    by_prefix: dict[str, list[simulated.Call]] = {}
    for call in judge.calls:
        prompt = numbering.of_tokens(ids(call.prefix.text), ids(call.request.suffix))
        by_prefix.setdefault(call.prefix.text, []).append(simulated.Call(prompt, 20))
    groups = [
        simulated.PromptGroup(str(nth), numbering.of_tokens(ids(text)), tuple(calls))
        for nth, (text, calls) in enumerate(by_prefix.items())
    ]
    assert [len(group.calls) for group in groups] == [4] * 4 * 18
    calls = [call for group in groups for call in group.calls]
    result = in_groups(groups, calls, replace(simulated.LLAMA_8B, replicas=replicas))
    # on one replica what any order could find; on several what the calls of each group share
    computed = sum(least_computed([call.prompt for call in group.calls]) for group in groups)
    bound = 1 - computed / result.n_prompt
    assert result.hit_rate >= LEAST_SHARE * bound
    assert replicas > 1 or result.share_of_bound >= LEAST_SHARE
