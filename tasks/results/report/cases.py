"""The case browser's data: every judged answer with its question and citations.

The page opens an index of the cases at once, and one chunk per question on demand. Both are packed
JSON, so that one page can hold twenty models' answers. Hidden characters are spelled out here.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from tasks.filings.reader.table_html import html_rows
from tasks.results.explain.explain import PUBLISHED, company_of
from tasks.results.report.measured import Measured, Reports, Row
from tasks.results.report.messages import say
from tasks.suites.suite import Rating
from tasks.text.differences import word_differences
from tasks.text.passages import find_quotations, passages
from tasks.text.shares import share
from tasks.text.visible import visible
from tasks.warehouse.sql_files import CHANGES, MARKS, SHOWN_TABLES

# Longer texts are cut on the page; `tenkbench explain` shows them in full.
LONGEST_TEXT = 6_000
_LONGEST_REASON = 1_500  # of a comparison
_LONGEST_LINE = 300  # of a long text
_LARGEST_TABLE = 2_000  # cells
_UNSCORED = "-"
_NO_ANSWER = " "
_FIRST = ord("A")


@dataclass(frozen=True, slots=True)
class Blocks:
    """The page's packed data: an index, and one chunk per question.

    Both are base64 of gzipped JSON.
    """

    index: str
    chunks: tuple[str, ...]


def case_blocks(measured: Measured) -> Blocks:
    """Pack every case with the answers that the headline judge rated or could not rate."""
    index, chunks = case_data(measured)
    return Blocks(_packed(index), tuple(map(_packed, chunks)))


def case_data(measured: Measured) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the index of the cases, and a chunk for each question."""
    places = {model.name: place for place, model in enumerate(measured.models)}
    variants = list(measured.page.variants)
    anchors = {
        measured.parameters[metric.anchor]
        for metric in measured.suite.metrics.values()
        if isinstance(metric, Rating)
    }
    tables = _tables(measured)
    marks = _marks(measured, places)
    changes = _changes(measured)
    contexts = _Contexts(measured.reports)
    verdicts = _Verdicts()
    pairs: list[dict[str, Any]] = []
    cases: list[list[Any]] = []
    chunks: list[dict[str, Any]] = []
    explained = measured.reports["reports.explain"]
    for _, group in groupby(explained, key=itemgetter("qa_pair_id")):
        of_pair = list(group)
        chunk = _pair(of_pair[0], contexts, measured)
        if shown := tables.get(of_pair[0]["qa_pair_id"]):
            chunk["tables"] = shown
        for case in of_pair:
            if case["variant"] not in variants:
                variants.append(case["variant"])
            cases.append(
                [
                    case["case_id"],
                    len(pairs),
                    variants.index(case["variant"]),
                    case["query"],
                    verdicts.of_case(case["answers"] or (), places),
                ]
            )
            chunk["cases"].append(
                _case(case, places, contexts, verdicts)
                | {
                    "variant": measured.page.variant_name(case["variant"]),
                    "query_as_asked": case["query"],
                }
                | _games(case, places, anchors)
                | marks.get(case["case_id"], {})
                | changes.get(case["case_id"], {})
            )
        pairs.append({key: chunk[key] for key in ("company", "year", "task")})
        chunks.append(chunk)
    index = {
        "models": [
            {"name": model.name, "isBaseline": model.is_baseline} for model in measured.models
        ],
        "judge": measured.judge,
        "hasForms": measured.has_forms,
        "verdicts": verdicts.told(),
        "variants": [measured.page.variant_name(name) for name in variants],
        "pairs": pairs,
        "cases": cases,
    }
    return _shown(index), _shown(chunks)


def _shown(value: Any) -> Any:
    """Return a value whose texts are cut and have their hidden characters spelled out."""
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            n_left = len(value) - LONGEST_TEXT
            value = say("cases.cut", text=value[:LONGEST_TEXT], n=n_left)
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value


