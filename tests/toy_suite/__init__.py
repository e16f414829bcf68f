"""A suite that uses every seam: whom a headline is about, asked before and after the text."""

from pathlib import Path

from pydantic import Field

from tasks.suites.page import Label, Page
from tasks.suites.suite import Options, Paper, Role, Source, Suite
from tests.toy_suite import build, judge
from tests.toy_suite.rows import ROW_TYPES, Headline


class ToyOptions(Options):
    """The toy suite's settings."""

    headlines: Path | None = Field(None, description="CSV file of headlines: title, company.")
    votes: int = Field(3, ge=1, description="Votes that a question needs.")


PAGE = Page(
    reports=("dataset_statistics", "rejects_by_reason"),
    headlines=("rejects_by_reason",),
    asks="Headlines, and whom they are about.",
    metrics={
        "recall": Label("Recall", "words that the answer has"),
        "wins": Label("Wins", "comparisons won"),
    },
    variants={
        place: Label(place.title(), f"the question {place} the text") for place in build.ANSWERS
    },
    rules=("reads", "read"),
    asked={"whom": "whom a headline is about"},
    contexts={"toy": "Headlines"},
    dimensions={"placement": "Placement", "generator": "Generator"},
    judges={"recall": "the share of the company's words that the answer has"},
)

SUITE = Suite(
    name="toy",
    title="Toy",
    description="whom a headline is about",
    paper=Paper(title="None", citation="No paper (no eprint): a suite of the tests."),
    options=ToyOptions,
    roles=(
        Role(
            name="generator", help="Model that writes questions.", default=("g1", "g2"), most=None
        ),
        Role(
            name="verifier",
            help="Model that votes.",
            default=("v1", "v2", "v3"),
            fewest=3,
            most=None,
        ),
    ),
    rows=ROW_TYPES,
    sources={"headlines": Source(option="headlines", rows=Headline, read=build.read_headlines)},
    build=build.STEPS,
    variants=tuple(build.ANSWERS),
    answers=tuple(build.ANSWERS.values()),
    operation_of=lambda case: build.ANSWERS[case.variant],
    longest_context=lambda options: 2_000,
    judges={"recall": judge.RECALL, "better": judge.BETTER},
    default_judges=("recall",),
    page=PAGE,
)
