from __future__ import annotations

from typing import Any

import pytest

from tasks.results.report.cases import Letters, case_data, good_first, letters_of
from tasks.results.report.measured import Measured

Blocks = tuple[dict[str, Any], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def blocks(measured: Measured) -> Blocks:
    return case_data(measured)


def test_the_index_has_every_case_with_every_models_rating(
    blocks: Blocks, warehouse: Any, measured: Measured
) -> None:
    index = blocks[0]
    assert len(index["cases"]) == 8 * 4 * 7
    assert len(blocks[1]) == len(index["pairs"]) == 8 * 4
    is_good = {letter for letter, verdict in index["verdicts"].items() if verdict["isGood"]}
    for place, model in enumerate(measured.models):
        ratings = [ratings[place] for *_, ratings in index["cases"]]
        (good,) = warehouse.execute(
            "select count(*) from raw.judgements where model = $model and rating >= 4",
            {"model": model.name},
        ).fetchone()
        assert sum(rating in is_good for rating in ratings) == good
        assert " " not in ratings


def test_verdicts_have_a_letter_each_good_ones_first() -> None:
    letters: Letters = {}
    verdicts = [("rated 5", True), ("wrong", False), ("score 0.50", None), (None, None)]
    answers = [{"verdict": name, "is_good": good, "model": "m"} for name, good in verdicts]
    answers.append({"verdict": "rated 6", "is_good": True, "model": "m"})
    written = [letters_of([answer], {"m": 0}, letters) for answer in answers]
    assert written[3] == "-"
    assert [(letter, verdict["name"]) for letter, verdict in good_first(letters).items()] == [
        (written[4], "rated 6"),
        (written[0], "rated 5"),
        (written[2], "score 0.50"),
        (written[1], "wrong"),
    ]


def test_a_chunk_leads_from_an_answer_to_its_sentence(blocks: Blocks, warehouse: Any) -> None:
    index = blocks[0]
    id_, pair, _, query, _ = index["cases"][0]
    chunk = blocks[1][pair]
    case = next(case for case in chunk["cases"] if case["id"] == id_)
    of_answer = "from reports.explain where case_id = $id and model = 'alpha-70b'"
    said = warehouse.execute(f"select answer, citation_text {of_answer}", {"id": id_})
    text, quote = said.fetchone()
    assert any(answer["answer"] == text for answer in case["answers"])
    pieces = [piece for passage in chunk["passages"] for piece in passage]
    assert [part for kind, part in pieces if kind == "quoted"] == [quote]
    assert chunk["question"] == query


def test_changes_of_a_query_add_up_to_both_wordings(blocks: Blocks) -> None:
    queries = {id_: query for id_, _, _, query, _ in blocks[0]["cases"]}
    changed = [(chunk, case) for chunk in blocks[1][:3] for case in chunk["cases"] if case["query"]]
    assert len(changed) == 3 * 2  # misspelled and incomplete
    for chunk, case in changed:
        old = "".join(text for kind, text in case["query"] if kind != "added")
        new = "".join(text for kind, text in case["query"] if kind != "removed")
        assert (old, new) == (chunk["question"], queries[case["id"]])
