"""FAITH's released file: reading reports of tables and masked sentences.

A report is a filing. Its document consists of its tables and sentences, since the file has nothing
else. The file has no derivations: we store those that we find for the sentence's figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
)
from tasks.filings.reader.blocks import table_text
from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.rows import derivation_rows
from tasks.suites.faith.derivations.search import prove
from tasks.suites.faith.judge import MODES
from tasks.suites.faith.judge.masked_figure import match
from tasks.suites.faith.maskable import unit_group
from tasks.suites.faith.masking import passage_text, traits_of
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.published_layout import (
    REPORT_BROKEN,
    SAME_TABLES,
    WHAT_TO_DO,
    Metadata,
    PublishedReport,
    instance_faults,
    labels_of,
)
from tasks.suites.faith.rows import ROW_TYPES, Derivation, MaskedSpan, Vote
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import (
    REPEATED,
    ImportedCases,
    document_of,
    faults_of,
    filing_of,
    listed,
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
) -> ImportedCases:
    """Read the released file as rows.

    Tables are ordered by index as a number, as in the authors' prompts. Each instance becomes one
    pair with one case, or one reject. A case's details have each judge's verdict on the figure as
    the sentence writes it. The labels of the authors' models become votes without requests.

    Args:
        limit: read only this many reports.
        encoding: counts the contexts' tokens.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    rows = _Rows(path.name, encoding)
    reports = read_records(path, ("instances",), WHAT_TO_DO)[:limit]
    for number, report in enumerate(reports, start=1):
        rows.add(number, report)
    return rows.imported


@dataclass
class _Rows:
    """The rows made so far."""

    source: str
    encoding: str
    imported: ImportedCases = field(
        default_factory=lambda: ImportedCases(
            [], [], [], [], [], [], of_suite={row_type: [] for row_type in ROW_TYPES}
        )
    )
    document_of: dict[str, str] = field(default_factory=dict)  # context_id -> document_id
    seen: set[str] = field(default_factory=set)  # ids of filings, pairs and spans

    def add(self, number: int, report: Any) -> None:
        """Add one report with its instances; those of an unreadable report become rejects."""
        instances = report.get("instances") if isinstance(report, dict) else None
        if not isinstance(instances, list):
            instances = [None]  # one reject for the report
        if faults := faults_of(PublishedReport, report):
            for place, instance in enumerate(instances, start=1):
                self._reject(number, place, instance, REPORT_BROKEN, listed(faults))
            return
        usable = []
        for place, instance in enumerate(instances, start=1):
            if faults := instance_faults(instance):
                self._reject(number, place, instance, faults[0][0], listed(faults))
            else:
                usable.append((place, instance))
        document = _document(report, [instance for _, instance in usable])
        context = self._context(number, report, document)
        first = self.document_of.setdefault(context.context_id, document.document_id)
        if first != document.document_id:
            for place, instance in usable:
                self._reject(number, place, instance, SAME_TABLES, f"those of {first}")
            return
        self._add_filing(number, report, document, context)
        sheets = read_sheets(context.text)
        for place, instance in usable:
            self._add_instance(number, place, instance, document, context, sheets)

    def _add_filing(
        self, number: int, report: Mapping[str, Any], document: Document, context: Context
    ) -> None:
        if document.filing_id in self.seen:
            return
        self.seen.add(document.filing_id)
        metadata = Metadata.model_validate(report["metadata"])
        filing = filing_of(
            document.filing_id,
            document.text,
            f"{self.source}#report={number}",
            cik=metadata.cik,
            filed_date=_read_day(metadata.filing_date),
        )
        self.imported.filings.append(filing)
        self.imported.documents.append(document)
        self.imported.filing_tables.extend(_filing_tables(report, document))
        self.imported.contexts.append(context)

    def _context(self, number: int, report: Mapping[str, Any], document: Document) -> Context:
        text = write_sheets(
            Sheet(
                index=int(table["table_index"]),
                pre_text=table.get("pre_text") or "",
                cells=_cells(table),
            )
            for table in _in_order(report)
        )
        details = canonical_json({"dataset": self.source, "report": number})
        return context_of("tables", text, document, encoding=self.encoding, details=details)

    def _add_instance(
        self,
        number: int,
        place: int,
        instance: Mapping[str, Any],
        document: Document,
        context: Context,
        sheets: Sequence[Sheet],
    ) -> None:
        before, after = instance.get("pre_sentence") or "", instance.get("post_sentence") or ""
        start, end = instance["mask_span"]
        query = passage_text(before, instance["masked_sentence"], after)
        pair_id = stable_id("pair", context.context_id, query, instance["ground_truth"])
        span_id = stable_id("span", document.document_id, instance["uid"])
        if self.seen & {pair_id, span_id}:
            detail = "the same uid, or the same figure of the same sentence"
            self._reject(number, place, instance, REPEATED, detail)
            return
        self.seen |= {pair_id, span_id}
        figure = _figure_of(instance)
        proofs = prove(FigurePassage.read(query), figure, sheets) if figure else []
        derivations = derivation_rows(span_id, proofs)
        unit = unit_group(figure) if figure else "other"
        self.imported.of_suite[MaskedSpan].append(
            MaskedSpan(
                span_id=span_id,
                qa_pair_id=pair_id,
                document_id=document.document_id,
                context_id=context.context_id,
                sentence=instance["sentence"],
                pre_sentence=before,
                post_sentence=after,
                start_char=start,
                end_char=end,
                sentence_start_char=None,
                masked_text=instance["sentence"][start:end],
                truth=instance["ground_truth"],
                unit=unit,
                mask_type=instance.get("mask_type"),
                uid=instance["uid"],
            )
        )
        self.imported.of_suite[Derivation].extend(derivations)
        self.imported.of_suite[Vote].extend(_votes(span_id, instance))
        stands = document.text.index(instance["sentence"])
        citation = Citation(
            start_char=stands,
            end_char=stands + len(instance["sentence"]),
            quote=instance["sentence"],
        )
        pair = QAPair(
            qa_pair_id=pair_id,
            context_id=context.context_id,
            query=query,
            answer=instance["ground_truth"],
            task="mask",
            citations=(citation,),
            citation_text=instance["sentence"],
            traits=traits_of(
                derivations[0].scenario if derivations else None,
                instance.get("mask_type"),
                unit,
                len(sheets),
            ),
        )
        self.imported.qa_pairs.append(pair)
        details = {
            "dataset": self.source,
            "report": number,
            "instance": place,
            "uid": instance["uid"],
            "as_written": self._as_written(instance["sentence"][start:end], pair.answer),
        }
        self.imported.cases.append(case_of(pair, SUITE, details=canonical_json(details)))

    def _as_written(self, written: str, truth: str) -> dict[str, str]:
        """Judge the figure as the sentence writes it, in each mode."""
        verdicts = {mode: match(written, truth, mode) for mode in MODES}
        return {
            mode: "correct" if verdict.correct else verdict.reason
            for mode, verdict in verdicts.items()
        }

    def _reject(self, number: int, place: int, instance: Any, reason: str, detail: str) -> None:
        entry = f"{self.source}#report={number}&instance={place}"
        uid = instance.get("uid") if isinstance(instance, dict) else None
        located = f"report {number}, instance {place}, uid {uid}: {detail}"
        self.imported.rejects.append(rejected(entry, reason, _as_text(located)))


