from __future__ import annotations

import base64
import gzip
import json
from random import Random
from typing import Any

import pytest

from tasks.results.report.cases import Blocks, case_blocks, in_scan
from tasks.results.report.measured import Measured
from tests.some import some


def opened(block: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(block)))


@pytest.fixture(scope="module")
def blocks(warehouse: Any, measured: Measured) -> Blocks:
    return case_blocks(warehouse, measured)


def test_the_index_has_every_case_with_every_models_rating(
    blocks: Blocks, warehouse: Any, measured: Measured
) -> None:
    index = opened(blocks.index)
    assert len(index["cases"]) == 8 * 4 * 7
    assert len(blocks.chunks) == len(index["pairs"]) == 8 * 4
    for place, model in enumerate(measured.models):
        ratings = [ratings[place] for *_, ratings in index["cases"]]
        (good,) = warehouse.execute(
            "select count(*) from raw.judgements where model = $model and rating >= 4",
            {"model": model.name},
        ).fetchone()
        assert sum(rating in "456" for rating in ratings) == good
        assert " " not in ratings


def test_a_chunk_leads_from_an_answer_to_its_sentence(blocks: Blocks, warehouse: Any) -> None:
    index = opened(blocks.index)
    id_, pair, _, query, _ = index["cases"][0]
    chunk = opened(blocks.chunks[pair])
    case = next(case for case in chunk["cases"] if case["id"] == id_)
    text, quote = warehouse.execute(
        (
            "select answer, citation_text from reports.explain "
            "where case_id = $id and model = 'alpha-70b'"
        ),
        {"id": id_},
    ).fetchone()
    assert any(answer[3] == text for answer in case["answers"])
    assert [
        part for passage in chunk["passages"] for kind, part in passage if kind == "quoted"
    ] == [quote]
    assert chunk["question"] == query


def test_changes_of_a_query_add_up_to_both_wordings(blocks: Blocks) -> None:
    index = opened(blocks.index)
    queries = {id_: query for id_, _, _, query, _ in index["cases"]}
    changed = 0
    for block in blocks.chunks[:3]:
        chunk = opened(block)
        for case in chunk["cases"]:
            if case["query"] is not None:
                changed += 1
                assert (
                    "".join(text for kind, text in case["query"] if kind != "added")
                    == chunk["question"]
                )
                assert (
                    "".join(text for kind, text in case["query"] if kind != "removed")
                    == queries[case["id"]]
                )
    assert changed == 3 * 2  # misspelled and incomplete


def test_cases_without_a_context_and_without_an_answer_are_told_apart(blocks: Blocks) -> None:
    chunk = opened(blocks.chunks[0])
    kinds = {
        case["id"].rsplit("-", 1)[1]: (case["isAnswerable"], case["hasContext"])
        for case in chunk["cases"]
    }
    assert kinds["baseline"] == (True, True)
    assert kinds["missing_context"] == (False, False)
    assert kinds["irrelevant_context"] == (False, True)


def test_the_same_lake_gives_the_same_bytes(
    blocks: Blocks, warehouse: Any, measured: Measured
) -> None:
    assert case_blocks(warehouse, measured) == blocks


def test_a_place_is_found_in_its_scan() -> None:
    """With one character in thirty lost, changed or added, as the variant does it."""
    rng = Random(3)
    words = [f"{word}{n}" for n in range(2_000) for word in ("revenue", "of", "the", "segment")]
    clean = " ".join(words)
    scanned = []
    for char in clean:
        drawn = rng.random()
        scanned.append(
            "" if drawn < 0.01 else "~" if drawn < 0.02 else f"^{char}" if drawn < 0.03 else char
        )
    text = "".join(scanned)
    starts = [0]
    for piece in scanned:
        starts.append(starts[-1] + len(piece))
    for place in some(range(500, len(clean) - 500, 997)):
        found = in_scan(clean, text, place, place * len(text) // len(clean), 3_000)
        assert found is not None
        assert abs(found - starts[place]) <= 4


def test_a_place_is_not_found_where_nothing_came_through() -> None:
    assert in_scan("some clean text " * 50, "~" * 800, 100, 100, 3_000) is None


def test_blanks_and_rulings_tell_no_place() -> None:
    """Rows of dots and dashes are alike: one that came through whole may be another's."""
    clean = "-" * 40 + " revenue of the segment " + "." * 40
    scanned = "." * 14 + " revenue of the segment " + "~" * 40
    assert in_scan(clean, scanned, len(clean) - 10, len(scanned) - 10, 3_000) == len(scanned) - 10
