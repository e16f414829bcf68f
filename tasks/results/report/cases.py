"""The case browser's data: every judged answer with its question and citations.

The page opens an index of the cases at once, and one chunk per question on demand. Both are packed
JSON, so that one page can hold twenty models' answers. Hidden characters are spelled out here.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tasks.results.explain.explain import PUBLISHED, company_of
from tasks.results.report.measured import Measured
from tasks.text.counterpart import counterpart
from tasks.text.differences import word_differences
from tasks.text.passages import find_quotations, passages
from tasks.text.shares import share
from tasks.text.visible import visible

if TYPE_CHECKING:
    import duckdb

# Longer texts are cut on the page; `tenkbench explain` shows them in full.
LONGEST_TEXT = 6_000
_UNSCORED = "-"
_NO_ANSWER = " "
_FIRST = ord("A")
_ROWS_AT_ONCE = 2_000

_COLUMNS = (
    "qa_pair_id, variant, case_id, model, rating, label, score, is_compliant, unscored_reason, "
    "rationale, answer, "
    "finish_reason, latency_ms, answer_read, query, original_query, target, task, traits, "
    "is_answerable, context_id, original_context_id, company, cik, form, period_end, filed_date, "
    "item, filing_id, source_uri, edgar_url"
)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The page's packed data: an index, and one chunk per question.

    Both are base64 of gzipped JSON.
    """

    index: str
    chunks: tuple[str, ...]


def case_blocks(warehouse: duckdb.DuckDBPyConnection, measured: Measured) -> Blocks:
    """Pack every answer that the headline judge rated or could not rate.

    Needs `reports.explain` of one release.
    """
    places = {model.name: place for place, model in enumerate(measured.models)}
    variants = list(measured.page.variants)
    contexts = _Contexts(warehouse, measured.suite.name)
    verdicts = _Verdicts()
    pairs: list[dict[str, Any]] = []
    cases: list[list[Any]] = []
    chunks: list[str] = []
    for _, group in groupby(_judged(warehouse, measured), key=lambda row: row["qa_pair_id"]):
        rows = list(group)
        chunk = _pair(rows[0], contexts, measured)
        for _, of_case in groupby(rows, key=lambda row: row["case_id"]):
            answers = list(of_case)
            case = answers[0]
            if case["variant"] not in variants:
                variants.append(case["variant"])
            cases.append(
                [
                    case["case_id"],
                    len(pairs),
                    variants.index(case["variant"]),
                    visible(case["query"]),
                    verdicts.of_case(answers, places),
                ]
            )
            chunk["cases"].append(_case(case, answers, places, contexts, verdicts))
        pairs.append({key: chunk[key] for key in ("company", "year", "task")})
        chunks.append(_packed(chunk))
    index = {
        "models": [
            {"name": visible(model.name), "isBaseline": model.is_baseline}
            for model in measured.models
        ],
        "judge": visible(measured.judge),
        "hasForms": measured.page.has_forms,
        "centre": measured.page.centre,
        "verdicts": verdicts.told(),
        "variants": [measured.page.variant_name(name) for name in variants],
        "pairs": pairs,
        "cases": cases,
    }
    return Blocks(_packed(index), tuple(chunks))


class _Verdicts:
    """Every rating, label or score that an answer got, each with a character."""

    def __init__(self) -> None:
        # (its name, its full text, whether it is good if known) -> its character
        self.found: dict[tuple[str, str, bool | None], str] = {}

    def of(self, answer: dict[str, Any]) -> str | None:
        """Return the character of an answer's verdict, or None without one."""
        is_good, name = answer["is_compliant"], answer["label"]
        good = {True: ", good", False: ", not good", None: ""}[is_good]
        if answer["rating"] is not None:
            name = f"rated {answer['rating']}"
        elif name is None and answer["score"] is not None:
            name = f"score {share(answer['score'])}"
        else:
            good = ""
        if name is None:
            return None
        name = visible(name)
        return self.found.setdefault((name, name + good, is_good), chr(_FIRST + len(self.found)))

    def of_case(self, answers: Sequence[dict[str, Any]], places: dict[str, int]) -> str:
        """Write one character per model; it is a space if the model was not asked."""
        verdicts = [_NO_ANSWER] * len(places)
        for answer in answers:
            if answer["model"] in places:
                verdicts[places[answer["model"]]] = self.of(answer) or _UNSCORED
        return "".join(verdicts)

    def told(self) -> dict[str, dict[str, Any]]:
        """Return the verdicts by character, good ones first, then by name from the highest."""
        rank = {True: 2, None: 1, False: 0}
        found = sorted(self.found.items(), key=lambda item: (rank[item[0][2]], item[0]))
        return {
            letter: {"name": name, "full": full, "isGood": is_good}
            for (name, full, is_good), letter in reversed(found)
        }


