"""The case browser's data: every judged answer with its question and citations.

The page opens an index of the cases at once, and one chunk per question on demand. Both are packed
JSON, so that one page can hold twenty models' answers. Hidden characters are spelled out here.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

from tasks.filings.reader.table_html import HtmlCell, html_rows
from tasks.results.report.measured import PUBLISHED, Measured, Row
from tasks.results.report.messages import say
from tasks.text.passages import passages
from tasks.text.visible import visible
from tasks.warehouse.sql_files import CHANGES, MARKS, SHOWN_TABLES

# Longer texts are cut on the page; `tenkbench explain` shows them in full.
LONGEST_TEXT = 6_000
_LARGEST_TABLE = 2_000  # cells
_MANY_VERDICTS = 10_000  # of other judges
_UNSCORED = "-"
_NO_ANSWER = " "
_FIRST = ord("A")

# A word includes its inner punctuation, so that a changed figure is shown whole: `1,234.5`.
_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*|\s+|[^\w\s]")

# Text of two wordings.
Piece = tuple[Literal["kept", "removed", "added"], str]
# A character for each verdict and whether it is good, if known.
Letters = dict[tuple[str, bool | None], str]


def case_data(measured: Measured) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the index of the cases, and a chunk for each question."""
    places = {model.name: place for place, model in enumerate(measured.models)}
    names = {name: measured.page.variant_name(name) for name in measured.page.variants}
    letters: Letters = {}
    sources = _Sources(measured)
    index: list[list[Any]] = []
    chunks: list[dict[str, Any]] = []
    explained = measured.reports["reports.explain"]
    for _, group in groupby(explained, key=itemgetter("qa_pair_id")):
        cases = list(group)
        for case in cases:
            names.setdefault(case["variant"], measured.page.variant_name(case["variant"]))
            verdicts = [letters_of(case["answers"] or (), places, letters)]
            for judge in sources.others:
                views = (row for row in case["others"] or () if row["judge"] == judge)
                verdicts.append(letters_of(views, places, letters))
            variant = [*names].index(case["variant"])
            index.append([case["case_id"], len(chunks), variant, case["query"], *verdicts])
        chunk = sources.question(cases[0])
        chunks.append(chunk | {"cases": [sources.case(case, places) for case in cases]})
    models = [{"name": model.name, "isBaseline": model.is_baseline} for model in measured.models]
    whole = {
        "models": models,
        "judges": [measured.judge, *sources.others],
        "hasForms": measured.has_forms,
        "verdicts": good_first(letters),
        "variants": list(names.values()),
        "pairs": [{key: chunk[key] for key in ("company", "year", "task")} for chunk in chunks],
        "cases": index,
    }
    return _shown(whole), _shown(chunks)


def _shown(value: Any) -> Any:
    """Return a value whose texts are cut and have their hidden characters spelled out."""
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            value = say("cases.cut", text=value[:LONGEST_TEXT], n=len(value) - LONGEST_TEXT)
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list | tuple) else value


def letters_of(answers: Iterable[Row], places: Mapping[str, int], letters: Letters) -> str:
    """Write the letter of each model's verdict; a space if it was not asked."""
    written = {
        answer["model"]: _UNSCORED
        if answer["verdict"] is None
        else letters.setdefault((answer["verdict"], answer["is_good"]), chr(_FIRST + len(letters)))
        for answer in answers
    }
    return "".join(written.get(model, _NO_ANSWER) for model in places)


def good_first(letters: Letters) -> dict[str, dict[str, Any]]:
    """Return the verdicts by letter, good ones first, then by name from the highest."""
    rank = {True: 2, None: 1, False: 0}
    ordered = sorted(letters, key=lambda verdict: (rank[verdict[1]], verdict[0]), reverse=True)
    return {letters[verdict]: {"name": verdict[0], "isGood": verdict[1]} for verdict in ordered}


