"""Planning figures of FailSafeQA.

- counts and prompts: one run on the 20 filings of the project's shared test data (1993 to 2025, 27 MB,
  `tenkbench run --filings FOLDER`, 4 pairs a filing, seed 17, generator `extractive`): 20 contexts, 101
  conversations, 72 pairs, 502 cases. No language model has written pairs yet; one that is read or
  rated worse needs more conversations a pair, at most three times as many.
- length of a context: 432,478 tokens in 19 of these contexts, at 25,000 tokens at most.
- tokens of a reply: the form that its template asks for. Not measured; the operation's limit is shown beside them.
"""

from __future__ import annotations

from math import inf

from tasks.suites.planning_contract import Plan, SuitePlan

PLAN = SuitePlan(
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
)
