"""Planning figures of FAITH.

From one run without a panel on the 20 filings of the project's shared test data: 10 have tables in their Item 7, of 1,672
tokens on average; of their 1,609 figures 1,515 would be put to a panel, and 292 became pairs. No model has been asked yet;
tokens of a reply are those of the form that its template asks for.
"""

from __future__ import annotations

from tasks.suites.planning_contract import Plan, SuitePlan

PLAN = SuitePlan(
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
    is_found=True,
)
