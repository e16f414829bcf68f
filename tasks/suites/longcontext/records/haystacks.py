"""Make the records of a block: haystacks, and the cases that ask about them.

As in the paper (section 2.2), a record's background is drawn once. The four tasks, the twin without
needles and all placements of the instruction share it, each as far as its budget reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Case, Context, QAPair
from tasks.inference import prompts
from tasks.suites.longcontext.answer import OPERATIONS, HaystackInputs
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.records.candidates import (
    FEWEST_NEGATIVES,
    NEAR,
    Candidates,
    Names,
    candidates_of,
    draw_needles,
    draw_negatives,
)
from tasks.suites.longcontext.records.layout import CannotFill, lay_out
from tasks.suites.longcontext.records.pool import ArticleLine, ArticlePool, as_drawn
from tasks.suites.longcontext.rows import (
    Article,
    BarredArticle,
    PlacedArticle,
    PlannedRecord,
    Query,
    Record,
    SimilarCompany,
)
from tasks.suites.longcontext.text import FILES, word_query
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import Step, StepInputs
from tasks.text.tokens import count_tokens

KIND = "haystack"
# Of the tokens that a prompt may have, the share that it has at least.
_FULL = 0.95


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """One planned record of one task, with the articles drawn for it."""

    planned: PlannedRecord
    query: Query
    wording: str  # of its query
    needles: Sequence[tuple[float, ArticleLine]]  # depth and line of each
    negatives: Sequence[tuple[str, ArticleLine]]  # reason and line of each
    background: Sequence[ArticleLine]  # in the order in which it fills the text


@dataclass(frozen=True, slots=True)
class Text:
    """One haystack."""

    lines: Sequence[ArticleLine]
    text: str
    head_chars: int  # characters that the record's siblings share; see `Case.details`
    n_prompt: int  # tokens of the prompt
    needles: Sequence[int]  # number of each of the record's needles; none in the twin
    negatives: Sequence[int]  # number of each hard negative


def build_haystacks(inputs: StepInputs) -> Iterator[object]:
    """Make the records of one block: of each task, on one background."""
    pool = ArticlePool(inputs.rows(Article), inputs.encoding)
    names = Names.of(inputs.rows(SimilarCompany), inputs.rows(BarredArticle))
    places = {planned.place for planned in inputs.shard}
    candidates = {
        (query.task, query.place): candidates_of(query, pool, names)
        for query in inputs.rows(Query)
        if query.place in places
    }
    written: set[str] = set()  # context_ids; placements may share a text
    for planned in sorted(inputs.shard, key=lambda planned: planned.number):
        keys = [(task, planned.place) for task in TASKS]
        of_tasks = [candidates[key] for key in keys if key in candidates]
        kept_out = frozenset[int]().union(*(one.kept_out for one in of_tasks))
        rng = stable_rng(inputs.seed, "background", planned.length, planned.number)
        drawn = as_drawn(rng, range(len(pool.articles)))
        background = [at for at in drawn if at not in kept_out]
        for one in of_tasks:
            draft = _draft(pool, planned, one, background, inputs)
            placements = inputs.options.placements
            try:
                texts = {name: write_texts(pool, draft, name, inputs) for name in placements}
            except CannotFill as error:
                task = draft.query.task
                detail = f"{task}, record {planned.number} of {planned.length:,} tokens"
                yield reject_of("records", planned.planned_record_id, str(error), detail)
            else:
                yield from _rows_of(pool, draft, texts, inputs, written)


def _draft(
    pool: ArticlePool,
    planned: PlannedRecord,
    candidates: Candidates,
    background: Sequence[int],
    inputs: StepInputs,
) -> RecordDraft:
    options: LongContextOptions = inputs.options
    wording = word_query(candidates.query)
    needles = draw_needles(pool, planned, candidates, inputs.seed)
    overhead = count_prompt(options.placements[0], wording, "", 0, inputs.encoding)
    negatives = draw_negatives(
        pool,
        planned,
        candidates,
        [line for _, line in needles],
        n_tokens=options.budget_of(planned.length) - overhead,
        seed=inputs.seed,
    )
    lines = pool.lines(dated=candidates.task.shows_dates)
    return RecordDraft(
        planned, candidates.query, wording, needles, negatives, [lines[at] for at in background]
    )


def write_texts(
    pool: ArticlePool, draft: RecordDraft, placement: str, inputs: StepInputs
) -> tuple[Text, Text]:
    """Write a record's text and its twin without needles, with prompts up to the budget.

    Raises:
        CannotFill: the articles do not allow it.
    """
    planned, encoding = draft.planned, inputs.encoding
    budget = inputs.options.budget_of(planned.length)
    layout = lay_out(
        pool,
        draft.needles,
        [line for _, line in draft.negatives],
        draft.background,
        target=budget - count_prompt(placement, draft.wording, "", 0, encoding),
        rng=stable_rng(inputs.seed, "places", planned.length, planned.number, draft.query.task),
    )
    n_shared = min(layout.needles) - 1
    texts = []
    for lines, needles in ((layout.lines, layout.needles), (layout.twin, ())):
        text, head_chars = pool.write(lines), len(pool.write(lines[:n_shared]))
        n_prompt = count_prompt(placement, draft.wording, text, head_chars, encoding)
        texts.append(Text(lines, text, head_chars, n_prompt, needles, layout.negatives))
    own, twin = texts
    if min(own.n_prompt, twin.n_prompt) < _FULL * budget:
        raise CannotFill("the articles that are left are too long for the end of the text")
    return own, twin


def count_prompt(placement: str, wording: str, text: str, head_chars: int, encoding: str) -> int:
    """Count the tokens of the prompt that asks a query about a text."""
    inputs = HaystackInputs.split(wording, text, head_chars)
    prompt = prompts.fill(OPERATIONS[placement].template, asdict(inputs))
    return count_tokens(prompt.prefix + prompt.suffix, encoding)


def _rows_of(
    pool: ArticlePool,
    draft: RecordDraft,
    texts: dict[str, tuple[Text, Text]],
    inputs: StepInputs,
    written: set[str],
) -> Iterator[object]:
    """Make the cases about a record, with needles and without, in each placement."""
    planned, query = draft.planned, draft.query
    for nth in (0, 1):  # with needles, and the twin
        pair: QAPair | None = None  # the same for all placements
        for placement, both in texts.items():
            text = both[nth]
            context = context_of(
                KIND,
                text.text,
                encoding=inputs.encoding,
                n_tokens=pool.text_tokens(text.lines),
                details=canonical_json({"group": planned.background_id}),
            )
            if context.context_id not in written:
                written.add(context.context_id)
                yield context
            target = canonical_json(sorted(text.needles))
            if pair is None:
                # two records may be one text, if they ask the same query
                parts = (context.context_id, draft.wording, target, planned.length, planned.number)
                pair = QAPair(
                    qa_pair_id=stable_id("pair", *parts),
                    context_id=context.context_id,
                    query=draft.wording,
                    answer=target,
                    task=query.task,
                    traits={"length": str(planned.length), "needles": str(len(text.needles))},
                )
                yield pair
            about = {"query_id": query.query_id, "head_chars": text.head_chars}
            case = replace(
                case_of(
                    pair, inputs.suite, placement, traits=pair.traits, details=canonical_json(about)
                ),
                context_id=context.context_id,
                target=target,
                is_answerable=bool(text.needles),
            )
            yield case
            budget = inputs.options.budget_of(planned.length)
            yield from _record(pool, draft, text, case.case_id, context.n_tokens, budget)


def _record(
    pool: ArticlePool, draft: RecordDraft, text: Text, case_id: str, n_tokens: int, budget: int
) -> Iterator[Record | PlacedArticle]:
    """Make the record of a case, and what is placed in its text."""
    planned = draft.planned
    hard = list(zip(draft.negatives, text.negatives, strict=True))
    negative_tokens = sum(pool.tokens_at(number, line) for (_, line), number in hard)
    yield Record(
        case_id=case_id,
        query_id=draft.query.query_id,
        background_id=planned.background_id,
        length=planned.length,
        number=planned.number,
        n_articles=len(text.lines),
        articles=tuple(pool.articles[line.at].article_id for line in text.lines),
        n_tokens=text.n_prompt,
        budget=budget,
        n_needles=len(text.needles),
        n_negatives=len(hard),
        negative_tokens=negative_tokens,
        is_short_of_negatives=negative_tokens < FEWEST_NEGATIVES * n_tokens,
    )
    placed: list[tuple[float, ArticleLine, int, str | None]] = [
        (depth, line, number, None)
        for (depth, line), number in zip(draft.needles, text.needles, strict=False)
    ]
    last = max(len(text.lines) - 1, 1)
    placed += [((number - 1) / last, line, number, reason) for (reason, line), number in hard]
    for depth, line, number, reason in placed:
        yield PlacedArticle(
            case_id=case_id,
            article_id=pool.articles[line.at].article_id,
            number=number,
            depth=depth,
            kind="needle" if reason is None else NEAR[reason].kind,
            reason=reason,
            shown_date=line.shown_date,
        )


STEP = Step(
    name="records",
    run=build_haystacks,
    version=6,
    writes=(Context, QAPair, Case, Record, PlacedArticle),
    reads=("articles", "queries"),
    per=PlannedRecord,
    sampled_by=("length", "background_id"),
    options=("placements", "seed", "encoding"),
    files=FILES,
)