class _Sources:
    """What questions and cases are shown with, by their ids."""

    def __init__(self, measured: Measured) -> None:
        self.page = measured.page
        reports = measured.reports
        self.questions = {row["qa_pair_id"]: row for row in reports["raw.qa_pairs"]}
        self.evidence: dict[str, list[Any]] = defaultdict(list)  # of a question or of one case
        for row in reports["suites.evidence"]:
            self.evidence[row["id"]].append([row["heading"], row["lines"]])
        self.tables: dict[str, list[Row]] = defaultdict(list)
        for row in measured.own_rows(SHOWN_TABLES):
            self.tables[row["qa_pair_id"]].append(row)
        self.changes = {row["case_id"]: row for row in measured.own_rows(CHANGES)}
        marks = (row for row in measured.own_rows(MARKS) if row["judge"] == measured.judge)
        self.marks = {row["case_id"]: row for row in marks}
        views = [row for case in reports["reports.explain"] for row in case["others"] or ()]
        judges = {row["judge"] for row in views}
        self.others = [judge for judge in measured.other_judges if judge in judges]
        self.if_alike = {"said": say("cases.agrees")} if len(views) > _MANY_VERDICTS else {}

    def question(self, row: Row) -> dict[str, Any]:
        """Return what the cases of a question share."""
        id_, has_filing = row["qa_pair_id"], row["form"] is not None
        # as sql/staging/pairs.sql: a year of whole weeks may end in the next one's first
        ends = date.fromisoformat(row["period_end"]) if row["period_end"] else None
        number = f"CIK {row['cik']}" if row["cik"] else say("cases.no_company")
        return {
            "company": (row["company"] or number) if has_filing else "",
            "year": str((ends - timedelta(days=7)).year) if ends else "",
            "task": self.page.slice_value("task", row["task"]),
            "form": row["form"],
            "period": row["period_end"],
            "filed": row["filed_date"],
            "item": row["item"],
            "filing": has_filing and row["source_uri" if row["form"] == PUBLISHED else "filing_id"],
            "address": row["edgar_url"],
            "question": row["original_query"],
            "target": row["target"],
            "passages": _passages(self.questions[id_]),
            "evidence": self.evidence.get(id_, []),
            "tables": list(map(_table, self.tables.get(id_, []))),
        }

    def case(self, row: Row, places: Mapping[str, int]) -> dict[str, Any]:
        """Return a case with its answers and games, and what was marked or changed in it."""
        id_ = row["case_id"]
        given = (answer for answer in row["answers"] or () if answer["model"] in places)
        answers = [answer | self.of_others(row, answer) for answer in given]
        change, marks = self.changes.get(id_), self.marks.get(id_)
        is_changed = row["query"] != row["original_query"] and (row["is_answerable"] or change)
        case = {
            "id": id_,
            "isAnswerable": row["is_answerable"],
            "variant": self.page.variant_name(row["variant"]),
            "query_as_asked": row["query"],
            "query": word_differences(row["original_query"], row["query"]) if is_changed else None,
            "hasContext": row["context_id"] is not None,
            "evidence": self.evidence.get(id_, []),
            "answers": sorted(answers, key=lambda answer: places[answer["model"]]),
            "games": _games(row["games"] or ()),
            "nOtherGames": row["n_other_games"],
        }
        if marks:  # of a text with nothing to name, a good reply says that there is nothing
            shown = {name: marks[name] for name in ("target", "marks", "others")}
            case |= {**shown, "nUnwanted": marks["n_unwanted"], "isAnswerable": True}
        if change:
            passages_ = change["passages"]
            case["target"] = change["wanted"]
            case["changed"] = [
                [p["name"], word_differences(p["original"], p["changed"])] for p in passages_
            ]
        return case

    def of_others(self, case: Row, answer: Row) -> Row:
        """Return what other judges said of an answer; of many, in full only if they disagree."""
        model, is_good = answer["model"], answer["is_good"]
        views = [row for row in case["others"] or () if row["model"] == model]
        if is_good is not None:
            views = [row | self.if_alike if row["is_good"] == is_good else row for row in views]
        return {"others": views} if self.others else {}


def _passages(question: Row) -> list[list[list[str]]]:
    """Return the passages around a question's citations, as pieces of text by kind."""
    text, start, spans = question["text"] or "", question["start_char"] or 0, []
    for citation in question["citations"]:
        quote, begin = citation["quote"], citation["start_char"] - start
        if begin < 0 or not text.startswith(quote, begin):
            begin = text.find(quote)  # a published dataset gives citations as text only
        if quote and begin >= 0:
            spans.append((begin, begin + len(quote)))
    shown = [
        [[kind, part if kind != "left_out" else ""] for kind, part in parts]
        for _, parts in passages(text, spans)
    ]
    # The cited text is not in the shown one: the sentence of a masked figure.
    return shown or [[["quoted", citation["quote"]]] for citation in question["citations"]]


def _games(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the comparisons with an anchor, each with that in the other order."""
    orders = {(row["model"], row["other_model"]): row for row in rows}
    return [
        row | {"turned": orders[row["other_model"], row["model"]]}
        for row in rows
        if row["is_with_anchor"] and (row["other_model"], row["model"]) in orders
    ]


def _table(row: Row) -> dict[str, Any]:
    """Return a table that a question reads: cells with their spans, some of them marked."""
    rows = list(html_rows(row["html"]))
    is_large = sum(map(len, rows)) > _LARGEST_TABLE
    marked = {(place[0], place[1]) for place in row["marked"]}

    def shown(cell: HtmlCell) -> list[Any]:
        is_marked = any(r in cell.rows and c in cell.columns for r, c in marked)
        return [cell.text, cell.is_head, len(cell.rows), len(cell.columns), is_marked]

    cells = [] if is_large else [list(map(shown, of_row)) for of_row in rows]
    return {"name": say("cases.table", n=row["place"]), "rows": cells}


def packed(value: Any) -> str:
    """Pack a value as gzipped JSON in base64; without a timestamp, so the same gives the same."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()


def word_differences(old: str, new: str) -> list[Piece]:
    """Return the pieces of two wordings, with removed text before what replaced it.

    Kept and removed pieces make up the old text, kept and added ones the new text. Time grows with
    the square of the number of words, so this suits queries and paragraphs.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    changes = SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes()
    pieces: list[Piece] = []
    removed = added = ""
    for place, (_, start, end, new_start, new_end) in enumerate(changes):
        was, now = "".join(before[start:end]), "".join(after[new_start:new_end])
        # changes with only whitespace between them are one: `[-a b-]{+c d+}`
        is_between = not was.strip() and 0 < place < len(changes) - 1
        if was == now and not is_between:
            pieces += [("removed", removed), ("added", added), ("kept", was)]
            removed = added = ""
        else:
            removed, added = removed + was, added + now
    pieces += [("removed", removed), ("added", added)]
    return [piece for piece in pieces if piece[1]]
