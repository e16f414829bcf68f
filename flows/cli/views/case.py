"""Terminal output of `tenkbench explain`: one case, or a pair's cases.

Texts of models, filings and questions stand behind a bar, so that none of their lines looks like
ours. Their control characters are spelled out.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from shlex import quote
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from flows.cli.options import DEFAULTS
from flows.cli.views.console import console, one_line, print_json
from tasks.filings.samples import sample_folder
from tasks.results.explain.explain import PUBLISHED, Changed, Explained, company_of
from tasks.suites.page import Page
from tasks.suites.registry import load_suite
from tasks.text.differences import Piece, word_differences
from tasks.text.passages import Part, Passage
from tasks.text.visible import visible

# A prompt holds a filing: without --full, show this many characters at either end.
_FOLD_END = 700
LONGEST_BESIDE = 160  # characters of an answer or a query beside other cases

# Left out of suggested commands.
_DEFAULTS = {"slice": "overall", "suite": DEFAULTS.suite, "lake": DEFAULTS.lake}

_NO_ADDRESS = "address unknown: state cik and accession in filings.csv"
_INVENTED = "not on EDGAR: a sample filing of an invented company"

_BAR = "  │ "
HEADING = "bold"
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "quoted": ("«", "»")}
_STYLES = {
    "removed": "red strike",
    "added": "green",
    "quoted": "black on yellow",
    "left_out": "dim",
}


def command(case: str | None = None, **options: str | None) -> str:
    """Write the `explain` command for these options, without defaults."""
    said = {
        name: value for name, value in options.items() if value not in (None, _DEFAULTS.get(name))
    }
    words = [
        case or "",
        *(f"--{name} {quote(one_line(value or ''))}" for name, value in said.items()),
    ]
    return " ".join(["tenkbench explain", *filter(None, words)])


# --- a case ------------------------------------------------------------------------------


def show_case(
    row: Explained,
    passages: Sequence[Passage],
    shown_citations: Sequence[Sequence[Piece]],
    evidence: Sequence[tuple[str, str]] = (),
    turned: Explained | None = None,
    changed: Changed | None = None,
    *,
    is_full: bool,
    as_json: bool,
) -> None:
    """Show one judged case; fold its prompts unless `is_full`.

    Args:
        turned: the same comparison of two answers, shown in the other order.
        changed: what was changed on purpose; its passages are shown, with the difference.
    """
    if as_json:
        difference = [asdict(piece) for piece in word_differences(row.original_query, row.query)]
        details = json.loads(row.details)
        found: dict[str, Any] = {**asdict(row), "details": details, "query_difference": difference}
        found["passages"] = [asdict(passage) for passage in passages]
        found["evidence"] = dict(evidence)
        found["shown_citations"] = [
            [asdict(piece) for piece in pieces] for pieces in shown_citations
        ]
        found["changed"] = changed and asdict(changed)
        print_json(found)
        return
    out = console()
    words = load_suite(row.suite).page
    form = f"{row.variant} of " if words.has_forms else ""
    _title(out, row.case_id, f"{form}{row.qa_pair_id}, {row.suite} {row.release}")
    _block(out, "Query", _query(row))
    if not _is_borrowed(row) and row.query != row.original_query:
        _legend(out, "as the pair has it", "as it was asked")
    if _is_borrowed(row):
        _block(out, "The pair's own query, which was not asked", Text(visible(row.original_query)))
    for line in (*([] if changed else _changes(row)), *_traits(row, words)):
        out.print(Padding.indent(Text(line), 2))
    _block(out, "Prompt", _prompt(row.prompt_prefix, row.prompt_suffix, is_full))
    if row.answer_read is not None:
        _block(out, f"Answer of {row.model}", Text(visible(row.answer_read)))
    reply = f"{'Answer' if row.answer_read is None else 'Whole reply'} of {row.model}"
    _block(out, reply, Text(visible(row.answer)) if row.answer is not None else None)
    if row.finish_reason not in (None, "stop"):
        out.print(Text(f"  finish reason: {one_line(row.finish_reason)}"), soft_wrap=True)
    if row.other_model is not None:
        _block(out, f"Answer of {row.other_model}", Text(visible(row.other_answer or "")))
    is_known = changed is not None or row.is_answerable
    target = row.target if changed is None else changed.wanted
    _block(
        out,
        "Target" if is_known else "Target: refuse, because the context lacks this",
        Text(visible(target)) if target else None,
    )
    for judged in filter(None, (row, turned)):
        given = f"{'Rating' if row.label is None else 'Verdict'} by {row.judge}"
        given += " (rules)" if judged.is_by_rule else ""
        order = f", {judged.model} shown first" if judged.other_model is not None else ""
        _title(out, f"{given}{order}", _rating(judged))
        if judged.rationale:
            _bars(out, Text(visible(judged.rationale)))
        if is_full:
            prompt = _prompt(judged.judge_prompt_prefix, judged.judge_prompt_suffix, is_full)
            _block(out, f"Prompt of {row.judge}", prompt)
    heading = _cited_heading(row)
    cited = [_marked(passage.parts) for passage in passages]
    if cited:
        _block(out, heading, Text("\n\n").join(_folded(text, is_full) for text in cited))
    if row.citation_text and not passages:
        text = _folded(Text(visible(row.citation_text)), is_full)
        _block(out, f"{heading}, not verbatim in the filing", text)
    for name, pieces in changed.passages if changed else ():
        differs = any(piece.kind != "kept" for piece in pieces)
        text = _folded(_marked(pieces), is_full or differs)  # no difference is folded away
        _block(out, f"{name}, as shown to the model", text)
        if differs:
            _legend(out, "before the change", "as it was shown")
    copies = [_marked(pieces) for pieces in shown_citations]
    if copies:
        folded = Text("\n\n").join(_folded(text, is_full) for text in copies)
        _block(out, "Cited, as shown to the model", folded)
        _legend(out, "as the filing has it", "as it was shown")
    for heading, said in evidence:
        _block(out, heading, Text(visible(said)))
    _title(out, "Filing", _filing(row))
    out.print(Text(f"  {_address(row)}"), soft_wrap=True)
    if row.form == PUBLISHED and words.published:
        out.print(Text(f"  {words.published}"), soft_wrap=True)


def _address(row: Explained) -> str:
    """Say where the filing is on EDGAR, or why that is not known."""
    if row.source_uri in {file.name for file in sample_folder().iterdir()}:
        return _INVENTED
    is_file = row.filing_id is not None and row.form != PUBLISHED
    return row.edgar_url or (_NO_ADDRESS if is_file else "no address on EDGAR")


def _is_borrowed(row: Explained) -> bool:
    """Tell whether the case asks another pair's unanswerable question."""
    is_changed = load_suite(row.suite).page.changes is not None
    return not is_changed and not row.is_answerable and row.query != row.original_query


