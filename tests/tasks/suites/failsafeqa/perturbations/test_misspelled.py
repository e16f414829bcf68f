"""Spelling errors: their shares, the words they spare, and their reversal."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.ids import stable_rng
from tasks.core.rows import Reject
from tasks.suites.failsafeqa.perturbations.misspelled import SHARES, misspell, perturb
from tasks.suites.failsafeqa.perturbations.word_lists import confusions, typos, word_counts
from tests.tasks.suites.failsafeqa.perturbations.conftest import baseline

WORDS = """
    what was the total of a revenue income in from company's debt 2017 $1.3 million, Apple
    non-affiliates? é ...
    “quoted” don't U.S. a an cat newspaper HTML R&D 10-K x
"""


def undo(query, edits):
    """Return the query of before the edits, which its text must hold."""
    for edit in reversed(edits):
        assert query[edit.start : edit.end] == edit.after
        query = query[: edit.start] + edit.before + query[edit.end :]
    return query


def dataset(material, queries, seed):
    """Make material and baseline cases of these queries, a pair each."""
    pair = material.pairs["qa-0"]
    pairs = [
        replace(pair, qa_pair_id=f"qa-{i}", context_id=f"ctx-{i}", query=query)
        for i, (query, _) in enumerate(queries)
    ]
    names = {f"ctx-{i}": company for i, (_, company) in enumerate(queries)}
    material = replace(
        material, pairs={pair.qa_pair_id: pair for pair in pairs}, company_names=names, seed=seed
    )
    return material, [baseline(pair) for pair in pairs]


SHORT = [
    ("What did we adopt in 2005?", ""),  # has a word to split, but only one
    ("What is net debt in 2001?", ""),  # has none
    ("Who are we?", ""),
    ("What did plaintiffs file on November 26, 2007?", ""),
]


@pytest.mark.parametrize("kind_of_queries", ["varied", "short", "mixed"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_four_kinds_have_the_papers_shares_over_a_thousand_queries(
    queries, material, kind_of_queries, seed
):
    chosen = {
        "varied": queries[:1000],
        "short": SHORT * 250,
        "mixed": queries[-500:] + SHORT * 125,
    }[kind_of_queries]
    material, cases = dataset(material, chosen, seed)
    kinds = Counter(
        edit["kind"]
        for row in perturb(cases, material)
        for edit in json.loads(row.details)["edits"]
    )
    total = sum(kinds.values())
    for kind, share in SHARES.items():
        assert abs(100 * kinds[kind] / total - 100 * share) < 2, (kind, kinds)


@settings(max_examples=300, deadline=None)
@given(
    query=st.text(max_size=80)
    | st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join),
    seed=st.integers(0, 10_000),
)
def test_edits_do_not_overlap_and_can_be_undone(query, seed):
    wrong, edits = misspell(query, stable_rng(seed, query))
    assert undo(wrong, edits) == query
    assert all(left.end <= right.start for left, right in pairwise(edits))
    assert all(wrong[edit.start : edit.end] == edit.after != edit.before for edit in edits)
    assert bool(edits) == (wrong != query)


def test_each_kind_does_what_it_says_and_spares_numbers_and_names(queries):
    seen = Counter()
    for i, (query, company) in enumerate(queries):
        wrong, edits = misspell(query, stable_rng(7, i), company, seen)
        assert undo(wrong, edits) == query != wrong
        assert re.findall(r"[\d$%,.]+", query) == re.findall(r"[\d$%,.]+", wrong)
        assert query.count(company) == wrong.count(company)
        assert wrong.count("  ") == query.count("  ")
        for edit in edits:
            before, after = edit.before, edit.after
            seen[edit.kind] += 1
            if edit.kind == "split":
                left, right = after.split(" ")
                assert left + right == before
                assert {left.lower(), right.lower()} <= word_counts().keys()
            elif edit.kind == "segment":
                assert after.replace(" ", "") == before.replace(" ", "")
                assert after.count(" ") != before.count(" ")
            elif edit.kind == "realword":
                assert after.lower() in confusions(before.lower())
                assert before[0].isupper() == after[0].isupper()
            else:
                assert after.lower() in typos()[before.lower()]
    assert set(seen) == set(SHARES)


def test_a_confusion_is_a_known_word_at_one_edit():
    assert {"changes"} <= set(confusions("charges"))
    assert "revenge" in confusions("revenue")
    assert "not" not in confusions("net")  # would change what is asked
    assert "cunt" not in confusions("count")
    assert "revenues" not in confusions("revenue")
    assert all(word_counts()[word] >= 1000 for word in confusions("charges"))


def test_rejects_a_query_without_words_to_misspell(material):
    material, cases = dataset(material, [("EBITDA 2017?", "")], 0)
    (row,) = perturb(cases, material)
    assert isinstance(row, Reject)
    assert (row.parent_id, row.stage) == (cases[0].case_id, "cases.misspelled")
    assert row.reason == "the query has no word that may be misspelled"
