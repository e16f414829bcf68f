"""Drafts of questions, their verifications, and the pairs that are made of them.

Models are asked in the step `drafts`, for each shard of contexts. The step `qa_pairs` decides by
rules alone, since a sample that is balanced over filings needs all drafts: another vote or sample
asks no model again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import intern

from tasks.core.ids import stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Citation, Context, Document, FilingTable, QAPair, Reject
from tasks.filings.reader.scale import table_scale
from tasks.suites.shared.figure_match import is_figure
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.questions.quality import REDERIVE, VERIFY, decide, verify
from tasks.suites.tablequest.questions.rounds import LEVELS, OPERATIONS
from tasks.suites.tablequest.questions.synthesis import write_drafts
from tasks.suites.tablequest.rows import Draft, Verification
from tasks.suites.tablequest.snippets import sheets_of

ASKED_BEFORE = "the filing already has this question"
NOT_DRAWN = "more than --per-level"
# What the signs of a calculation make of its cells.
_OPERATIONS = {
    "": "lookup",
    "-": "difference",
    "+": "sum",
    "+/": "average",
    "/": "ratio",
    "*/": "share in percent",
    "*-/": "change in percent",
}


def build_drafts(inputs: StepInputs) -> Iterator[Draft | Verification | Reject]:
    """Write one shard's drafts, and have the verifiers check them."""
    (generator,) = inputs.engines["generator"]
    drafts: list[Draft] = []
    for row in write_drafts(inputs.shard, generator):
        if isinstance(row, Draft):
            drafts.append(row)
        yield row
    contexts = {context.context_id: context for context in inputs.shard}
    yield from verify(drafts, contexts, inputs.engines["verifier"])


DRAFTS = Step(
    name="drafts",
    version=13,
    run=build_drafts,
    writes=(Draft, Verification),
    reads=("contexts",),
    per=Context,
    asks={"generator": tuple(OPERATIONS.values()), "verifier": (REDERIVE, VERIFY)},
)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is remembered of a draft that the votes keep, until all drafts are known."""

    rank: int  # of its level in LEVELS
    draft_id: str
    filing: str  # document_id
    asked: int  # a hash of filing and normalised query: there may be many drafts


def build_pairs(inputs: StepInputs) -> Iterator[QAPair | Reject]:
    """Make pairs of the drafts that the votes keep, or that are drawn of those.

    Drafts are read twice, with their contexts, since which of them are drawn depends on all.
    """
    options: TableQuestOptions = inputs.options
    candidates: list[_Kept] = []
    # draft_id -> the evidence of one that becomes a pair, or reason and detail of a reject
    outcomes: dict[str, str | tuple[str, str]] = {}
    for contexts, drafts in _drafts(inputs):
        votes: dict[str, list[Verification]] = defaultdict(list)
        for vote in inputs.rows(Verification, ("draft_id", {draft.draft_id for draft in drafts})):
            votes[vote.draft_id].append(vote)
        for draft in drafts:
            evidence, reason, detail = decide(draft, votes[draft.draft_id])
            if evidence is None:
                yield _reject(draft, reason, detail)
                continue
            filing = intern(_filing_of(contexts[draft.context_id]))
            query_hash = hash((filing, normalised(draft.query)))
            candidates.append(_Kept(*_in_order(draft), filing, query_hash))
            outcomes[draft.draft_id] = evidence
    candidates.sort(key=lambda candidate: (candidate.rank, candidate.draft_id))
    asked_before: set[int] = set()
    for candidate in candidates:
        if candidate.asked in asked_before:
            outcomes[candidate.draft_id] = ASKED_BEFORE, ""
        asked_before.add(candidate.asked)
    if options.per_level is not None:
        drawn = [
            candidate for candidate in candidates if isinstance(outcomes[candidate.draft_id], str)
        ]
        for candidate in _not_drawn(drawn, options.per_level, inputs.seed):
            detail = f"{options.per_level} {LEVELS[candidate.rank]} ones are drawn"
            outcomes[candidate.draft_id] = NOT_DRAWN, detail
    del candidates, asked_before
    for contexts, drafts in _drafts(inputs):
        chosen: dict[str, str] = {}  # draft_id -> evidence
        for draft in drafts:
            outcome = outcomes.get(draft.draft_id)
            if isinstance(outcome, tuple):
                yield _reject(draft, *outcome)
            elif outcome is not None:
                chosen[draft.draft_id] = outcome
        drafts = [draft for draft in drafts if draft.draft_id in chosen]
        cited = _citations(drafts, contexts, inputs)
        for draft in drafts:
            context, citations = contexts[draft.context_id], cited.get(draft.draft_id, ())
            yield _pair(draft, context, chosen[draft.draft_id], citations)


STEP = Step(
    name="qa_pairs",
    version=2,
    run=build_pairs,
    writes=(QAPair,),
    reads=("ingest", "contexts", "drafts"),
    options=("per_level", "seed"),
    most=lambda options, models: options.per_level and options.per_level * 3,
)


def normalised(query: str) -> str:
    """Drop a question's case, punctuation and spacing, to find duplicates."""
    return " ".join("".join(c if c.isalnum() else " " for c in query.casefold()).split())


