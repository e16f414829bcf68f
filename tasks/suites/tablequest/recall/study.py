"""The recall study's step: questions that cite a sentence, blind answers, and what both share.

Tables are asked for in turns of their filings or papers, by the seed, until each level has as many
questions as wanted, or no table is left. A question whose citation is no sentence of the evidence
is a reject; so is one that the table does not answer.

Recall is the number of shared tokens, each as often as both texts have it, per token of the answer.
Tokens are NLTK's, sentence by sentence, in their case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Document, FilingTable, Reject
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question, Reply
from tasks.suites.shared.contexts import by_document
from tasks.suites.suite import Step, StepInputs
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.questions.verification import OwnAnswer, RederiveInputs
from tasks.suites.tablequest.recall.evidence import Explained, of_document, of_paper
from tasks.suites.tablequest.recall.operations import ANSWER, WRITE, Grounded, QuestionInputs
from tasks.suites.tablequest.rows import Level, PaperTable, RecallAnswer
from tasks.text.sentences import split_sentences

NOT_EXPLAINED = "no sentence of the discussion (Item 7) quotes a table of it"
NOT_WRITTEN = "the reply has no question with a citation"
NOTHING_TO_ASK = "the writer finds no sentence to ask for"
NOT_IN_EVIDENCE = "the cited sentence is none of the evidence"
NOT_ANSWERED = "the reply has no answer"
NO_ANSWER = "the table does not give the answer"

_LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")


def tokens_of(text: str) -> list[str]:
    """Split a text into NLTK's word tokens, sentence by sentence."""
    from nltk.tokenize import NLTKWordTokenizer  # takes 0.7 s to import

    tokenizer = NLTKWordTokenizer()
    return [
        token
        for start, end in split_sentences(text)
        for token in tokenizer.tokenize(text[start:end])
    ]


def shared_tokens(answer: str, sentence: str) -> tuple[int, int]:
    """Count an answer's tokens, and those of them that a sentence has."""
    tokens = Counter(tokens_of(answer))
    return tokens.total(), (tokens & Counter(tokens_of(sentence))).total()


def build_recall(inputs: StepInputs) -> Iterator[RecallAnswer | Reject]:
    """Write the study's answers on papers if there are any, else on filings."""
    options: TableQuestOptions = inputs.options
    if options.recall is None:
        return
    explained = [of_paper(table) for table in inputs.rows(PaperTable)]
    if not explained:
        for documents, tables in inputs.parts(Document, FilingTable):
            held = by_document(tables)
            for document in documents:
                found = list(of_document(document, held.get(document.document_id, ())))
                explained += found
                if not found:
                    yield _reject(document.document_id, "", NOT_EXPLAINED)
    (generator,) = inputs.engines["generator"]
    yield from study(_in_turns(explained, inputs.seed), generator, options.recall)


def study(
    tables: Sequence[Explained], engine: Engine, wanted: int
) -> Iterator[RecallAnswer | Reject]:
    """Ask at each level until there are `wanted` answers, a question for each table."""
    waiting = {level: iter(tables) for level in _LEVELS}
    missing = dict.fromkeys(_LEVELS, wanted)
    while asked := [
        (level, table)
        for level, others in waiting.items()
        for table in islice(others, missing[level])
    ]:
        for row in _asked(asked, engine):
            if isinstance(row, RecallAnswer):
                missing[row.level] -= 1
            yield row


def _asked(
    asked: Sequence[tuple[Level, Explained]], engine: Engine
) -> Iterator[RecallAnswer | Reject]:
    questions = [
        Question(table.table_id, QuestionInputs(table.text, "\n".join(table.evidence), level))
        for level, table in asked
    ]
    written: list[tuple[Level, Explained, Reply[Grounded], Grounded]] = []
    for (level, table), reply in zip(asked, ask(engine, WRITE, questions), strict=True):
        grounded = reply.value
        if grounded is None:
            yield _reject(table.table_id, level, NOT_WRITTEN, reply.error or "")
        elif not grounded.question:
            yield _reject(table.table_id, level, NOTHING_TO_ASK)
        elif grounded.sentence not in table.evidence:
            yield _reject(table.table_id, level, NOT_IN_EVIDENCE, grounded.sentence)
        else:
            written.append((level, table, reply, grounded))
    blind = [
        Question(table.table_id, RederiveInputs(table.text, grounded.question))
        for _, table, _, grounded in written
    ]
    for (level, table, reply, grounded), answered in zip(
        written, ask(engine, ANSWER, blind), strict=True
    ):
        own = answered.value
        if own is None:
            detail = f"{grounded.question} {answered.error or ''}"
            yield _reject(table.table_id, level, NOT_ANSWERED, detail)
        elif own.answer.strip(" .").casefold() == "no answer":
            yield _reject(table.table_id, level, NO_ANSWER, grounded.question)
        else:
            yield _row(level, table, reply, answered, grounded, own)


def _row(
    level: Level,
    table: Explained,
    reply: Reply[Grounded],
    answered: Reply[OwnAnswer],
    grounded: Grounded,
    own: OwnAnswer,
) -> RecallAnswer:
    n_tokens, n_shared = shared_tokens(own.answer, grounded.sentence)
    return RecallAnswer(
        recall_answer_id=stable_id("recall", table.table_id, level, grounded.question),
        table_id=table.table_id,
        source=table.source,
        level=level,
        query=grounded.question,
        grounding=grounded.sentence,
        answer=own.answer,
        n_tokens=n_tokens,
        n_shared=n_shared,
        recall=n_shared / n_tokens,
        request_id=reply.request.request_id,
        answer_request_id=answered.request.request_id,
    )


def _in_turns(tables: Sequence[Explained], seed: int) -> list[Explained]:
    """Order tables so that their filings or papers take turns."""
    by_source: dict[str, list[Explained]] = defaultdict(list)
    for table in sorted(tables, key=lambda each: each.table_id):
        by_source[table.source].append(table)
    turns: list[tuple[int, float, Explained]] = []
    for source, held in by_source.items():
        rng = stable_rng(seed, "recall", source)
        rng.shuffle(held)
        turns += [(turn, rng.random(), table) for turn, table in enumerate(held)]
    return [table for *_, table in sorted(turns, key=lambda each: each[:2])]


def _reject(parent_id: str, level: str, reason: str, detail: str = "") -> Reject:
    return Reject(
        reject_id=stable_id("reject", "recall", parent_id, level, reason),
        stage="recall",
        parent_id=parent_id,
        reason=reason,
        detail=": ".join(filter(None, (level, detail))),
    )


STEP = Step(
    name="recall",
    version=3,
    run=build_recall,
    writes=(RecallAnswer,),
    reads=("ingest", "ingest.papers"),
    asks={"generator": (WRITE, ANSWER)},
    options=("recall", "seed"),
    packages=("nltk",),
    may_be_empty=True,
    most=lambda options, models: options.recall and options.recall * len(_LEVELS),
)
