"""Queries as analysts ask them, and cases and material made of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice, product

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.core.rows import Case, Context, QAPair
from tasks.inference.engines.extractive import Extractive
from tasks.suites.failsafeqa.perturbations import STEPS, Material
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of as shared_context_of

COMPANIES = [
    "Norfolk Southern Corporation",
    "Coca-Cola Company",
    "Aeroflex Inc",
    "First Bancorp",
    "Medicis Pharmaceutical Corp",
    "Textron Inc.",
    "Simon Property Group",
    "CARBO Ceramics",
]
MEASURES = [
    "total revenue",
    "net income",
    "net sales",
    "long-term debt",
    "research and development expense",
    "basic earnings per share",
    "total stockholders' equity",
    "depreciation and amortization",
    "net cash provided by operating activities",
    "selling, general and administrative expenses",
    "dividends paid per common share",
    "the allowance for doubtful accounts",
]
FRAMES = [
    "What was {measure} in {year}?",
    "How much was {measure} for the year ended December 31, {year}?",
    "What were {company}'s figures for {measure} in fiscal {year}?",
    "By how much did {measure} change from {before} to {year}?",
    "Compare {measure} of {company} in {before} and {year}.",
    "Did {measure} of {company} increase or decrease in {year}?",
    "What does the report say about {measure} as of June 30, {year}?",
    "Why was {measure} in {year} higher than in {before}?",
    "Summarize {measure} of {company} in one paragraph.",
    "Write a short LinkedIn post about {measure} at {company}.",
]

OPERATIONS = {
    operation.name: operation
    for step in STEPS
    for operations in step.asks.values()
    for operation in operations
}


@pytest.fixture(scope="session")
def queries() -> list[tuple[str, str]]:
    """Every (query, company) of the frames above: over a thousand."""
    made: dict[str, str] = {}
    companies, years = cycle(COMPANIES), cycle(range(1996, 2025))
    for frame, measure in product(FRAMES, MEASURES):
        for company, year in islice(zip(companies, years, strict=False), 12):
            query = frame.format(measure=measure, company=company, year=year, before=year - 1)
            made.setdefault(query, company)
    return list(made.items())


# --- two small filings of invented companies, and engines that answer about them ---------

HARBOR = """Harbor Lantern Corporation makes lanterns for ships and harbors. It was founded in \
1961 in Duluth.

Results of operations

Net sales of Harbor Lantern were $48.2 million in 2016 and $51.9 million in 2017. The increase \
came from orders of the navy. Gross profit was $17.3 million in 2017.

The company employed 412 people on December 31, 2017. Its backlog was $9.6 million on that day.

Research and development expense was $3,417,000 in 2017, against $2,986,000 in 2016."""

VELVET = """Velvet Orchard Inc. grows apples and pears in Oregon. Its cider mill stands in Medford.

Revenue and costs

Total revenue of Velvet Orchard was $7.45 million in 2003. Cost of sales was $5.12 million in 2003.

The harvest of 2003 brought 18,340 tons of apples. A frost in April 2002 destroyed 2,715 trees.

Interest expense on the mortgage was $383,000 in 2003. The mortgage is held by Rogue Valley Bank."""

PAIRS = [
    ("harbor", "What were the net sales of Harbor Lantern in 2017?", "They were $51.9 million."),
    ("harbor", "What was research and development expense in 2017?", "It was $3,417,000."),
    ("harbor", "How many people did the company employ on December 31, 2017?", "412 people."),
    ("velvet", "What was the total revenue of Velvet Orchard in 2003?", "It was $7.45 million."),
    ("velvet", "How many tons of apples did the harvest of 2003 bring?", "18,340 tons of apples."),
    ("velvet", "Who holds the mortgage on the cider mill?", "In 2003, Rogue Valley Bank did."),
]


def context_of(name: str, text: str) -> Context:
    context = shared_context_of("truncated", text, encoding="cl100k_base")
    return replace(context, context_id=f"ctx-{name}", document_ids=(f"doc-{name}",))


def pair_of(number: int, name: str, query: str, answer: str) -> QAPair:
    return QAPair(
        qa_pair_id=f"qa-{number}",
        context_id=f"ctx-{name}",
        query=query,
        answer=answer,
        task="qa",
        citation_text=answer,
        quality=5,
    )


def baseline(pair: QAPair) -> Case:
    return case_of(pair, "failsafeqa")


@pytest.fixture
def material() -> Material:
    """Two filings, six pairs, and the weightless engine."""
    pairs = [pair_of(number, *pair) for number, pair in enumerate(PAIRS)]
    contexts = [context_of("harbor", HARBOR), context_of("velvet", VELVET)]
    return Material(
        pairs={pair.qa_pair_id: pair for pair in pairs},
        contexts={context.context_id: context for context in contexts},
        filing_ids={"ctx-harbor": "filing-harbor", "ctx-velvet": "filing-velvet"},
        company_names={
            "ctx-harbor": "Harbor Lantern Corporation",
            "ctx-velvet": "Velvet Orchard Inc.",
        },
        generators=[Extractive(OPERATIONS, RULES)],
        seed=11,
    )


@pytest.fixture
def cases(material: Material) -> list[Case]:
    return [baseline(pair) for pair in material.pairs.values()]