def _drafts(inputs: StepInputs) -> Iterator[tuple[dict[str, Context], list[Draft]]]:
    """Yield the contexts of each part by id, and their drafts that may become pairs, in order."""
    for (some,) in inputs.parts(Context):
        contexts = {context.context_id: context for context in some}
        of_these = inputs.rows(Draft, ("context_id", contexts.keys()))
        yield contexts, sorted((draft for draft in of_these if draft.qa_pair_id), key=_in_order)


def _in_order(draft: Draft) -> tuple[int, str]:
    return LEVELS.index(draft.level), draft.draft_id


def _filing_of(context: Context) -> str:
    return context.document_ids[0]


def _not_drawn(drafts: Sequence[_Kept], per_level: int, seed: int) -> list[_Kept]:
    """List the drafts beyond `per_level`; filings take turns, in an order by the seed."""
    left: list[_Kept] = []
    for rank, level in enumerate(LEVELS):
        by_filing: dict[str, list[_Kept]] = defaultdict(list)
        for draft in drafts:
            if draft.rank == rank:
                by_filing[draft.filing].append(draft)
        turns: list[tuple[int, float, _Kept]] = []
        for filing, of_filing in by_filing.items():
            rng = stable_rng(seed, "per level", level, filing)
            rng.shuffle(of_filing)
            turns += [(turn, rng.random(), draft) for turn, draft in enumerate(of_filing)]
        turns.sort(key=lambda one: one[:2])
        left += [draft for *_, draft in turns[per_level:]]
    return left


def _citations(
    drafts: Sequence[Draft], contexts: Mapping[str, Context], inputs: StepInputs
) -> dict[str, tuple[Citation, ...]]:
    """Quote the rows of the drafts' cells, as far as they are found."""
    with_cells = [draft for draft in drafts if draft.operands]
    wanted = {_filing_of(contexts[draft.context_id]) for draft in with_cells}
    only = ("document_id", wanted)
    documents = {document.document_id: document for document in inputs.rows(Document, only)}
    tables = {table.table_id: table for table in inputs.rows(FilingTable, only)}
    cited = {}
    for draft in with_cells:
        context = contexts[draft.context_id]
        ids = json.loads(context.details).get("table_ids", [])
        shown = {number: tables[of] for number, of in enumerate(ids, start=1) if of in tables}
        if document := documents.get(_filing_of(context)):
            cited[draft.draft_id] = _cite_rows(draft.operands, document, shown)
    return cited


def _cite_rows(
    operands: Iterable[Operand], document: Document, tables: Mapping[int, FilingTable]
) -> tuple[Citation, ...]:
    """Quote the document's lines with the cells, in their order; () if one is not found.

    A line is found if it is the only one of the table's span with the row's label and the cell.
    `tables` are by their number in the snippet, from 1.
    """
    citations: dict[int, Citation] = {}
    for operand in operands:
        table = tables.get(operand.table_index)
        lines = [] if table is None else list(_lines_with(operand, document, table))
        if len(lines) != 1:
            return ()
        citations[lines[0].start_char] = lines[0]
    return tuple(citations[start] for start in sorted(citations))


def _lines_with(operand: Operand, document: Document, table: FilingTable) -> Iterator[Citation]:
    if operand.row >= len(table.cells):
        return
    label = table.cells[operand.row][0]
    start = table.start_char
    for line in document.text[table.start_char : table.end_char].split("\n"):
        if label in line and operand.text in line:
            yield Citation(start_char=start, end_char=start + len(line), quote=line)
        start += len(line) + 1


def _pair(draft: Draft, context: Context, evidence: str, citations: tuple[Citation, ...]) -> QAPair:
    assert draft.qa_pair_id is not None
    is_number = draft.level != "hard" and is_figure(draft.answer)
    return QAPair(
        qa_pair_id=draft.qa_pair_id,
        context_id=draft.context_id,
        query=draft.query,
        answer=draft.answer,
        task=draft.level,
        citations=citations,
        citation_text="\n".join(citation.quote for citation in citations),
        traits={
            "answer": "number" if is_number else "words",
            "evidence": evidence,
            "operation": _operation_of(draft),
            "scale": _scale_of(draft, context),
            "tables": str(len({operand.table_index for operand in draft.operands})),
        },
    )


def _operation_of(draft: Draft) -> str:
    """Name what gives an answer, by the signs of its calculation."""
    if draft.level == "hard":
        return "analysis"
    calculation = draft.calculation or ""
    if not calculation and draft.level == "medium":
        return "comparison in words"
    signs = "".join(sorted({*calculation} & {*"+-*/"}))
    return _OPERATIONS.get(signs, "several steps")


def _scale_of(draft: Draft, context: Context) -> str:
    """Say where the scale of an answer's cells stands; at the place farthest from them."""
    sheets = sheets_of(context.text)
    read = [sheets[operand.table_index - 1] for operand in draft.operands]
    if not read:
        return "unknown"
    if all(table_scale(sheet.cells, ()) for sheet in read):
        return "in the table"
    is_stated = all(table_scale(sheet.cells, [sheet.pre_text]) for sheet in read)
    return "above the table" if is_stated else "not stated"


def _reject(draft: Draft, reason: str, detail: str) -> Reject:
    summary = "; ".join(filter(None, [f"{draft.level}: {draft.query} {draft.answer}", detail]))
    return reject_of("qa_pairs", draft.draft_id, reason, summary, key=("qa_pairs", draft.draft_id))
