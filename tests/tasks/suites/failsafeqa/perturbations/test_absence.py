"""A context holds or lacks the figures and names of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.perturbations.absence import (
    Facts,
    core_name,
    evidence_of,
    telling_names,
)
from tasks.text.terms import content_terms

CONTEXT = """Revenue of Harbor Lantern was $48.2 million. (In thousands)

Cost of sales | 5,123 | 4,876
Tax rate | 21.5% | 35.0%

Premier Cider, Inc. is our largest customer."""


@pytest.fixture(scope="module")
def facts():
    return Facts.of(CONTEXT)


@pytest.mark.parametrize(
    ("figure", "is_there"),
    [
        ("$48.2 million", True),
        ("$48,200,000", True),
        ("$48,213,000", True),  # 48.2 million, more precisely
        ("$48.3 million", False),
        ("$5.123 million", True),  # the table is in thousands
        ("$5,123", True),
        ("21.5 percent", True),
        ("2,150 basis points", True),
        ("21.6 percent", False),
        ("$7.45 million", False),
    ],
)
def test_finds_figures_in_any_notation(facts, figure, is_there):
    (wanted,) = find_figures(figure)
    assert facts.has_figure(wanted, set(content_terms(CONTEXT))) is is_there


@pytest.mark.parametrize(
    ("query", "is_there"),
    [
        ("What were net sales in 2016?", True),
        ("What was the loss on timber in 2016?", False),
    ],
)
def test_a_figure_counts_only_beside_a_word_of_the_query(query, is_there):
    """A report of thousands of figures has one of them anywhere."""
    facts = Facts.of("Net sales were $48.2 million.\n\nWe lost timber of $3 million.")
    (wanted,) = find_figures("$48.2 million")
    assert facts.has_figure(wanted, set(content_terms(query))) is is_there


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("harbor lantern", True),
        ("premier cider", True),
        ("premier", True),
        ("arbor", False),
        ("velvet orchard", False),
    ],
)
def test_finds_names_as_whole_words_in_any_case(facts, name, is_there):
    assert facts.has_name(name) is is_there


def test_drops_the_legal_form_of_names():
    assert core_name("Premier Cider, Inc.") == "premier cider"
    assert core_name("NORFOLK  SOUTHERN CORPORATION") == "norfolk southern"
    assert core_name("") == ""


def test_names_of_every_report_say_nothing():
    assert telling_names(
        "Did the SEC ask Velvet Orchard Inc. about GAAP in the United States?"
    ) == ["velvet orchard"]


def test_the_evidence_is_the_distinctive_figures_and_the_names(material):
    pair = replace(
        material.pairs["qa-3"],
        answer="Over 12 months in 2003 revenue at the Medford mill was $7.45 million.",
    )
    evidence = evidence_of(pair)
    assert [figure.text for figure in evidence.figures] == ["$7.45 million"]
    assert "velvet orchard" in evidence.names
    plain = evidence_of(replace(pair, answer="It took 12 months."))
    assert [figure.text.strip() for figure in plain.figures] == ["12"]


def test_pair_without_figures_and_names_has_no_evidence(material):
    assert not evidence_of(
        replace(material.pairs["qa-0"], query="Did it grow?", answer="Yes, in 2017.")
    )


def test_lists_the_evidence_that_it_finds(facts, material):
    evidence = evidence_of(
        replace(material.pairs["qa-0"], answer="It was $48.2 million, and $7.77 million.")
    )
    evidence = replace(evidence, names=(*evidence.names, "premier cider"))
    assert facts.found(evidence, set(content_terms(CONTEXT))) == [
        "$48.2 million",
        "harbor lantern",
        "premier cider",
    ]
