"""Each verifier votes on each perturbation; a scripted panel comes out as it was scripted."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from tasks.core.rows import Case, Reject
from tasks.inference.client import Client
from tasks.inference.operation import Call
from tasks.inference.replies import ParseError
from tasks.suites.refusalbench.cases import NOT_PASSED, UNREAD_VOTE, build_cases
from tasks.suites.refusalbench.generation import perturb
from tasks.suites.refusalbench.rows import Perturbation, VerifierVote
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.refusalbench.verification import QUESTIONS, parse, verify
from tests.perturbed import base_question, check, generator, inputs_of, pair_of, verifier
from tests.scripted import Scripted

BASES = [base_question(number) for number in range(4)]
ROWS = [*BASES, *map(pair_of, BASES)]
NAMES = ("lenient", "harsh", "selfish")
WHOLE = dict.fromkeys(QUESTIONS, True) | {
    "predicted_rag_behavior": "REFUSE_OTHER",
    "verification_result": "PASS",
}


def perturbations() -> list[Perturbation]:
    """Perturb by generators of which each signs its passages, and its questions where it may."""

    def signed(name: str, call: Call) -> dict[str, Any]:
        shown = call.inputs()
        text = f"{shown['passages'].removeprefix('[S1]')} So says {name}."
        return {
            "perturbed_query": f"{shown['query']} As {name} asks?",
            "perturbed_passages": [{"passage": "S1", "perturbed_text": text}],
        }

    engines = [Client(generator(name, partial(signed, name)), part=None) for name in NAMES]
    return list(perturb(inputs_of(*ROWS, engines={"generator": engines})))  # type: ignore[dict-item]


def votes_of(made: list[Perturbation], *engines: Scripted, **roles: Any) -> list[VerifierVote]:
    clients = [Client(engine, part=None) for engine in engines]
    named = {"generator": [], "verifier": clients} | roles
    return list(verify(inputs_of(*ROWS, *made, engines=named)))


def is_high(call: Call) -> bool:
    return call.inputs()["stratum"].endswith("high")


def is_its_own(call: Call) -> bool:
    return "selfish" in call.inputs()["new_query"] + call.inputs()["new_passages"]


def panel() -> list[Scripted]:
    """One passes all, one fails all of high intensity, one passes what it wrote itself."""
    return [
        verifier("lenient"),
        verifier("harsh", lambda call: not is_high(call)),
        verifier("selfish", is_its_own),
    ]


def test_only_what_all_pass_is_a_case() -> None:
    made = perturbations()
    votes = votes_of(made, *panel())
    assert len(votes) == 3 * len(made) == 3 * 3 * 4 * 18
    rows = list(build_cases(inputs_of(*ROWS, *made, *votes)))
    cases = [row for row in rows if isinstance(row, Case)]
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert len(cases) + len(rejects) == len(made)
    assert {case.traits["generator"] for case in cases} == {"selfish"}
    assert {case.traits["intensity"] for case in cases} == {"low", "medium"}
    assert len(cases) == 4 * 12
    assert {reject.reason for reject in rejects} == {NOT_PASSED}


def test_an_unread_vote_is_no_vote_for_it() -> None:
    made = perturbations()[:18]

    def mumbles(call: Call) -> str:
        return "PASS, I think" if is_high(call) else check(call, passes=True)

    votes = votes_of(made, verifier("lenient"), Scripted(mumbles, model="m", identity="m"))
    unread = [vote for vote in votes if vote.passes is None]
    assert unread
    assert all(vote.unread_reason for vote in unread)
    rows = build_cases(inputs_of(BASES[0], pair_of(BASES[0]), *made, *votes))
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert {reject.parent_id for reject in rejects} == {vote.perturbation_id for vote in unread}
    assert {reject.reason for reject in rejects} == {UNREAD_VOTE}


def test_without_verifiers_the_generators_vote() -> None:
    made, engine = perturbations()[:18], verifier("writer")
    votes = votes_of(made, generator=[Client(engine, part=None)])
    assert {vote.verifier for vote in votes} == {"writer"}
    assert len(votes) == 18


@pytest.mark.parametrize(
    ("changes", "passes", "failed"),
    [
        ({}, True, ()),
        ({"ground_truth_alignment": False}, False, ("ground_truth_alignment",)),
        ({"verification_result": "FAIL"}, False, ()),
    ],
)
def test_a_vote_passes_if_it_says_so_and_no_question_fails(
    changes: dict[str, Any], passes: bool, failed: tuple[str, ...]
) -> None:
    check = parse(json.dumps(WHOLE | changes))
    assert (check.passes, check.failed) == (passes, failed)


@pytest.mark.parametrize("answer", ["partly", None, [True, False]])
def test_a_question_without_a_plain_answer_makes_the_vote_unread(answer: Any) -> None:
    with pytest.raises(ParseError, match="ground_truth_alignment"):
        parse(json.dumps(WHOLE | {"ground_truth_alignment": answer}))


@pytest.mark.parametrize("setting", ["single", "multi"])
def test_perturbations_of_one_question_share_a_prefix(setting: Setting) -> None:
    bases = [base_question(number, setting) for number in range(4)]
    rows = [*bases, *map(pair_of, bases)]
    engines = [Client(generator(name), part=None) for name in "abcd"]
    made = perturb(inputs_of(*rows, engines={"generator": engines}))  # type: ignore[dict-item]
    judge = verifier("v")
    asked = {"generator": [], "verifier": [Client(judge, part=None)]}
    list(verify(inputs_of(*rows, *made, engines=asked)))  # type: ignore[arg-type]
    prefixes = [call.prefix.text for call in judge.calls]
    assert list(Counter(prefixes).values()) == [4 * 18] * 4
    assert sum(one != other for one, other in pairwise(prefixes)) == 3
