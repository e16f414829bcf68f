"""Make the records of a block: haystacks, and the cases that ask about them.

As in the paper (section 2.2), a record's background is drawn once. The four tasks, the twin without
needles and all placements of the instruction share it, each as far as its budget reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.records.candidates import Candidates, Names, candidates_of
from tasks.suites.longcontext.records.drawing import Draft, draw_needles, draw_negatives
from tasks.suites.longcontext.records.layout import CannotFill
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool, as_drawn
from tasks.suites.longcontext.records.queries import FEWEST_NEGATIVES
from tasks.suites.longcontext.records.texts import Text, details_of, overhead_of, write_texts
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

KIND = "haystack"


def build_haystacks(inputs: StepInputs) -> Iterator[object]:
    """Make the records of one block."""
    block = _Block(inputs)
    for planned in sorted(inputs.shard, key=lambda planned: planned.number):
        yield from block.records(planned)


class _Block:
    """The records of one shard."""

    def __init__(self, inputs: StepInputs) -> None:
        self.options: LongContextOptions = inputs.options
        self.suite, self.seed, self.encoding = inputs.suite, inputs.seed, inputs.encoding
        self.pool = Pool(inputs.rows(Article), inputs.encoding)
        names = Names.of(inputs.rows(SimilarCompany), inputs.rows(BarredArticle))
        places = {planned.place for planned in inputs.shard}
        self.candidates: dict[tuple[str, int], Candidates] = {
            (query.task, query.place): candidates_of(query, self.pool, names)
            for query in inputs.rows(Query)
            if query.place in places
        }
        self.written: set[str] = set()  # context_ids; placements may share a text

    def records(self, planned: PlannedRecord) -> Iterator[object]:
        """Make the record of each task, on one background."""
        of_tasks = [
            self.candidates[task, planned.place]
            for task in TASKS
            if (task, planned.place) in self.candidates
        ]
        rng = stable_rng(self.seed, "background", planned.length, planned.number)
        drawn = as_drawn(rng, range(len(self.pool.articles)))
        kept_out = frozenset[int]().union(*(candidates.kept_out for candidates in of_tasks))
        background = [at for at in drawn if at not in kept_out]
        for candidates in of_tasks:
            draft = self._draft(planned, candidates, background)
            try:
                texts: dict[str, tuple[Text, Text]] = {
                    placement: self._texts(draft, placement)
                    for placement in self.options.placements
                }
            except CannotFill as error:
                yield _reject(draft, str(error))
                continue
            yield from self._cases(draft, texts)

    def _draft(
        self, planned: PlannedRecord, candidates: Candidates, background: list[int]
    ) -> Draft:
        shown = self.pool.lines(dated=candidates.task.shows_dates)
        overhead = overhead_of(candidates.query, self.options.placements[0], self.encoding)
        needles = draw_needles(self.pool, planned, candidates, self.seed)
        negatives = draw_negatives(
            self.pool,
            planned,
            candidates,
            [line for _, line in needles],
            n_tokens=self.options.budget_of(planned.length) - overhead,
            seed=self.seed,
        )
        lines = tuple(shown[at] for at in background)
        return Draft(planned, candidates, needles, negatives, lines)

    def _texts(self, draft: Draft, placement: str) -> tuple[Text, Text]:
        return write_texts(
            self.pool,
            draft,
            placement=placement,
            budget=self.options.budget_of(draft.planned.length),
            encoding=self.encoding,
            seed=self.seed,
        )

    def _cases(self, draft: Draft, texts: Mapping[str, tuple[Text, Text]]) -> Iterator[object]:
        """Make the cases about a record, with needles and without, in each placement."""
        for nth in (0, 1):  # with needles, and the twin
            pair: QAPair | None = None  # the same for all placements
            for placement, both in texts.items():
                text = both[nth]
                context = context_of(
                    KIND,
                    text.text,
                    encoding=self.encoding,
                    n_tokens=self.pool.text_tokens(text.lines),
                    details=canonical_json({"group": draft.planned.background_id}),
                )
                if context.context_id not in self.written:
                    self.written.add(context.context_id)
                    yield context
                if pair is None:
                    pair = _pair(draft, context.context_id, text.needles)
                    yield pair
                yield from self._case(draft, placement, text, context, pair)

    def _case(
        self, draft: Draft, placement: str, text: Text, context: Context, pair: QAPair
    ) -> Iterator[object]:
        """Make one case, its record, and what is placed in its text."""
        planned, query = draft.planned, draft.candidates.query
        details = details_of(query, text.head_chars)
        case = replace(
            case_of(pair, self.suite, placement, traits=pair.traits, details=details),
            context_id=context.context_id,
            target=canonical_json(sorted(text.needles)),
            is_answerable=bool(text.needles),
        )
        yield case
        hard = list(zip(draft.negatives, text.negatives, strict=True))
        negative_tokens = sum(self.pool.tokens_at(number, line) for (_, line), number in hard)
        yield Record(
            case_id=case.case_id,
            query_id=query.query_id,
            background_id=planned.background_id,
            length=planned.length,
            number=planned.number,
            n_articles=len(text.lines),
            articles=tuple(self.pool.articles[line.at].article_id for line in text.lines),
            n_tokens=text.n_prompt,
            budget=self.options.budget_of(planned.length),
            n_needles=len(text.needles),
            n_negatives=len(hard),
            negative_tokens=negative_tokens,
            is_short_of_negatives=negative_tokens < FEWEST_NEGATIVES * context.n_tokens,
        )
        for (depth, line), number in zip(draft.needles, text.needles, strict=False):
            yield self._placed(case.case_id, line, number, depth, None)
        for (reason, line), number in hard:
            depth = (number - 1) / max(len(text.lines) - 1, 1)
            yield self._placed(case.case_id, line, number, depth, reason)

    def _placed(
        self, case_id: str, line: Line, number: int, depth: float, reason: str | None
    ) -> PlacedArticle:
        return PlacedArticle(
            case_id=case_id,
            article_id=self.pool.articles[line.at].article_id,
            number=number,
            depth=depth,
            kind="needle" if reason is None else NEAR[reason].kind,
            reason=reason,
            shown_date=line.shown_date,
        )


def _pair(draft: Draft, context_id: str, needles: tuple[int, ...]) -> QAPair:
    """Make a record's pair; its context is that of the first placement."""
    query, planned = word_query(draft.candidates.query), draft.planned
    target = canonical_json(sorted(needles))
    return QAPair(
        # two records may be one text, if they ask the same query
        qa_pair_id=stable_id("pair", context_id, query, target, planned.length, planned.number),
        context_id=context_id,
        query=query,
        answer=target,
        task=draft.candidates.query.task,
        traits={"length": str(planned.length), "needles": str(len(needles))},
    )


def _reject(draft: Draft, reason: str) -> Reject:
    planned, task = draft.planned, draft.candidates.query.task
    return Reject(
        reject_id=stable_id("reject", "records", planned.planned_record_id, task),
        stage="records",
        parent_id=planned.planned_record_id,
        reason=reason,
        detail=f"{task}, record {planned.number} of {planned.length:,} tokens",
    )


STEP = Step(
    name="records",
    run=build_haystacks,
    version=2,
    writes=(Context, QAPair, Case, Record, PlacedArticle),
    reads=("articles", "queries"),
    per=PlannedRecord,
    sampled_by=("length", "background_id"),
    options=("placements", "seed", "encoding"),
    files=FILES,
)