def _query(row: Explained) -> Text:
    if _is_borrowed(row):  # a word diff of unrelated questions says nothing
        return Text(visible(row.query))
    return _marked(word_differences(row.original_query, row.query))


def _legend(out: Console, removed: str, added: str) -> None:
    marks = _marked([Piece("removed", removed), Piece("kept", " "), Piece("added", added)])
    out.print(Text.assemble("  marked: ", marks), soft_wrap=True)


def _changes(row: Explained) -> list[str]:
    """Describe how the case differs from its pair besides the query's wording."""
    if row.context_id is None:
        return ["shown without a document"]
    if _is_borrowed(row):
        donor = json.loads(row.details)
        if "donor_filing_id" not in donor:  # a published dataset does not name the source
            return ["a question that the document shown does not answer"]
        filing, pair = (
            one_line(str(donor[key])) for key in ("donor_filing_id", "donor_qa_pair_id")
        )
        return [f"a question about another filing ({filing}, {pair}), asked of the one named below"]
    if row.context_id != row.original_context_id:
        return [f"shown with another text of the document: {row.context_kind} ({row.context_id})"]
    return []


def _traits(row: Explained, words: Page) -> list[str]:
    """List the suite's own slices that hold the case, and their meanings."""
    known = row.traits or {}
    traits = {
        dimension: one_line(str(known[dimension]))
        for dimension in words.dimensions
        if dimension in known and (dimension not in words.of_published or row.form == PUBLISHED)
    }
    if not traits:
        return []
    lies_in = ", ".join(f"{dimension}={value}" for dimension, value in traits.items())
    meanings = [f"{name}: {words.values[name]}" for name in traits if name in words.values]
    return [f"in the slices {lies_in}", *meanings]