class _Verdicts:
    """Every rating, label or score that an answer got, each with a character."""

    def __init__(self) -> None:
        # (its name, its full text, whether it is good if known) -> its character
        self.found: dict[tuple[str, str, bool | None], str] = {}

    def named(self, answer: Row) -> tuple[str, str, bool | None] | None:
        """Return the name of an answer's verdict, its full text and whether it is good."""
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
        return name, name + good, is_good

    def of_case(self, answers: Sequence[Row], places: dict[str, int]) -> str:
        """Write one character per model; it is a space if the model was not asked."""
        letters = [_NO_ANSWER] * len(places)
        for answer in answers:
            if answer["model"] in places:
                verdict, letter = self.named(answer), chr(_FIRST + len(self.found))
                letters[places[answer["model"]]] = (
                    _UNSCORED if verdict is None else self.found.setdefault(verdict, letter)
                )
        return "".join(letters)

    def told(self) -> dict[str, dict[str, Any]]:
        """Return the verdicts by character, good ones first, then by name from the highest."""
        rank = {True: 2, None: 1, False: 0}
        found = sorted(self.found.items(), key=lambda item: (rank[item[0][2]], item[0]))
        return {
            letter: {"name": name, "full": full, "isGood": is_good}
            for (name, full, is_good), letter in reversed(found)
        }


class _Contexts:
    """The contexts that models saw, and the citations in them."""

    def __init__(self, reports: Reports) -> None:
        self.texts = {
            row["context_id"]: (row["text"], row["start_char"]) for row in reports["raw.contexts"]
        }
        self.citations = {row["qa_pair_id"]: row["citations"] for row in reports["raw.qa_pairs"]}
        self.evidence: dict[str, dict[str, list[str]]] = {}  # by case or pair
        for row in sorted(reports["suites.evidence"], key=itemgetter("heading", "place")):
            of_one = self.evidence.setdefault(row["case_id"] or row["qa_pair_id"], {})
            of_one.setdefault(row["heading"], []).append(row["said"])

    def quotes(self, qa_pair_id: str) -> list[str]:
        """Return the quotes of a pair's citations."""
        return [citation["quote"] for citation in self.citations[qa_pair_id]]

    def spans(self, qa_pair_id: str, context_id: str) -> list[tuple[int, int]]:
        """Find a pair's citations in its own context."""
        citations = self.citations[qa_pair_id]
        text, start = self.texts[context_id] if citations else ("", 0)
        spans = []
        for citation in citations:
            begin, end = citation["start_char"] - start, citation["end_char"] - start
            if text[begin:end] == citation["quote"] and begin >= 0:
                spans.append((begin, end))
            else:  # a published dataset gives citations as text only
                spans += find_quotations(text, [citation["quote"]])
        return spans


# --- one question ------------------------------------------------------------------------


def _pair(row: Row, contexts: _Contexts, measured: Measured) -> dict[str, Any]:
    text, _ = contexts.texts.get(row["original_context_id"], ("", 0))
    spans = contexts.spans(row["qa_pair_id"], row["original_context_id"])
    has_filing = row["form"] is not None
    company = company_of(row["company"], row["cik"]) or say("cases.no_company")
    return {
        "company": company if has_filing else "",
        "year": (row["period_end"] or "")[:4],
        "task": measured.page.slice_value("task", row["task"]),
        "form": row["form"],
        "period": row["period_end"],
        "filed": row["filed_date"],
        "item": row["item"],
        "filing": has_filing and row["source_uri" if row["form"] == PUBLISHED else "filing_id"],
        "address": row["edgar_url"],
        "question": row["original_query"],
        "target": row["target"],
        "passages": [
            [[part.kind, part.text if part.kind != "left_out" else ""] for part in passage.parts]
            for passage in passages(text, spans)
        ]
        # The cited text is not in the shown one: the sentence of a masked figure.
        or [[["quoted", quote]] for quote in contexts.quotes(row["qa_pair_id"])],
        "evidence": list(contexts.evidence.get(row["qa_pair_id"], {}).items()),
        "cases": [],
    }


def _case(
    case: Row, places: dict[str, int], contexts: _Contexts, verdicts: _Verdicts
) -> dict[str, Any]:
    is_rewritten = case["query"] != case["original_query"]
    return {
        "id": case["case_id"],
        "isAnswerable": case["is_answerable"],
        "query": _pieces(case["original_query"], case["query"])
        if is_rewritten and case["is_answerable"]
        else None,
        "hasContext": case["context_id"] is not None,
        "evidence": list(contexts.evidence.get(case["case_id"], {}).items()),
        "answers": [
            _answer(answer, verdicts)
            for answer in sorted(
                (answer for answer in case["answers"] or () if answer["model"] in places),
                key=lambda answer: places[answer["model"]],
            )
        ],
    }


