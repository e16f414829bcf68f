"""A verifier is asked all perturbations of one question and stratum behind one prefix."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tasks.inference.client import Client
from tasks.suites.refusalbench.generation.step import perturb
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.refusalbench.verification.step import verify
from tests.perturbed import base_question, generator, inputs_of, pair_of, verifier


@pytest.mark.parametrize("setting", ["single", "multi"])
def test_perturbations_of_one_question_and_stratum_share_a_prefix(setting: Setting) -> None:
    bases = [base_question(number, setting) for number in range(4)]
    rows = [*bases, *map(pair_of, bases)]
    engines = [Client(generator(name), part=None) for name in "abcd"]
    made = perturb(inputs_of(*rows, engines={"generator": engines}))  # type: ignore[dict-item]
    judge = verifier("v")
    asked = {"generator": [], "verifier": [Client(judge, part=None)]}
    list(verify(inputs_of(*rows, *made, engines=asked)))  # type: ignore[arg-type]
    prefixes = [call.prefix.text for call in judge.calls]
    assert list(Counter(prefixes).values()) == [4] * 4 * 18
    assert sum(one != other for one, other in pairwise(prefixes)) == 71