def _judged(warehouse: duckdb.DuckDBPyConnection, measured: Measured) -> Iterator[dict[str, Any]]:
    """Yield rows of `reports.explain` by question, case and model.

    The cases of a question come in the page's order.
    """
    cursor = warehouse.execute(
        f"select {_COLUMNS} from reports.explain where suite = $suite and release = $release and "
        "judge = $judge order by company nulls last, period_end, qa_pair_id, "
        "coalesce(list_position($variants, variant), 99), variant, case_id, model",
        {
            "suite": measured.suite.name,
            "release": measured.release,
            "judge": measured.judge,
            "variants": list(measured.page.variants),
        },
    )
    names = [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield from (dict(zip(names, row, strict=True)) for row in rows)


class _Contexts:
    """The contexts that models saw, and the citations in them."""

    def __init__(self, warehouse: duckdb.DuckDBPyConnection, suite: str) -> None:
        found = warehouse.execute(
            "select context_id, text, start_char from raw.contexts where suite = $suite",
            {"suite": suite},
        ).fetchall()
        self.texts = {context_id: (text, start) for context_id, text, start in found}
        cited = warehouse.execute(
            "select qa_pair_id, citations from raw.qa_pairs where suite = $suite", {"suite": suite}
        ).fetchall()
        self.citations = dict(cited)
        self.evidence: dict[str, dict[str, list[str]]] = {}
        for qa_pair_id, heading, said in warehouse.execute(
            "select qa_pair_id, heading, said from suites.evidence where suite = $suite "
            "order by qa_pair_id, heading, place",
            {"suite": suite},
        ).fetchall():
            self.evidence.setdefault(qa_pair_id, {}).setdefault(heading, []).append(visible(said))

    def quotes(self, qa_pair_id: str) -> list[str]:
        """Return the quotes of a pair's citations."""
        return [citation["quote"] for citation in self.citations[qa_pair_id]]

    def spans(self, qa_pair_id: str, context_id: str) -> list[tuple[int, int]]:
        """Find a pair's citations in its own context."""
        text, start = self.texts[context_id]
        spans = []
        for citation in self.citations[qa_pair_id]:
            begin, end = citation["start_char"] - start, citation["end_char"] - start
            if text[begin:end] == citation["quote"] and begin >= 0:
                spans.append((begin, end))
            else:  # a published dataset gives citations as text only
                spans += find_quotations(text, [citation["quote"]])
        return spans


# --- one question ------------------------------------------------------------------------


def _pair(row: dict[str, Any], contexts: _Contexts, measured: Measured) -> dict[str, Any]:
    text, _ = contexts.texts[row["original_context_id"]]
    spans = contexts.spans(row["qa_pair_id"], row["original_context_id"])
    return {
        "company": visible(company_of(row["company"], row["cik"]) or "Company not named"),
        "year": str(row["period_end"].year) if row["period_end"] else "",
        "task": measured.page.tasks.get(row["task"], row["task"]),
        "slices": _slices(row["traits"] or {}, measured),
        "form": row["form"] and visible(row["form"]),
        "period": row["period_end"] and row["period_end"].isoformat(),
        "filed": row["filed_date"] and row["filed_date"].isoformat(),
        "item": row["item"],
        "filing": visible(row["source_uri"] if row["form"] == PUBLISHED else row["filing_id"]),
        "address": row["edgar_url"],
        "question": visible(row["original_query"]),
        "target": _shortened(row["target"]),
        "passages": [
            [
                [part.kind, visible(part.text) if part.kind != "left_out" else ""]
                for part in passage.parts
            ]
            for passage in passages(text, spans)
        ]
        # The cited text is not in the shown one: the sentence of a masked figure.
        or [[["quoted", visible(quote)]] for quote in contexts.quotes(row["qa_pair_id"])],
        "evidence": list(contexts.evidence.get(row["qa_pair_id"], {}).items()),
        "cases": [],
    }


def _slices(traits: dict[str, str], measured: Measured) -> list[str]:
    """Name a pair's value in each of the suite's dimensions.

    Example: `Unit of the figure: money`.
    """
    words = measured.page
    return [
        visible(f"{title}: {words.slice_value(dimension, str(traits[dimension]))}")
        for dimension, title in words.dimensions.items()
        if dimension in traits and (measured.is_published or dimension not in words.of_published)
    ]


def _case(
    case: dict[str, Any],
    answers: Sequence[dict[str, Any]],
    places: dict[str, int],
    contexts: _Contexts,
    verdicts: _Verdicts,
) -> dict[str, Any]:
    is_rewritten = case["query"] != case["original_query"]
    return {
        "id": case["case_id"],
        "isAnswerable": case["is_answerable"],
        "query": _pieces(case["original_query"], case["query"])
        if is_rewritten and case["is_answerable"]
        else None,
        "hasContext": case["context_id"] is not None,
        "copy": _changed_text(case, contexts),
        "answers": [
            [
                places[answer["model"]],
                verdicts.of(answer),
                answer["unscored_reason"] and visible(answer["unscored_reason"]),
                None if answer["answer"] is None else _shortened(answer["answer"]),
                None if answer["rationale"] is None else _shortened(answer["rationale"]),
                answer["finish_reason"],
                None if answer["latency_ms"] is None else round(answer["latency_ms"]),
                None if answer["answer_read"] is None else _shortened(answer["answer_read"]),
            ]
            for answer in answers
            if answer["model"] in places
        ],
    }


def _pieces(old: str, new: str) -> list[list[str]]:
    return [[piece.kind, visible(piece.text)] for piece in word_differences(old, new)]


def _shortened(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        left = len(text) - LONGEST_TEXT
        text = f"{text[:LONGEST_TEXT]}… ({left:,} more characters; `tenkbench explain` shows them)"
    return visible(text)


def _changed_text(case: dict[str, Any], contexts: _Contexts) -> list[list[list[str]]] | None:
    """Compare the cited sentences with the copy of their text that the case shows.

    Returns None if the case shows their text itself, or none.
    """
    shown, clean_id = case["context_id"], case["original_context_id"]
    if shown is None or shown == clean_id:
        return None
    clean, copy = contexts.texts[clean_id][0], contexts.texts[shown][0]
    spans = contexts.spans(case["qa_pair_id"], clean_id)
    places = [(span, counterpart(clean, span, copy)) for span in spans]
    return [_pieces(clean[slice(*span)], copy[slice(*found)]) for span, found in places if found]


def _packed(value: Any) -> str:
    """Pack a value as gzipped JSON in base64.

    The gzip header has no timestamp, so the same lake gives the same bytes.
    """
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()
