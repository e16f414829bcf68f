"""Headlines and filings -> contexts -> pairs -> votes -> cases of the pairs with enough votes."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import make_dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json, stable_id
from tasks.core.rows import Case, Context, Document, Judgement, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.suites.judge import Answered
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import Judge, Step, StepInputs
from tests.toy_suite.rows import Headline, ToyVote


def _operation(name: str, *inputs: str, system: str | None = None) -> Operation[Any, str]:
    show = make_dataclass("Show", inputs, frozen=True)
    show.of = lambda case, context: show(context, case.query)
    sampling = Sampling(temperature=0.0, max_tokens=64)
    return Operation(name, f"tests.toy_suite/{name}", show, str.strip, sampling, system)


WRITE, VOTE = _operation("write", "text"), _operation("vote", "text", "query")
COMPARE = _operation("compare", "text", "target", "first", "second")
ANSWERS = {
    place: _operation(f"answer_{place}", "text", "query", system="tests.toy_suite/system")
    for place in ("before", "after")
}


def _reject(stage: str, parent_id: str, reason: str) -> Reject:
    reject_id = stable_id("reject", stage, parent_id)
    return Reject(reject_id=reject_id, stage=stage, parent_id=parent_id, reason=reason, detail="")


def read(file: Path) -> Iterator[Headline | Reject]:
    for row in csv.DictReader(file.open(encoding="utf-8")):
        yield Headline(**row) if row["company"] else _reject("ingest", row["title"], "no company")


def _contexts(inputs: StepInputs) -> Iterator[Context]:
    documents = [*inputs.rows(Document)][:2]
    for headline in inputs.rows(Headline):
        text = "\n".join([*(document.text[:200] for document in documents), headline.title])
        details = canonical_json(headline.company)
        yield context_of("toy", text, *documents, encoding=inputs.encoding, details=details)


def _pairs(inputs: StepInputs) -> Iterator[QAPair]:
    company = {context.context_id: json.loads(context.details) for context in inputs.shard}
    asked = [Question(each.context_id, WRITE.inputs(each.text)) for each in inputs.shard]
    for engine in inputs.engines["generator"]:
        for reply in ask(engine, WRITE, asked):
            yield QAPair(
                qa_pair_id=stable_id("pair", reply.subject_id, engine.model),
                context_id=reply.subject_id,
                query=reply.value or "",
                answer=company[reply.subject_id],
                task="whom",
                traits={"generator": engine.model},
            )


def _votes(inputs: StepInputs) -> Iterator[ToyVote]:
    texts = {context.context_id: context.text for context in inputs.rows(Context)}
    shown = {p.qa_pair_id: VOTE.inputs(texts[p.context_id], p.query) for p in inputs.rows(QAPair)}
    for engine in inputs.engines["verifier"]:
        for reply in ask(engine, VOTE, [Question(*pair) for pair in shown.items()]):
            good = reply.value == "yes"
            yield ToyVote(qa_pair_id=reply.subject_id, verifier=engine.model, is_good=good)


def _cases(inputs: StepInputs) -> Iterator[Case | Reject]:
    votes = Counter(vote.qa_pair_id for vote in inputs.rows(ToyVote) if vote.is_good)
    for pair in inputs.rows(QAPair):
        is_kept = votes[pair.qa_pair_id] >= inputs.options.votes
        kept = [case_of(pair, inputs.suite, at, traits={"placement": at}) for at in ANSWERS]
        yield from kept if is_kept else [_reject("cases", pair.qa_pair_id, "too few votes")]


def _recall(answered: Sequence[Answered], _: None, options: Any) -> Iterator[Judgement]:
    for each in answered:
        wanted, given = each.case.target.split(), each.text.split()
        yield each.judgement(score=sum(word in given for word in wanted) / len(wanted))


def better(asks: Any, pairs: Sequence[Answered], engine: Engine, _: Any) -> Iterator[Judgement]:
    shown = [asks.inputs(p.context, p.case.target, *(a.text for a in p.answers)) for p in pairs]
    asked = [pair.question(what) for pair, what in zip(pairs, shown, strict=True)]
    for each, reply in zip(pairs, ask(engine, asks, asked), strict=True):
        label = {"1": "won", "2": "lost"}.get(reply.value or "", "tie")
        yield each.judgement(label=label, judge_request_id=reply.request.request_id)


SOURCES, BOTH = ("ingest", "ingest.headlines"), ("contexts", "qa_pairs")
WRITTEN, VOTED = {"generator": (WRITE,)}, {"verifier": (VOTE,)}
STEPS = (
    Step(name="contexts", run=_contexts, writes=(Context,), reads=SOURCES, options=("encoding",)),
    Step(name="qa_pairs", run=_pairs, writes=(QAPair,), reads=BOTH[:1], per=Context, asks=WRITTEN),
    Step(name="votes", run=_votes, writes=(ToyVote,), reads=BOTH, asks=VOTED),
    Step(name="cases", run=_cases, writes=(Case,), reads=("qa_pairs", "votes"), options=("votes",)),
)
RECALL = Judge(run=_recall, rule="the share of words that it found")
BETTER = Judge(
    run=partial(better, COMPARE), asks=(COMPARE,), compares=lambda *_: True, reads="shown"
)
