"""Queries as analysts ask them, and cases and material made of them."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

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
    "operating income",
    "gross profit",
    "total assets",
    "long-term debt",
    "cash and cash equivalents",
    "interest expense",
    "research and development expense",
    "the effective tax rate",
    "basic earnings per share",
    "diluted earnings per share",
    "total stockholders' equity",
    "accounts receivable",
    "depreciation and amortization",
    "goodwill",
    "net cash provided by operating activities",
    "selling, general and administrative expenses",
    "the provision for income taxes",
    "capital expenditures",
    "inventories",
    "dividends paid per common share",
    "the allowance for doubtful accounts",
    "deferred tax assets",
]
TOPICS = [
    "the company's revenue recognition policy",
    "its main risk factors",
    "the terms of the credit agreement",
    "legal proceedings",
    "competition in the semiconductor market",
    "the pension plan assumptions",
    "its environmental obligations",
    "the lease commitments",
    "the stock repurchase program",
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


def finance_queries() -> list[tuple[str, str]]:
    """All (query, company) of the frames above: over a thousand, each once."""
    queries: dict[str, str] = {}
    companies = cycle(COMPANIES)
    years = cycle(range(1996, 2025))
    for frame in FIGURE_FRAMES:
        for measure in MEASURES:
            for company, year in islice(zip(companies, years, strict=False), 6):
                query = frame.format(measure=measure, company=company, year=year, before=year - 1)
                queries.setdefault(query, company)
    for frame in TOPIC_FRAMES:
        for topic in TOPICS:
            for company, year in islice(zip(companies, years, strict=False), 4):
                queries.setdefault(frame.format(topic=topic, company=company, year=year), company)
    return list(queries.items())


@pytest.fixture(scope="session")
def queries() -> list[tuple[str, str]]:
    return finance_queries()