def _cited_heading(row: Explained) -> str:
    if row.context_id is None:
        return "Cited from the document, which was not shown"
    if _is_borrowed(row):
        return "Cited for the pair's own query, not for the question asked"
    return "Cited"


def _prompt(prefix: str | None, suffix: str | None, is_full: bool) -> Text | None:
    if prefix is None or suffix is None:
        return None
    return _folded(Text(visible(prefix + suffix)), is_full)


def _folded(text: Text, is_full: bool) -> Text:
    """Fold the middle of a long text unless `is_full`."""
    left_out = len(text) - 2 * _FOLD_END
    if is_full or left_out <= 0:
        return text
    beginning, _, end = text.divide([_FOLD_END, len(text) - _FOLD_END])
    beginning.append(
        f"\n… {left_out:,} characters; --full shows them …\n", style=_STYLES["left_out"]
    )
    return beginning.append_text(end)


def _rating(row: Explained) -> str:
    if row.label is not None:
        return row.label if row.other_model is None else f"{row.model} {row.label}"
    if row.score is not None:
        return f"{row.score:.2f} of 1"
    if row.rating is None:
        return f"none: {row.unscored_reason}"
    return f"{row.rating} of 6, {'compliant' if row.is_compliant else 'not compliant'}"


def _filing(row: Explained) -> str:
    period = f"for {row.period_end}" if row.period_end else None
    filed = f"filed {row.filed_date}" if row.filed_date else None
    item = f"Item {row.item}" if row.item else None
    company = company_of(row.company, row.cik)
    said = (company, row.form, row.source_uri, period, filed, row.filing_id, item)
    return ", ".join(part for part in said if part)


def _marked(parts: Iterable[Piece | Part]) -> Text:
    """Join pieces, with marks around changes and quotations."""
    text = Text()
    for part in parts:
        before, after = _MARKS.get(part.kind, ("", ""))
        style = _STYLES.get(part.kind, "")
        said = visible(part.text)
        if part.kind == "left_out":
            said = f" … {len(part.text):,} characters … "
        text.append(f"{before}{said}{after}", style=style)
    return text


def _title(out: Console, heading: str, rest: str) -> None:
    out.print(
        Text.assemble((one_line(heading), HEADING), f"  {one_line(rest)}" if rest else ""),
        soft_wrap=True,
    )


def short(text: str) -> str:
    """Shorten a text to stand beside others."""
    return textwrap.shorten(text, LONGEST_BESIDE, placeholder=" …")


def _block(out: Console, heading: str, text: Text | None) -> None:
    _title(out, heading, "" if text is not None else "none")
    if text is not None:
        _bars(out, text)


def _bars(out: Console, text: Text) -> None:
    """Show a text of others with each line behind a bar."""
    width = max(out.width - len(_BAR), 20)
    for line in text.split("\n", allow_blank=True):
        for wrapped in line.wrap(out, width):
            out.print(Text.assemble((_BAR, "dim"), wrapped), soft_wrap=True)


# --- a pair ------------------------------------------------------------------------------


def show_pair(rows: Sequence[Explained], *, as_json: bool) -> None:
    """Show a pair's judged cases: queries, answers and ratings."""
    if as_json:
        hidden = ("prompt_prefix", "prompt_suffix", "judge_prompt_prefix", "judge_prompt_suffix")
        print_json(
            [
                {name: value for name, value in asdict(row).items() if name not in hidden}
                for row in rows
            ]
        )
        return
    out = console()
    first = rows[0]
    _title(
        out,
        first.qa_pair_id,
        f"{first.model}, judged by {first.judge}; {first.suite} {first.release}",
    )
    _block(out, "Query", Text(visible(first.original_query)))
    for row in rows:
        _title(out, row.case_id, f"{row.variant}, {_rating(row)}")
        _bars(out, Text("the pair's query") if row.query == row.original_query else _query(row))
        _bars(out, Text("no answer" if row.answer is None else visible(short(row.answer))))
    _title(out, "Filing", _filing(first))