def _figure_of(instance: Mapping[str, Any]) -> Figure | None:
    """Read the masked figure with the words around it; None if it cannot be read."""
    start, end = instance["mask_span"]
    figures = find_figures(instance["sentence"])
    return next(
        (figure for figure in figures if figure.start_char < end and figure.end_char > start), None
    )


def _read_day(written: str | None) -> date | None:
    return None if written is None else date.fromisoformat(written)


def _as_text(text: str) -> str:
    """Escape unpaired surrogates, which a table cannot store."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _in_order(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(report["tables"], key=lambda table: int(table["table_index"]))


def _cells(table: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell or "" for cell in row) for row in table["cells"])


def _table_block(table: Mapping[str, Any]) -> str:
    return table_text(tuple(filter(None, _cells(table)))) or "(a table without a filled cell)"


def _passage_block(instance: Mapping[str, Any]) -> str:
    parts = (instance.get("pre_sentence"), instance["sentence"], instance.get("post_sentence"))
    return " ".join(part for part in parts if part)


def _document(report: Mapping[str, Any], instances: Sequence[Mapping[str, Any]]) -> Document:
    """Join the report's tables and passages as one Item 7."""
    blocks = [
        part for table in _in_order(report) for part in (table.get("pre_text"), _table_block(table))
    ]
    blocks += dict.fromkeys(map(_passage_block, instances))
    text = ""
    paragraphs: list[Paragraph] = []
    for block in filter(None, blocks):
        start = len(text)
        text += f"{block}\n\n"
        paragraphs.append(
            Paragraph(
                start_char=start, end_char=start + len(block), n_tokens=count_tokens(text[start:])
            )
        )
    text = text.removesuffix("\n\n")
    filing_id = f"sha-{sha256_hex(canonical_json([report['metadata'], text]))[:16]}"
    item = Item(item="7", title="as published", start_char=0, end_char=len(text))
    return document_of(filing_id, text, paragraphs, [item])


def _filing_tables(report: Mapping[str, Any], document: Document) -> list[FilingTable]:
    """Return the tables in the file's order, by their numbers as text."""
    filing_tables: dict[str, FilingTable] = {}
    end = 0
    for table in _in_order(report):
        start = document.text.index(_table_block(table), end)
        end = start + len(_table_block(table))
        index = int(table["table_index"])
        filing_tables[table["table_index"]] = FilingTable(
            table_id=stable_id("table", document.document_id, index),
            document_id=document.document_id,
            item="7",
            table_index=index,
            pre_text=table.get("pre_text") or "",
            cells=_cells(table),
            html=None,
            scale=None,
            start_char=start,
            end_char=end,
        )
    return [filing_tables[table["table_index"]] for table in report["tables"]]


def _votes(span_id: str, instance: Mapping[str, Any]) -> list[Vote]:
    return [
        Vote(
            vote_id=stable_id("vote", span_id, model),
            span_id=span_id,
            model=model,
            is_answerable=is_answerable,
            unread_reason=None,
            rationale=None,
            request_id=None,  # the authors asked, not we
        )
        for model, is_answerable in labels_of(instance).items()
    ]


PUBLISHED = Published(
    load=load,
    writes=(QAPair, Context, Case, MaskedSpan, Derivation, Vote),
    version=13,
)
