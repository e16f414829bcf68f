"""Queries borrowed from another filing are out of scope."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.perturbations.absence import Facts
from tasks.suites.failsafeqa.perturbations.irrelevant_context import (
    MOST_QUESTIONS,
    perturb,
    read_verdict,
)
from tasks.text.retrieval import years_in
from tests.some import some


def says(verdict):
    return lambda operation, inputs: f"Because.\nVerdict: {verdict}"


def test_the_query_and_its_answer_come_from_another_filing(cases, material):
    rows = [row for row in perturb(cases, material) if isinstance(row, Case)]
    assert len(rows) == len(cases)
    for row in rows:
        details = json.loads(row.details)
        donor = material.pairs[details["donor_qa_pair_id"]]
        assert (row.query, row.target) == (donor.query, donor.answer)
        assert row.context_id == material.pairs[row.qa_pair_id].context_id != donor.context_id
        assert details["donor_filing_id"] == material.filing_ids[donor.context_id]
        assert not row.is_answerable
        assert details["model_check"]["verdict"] == "not answerable"


def test_absent_figures_and_names_are_absent(cases, material):
    for row in some(perturb(cases, material)):
        text = material.contexts[row.context_id].text
        absent = json.loads(row.details)["absent"]
        assert absent["figures"] or absent["names"]
        assert not any(figure in text for figure in absent["figures"])
        assert not any(Facts.of(text).has_name(name) for name in absent["names"])


def test_skips_donors_whose_answer_is_in_the_context(cases, material, canned):
    leak = material.contexts["ctx-harbor"]
    contexts = {
        **material.contexts,
        "ctx-harbor": replace(
            leak,
            text=f"{leak.text}\n\nRevenue of a mill was $7.45 million for 18,340 tons of apples. "
            "Rogue Valley Bank.",
        ),
    }
    engine = canned(says("not answerable"))
    rows = list(perturb(cases[:1], replace(material, contexts=contexts, generators=[engine])))
    asked = [call.inputs()["context"] for calls in engine.asked for call in calls]
    assert contexts["ctx-harbor"].text not in asked
    assert isinstance(rows[0], Reject)
    assert rows[0].reason == "no query from another filing is out of scope here"
    assert rows[0].detail.startswith("3 looked at: the context holds figures or names of 3")


def test_first_choices_are_asked_together_and_only_failures_again(cases, material, canned):
    refused: list[str] = []

    def answer(operation, inputs):
        refused[1:] = []
        refused.append(inputs["query"])  # the first query that comes is refused whenever it comes
        return "Verdict: answerable" if inputs["query"] == refused[0] else "Verdict: not answerable"

    engine = canned(answer)
    rows = list(perturb(cases, replace(material, generators=[engine])))
    rounds = [[call.inputs()["query"] for call in calls] for calls in engine.asked]
    assert len(rounds[0]) == len(cases)
    failures = [queries.count(refused[0]) for queries in rounds]
    assert failures[0] > 0
    assert [len(queries) for queries in rounds[1:]] == failures[:-1]
    assert failures[-1] == 0
    assert all(isinstance(row, Case) and row.query != refused[0] for row in rows)


def test_calls_about_one_context_share_a_prefix_and_stand_together(cases, material, canned):
    engine = canned(says("not answerable"))
    list(perturb(cases, replace(material, generators=[engine])))
    prefixes = [call.prefix.prefix_id for call in engine.asked[0]]
    assert len(set(prefixes)) == 2
    assert prefixes == sorted(prefixes, key=prefixes.index)
    call = engine.asked[0][0]
    assert call.inputs()["context"] in call.prefix.text
    assert call.inputs()["query"] in call.request.suffix


def test_rejects_a_case_if_every_query_is_answerable(cases, material, canned):
    engine = canned(says("answerable"))
    rows = list(perturb(cases, replace(material, generators=[engine])))
    assert {row.reason for row in rows if isinstance(row, Reject)} == {
        "no query from another filing is out of scope here"
    }
    asked = Counter(call.request.subject_id for calls in engine.asked for call in calls)
    assert set(asked.values()) == {3}  # the other filing has three pairs
    assert max(asked.values()) <= MOST_QUESTIONS


def test_reply_without_a_verdict_does_not_count(cases, material, canned):
    engine = canned(lambda operation, inputs: "it may be answerable or not")
    rows = list(perturb(cases, replace(material, generators=[engine])))
    assert all(isinstance(row, Reject) for row in rows)
    assert "3 checks could not be read" in rows[0].detail


def test_one_filing_alone_cannot_borrow(cases, material):
    only = {key: pair for key, pair in material.pairs.items() if pair.context_id == "ctx-harbor"}
    rows = list(perturb(cases[:3], replace(material, pairs=only)))
    assert {row.reason for row in rows} == {"no other filing to borrow a query from"}


def test_a_company_lends_only_queries_of_years_that_its_other_report_does_not_cover(
    cases, material
):
    """Harbor's pairs are of 2017, Velvet's of 2003; one of each names no year."""
    names = {"ctx-harbor": "Harbor Lantern Corp", "ctx-velvet": "HARBOR LANTERN CORPORATION"}
    same = [{"company_names": names}, {"ciks": {"ctx-harbor": "7", "ctx-velvet": "7"}}]
    for of_one_company in same:
        rows = list(perturb(cases, replace(material, **of_one_company)))
        lent = [row for row in rows if isinstance(row, Case)]
        assert len(lent) == len(cases)
        assert {row.traits["borrowed"] for row in lent} == {"other year"}
        for row in lent:
            assert years_in(row.query)
            assert not any(
                year in material.contexts[row.context_id].text for year in years_in(row.query)
            )


def test_the_year_after_a_report_is_not_its_own_whatever_the_report_mentions(cases, material):
    """The report of 2003 mentions 2017 on its cover, as the year of its filing."""
    velvet = material.contexts["ctx-velvet"]
    contexts = {
        **material.contexts,
        "ctx-velvet": replace(velvet, text=f"{velvet.text}\n\nAs of March 2, 2017."),
    }
    one = replace(material, contexts=contexts, ciks={"ctx-harbor": "7", "ctx-velvet": "7"})
    of_velvet = [case for case in cases if case.context_id == "ctx-velvet"]
    assert not [row for row in perturb(of_velvet, one) if isinstance(row, Case)]
    years = replace(one, fiscal_years={"ctx-harbor": 2017, "ctx-velvet": 2016})
    assert all(isinstance(row, Case) for row in perturb(of_velvet, years))


def test_a_query_on_the_same_measure_of_another_company_is_marked(cases, material):
    """Both reports state total revenue; each query names its company and a figure."""
    text = material.contexts["ctx-harbor"].text + "\n\nTotal revenue was $60.3 million in 2017."
    contexts = {
        **material.contexts,
        "ctx-harbor": replace(material.contexts["ctx-harbor"], text=text),
    }
    rows = some(perturb(cases, replace(material, contexts=contexts)))
    of = {(row.context_id, row.query): row.traits["borrowed"] for row in rows}
    revenue = "What was the total revenue of Velvet Orchard in 2003?"
    assert of.pop(("ctx-harbor", revenue)) == "same measure"
    assert set(of.values()) == {"unrelated"}


def test_a_donor_that_asks_the_same_question_lends_nothing(cases, material):
    pairs = {key: replace(pair, query=cases[0].query) for key, pair in material.pairs.items()}
    rows = list(perturb(cases[:1], replace(material, pairs=pairs)))
    assert [row.reason for row in rows] == ["no other filing to borrow a query from"]


def test_figures_that_stand_in_the_context_by_chance_keep_no_donor_away(cases, material):
    leak = material.contexts["ctx-harbor"]
    text = f"{leak.text}\n\nA bridge cost $7.45 million and weighs 18,340 pounds."
    contexts = {**material.contexts, "ctx-harbor": replace(leak, text=text)}
    of_harbor = [case for case in cases if case.context_id == "ctx-harbor"]
    rows = some(perturb(of_harbor, replace(material, contexts=contexts)))
    assert {row.query for row in rows} >= {
        "What was the total revenue of Velvet Orchard in 2003?",
        "How many tons of apples did the harvest of 2003 bring?",
    }


def test_a_company_lends_a_query_of_another_year_on_what_both_reports_name(cases, material):
    """The part of the business has the same name each year: only the figures and the year count."""
    contexts = {
        key: replace(context, text=f"{context.text}\n\nThe Medford plant had net sales.")
        for key, context in material.contexts.items()
    }
    query = "What were the net sales of Harbor Lantern's Medford plant in 2017?"
    pairs = {**material.pairs, "qa-0": replace(material.pairs["qa-0"], query=query)}
    one = replace(
        material,
        pairs=pairs,
        contexts=contexts,
        ciks={"ctx-harbor": "7", "ctx-velvet": "7"},
    )
    of_velvet = [case for case in cases if case.context_id == "ctx-velvet"]
    assert query in {row.query for row in some(perturb(of_velvet, one))}


def test_words_that_frame_a_query_are_no_part_of_its_measure(cases, material):
    query = "What percentage of total revenue did Velvet Orchard's cider account for in 2003?"
    pairs = {
        key: replace(pair, query=query, answer="31.7% of total revenue.") if key == "qa-3" else pair
        for key, pair in material.pairs.items()
    }
    text = material.contexts["ctx-harbor"].text + "\n\nCider was 9 % of total revenue."
    contexts = {
        **material.contexts,
        "ctx-harbor": replace(material.contexts["ctx-harbor"], text=text),
    }
    rows = some(perturb(cases, replace(material, pairs=pairs, contexts=contexts)))
    of = {(row.context_id, row.query): row.traits["borrowed"] for row in rows}
    assert of["ctx-harbor", query] == "same measure"


def test_donors_are_spread(material):
    """Sixty filings of one pair each."""
    base = material.pairs["qa-0"]
    pairs, contexts, filings, names = {}, {}, {}, {}
    for i in range(60):
        name = f"Quill{chr(65 + i % 26)}{chr(97 + i // 26)}"
        contexts[f"ctx-{i}"] = replace(
            material.contexts["ctx-harbor"],
            context_id=f"ctx-{i}",
            text=f"{name} earned a profit of ${i + 300}.7 million.",
        )
        filings[f"ctx-{i}"] = f"filing-{i}"
        names[f"ctx-{i}"] = name
        pairs[f"qa-{i}"] = replace(
            base,
            qa_pair_id=f"qa-{i}",
            context_id=f"ctx-{i}",
            query=f"How much {('profit', 'ballast')[i % 2]} did {name} earn in {1960 + i}?",
            answer=f"${i + 100}.5 million",
        )
    cases = [
        Case(
            case_id=f"case-{i}",
            qa_pair_id=f"qa-{i}",
            suite="failsafeqa",
            variant="baseline",
            query=pairs[f"qa-{i}"].query,
            context_id=f"ctx-{i}",
            target="",
            is_answerable=True,
        )
        for i in range(60)
    ]
    material = replace(
        material, pairs=pairs, contexts=contexts, filing_ids=filings, company_names=names
    )
    rows = some(perturb(cases, material))
    uses = Counter(json.loads(row.details)["donor_qa_pair_id"] for row in rows)
    assert sum(uses.values()) == 60
    assert max(uses.values()) <= 2
    # every report speaks of profit, as half the queries do
    near = [row for row in rows if row.traits["borrowed"] == "same measure"]
    assert len(near) == 20


def test_a_context_gets_no_query_twice_if_there_are_others(cases, material):
    rows = some(perturb(cases, material))
    assert len({(row.context_id, row.query) for row in rows}) == len(rows) == 6


def test_a_text_that_any_report_could_give_is_not_borrowed(cases, material):
    """An order that names no company is meant for the company of the document."""
    order = {"task": "tg", "query": "Write a short note on harvests."}
    pairs = {
        key: replace(pair, **order) if pair.context_id == "ctx-velvet" else pair
        for key, pair in material.pairs.items()
    }
    of_harbor = [case for case in cases if case.context_id == "ctx-harbor"]
    rows = list(perturb(of_harbor, replace(material, pairs=pairs)))
    assert all(isinstance(row, Reject) for row in rows)


def test_a_donor_is_used_again_only_if_a_case_has_no_other(cases, material, canned):
    """Of Velvet's pairs one may lend: all of Harbor's cases get it, or are rejected."""
    spent = {
        key: pair
        if pair.context_id == "ctx-harbor" or key == "qa-3"
        else replace(pair, answer="Yes.")
        for key, pair in material.pairs.items()
    }
    spent = {key: replace(pair, query=pair.query.lower()) for key, pair in spent.items()}
    engine = canned(says("not answerable"))
    rows = list(perturb(cases, replace(material, pairs=spent, generators=[engine])))
    of_harbor = [row for row in rows if isinstance(row, Case) and row.context_id == "ctx-harbor"]
    donors = [json.loads(row.details)["donor_qa_pair_id"] for row in of_harbor]
    assert Counter(donors)["qa-3"] == 3


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Verdict: answerable", True),
        ('{"reason": "It is missing.", "verdict": "not answerable"}', False),
    ],
)
def test_the_one_verdict_counts(reply, verdict):
    assert read_verdict(reply) is verdict


def test_rejects_replies_without_a_verdict():
    with pytest.raises(ParseError, match="no verdict"):
        read_verdict("The document does not answer it.")
