"""FAITH's released file: reading reports of tables and masked sentences.

A report is a filing. Its document consists of its tables and sentences, since the file has nothing
else. The file has no derivations: we store those that we find for the sentence's figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json, sha256_hex, stable_id
from tasks.core.rows import (
    Case,
    Citation,
    Context,
    Document,
    FilingTable,
    Item,
    Paragraph,
    QAPair,
    Reject,
)
from tasks.quantities.figures import find_figures
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.search import derivation_rows, prove
from tasks.suites.faith.judge import MODES
from tasks.suites.faith.judge.masked_figure import match
from tasks.suites.faith.maskable import passage_text, traits_of, unit_group
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.published_layout import REPORT_BROKEN, WHAT_TO_DO, Instance, PublishedReport
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import (
    REPEATED,
    Rows,
    by_type,
    document_of,
    filing_of,
    listed,
    parsed,
    read_records,
    rejected,
)
from tasks.suites.shared.tables.sheets import Sheet, read_sheets, write_sheets
from tasks.suites.suite import Published
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

SUITE = "faith"


def load(
    path: Path,
    _: FaithOptions | None = None,
    limit: int | None = None,
    encoding: str = DEFAULT_ENCODING,
) -> Rows:
    """Read the released file as rows.

    Tables are ordered by index as a number, as in the authors' prompts. Each instance becomes one
    pair with one case, or one reject. A case's details have each judge's verdict on the figure as
    the sentence writes it. The labels of the authors' models become votes without requests.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    records = read_records(path, ("instances",), WHAT_TO_DO)[:limit]
    reader = _Reader(path.name, encoding)
    return by_type(
        row for number, record in enumerate(records, start=1) for row in reader.read(number, record)
    )


class _Reader:
    """Makes rows of one report after another."""

    def __init__(self, source: str, encoding: str) -> None:
        self.source, self.encoding = source, encoding
        self.seen: set[str] = set()  # ids of pairs and spans

    def read(self, number: int, record: Any) -> Iterator[Any]:
        """Yield the rows of a report; the instances of an unreadable one are rejects."""
        entries = record.get("instances") if isinstance(record, dict) else None
        entries = entries if isinstance(entries, list) else [None]  # one reject for the report
        report = parsed(PublishedReport, record)
        usable: list[tuple[int, Instance]] = []
        for place, entry in enumerate(entries, start=1):
            instance = parsed(Instance, entry)
            if isinstance(report, list):
                yield self._reject(number, place, entry, REPORT_BROKEN, listed(report))
            elif isinstance(instance, list):
                yield self._reject(number, place, entry, instance[0][0], listed(instance))
            else:
                usable.append((place, instance))
        if isinstance(report, list):
            return
        document = _document(report, record["metadata"], [instance for _, instance in usable])
        context = self._context(number, report, document)
        day = report.metadata.filing_date
        yield filing_of(
            document.filing_id,
            document.text,
            f"{self.source}#report={number}",
            cik=report.metadata.cik,
            filed_date=date.fromisoformat(day) if day else None,
        )
        yield from (document, *_filing_tables(report, document), context)
        sheets = read_sheets(context.text)
        for place, instance in usable:
            details = {"dataset": self.source, "report": number, "instance": place}
            span, *rows = _rows_of(instance, document, context, sheets, details)
            if self.seen & (ids := {span.span_id, span.qa_pair_id}):
                detail = "the same uid, or the same figure of the same sentence"
                yield self._reject(number, place, entries[place - 1], REPEATED, detail)
            else:
                self.seen |= ids
                yield from (span, *rows)

    def _context(self, number: int, report: PublishedReport, document: Document) -> Context:
        text = write_sheets(
            Sheet(index=table.index, pre_text=table.pre_text or "", cells=table.texts)
            for table in report.in_order
        )
        details = canonical_json({"dataset": self.source, "report": number})
        return context_of("tables", text, document, encoding=self.encoding, details=details)

    def _reject(self, number: int, place: int, entry: Any, reason: str, detail: str) -> Reject:
        uid = entry.get("uid") if isinstance(entry, dict) else None
        located = f"report {number}, instance {place}, uid {uid}: {detail}"
        # a table cannot store unpaired surrogates
        storable = located.encode("utf-8", "backslashreplace").decode("utf-8")
        return rejected(f"{self.source}#report={number}&instance={place}", reason, storable)


