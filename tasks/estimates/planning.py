"""Planning figures: what `tenkbench estimate` takes for what is not built yet. All of them, in this one place.

Where they come from:
- counts and prompts: one run on the 20 filings of the project's shared test data (1993 to 2025, 27 MB,
  `tenkbench run --filings FOLDER`, 4 pairs a filing, seed 17, generator `extractive`): 20 contexts, 101
  conversations, 72 pairs, 502 cases. No language model has written pairs yet; one that is read or
  rated worse needs more conversations a pair, at most three times as many.
- length of a context: 432,478 tokens in 19 of these contexts, at 25,000 tokens at most.
- tokens of a reply: the form that its template asks for. Not measured; the operation's limit is shown beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

Shown = Literal["nothing", "context", "tagged context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One operation of building.

    asked    the setting that names who is asked: generator, citer, or panel, of which each is asked
    per      what there are `calls` of it for: each pair that was ordered, or each that was accepted
    calls    how many
    shows    what the shared prefix holds besides the instructions
    suffix   tokens of a prompt after its prefix, on average
    reply    tokens of a typical reply
    part     perturbation that it belongs to, when it does
    """

    asked: Literal["generator", "citer", "panel"]
    per: Literal["ordered", "accepted"]
    calls: float
    shows: Shown
    suffix: int
    reply: int
    part: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """The planning figures of one suite.

    build           operation -> its plan; of the two citing operations only the run's own counts
    context         tokens of a context per token that it may have: most filings are longer than what is kept
    pairs           most pairs that are ordered of a context
    accepted        accepted pairs per ordered one
    ocr_growth      tokens of a scanned context per token of the clean one
    tags_growth     tokens of a context with numbered sentences per token of it without
    query           tokens of a query in a prompt's suffix
    answer          tokens of a typical answer
    judged          per operation of the judge: of a pair's cases, how many; tokens of its prompt's shared
                    head, and of the tail without the answer
    verdict         tokens of a typical verdict
    """

    build: dict[str, Plan]
    context: float
    pairs: float
    accepted: float
    ocr_growth: float
    tags_growth: float
    query: int
    answer: int
    judged: dict[str, tuple[int, int, int]]
    verdict: int


SUITE_PLANS: dict[str, SuitePlan] = {
    "failsafeqa": SuitePlan(
        build={
            "write_dialogue": Plan(
                asked="generator", per="ordered", calls=1.26, shows="context", suffix=126, reply=1300
            ),
            "rate_pair": Plan(
                asked="generator", per="ordered", calls=11.4, shows="context", suffix=78, reply=150
            ),
            "choose_query": Plan(
                asked="generator", per="ordered", calls=1.11, shows="nothing", suffix=576, reply=10
            ),
            "rewrite_query": Plan(
                asked="generator", per="ordered", calls=1.11, shows="nothing", suffix=388, reply=25
            ),
            "cite_longcite": Plan(
                asked="citer", per="accepted", calls=1.0, shows="tagged context", suffix=68, reply=150
            ),
            "cite_json": Plan(
                asked="citer", per="accepted", calls=1.0, shows="tagged context", suffix=68, reply=200
            ),
            "check_support": Plan(
                asked="generator", per="accepted", calls=1.0, shows="nothing", suffix=1141, reply=60
            ),
            "perturb_incomplete": Plan(
                asked="generator",
                per="accepted",
                calls=1.0,
                shows="nothing",
                suffix=16,
                reply=20,
                part="incomplete",
            ),
            "perturb_out_of_domain": Plan(
                asked="generator",
                per="accepted",
                calls=1.0,
                shows="nothing",
                suffix=16,
                reply=35,
                part="out_of_domain",
            ),
            "check_irrelevant": Plan(
                asked="generator",
                per="accepted",
                calls=1.03,
                shows="context",
                suffix=24,
                reply=40,
                part="irrelevant_context",
            ),
        },
        context=0.91,
        pairs=inf,
        accepted=0.90,
        ocr_growth=1.31,
        tags_growth=1.10,
        query=16,
        answer=250,
        judged={
            "judge_answerable": (5, 1501, 105),
            "judge_missing_context": (1, 1490, 105),
            "judge_irrelevant_context": (1, 1509, 91),
        },
        verdict=90,
    ),
    # From one run on the same 20 filings without a panel: 10 have tables in their Item 7, of 1,672 tokens on average; of
    # their 1,611 figures 1,517 would be put to a panel, and 285 became pairs. No model has been asked yet.
    "faith": SuitePlan(
        build={
            "answerability": Plan(
                asked="panel", per="ordered", calls=1.0, shows="context", suffix=121, reply=150
            ),
        },
        context=0.21,
        pairs=152,
        accepted=0.19,
        ocr_growth=0.0,
        tags_growth=0.0,
        query=121,
        answer=120,
        judged={},
        verdict=0,
    ),
}
