"""The step `questions`: all base questions that a release can ask, each with its passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Context, Document, Filing, QAPair, Reject
from tasks.filings.edgar.query import SECTORS
from tasks.inference.client import ask
from tasks.inference.operation import Question
from tasks.suites.refusalbench.base.answers import kind_of, states, words
from tasks.suites.refusalbench.base.base_file import FileQuestion, questions_of_file
from tasks.suites.refusalbench.base.excerpts import holds_a_table, passages_of
from tasks.suites.refusalbench.base.facts import WRITE_FACTS, WRITER, Fact, FactInputs
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL, TEN, Pool, ten_passages
from tasks.suites.refusalbench.base.other_suite import by_document, naming, signal_of_pair
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion
from tasks.suites.refusalbench.strata import UNKNOWN, Setting
from tasks.suites.shared.company_names import company_name
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART
from tasks.suites.suite import Step, StepInputs

NO_FACT = "none of the passages drawn of the filing states a figure that can be asked for"
UNREAD = "the reply with questions on a passage could not be read"
NOT_STATED = "the passage does not state the answer"
SEVERAL = "passages of the filing give several answers to the question"
NO_DOCUMENT = "the release does not have the document that the pair cites"
TOO_FEW_PASSAGES = "fewer than ten passages without the answer are near the question"
TOO_MANY = "more than three questions for each of --base-questions"

_PASSAGES = 2  # that questions are asked of, for each question of the base set
_CANDIDATES = 3  # questions of a setting, for each of the base set


@dataclass(frozen=True, slots=True)
class _Found:
    """A question with the passages that state its answer."""

    source_id: str  # a pair, or a document
    query: str
    answer: str
    signal: list[BasePassage]


def build_questions(inputs: StepInputs) -> Iterator[BaseQuestion | Reject]:
    """Make questions of another suite's rows, of a file, or of facts of filings."""
    options: RefusalBenchOptions = inputs.options
    if options.base_file is not None:
        yield from questions_of_file(inputs.rows(FileQuestion), options.settings)
    else:
        yield from _of_filings(inputs, options)


STEP = Step(
    name="questions",
    run=build_questions,
    version=8,
    writes=(BaseQuestion,),
    reads=("ingest", "ingest.base_file"),
    part_rows=CONTEXTS_OF_A_PART,
    of_suite="base",
    asks={WRITER.name: (WRITE_FACTS,)},
    options=("settings", "base", "base_file", "base_questions", "seed"),
)


def _of_filings(
    inputs: StepInputs, options: RefusalBenchOptions
) -> Iterator[BaseQuestion | Reject]:
    pool, sectors = Pool(inputs.seed), dict[str, str]()
    pairs_of = (
        None if options.base is None else by_document(inputs.rows(QAPair), inputs.rows(Context))
    )
    rows: list[_Found | Reject] = []
    for filing, document in _filings(inputs):
        sectors[document.document_id] = sector_of(filing.sic)
        passages = passages_of(filing, document)
        pool.add(passages)
        if pairs_of is not None:
            company = company_name(filing.company or "")
            rows += _of_pairs(pairs_of.pop(document.document_id, ()), passages, company)
    for pairs in (pairs_of or {}).values():
        rows += [_reject(pair.qa_pair_id, NO_DOCUMENT, pair.query) for pair in pairs]
    if pairs_of is None:
        rows += _of_facts(pool, inputs)
    yield from (row for row in rows if isinstance(row, Reject))
    found = [row for row in rows if isinstance(row, _Found)]
    drawn = stable_rng(inputs.seed, "questions").sample(found, len(found))
    n_drawn = _CANDIDATES * options.base_questions
    for each in drawn[n_drawn:]:
        yield _reject(each.source_id, TOO_MANY, each.query)
    for setting in options.settings:
        for each in drawn[:n_drawn]:
            yield _question(each, setting, pool, sectors, inputs)


def sector_of(sic: str | None) -> str:
    """Return the sector of a code of the Standard Industrial Classification, or `unknown`."""
    code = int(sic) if sic and sic.isdecimal() else -1
    names = (name for name, (first, last) in SECTORS.items() if first <= code <= last)
    return next(names, UNKNOWN)


