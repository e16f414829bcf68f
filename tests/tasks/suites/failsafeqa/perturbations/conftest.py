"""Queries as analysts ask them, and cases and material made of them."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from tasks.baseline.failsafeqa import RULES
from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, QAPair
from tasks.inference.engines.extractive import Extractive
from tasks.suites.failsafeqa.perturbations import STEPS, Material
from tasks.text.tokens import count_tokens

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
TOPICS = [
    "the company's revenue recognition policy",
    "the terms of the credit agreement",
    "competition in the semiconductor market",
    "the pension plan assumptions",
    "the change in working capital",
]
FIGURE_FRAMES = [
    "What was {measure} in {year}?",
    "How much was {measure} for the year ended December 31, {year}?",
    "What were {company}'s figures for {measure} in fiscal {year}?",
    "By how much did {measure} change from {before} to {year}?",
    "Compare {measure} of {company} in {before} and {year}.",
    "Did {measure} of {company} increase or decrease in {year}?",
    "What does the report say about {measure} as of June 30, {year}?",
    "Why was {measure} in {year} higher than in {before}?",
]
TOPIC_FRAMES = [
    "Summarize {topic} of {company} in one paragraph.",
    "What are the main points of {topic} in {year}?",
    "Create an HTML table for {topic}.",
    "How does {company} describe {topic}?",
    "Write a short LinkedIn post about {topic} at {company}.",
    "List the key facts on {topic}.",
]

OPERATIONS = {
    operation.name: operation
    for step in STEPS
    for operations in step.asks.values()
    for operation in operations
}


def finance_queries() -> list[tuple[str, str]]:
    """Write every (query, company) of the frames above: over a thousand."""
    queries: dict[str, str] = {}
    companies = cycle(COMPANIES)
    years = cycle(range(1996, 2025))
    for frame in FIGURE_FRAMES:
        for measure in MEASURES:
            for company, year in islice(zip(companies, years, strict=False), 12):
                query = frame.format(measure=measure, company=company, year=year, before=year - 1)
                queries.setdefault(query, company)
    for frame in TOPIC_FRAMES:
        for topic in TOPICS:
            for company, year in islice(zip(companies, years, strict=False), 8):
                queries.setdefault(frame.format(topic=topic, company=company, year=year), company)
    return list(queries.items())


@pytest.fixture(scope="session")
def queries() -> list[tuple[str, str]]:
    return finance_queries()


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
    ("velvet", "Who holds the mortgage on the cider mill?", "Rogue Valley Bank holds it."),
]


def context_of(name: str, text: str) -> Context:
    return Context(
        context_id=f"ctx-{name}",
        document_ids=(f"doc-{name}",),
        kind="truncated",
        text=text,
        n_tokens=count_tokens(text),
        encoding="cl100k_base",
        start_char=0,
    )


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
    return Case(
        case_id=stable_id("case", pair.qa_pair_id, "failsafeqa", "baseline"),
        qa_pair_id=pair.qa_pair_id,
        suite="failsafeqa",
        variant="baseline",
        query=pair.query,
        context_id=pair.context_id,
        target=pair.answer,
        is_answerable=True,
    )


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