def _rows_of(
    instance: Instance,
    document: Document,
    context: Context,
    sheets: Sequence[Sheet],
    details: dict[str, Any],
) -> Iterator[Any]:
    """Yield an instance's masked span, derivations, votes, pair and case, in this order."""
    before, after = instance.pre_sentence or "", instance.post_sentence or ""
    start, end = instance.mask_span
    sentence, written = instance.sentence, instance.sentence[start:end]
    query = passage_text(before, instance.masked_sentence, after)
    overlapping = (
        figure
        for figure in find_figures(sentence)
        if figure.start_char < end and figure.end_char > start
    )
    figure = next(overlapping, None)
    unit = unit_group(figure) if figure else "other"
    span = MaskedSpan(
        span_id=stable_id("span", document.document_id, instance.uid),
        qa_pair_id=stable_id("pair", context.context_id, query, instance.ground_truth),
        document_id=document.document_id,
        context_id=context.context_id,
        sentence=sentence,
        pre_sentence=before,
        post_sentence=after,
        start_char=start,
        end_char=end,
        masked_text=written,
        truth=instance.ground_truth,
        unit=unit,
        mask_type=instance.mask_type,
        uid=instance.uid,
    )
    proofs = prove(FigurePassage.read(query), figure, sheets) if figure else []
    derivations = derivation_rows(span.span_id, proofs)
    stands = document.text.index(sentence)
    citation = Citation(start_char=stands, end_char=stands + len(sentence), quote=sentence)
    pair = QAPair(
        qa_pair_id=str(span.qa_pair_id),
        context_id=context.context_id,
        query=query,
        answer=instance.ground_truth,
        task="mask",
        citations=(citation,),
        citation_text=sentence,
        traits=traits_of(instance.mask_type, unit),
    )
    verdicts = {mode: match(written, pair.answer, mode) for mode in MODES}
    as_written = {
        mode: "correct" if verdict.correct else verdict.reason for mode, verdict in verdicts.items()
    }
    details |= {"uid": instance.uid, "as_written": as_written}
    yield from (span, *derivations, *_votes(span.span_id, instance), pair)
    yield case_of(pair, SUITE, details=canonical_json(details))


def _document(
    report: PublishedReport, metadata: Mapping[str, Any], instances: Sequence[Instance]
) -> Document:
    """Join the report's tables and passages as one Item 7."""
    blocks = [part for table in report.in_order for part in (table.pre_text, table.block)]
    blocks += dict.fromkeys(instance.passage for instance in instances)
    text = ""
    paragraphs: list[Paragraph] = []
    for block in filter(None, blocks):
        start = len(text)
        text += f"{block}\n\n"
        n_tokens = count_tokens(text[start:])
        paragraphs.append(
            Paragraph(start_char=start, end_char=start + len(block), n_tokens=n_tokens)
        )
    text = text.removesuffix("\n\n")
    filing_id = f"sha-{sha256_hex(canonical_json([metadata, text]))[:16]}"
    item = Item(item="7", title="as published", start_char=0, end_char=len(text))
    return document_of(filing_id, text, paragraphs, [item])


def _filing_tables(report: PublishedReport, document: Document) -> list[FilingTable]:
    """Return the tables in the file's order, by their numbers as text."""
    filing_tables: dict[str, FilingTable] = {}
    end = 0
    for table in report.in_order:
        start = document.text.index(table.block, end)
        end = start + len(table.block)
        filing_tables[table.table_index] = FilingTable(
            table_id=stable_id("table", document.document_id, table.index),
            document_id=document.document_id,
            item="7",
            table_index=table.index,
            pre_text=table.pre_text or "",
            cells=table.texts,
            start_char=start,
            end_char=end,
        )
    return [filing_tables[table.table_index] for table in report.tables]


def _votes(span_id: str, instance: Instance) -> Iterator[Vote]:
    for model, is_answerable in instance.votes:
        yield Vote(
            vote_id=stable_id("vote", span_id, model),
            span_id=span_id,
            model=model,
            is_answerable=is_answerable,
        )


PUBLISHED = Published(
    load=load, writes=(QAPair, Context, Case, MaskedSpan, Derivation, Vote), version=15
)
