"""Headlines and filings -> contexts -> pairs -> votes -> cases of the pairs with enough votes."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from pathlib import Path

from tasks.core.ids import canonical_json, stable_id
from tasks.core.rows import Case, Context, Document, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import Step, StepInputs
from tests.toy_suite.rows import Headline, ToyVote


@dataclass(frozen=True)
class Inputs:
    """What a question shows."""

    text: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> "Inputs":
        """Show a case and its context."""
        return cls(context, case.query)


PROMPTS = "tests.toy_suite"
SHORT = Sampling(temperature=0.0, max_tokens=64)
TEXT = make_dataclass("Text", ["text"], frozen=True)
WRITE = Operation("write", f"{PROMPTS}/write", TEXT, str.strip, SHORT)
VOTE = Operation("vote", f"{PROMPTS}/vote", Inputs, lambda reply: reply.strip() == "yes", SHORT)
ANSWERS = {
    place: Operation(
        f"answer_{place}",
        f"{PROMPTS}/{place}",
        Inputs,
        str.strip,
        SHORT,
        system=f"{PROMPTS}/system",
    )
    for place in ("before", "after")
}


def _reject(stage: str, parent_id: str, reason: str) -> Reject:
    reject_id = stable_id("reject", stage, parent_id)
    return Reject(reject_id=reject_id, stage=stage, parent_id=parent_id, reason=reason, detail="")


def read_headlines(file: Path) -> Iterator[Headline | Reject]:
    """Read a CSV file of title and company."""
    for row in csv.DictReader(file.open(encoding="utf-8")):
        yield Headline(**row) if row["company"] else _reject("ingest", row["title"], "no company")


def _contexts(inputs: StepInputs) -> Iterator[Context]:
    """Put each headline below the beginnings of two filings."""
    documents = inputs.rows(Document)[:2]
    for headline in inputs.rows(Headline):
        text = "\n".join([*(document.text[:200] for document in documents), headline.title])
        yield context_of(
            "toy",
            text,
            *documents,
            encoding=inputs.encoding,
            details=canonical_json(headline.company),
        )


def _pairs(inputs: StepInputs) -> Iterator[QAPair]:
    """Have every generator ask about every context of the shard."""
    for engine in inputs.engines["generator"]:
        asked = [Question(context.context_id, TEXT(context.text)) for context in inputs.shard]
        for context, reply in zip(inputs.shard, ask(engine, WRITE, asked), strict=True):
            yield QAPair(
                qa_pair_id=stable_id("pair", context.context_id, engine.model),
                context_id=context.context_id,
                query=reply.value or "",
                answer=json.loads(context.details),
                task="whom",
                traits={"generator": engine.model},
            )


def _votes(inputs: StepInputs) -> Iterator[ToyVote]:
    """Have every verifier vote on every pair."""
    texts = {context.context_id: context.text for context in inputs.rows(Context)}
    asked = [
        Question(p.qa_pair_id, Inputs(texts[p.context_id], p.query)) for p in inputs.rows(QAPair)
    ]
    for engine in inputs.engines["verifier"]:
        for reply in ask(engine, VOTE, asked):
            yield ToyVote(
                qa_pair_id=reply.subject_id, verifier=engine.model, is_good=bool(reply.value)
            )


def _cases(inputs: StepInputs) -> Iterator[Case | Reject]:
    """Ask every pair with enough votes before and after its text."""
    votes = Counter(vote.qa_pair_id for vote in inputs.rows(ToyVote) if vote.is_good)
    for pair in inputs.rows(QAPair):
        if votes[pair.qa_pair_id] < inputs.options.votes:
            yield _reject("cases", pair.qa_pair_id, "too few votes")
            continue
        for place in ANSWERS:
            yield case_of(pair, inputs.suite, place, traits={"placement": place})


_SOURCES = ("ingest", "ingest.headlines")
STEPS = (
    Step(name="contexts", run=_contexts, writes=(Context,), reads=_SOURCES, options=("encoding",)),
    Step(
        name="qa_pairs",
        run=_pairs,
        writes=(QAPair,),
        reads=("contexts",),
        per=Context,
        asks={"generator": (WRITE,)},
    ),
    Step(
        name="votes",
        run=_votes,
        writes=(ToyVote,),
        reads=("contexts", "qa_pairs"),
        asks={"verifier": (VOTE,)},
    ),
    Step(name="cases", run=_cases, writes=(Case,), reads=("qa_pairs", "votes"), options=("votes",)),
)
