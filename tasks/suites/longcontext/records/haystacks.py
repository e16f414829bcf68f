"""Make the records of a block: haystacks, and the cases that ask about them.

As in the paper (section 2.2), a record's background is drawn once. The four tasks, the twin without
needles and all placements of the instruction share it, each as far as its budget reaches.

With `--shared-haystack`, the first `queries` records of a length, of all four tasks, are asked of
one text, the next ones of the next. It shows dates for all of them. What a query must list is every
article of the text that fits it, whichever query it was drawn for; a query that would have none is
a reject. Its hard negatives are those of the text's that nearly fit it; other queries' needles may
nearly fit it too, and are not counted. The twin is a second text, with background where the needles
were: it is asked the same queries, and nothing fits any of them. The longest prompt of a text has
its budget; a shorter instruction is not made up for.
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
    draw_shared_needles,
    shows_dates,
)
from tasks.suites.longcontext.records.layout import CannotFill
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool, as_drawn
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
NO_NEEDLE = "no article that fits it can be in one text with those of the other queries"


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
        records = [
            (planned, self.seen[task, planned.place])
            for task in TASKS
            for planned in planned_records
            if (task, planned.place) in self.seen
        ]
        rng = stable_rng(self.seed, "background", first.length, first.number)
        drawn = as_drawn(rng, range(len(self.pool.articles)))
        kept_out = frozenset[int]().union(*(seen.kept_out for _, seen in records))
        background = [at for at in drawn if at not in kept_out]
        budget = self.options.budget_of(first.length)
        if self.options.shared_haystack:
            together, without = draw_shared_needles(self.pool, records, budget, self.seed)
            yield from (_reject(each, NO_NEEDLE) for each in without)
            texts = [together] if together else []
        else:
            texts = [[draw_needles(self.pool, *each, self.seed)] for each in records]
        for together in texts:
            yield from self._of_text(together, background, budget)

    def _of_text(
        self, together: Sequence[Asked], background: Sequence[int], budget: int
    ) -> Iterator[object]:
        """Make the records that are asked on one text, under each placement."""
        shown = self.pool.lines(dated=shows_dates(together))
        overhead = max(
            overhead_of(each.seen.query, self.options.placements[0], self.encoding)
            for each in together
        )
        negatives = draw_negatives(self.pool, together, budget - overhead, self.seed)
        try:
            texts = {
                placement: write_texts(
                    self.pool,
                    together,
                    negatives,
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
        for nth in (0, 1):  # with needles, and the twin
            pairs: dict[str, QAPair] = {}  # by query; the same for all placements
            for placement, both in texts.items():
                text = both[nth]
                context = context_of(
                    KIND,
                    text.text,
                    encoding=self.encoding,
                    n_tokens=self.pool.text_tokens(text.lines),
                    details=canonical_json({"group": together[0].planned.background_id}),
                )
                if context.context_id not in self.written:
                    self.written.add(context.context_id)
                    yield context
                for each, n_tokens in zip(together, text.n_prompt, strict=True):
                    yield from self._of_query(each, placement, text, context, n_tokens, pairs)

    def _of_query(
        self,
        each: Asked,
        placement: str,
        text: Text,
        context: Context,
        n_tokens: int,
        pairs: dict[str, QAPair],
    ) -> Iterator[object]:
        """Make one record's case about a text, with what fits its query and what nearly fits."""
        seen, planned, articles = each.seen, each.planned, self.pool.articles
        needles = [found for found in text.needles if found[1].at in seen.fits]
        hard = [
            (reason, line, number)
            for line, number in text.negatives
            if (reason := seen.reason_of(line.at, line.shown_date, articles[line.at].published))
        ]
        target = canonical_json(sorted(number for *_, number in needles))
        query_id = seen.query.query_id
        if query_id not in pairs:
            pairs[query_id] = _pair(each, context.context_id, target, len(needles))
            yield pairs[query_id]
        pair, details = pairs[query_id], details_of(seen.query, text.head_chars)
        case = replace(
            case_of(pair, self.suite, placement, traits=pair.traits, details=details),
            context_id=context.context_id,
            target=target,
            is_answerable=bool(needles),
        )
        yield case
        negative_tokens = sum(self.pool.tokens_at(at, line) for line, at in text.negatives)
        yield Record(
            case_id=case.case_id,
            query_id=query_id,
            background_id=planned.background_id,
            length=planned.length,
            number=planned.number,
            n_articles=len(text.lines),
            articles=tuple(articles[line.at].article_id for line in text.lines),
            n_tokens=n_tokens,
            budget=self.options.budget_of(planned.length),
            n_needles=len(needles),
            n_negatives=len(hard),
            negative_tokens=negative_tokens,
            is_short_of_negatives=negative_tokens < FEWEST_NEGATIVES * context.n_tokens,
        )
        for depth, line, number in needles:
            yield self._placed(case.case_id, line, number, depth, None)
        for reason, line, number in hard:
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
    version=2,
    writes=(Context, QAPair, Case, Record, PlacedArticle),
    reads=("articles", "queries"),
    per=PlannedRecord,
    sampled_by=("length", "background_id"),
    options=("placements", "shared_haystack", "answer_tokens", "seed", "encoding"),
    files=FILES,
)
