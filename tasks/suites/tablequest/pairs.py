"""Drafts of questions, their verifications, and the pairs that are made of them.

Models are asked in the step `drafts`, for each shard of contexts. The step `qa_pairs` decides by
rules alone, since a sample that is balanced over filings needs all drafts: another vote or sample
asks no model again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Citation, Context, Document, FilingTable, QAPair, Reject
from tasks.suites.shared.figure_match import is_figure
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.questions.cited_rows import cite_rows
from tasks.suites.tablequest.questions.quality import decide, verify
from tasks.suites.tablequest.questions.rounds import LEVELS, OPERATIONS
from tasks.suites.tablequest.questions.synthesis import write_drafts
from tasks.suites.tablequest.questions.verification import REDERIVE, VERIFY
from tasks.suites.tablequest.rows import Draft, Verification
from tasks.suites.tablequest.snippets import sheets_of

ASKED_BEFORE = "the filing already has this question"
NOT_DRAWN = "more than --per-level"


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
    version=3,
    run=build_drafts,
    writes=(Draft, Verification),
    reads=("contexts",),
    per=Context,
    asks={"generator": tuple(OPERATIONS.values()), "verifier": (REDERIVE, VERIFY)},
)


def build_pairs(inputs: StepInputs) -> Iterator[QAPair | Reject]:
    """Make pairs of the drafts that the votes keep, or that are drawn of those."""
    options: TableQuestOptions = inputs.options
    contexts = {context.context_id: context for context in inputs.rows(Context)}
    drafts = sorted(
        (draft for draft in inputs.rows(Draft) if draft.qa_pair_id),
        key=lambda draft: (LEVELS.index(draft.level), draft.draft_id),
    )
    votes: dict[str, list[Verification]] = defaultdict(list)
    for vote in inputs.rows(Verification):
        votes[vote.draft_id].append(vote)
    kept: dict[str, tuple[Draft, str]] = {}  # draft_id -> draft and evidence
    asked: set[tuple[str, str]] = set()
    for draft in drafts:
        evidence, reason, detail = decide(draft, votes[draft.draft_id], options.votes)
        question = (_filing_of(contexts[draft.context_id]), normalised(draft.query))
        if evidence is not None and question in asked:
            evidence, reason, detail = None, ASKED_BEFORE, ""
        if evidence is None:
            yield _reject(draft, reason, detail)
        else:
            asked.add(question)
            kept[draft.draft_id] = draft, evidence
    if options.per_level is not None:
        for draft in _not_drawn(kept, contexts, options.per_level, inputs.seed):
            del kept[draft.draft_id]
            yield _reject(draft, NOT_DRAWN, f"{options.per_level} {draft.level} ones are drawn")
    cited = _citations([draft for draft, _ in kept.values()], contexts, inputs)
    for draft, evidence in kept.values():
        yield _pair(draft, contexts[draft.context_id], evidence, cited.get(draft.draft_id, ()))


STEP = Step(
    name="qa_pairs",
    run=build_pairs,
    writes=(QAPair,),
    reads=("ingest", "contexts", "drafts"),
    options=("votes", "per_level", "seed"),
    most=lambda options, models: options.per_level and options.per_level * 3,
)


def normalised(query: str) -> str:
    """Drop a question's case, punctuation and spacing, to find duplicates."""
    return " ".join("".join(c if c.isalnum() else " " for c in query.casefold()).split())


def _filing_of(context: Context) -> str:
    return context.document_ids[0]


def _not_drawn(
    kept: Mapping[str, tuple[Draft, str]],
    contexts: Mapping[str, Context],
    per_level: int,
    seed: int,
) -> list[Draft]:
    """List the drafts beyond `per_level`; filings take turns, in an order by the seed."""
    left: list[Draft] = []
    for level in LEVELS:
        by_filing: dict[str, list[Draft]] = defaultdict(list)
        for draft, _ in kept.values():
            if draft.level == level:
                by_filing[_filing_of(contexts[draft.context_id])].append(draft)
        turns: list[tuple[int, float, Draft]] = []
        for filing, drafts in by_filing.items():
            rng = stable_rng(seed, "per level", level, filing)
            rng.shuffle(drafts)
            turns += [(turn, rng.random(), draft) for turn, draft in enumerate(drafts)]
        turns.sort(key=lambda each: each[:2])
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
            cited[draft.draft_id] = cite_rows(draft.operands, document, shown)
    return cited


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
            "tables": str(len(sheets_of(context.text))),
        },
    )


def _reject(draft: Draft, reason: str, detail: str) -> Reject:
    said = f"{draft.level}: {draft.query} {draft.answer}"
    return Reject(
        reject_id=stable_id("reject", "qa_pairs", draft.draft_id),
        stage="qa_pairs",
        parent_id=draft.draft_id,
        reason=reason,
        detail=f"{said}; {detail}" if detail else said,
    )
