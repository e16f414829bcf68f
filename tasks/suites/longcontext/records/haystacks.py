"""Make the records of a block: haystacks, and the cases that ask about them.

As in the paper (section 2.2), a record's background is drawn once. The four tasks, the twin without
needles and all placements of the instruction share it, each as far as its budget reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.records.candidates import Candidates, Names, candidates_of
from tasks.suites.longcontext.records.drawing import (
    Asked,
    draw_needles,
    draw_negatives,
    together_in_texts,
)
from tasks.suites.longcontext.records.layout import CannotFill
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool
from tasks.suites.longcontext.records.queries import FEWEST_NEGATIVES
from tasks.suites.longcontext.records.texts import (
    Text,
    details_of,
    overhead_of,
    write_texts,
)
from tasks.suites.longcontext.rows import (
    Article,
    BarredArticle,
    PlacedArticle,
    PlannedRecord,
    Query,
    Record,
    SimilarCompany,
)
from tasks.suites.longcontext.wording import FILES, word_query
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import Step, StepInputs

KIND = "haystack"


def build_haystacks(inputs: StepInputs) -> Iterator[object]:
    """Make the records of one block."""
    block = _Block(inputs)
    by_background: dict[str, list[PlannedRecord]] = {}
    for planned in sorted(inputs.shard, key=lambda each: each.number):
        by_background.setdefault(planned.background_id, []).append(planned)
    for planned_records in by_background.values():
        yield from block.records(planned_records)


class _Block:
    """The records of one shard."""

    def __init__(self, inputs: StepInputs) -> None:
        self.options: LongContextOptions = inputs.options
        self.suite, self.seed, self.encoding = inputs.suite, inputs.seed, inputs.encoding
        self.pool = Pool(inputs.rows(Article), inputs.encoding)
        names = Names.of(inputs.rows(SimilarCompany), inputs.rows(BarredArticle))
        places = {planned.place for planned in inputs.shard}
        self.seen: dict[tuple[str, int], Candidates] = {
            (query.task, query.place): candidates_of(query, self.pool, names)
            for query in inputs.rows(Query)
            if query.place in places
        }
        self.written: set[str] = set()  # context_ids; placements may share a text

    def records(self, planned_records: Sequence[PlannedRecord]) -> Iterator[object]:
        """Make the records, of each task, that share a background."""
        first = planned_records[0]
        asked = {
            task: [
                draw_needles(self.pool, planned, self.seen[task, planned.place], self.seed)
                for planned in planned_records
                if (task, planned.place) in self.seen
            ]
            for task in TASKS
        }
        everything = [each for of_task in asked.values() for each in of_task]
        rng = stable_rng(self.seed, "background", first.length, first.number)
        drawn = sorted((rng.random(), at) for at in range(len(self.pool.articles)))
        budget = self.options.budget_of(first.length)
        for of_task in asked.values():
            groups = [[each] for each in of_task]
            if self.options.shared_haystack:
                groups = together_in_texts(self.pool, of_task, budget)
            for together in groups:
                # one background for all tasks; for many queries, few articles would be left
                beside = together if self.options.shared_haystack else everything
                kept_out = frozenset[int]().union(*(each.seen.kept_out for each in beside))
                background = [at for _, at in drawn if at not in kept_out]
                yield from self._of_text(together, background, budget)

    def _of_text(
        self, together: Sequence[Asked], background: Sequence[int], budget: int
    ) -> Iterator[object]:
        """Make the records that are asked on one text, under each placement."""
        seen = together[0].seen
        shown = self.pool.lines(dated=seen.task.shows_dates)
        overhead = overhead_of(seen.query, self.options.placements[0], self.encoding)
        negatives = draw_negatives(self.pool, together, budget - overhead, self.seed)
        try:
            texts = {
                placement: write_texts(
                    self.pool,
                    together,
                    [line for chosen in negatives for _, line in chosen],
                    [shown[at] for at in background],
                    placement=placement,
                    budget=budget,
                    encoding=self.encoding,
                    seed=self.seed,
                )
                for placement in self.options.placements
            }
        except CannotFill as error:
            yield from (_reject(each, str(error)) for each in together)
            return
        for is_twin in (False, True):
            pairs: dict[int, QAPair] = {}  # by record; the same for all placements
            for placement, both in texts.items():
                text = both.twin if is_twin else both.own
                context = self._context(text, together[0].planned.background_id)
                if context.context_id not in self.written:
                    self.written.add(context.context_id)
                    yield context
                at_needles = iter(() if is_twin else both.layout.needles)
                at_negatives = iter(both.layout.negatives)
                for each, chosen, n_tokens in zip(together, negatives, text.n_prompt, strict=True):
                    needles = list(zip(each.needles, at_needles, strict=False))
                    target = canonical_json(sorted(number for _, number in needles))
                    number = each.planned.number
                    if number not in pairs:
                        pairs[number] = _pair(each, context.context_id, target, len(needles))
                        yield pairs[number]
                    case = case_of(
                        pairs[number],
                        self.suite,
                        placement,
                        traits=pairs[number].traits,
                        details=details_of(each.seen.query, text.head_chars),
                    )
                    case = replace(
                        case,
                        context_id=context.context_id,
                        target=target,
                        is_answerable=bool(needles),
                    )
                    yield case
                    hard = list(zip(chosen, at_negatives, strict=False))
                    negative_tokens = sum(
                        self.pool.tokens_at(place, line) for (_, line), place in hard
                    )
                    fewest = FEWEST_NEGATIVES * context.n_tokens / len(together)
                    yield Record(
                        case_id=case.case_id,
                        query_id=each.seen.query.query_id,
                        background_id=each.planned.background_id,
                        length=each.planned.length,
                        number=number,
                        n_articles=len(text.lines),
                        articles=tuple(
                            self.pool.articles[line.at].article_id for line in text.lines
                        ),
                        n_tokens=n_tokens,
                        budget=budget,
                        n_needles=len(needles),
                        n_negatives=len(hard),
                        negative_tokens=negative_tokens,
                        is_short_of_negatives=negative_tokens < fewest,
                    )
                    for (depth, line), place in needles:
                        yield self._placed(case.case_id, line, place, depth, None)
                    for (reason, line), place in hard:
                        depth = (place - 1) / max(len(text.lines) - 1, 1)
                        yield self._placed(case.case_id, line, place, depth, reason)

    def _context(self, text: Text, group: str) -> Context:
        n_tokens = self.pool.text_tokens(text.lines)
        details = canonical_json({"group": group})
        return context_of(
            KIND, text.text, encoding=self.encoding, n_tokens=n_tokens, details=details
        )

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


def _pair(each: Asked, context_id: str, target: str, n_needles: int) -> QAPair:
    """Make a record's pair; its context is that of the first placement."""
    query = word_query(each.seen.query)
    planned = each.planned
    return QAPair(
        # records on one shared text may ask the same query
        qa_pair_id=stable_id("pair", context_id, query, target, planned.length, planned.number),
        context_id=context_id,
        query=query,
        answer=target,
        task=each.seen.query.task,
        traits={"length": str(planned.length), "needles": str(n_needles)},
    )


def _reject(each: Asked, reason: str) -> Reject:
    planned, task = each.planned, each.seen.query.task
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
    writes=(Context, QAPair, Case, Record, PlacedArticle),
    reads=("articles", "queries"),
    per=PlannedRecord,
    options=("placements", "shared_haystack", "answer_tokens", "seed", "encoding"),
    files=FILES,
)