def _answer(answer: Row, verdicts: _Verdicts) -> dict[str, Any]:
    name, full, is_good = verdicts.named(answer) or (None, None, None)
    latency = answer["latency_ms"]
    columns = ("model", "unscored_reason", "answer", "rationale", "finish_reason", "answer_read")
    return {column: answer[column] for column in columns} | {
        "verdict": name,
        "full_verdict": full,
        "is_good": is_good,
        "latency_ms": None if latency is None else round(latency),
    }


def _games(case: Row, places: dict[str, int], anchors: set[str]) -> dict[str, Any]:
    """Return the comparisons with an anchor, both orders of each, and the number of others."""
    rows = {(row["model"], row["other_model"]): row for row in case["games"] or ()}
    games = [
        (model, other)
        for model, other in rows
        if (other, model) in rows and (model not in anchors, model) > (other not in anchors, other)
    ]
    if not games:
        return {}
    shown = [game for game in games if anchors.intersection(game)]
    return {
        "games": [
            {
                "model": model,
                "other_model": other,
                "shown_first": _order(rows[model, other]),
                "shown_second": _order(rows[other, model]),
            }
            for model, other in shown
            if model in places and other in places
        ],
        "nOtherGames": len(games) - len(shown),
    }


def _order(row: Row) -> dict[str, Any]:
    return {
        "verdict": row["label"],
        "unscored_reason": row["unscored_reason"],
        "rationale": (row["rationale"] or "")[:_LONGEST_REASON],
    }


def _tables(measured: Measured) -> dict[str, list[dict[str, Any]]]:
    """Map each pair to the tables that it reads: cells with their spans, some of them marked."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in measured.own_rows(SHOWN_TABLES):
        rows = list(html_rows(row["html"]))
        is_large = sum(map(len, rows)) > _LARGEST_TABLE
        marked = {(place[0], place[1]) for place in row["marked"]}
        cells = [
            [
                [
                    cell.text,
                    cell.is_head,
                    len(cell.rows),
                    len(cell.columns),
                    any(r in cell.rows and c in cell.columns for r, c in marked),
                ]
                for cell in of_row
            ]
            for of_row in rows
        ]
        shown = {"name": say("cases.table", n=row["place"]), "rows": [] if is_large else cells}
        found.setdefault(row["qa_pair_id"], []).append(shown)
    return found


def _marks(measured: Measured, places: dict[str, int]) -> dict[str, dict[str, Any]]:
    """Map each case to what is marked in its text; places are in percent of it."""
    return {
        row["case_id"]: {
            "isAnswerable": True,  # of a text with nothing to name: that there is nothing
            "target": row["target"],
            "marks": [
                {
                    "number": mark["number"],
                    "percent": None if mark["place"] is None else round(100 * mark["place"], 1),
                    "kind": mark["kind"],
                    "is_wanted": mark["is_wanted"],
                    "line": mark["line"] and mark["line"][:_LONGEST_LINE],
                    "models": [model for model in mark["models"] if model in places],
                }
                for mark in row["marks"]
            ],
            "others": row["others"],
            "nUnwanted": row["n_unwanted"],
        }
        for row in measured.own_rows(MARKS)
        if row["judge"] == measured.judge
    }


def _changes(measured: Measured) -> dict[str, dict[str, Any]]:
    """Map each case that was changed on purpose to what a good reply is, and what was changed."""
    queries = {
        case["case_id"]: (case["original_query"], case["query"])
        for case in measured.reports["reports.explain"]
    }
    return {
        row["case_id"]: {
            "query": _pieces(*asked) if asked[0] != asked[1] else None,
            "target": row["wanted"],
            "changed": [
                [passage["name"], _pieces(passage["original"], passage["changed"])]
                for passage in row["passages"]
            ],
        }
        for row in measured.own_rows(CHANGES)
        if (asked := queries.get(row["case_id"]))
    }


def _pieces(old: str, new: str) -> list[list[str]]:
    return [[piece.kind, piece.text] for piece in word_differences(old, new)]


def _packed(value: Any) -> str:
    """Pack a value as gzipped JSON in base64.

    The gzip header has no timestamp, so the same lake gives the same bytes.
    """
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()
