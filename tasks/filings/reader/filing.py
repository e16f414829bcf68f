"""Parse one filing's bytes into the rows that ingest writes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from tasks.core.ids import stable_id
from tasks.core.rows import Document, Filing, FilingTable, Item, Paragraph
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.corpus import FORM, items_of_record, read_record, section_blocks
from tasks.filings.reader.cover import read_cover
from tasks.filings.reader.files import LIMIT_CHARS, RECORD_SUFFIXES, Rejected, decode
from tasks.filings.reader.html_blocks import read_html
from tasks.filings.reader.html_tags import end_of_last, read_styles
from tasks.filings.reader.items import find_items
from tasks.filings.reader.page_artifacts import without_page_artifacts
from tasks.filings.reader.plain_blocks import is_typed, read_plain, typed_text
from tasks.filings.reader.scale import figures_of, scale_of
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.filings.reader.submission import read_submission
from tasks.filings.reader.table_html import table_html
from tasks.quantities.governing import Figures, ScaleSection, governing
from tasks.text.tokens import DEFAULT_ENCODING, encoding

_DRAWN = re.compile(r"<pre\b[^>]*>(.*?)</pre\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?(?!(?:page|table|caption|s|c|fn)>)[a-z!][^>]*>", re.IGNORECASE)
_HTML = re.compile(r"<(?:html|body|div|p|font|td)\b[^>]*>", re.IGNORECASE)

_FEWEST_WORDS = 50  # a cover page alone has more


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFiling:
    """One filing's rows."""

    filing: Filing
    document: Document
    tables: tuple[FilingTable, ...]


def parse_filing(
    data: bytes,
    source_uri: str,
    encoding_name: str = DEFAULT_ENCODING,
    stated: StatedFacts = NOTHING_STATED,
) -> ParsedFiling:
    """Return a filing's rows; `stated` is what `filings.csv` says of it.

    Raises:
        Rejected: the bytes are not text, are not an annual report, or have no readable text or
            too much of it.
    """
    is_record = source_uri.lower().endswith(RECORD_SUFFIXES)
    submission = (read_record if is_record else read_submission)(decode(data))
    if (n_chars := len(submission.text)) > LIMIT_CHARS:
        raise Rejected("larger than the limit", f"{n_chars:,} characters, at most {LIMIT_CHARS:,}")
    parts = section_blocks(submission.sections or {})
    if is_record:
        blocks, format_ = [block for part in parts.values() for block in part], "json"
        stated = stated.model_copy(update={"form": stated.form or FORM})
    else:
        blocks, format_ = read_blocks(submission.text)
    words = (word for block in blocks[:200] for word in block.text.split())
    if len([*islice(words, _FEWEST_WORDS)]) < _FEWEST_WORDS:
        raise Rejected("no readable text", f"{len(data):,} bytes, {len(blocks)} paragraphs")
    cover = read_cover(submission, () if is_record else blocks, stated)
    sha256 = hashlib.sha256(data).hexdigest()
    filing = Filing(
        **cover | {"filing_id": cover["filing_id"] or f"sha-{sha256[:16]}"},
        format=format_,
        source_uri=source_uri,
        sha256=sha256,
        n_bytes=len(data),
    )
    starts = list(accumulate((len(block.text) + 2 for block in blocks[:-1]), initial=0))
    text = "\n\n".join(block.text for block in blocks)
    items = items_of_record(parts, starts) if is_record else find_items(blocks, starts, text)
    paragraphs = _paragraphs(blocks, starts, encoding_name)
    document = Document(
        document_id=stable_id("document", filing.filing_id),
        filing_id=filing.filing_id,
        text=text,
        n_tokens=sum(paragraph.n_tokens for paragraph in paragraphs),
        encoding=encoding_name,
        items=tuple(items),
        paragraphs=paragraphs,
    )
    tables = _tables(blocks, starts, document)
    return ParsedFiling(filing=filing, document=document, tables=tuple(tables))


def _paragraphs(
    blocks: Sequence[Block], starts: Sequence[int], encoding_name: str
) -> tuple[Paragraph, ...]:
    """Return blocks as paragraphs with their token counts.

    Each is counted alone, with the empty line after it; the document's `n_tokens` is the sum.
    In cl100k no token spans a line break and what follows, so the sum is exact. In o200k it is
    close: an empty line and a following `/` are one token, so some `/s/` signatures are one off.
    """
    encode = encoding(encoding_name).encode_ordinary
    last = len(blocks) - 1
    return tuple(
        Paragraph(
            start_char=start,
            end_char=start + len(block.text),
            n_tokens=len(encode(block.text if index == last else block.text + "\n\n")),
        )
        for index, (block, start) in enumerate(zip(blocks, starts, strict=True))
    )


def _tables(
    blocks: Sequence[Block], starts: Sequence[int], document: Document
) -> Iterator[FilingTable]:
    scales = map(scale_of, governing(_parts(blocks, starts, document.items)))
    table_index = 0
    before = ""
    for block, start in zip(blocks, starts, strict=True):
        if block.cells is None:
            before = block.text
            continue
        around = [item for item in document.items if item.start_char <= start < item.end_char]
        shortest = min(around, key=lambda item: item.end_char - item.start_char, default=None)
        yield FilingTable(
            table_id=stable_id("table", document.document_id, table_index),
            document_id=document.document_id,
            item=shortest.item if shortest else None,
            table_index=table_index,
            pre_text=before,
            cells=block.cells,
            html=table_html(block.cells, block.spans),
            scale=next(scales),
            start_char=start,
            end_char=start + len(block.text),
        )
        table_index += 1


def _parts(
    blocks: Sequence[Block], starts: Sequence[int], items: Sequence[Item]
) -> list[str | ScaleSection | Figures]:
    """Return paragraphs, tables and section starts, in order, as `governing` takes them."""
    at = {item.end_char: "" for item in items} | {item.start_char: item.item for item in items}
    bounds = sorted(at)
    n_begun = 0
    parts: list[str | ScaleSection | Figures] = []
    for block, start in zip(blocks, starts, strict=True):
        while n_begun < len(bounds) and bounds[n_begun] <= start:
            parts.append(ScaleSection(at[bounds[n_begun]]))
            n_begun += 1
        parts.append(block.text if block.cells is None else figures_of(block.cells))
    return parts


def read_blocks(source: str) -> tuple[list[Block], str]:
    """Return a document's readable blocks, and its format: text, html or ixbrl."""
    if not _HTML.search(source, 0, 20_000):
        return without_page_artifacts(read_plain(source)), "text"
    format_ = "ixbrl" if "<ix:" in source or "<IX:" in source else "html"
    return without_page_artifacts(_html_blocks(source)), format_


def _html_blocks(source: str) -> list[Block]:
    if is_typed(source):
        return read_plain(typed_text(source))
    styles = read_styles(source)
    blocks: list[Block] = []
    end = 0
    for drawn in [*_DRAWN.finditer(source, 0, end_of_last("</pre", source)), None]:
        written = source[end : drawn.start() if drawn else len(source)]
        blocks.extend(_from_page(read_html(written, styles=styles), blocks))
        if drawn:
            inside = _TAG.sub("", drawn[1])
            blocks.extend(_from_page(read_plain(inside), blocks))
            end = drawn.end()
    return blocks


def _from_page(blocks: list[Block], before: Sequence[Block]) -> list[Block]:
    """Continue the page numbers of the blocks before."""
    page = before[-1].page if before else 0
    return [replace(block, page=block.page + page) for block in blocks] if page else blocks