def _filings(inputs: StepInputs) -> Iterator[tuple[Filing, Document]]:
    for documents, filings in inputs.parts(Document, Filing):
        by_id = {filing.filing_id: filing for filing in filings}
        yield from ((by_id[document.filing_id], document) for document in documents)


def _of_pairs(
    pairs: Iterable[QAPair], passages: Sequence[BasePassage], company: str
) -> Iterator[_Found | Reject]:
    for pair in pairs:
        outcome = signal_of_pair(pair, passages)
        if isinstance(outcome, str):
            yield _reject(pair.qa_pair_id, outcome, f"{pair.query} {pair.answer}"[:300])
        else:
            answer, signal = outcome
            yield _Found(pair.qa_pair_id, naming(pair.query, company), answer, signal)


def _of_facts(pool: Pool, inputs: StepInputs) -> Iterator[_Found | Reject]:
    """Ask the writer for questions on passages with tables."""
    n_passages = _PASSAGES * inputs.options.base_questions
    passages = [*islice(filter(holds_a_table, pool.in_turns()), n_passages)]
    subjects = [
        Question(stable_id("facts", passage.text), FactInputs(passage.text)) for passage in passages
    ]
    (writer,) = inputs.engines[WRITER.name]
    facts_of: dict[str, list[tuple[Fact, BasePassage]]] = defaultdict(list)
    for passage, reply in zip(passages, ask(writer, WRITE_FACTS, subjects), strict=True):
        document_id = passage.document_id or ""
        facts = facts_of[document_id]
        if reply.value is None:
            yield _reject(document_id, UNREAD, f"{passage.start_char}: {reply.error}")
        for fact in reply.value or ():
            if states(passage.text, fact.answer):
                facts.append((fact, passage))
            else:
                yield _reject(document_id, NOT_STATED, f"{fact.query} {fact.answer}")
    for document_id, facts in facts_of.items():
        yield from _joined(document_id, facts)


def _joined(
    document_id: str, facts: Sequence[tuple[Fact, BasePassage]]
) -> Iterator[_Found | Reject]:
    """Join a document's facts of one query; one with several answers is a reject."""
    by_query: dict[str, list[tuple[Fact, BasePassage]]] = defaultdict(list)
    for fact, passage in facts:
        by_query[words(fact.query)].append((fact, passage))
    for same in by_query.values():
        (first, _), *_ = same
        if len({words(fact.answer) for fact, _ in same}) > 1:
            yield _reject(document_id, SEVERAL, first.query)
        else:
            signal = list(dict.fromkeys(passage for _, passage in same))
            yield _Found(document_id, first.query, first.answer, signal)
    if not facts:
        yield _reject(document_id, NO_FACT, "")


def _question(
    found: _Found, setting: Setting, pool: Pool, sectors: dict[str, str], inputs: StepInputs
) -> BaseQuestion | Reject:
    """Make a question; of one passage, the first that states the answer is shown."""
    signal = [replace(passage, is_signal=True) for passage in found.signal[:MOST_SIGNAL]]
    passages = signal[:1]
    if setting == "multi":
        rng = stable_rng(inputs.seed, "ten", found.source_id, found.query)
        passages = ten_passages(found.query, found.answer, signal, pool, rng)
        if len(passages) < TEN:
            return _reject(found.source_id, TOO_FEW_PASSAGES, f"{setting}: {found.query}")
    return BaseQuestion(
        base_question_id=stable_id(
            "base question", setting, found.query, *(each.text for each in passages)
        ),
        setting=setting,
        source=inputs.options.base or "filings",
        source_id=found.source_id,
        query=found.query,
        answers=(found.answer,),
        passages=tuple(passages),
        sector=sectors[signal[0].document_id or ""],
        answer_kind=kind_of(found.answer),
    )


def _reject(parent_id: str, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "questions", parent_id, reason, detail),
        stage="questions",
        parent_id=parent_id,
        reason=reason,
        detail=detail,
    )
