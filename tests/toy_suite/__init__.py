"""A suite with every part of the contract: whom a headline is about, asked before and after it."""

from pathlib import Path

from pydantic import Field

from tasks.suites.page import Label, Page
from tasks.suites.suite import Options, Rating, Role, Source, Suite
from tests.toy_suite import rows, steps


class ToyOptions(Options):
    """The toy suite's settings."""

    headlines: Path | None = Field(None, description="CSV file of headlines: title, company.")
    votes: int = Field(3, ge=1, description="Votes that a question needs.")
    champion: str = Field("m1", description="Model that has a rating of 1000.")


SUITE = Suite(
    name="toy",
    title="Toy",
    description="Headlines, and whom they are about.",
    paper="No paper (no eprint): a suite of the tests.",
    options=ToyOptions,
    roles=(
        Role(name="generator", help="Model that writes questions.", models=(1, None)),
        Role(name="verifier", help="Model that votes.", default=(), models=(3, None)),
    ),
    sources={"headlines": Source(option="headlines", rows=rows.Headline, read=steps.read)},
    build=steps.STEPS,
    answers=tuple(steps.ANSWERS.values()),
    operation_of=lambda case, options: steps.ANSWERS[case.variant],
    judges={"recall": steps.RECALL, "better": steps.BETTER},
    metrics={
        "elo": Rating(points="wins", anchor="champion", method="elo"),
        "strength": Rating(points="wins", anchor="champion", method="bradley_terry"),
    },
    page=Page(
        metrics={"recall": Label("Recall", "words found"), "wins": Label("Wins", "games won")},
        variants={place: Label(place, f"the question {place} the text") for place in steps.ANSWERS},
        tasks={"whom": Label("Whom", "whom a headline is about")},
        dimensions={"placement": Label("Placement"), "generator": Label("Generator")},
    ),
)
