"""The step `questions`: all base questions that a release can ask, each with its passages.

They are pairs of another suite, questions of a file, or else figures of tables that the base
writer asks for. The free engine does that by rules, unchecked: a demonstration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, Document, Filing, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question
from tasks.inference.replies import ParseError
from tasks.inference.schemas import closed, listed, text
from tasks.quantities.figures import find_figures, same_figure
from tasks.quantities.text_tables import find_tables
from tasks.suites.refusalbench.base.answers import holds, is_long, kind_of, words
from tasks.suites.refusalbench.base.base_file import questions_of_file
from tasks.suites.refusalbench.base.excerpts import passages_of
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL, TEN, PassagePool, ten_passages
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion, FileQuestion
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.shared.figure_match import is_figure
from tasks.suites.suite import Role, Step, StepInputs
from tasks.text.company_names import company_name
from tasks.text.json_replies import objects

UNREAD = "the reply with questions on a passage could not be read"
NOTHING_ASKED = "the writer asks nothing about the passage"
NOT_STATED = "no passage, or none that the pair cites, has the whole answer"
SEVERAL = "passages of the filing give several answers to the question"
NO_DOCUMENT = "the release does not have the document that the pair cites"
LONG_ANSWER = "the answer is neither one figure nor a few words, as one passage needs"
TOO_FEW_PASSAGES = "fewer than ten passages without the answer are near the question"
TOO_MANY = "more than three questions for each of --base-questions"

MOST_FACTS = 4  # questions on a passage
_PASSAGES = 2  # that questions are asked of, for each question of the base set
_CANDIDATES = 3  # questions of a setting, for each of the base set


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with the passages of a filing that state its answer."""

    source_id: str  # a pair, or a document
    query: str
    answer: str
    signal: Sequence[BasePassage]


def build_questions(inputs: StepInputs) -> Iterator[BaseQuestion | Reject]:
    """Make questions of another suite's pairs, of a file, or of figures of filings."""
    options: RefusalBenchOptions = inputs.options
    if options.base_file is not None:
        yield from questions_of_file(inputs.rows(FileQuestion), options.settings)
        return
    pool, rows = PassagePool(inputs.seed), list[Candidate | Reject]()
    pairs_of = _pairs_by_document(inputs) if options.base is not None else {}
    for documents, filings in inputs.parts(Document, Filing):
        by_id = {filing.filing_id: filing for filing in filings}
        for document in documents:
            filing = by_id[document.filing_id]
            passages = passages_of(filing, document)
            pool.add(passages)
            for pair in pairs_of.pop(document.document_id, ()):
                rows.append(_of_pair(pair, passages, company_name(filing.company or "")))
    for pairs in pairs_of.values():
        rows += [reject_of("questions", pair.qa_pair_id, NO_DOCUMENT, pair.query) for pair in pairs]
    if options.base is None:
        rows += _of_facts(pool, inputs)
    yield from (row for row in rows if isinstance(row, Reject))
    candidates = [row for row in rows if isinstance(row, Candidate)]
    drawn = stable_rng(inputs.seed, "questions").sample(candidates, len(candidates))
    n_drawn = _CANDIDATES * options.base_questions
    for question in drawn[n_drawn:]:
        yield reject_of("questions", question.source_id, TOO_MANY, question.query)
    for setting in options.settings:
        for question in drawn[:n_drawn]:
            yield _question(question, setting, pool, inputs)


def _question(
    candidate: Candidate, setting: Setting, pool: PassagePool, inputs: StepInputs
) -> BaseQuestion | Reject:
    """Make a question; of one passage, the first that states the answer is shown."""
    query, answer = candidate.query, candidate.answer
    if setting == "single" and is_long(answer):
        detail = f"{query} {answer}"[:300]
        return reject_of("questions", candidate.source_id, LONG_ANSWER, detail)
    signal = [replace(passage, is_signal=True) for passage in candidate.signal[:MOST_SIGNAL]]
    passages = signal[:1]
    if setting == "multi":
        rng = stable_rng(inputs.seed, "ten", candidate.source_id, query)
        passages = ten_passages(query, answer, signal, pool, rng)
        if len(passages) < TEN:
            return reject_of("questions", candidate.source_id, TOO_FEW_PASSAGES, query)
    return BaseQuestion(
        base_question_id=stable_id(
            "base question", setting, query, *(one.text for one in passages)
        ),
        setting=setting,
        source=inputs.options.base or "filings",
        source_id=candidate.source_id,
        query=query,
        answers=(answer,),
        passages=tuple(passages),
        answer_kind=kind_of(answer),
    )


# --- pairs of another suite ------------------------------------------------------------------


def _pairs_by_document(inputs: StepInputs) -> dict[str, list[QAPair]]:
    """Group pairs by the document that they cite; "" if it is unknown."""
    documents_of = {context.context_id: context.document_ids for context in inputs.rows(Context)}
    pairs_of: dict[str, list[QAPair]] = defaultdict(list)
    for pair in inputs.rows(QAPair):
        pairs_of[next(iter(documents_of.get(pair.context_id, ())), "")].append(pair)
    return pairs_of


def _of_pair(pair: QAPair, passages: Sequence[BasePassage], company: str) -> Candidate | Reject:
    """Ask for a pair's short answer, of the cited passages that state it, or else its long one.

    Passages are cut from the document's text, so tables are lines of cells even if the other suite
    shows them as HTML.
    """
    answer = short_answer(pair)
    ends = [*(passage.start_char for passage in passages[1:]), float("inf")]
    signal = [
        passage
        for passage, end in zip(passages, ends, strict=True)
        if any(c.start_char < end and passage.start_char < c.end_char for c in pair.citations)
        and (is_long(answer) or holds(passage.text, answer))
    ]
    if not signal:
        detail = f"{pair.query} {pair.answer}"[:300]
        return reject_of("questions", pair.qa_pair_id, NOT_STATED, detail)
    query = pair.query
    # of ten passages, some are of other companies
    if company and company.split()[0].casefold() not in query.casefold():
        query = f"According to the annual report of {company}, {query[:1].lower()}{query[1:]}"
    return Candidate(pair.qa_pair_id, query, answer, signal)


def short_answer(pair: QAPair) -> str:
    """Return the only figure that an answer adds to its query; the answer if it is another one."""
    in_query = find_figures(pair.query)
    added = [
        figure
        for figure in find_figures(pair.answer)
        if figure.unit != "year" and not any(same_figure(figure, other) for other in in_query)
    ]
    return added[0].text if len(added) == 1 and not is_figure(pair.answer) else pair.answer


# --- figures of filings ----------------------------------------------------------------------

WRITER = Role(
    name="base_writer", help="Model that asks questions of filings, without --base and --base-file."
)


@dataclass(frozen=True, slots=True)
class FactInputs:
    """The prompt's input: one passage."""

    passage: str


Fact = tuple[str, str]  # a question for one figure, and the figure


def parse_facts(reply: str) -> tuple[Fact, ...]:
    """Read the questions of a reply; () if it has none.

    Raises:
        ParseError: there is no list of questions.
    """
    lists = [item["questions"] for item in objects(reply) if "questions" in item]
    if len(lists) != 1 or not isinstance(lists[0], list):
        raise ParseError("the reply has not exactly one list of questions")
    facts = [item for item in lists[0] if isinstance(item, dict)]
    texts = [str(item.get(key) or "").strip() for item in facts for key in ("query", "answer")]
    if len(facts) < len(lists[0]) or not all(texts):
        raise ParseError("a question lacks a query or an answer")
    return tuple(zip(texts[::2], texts[1::2], strict=True))


WRITE_FACTS: Operation[FactInputs, tuple[Fact, ...]] = Operation(
    name="base_questions",
    template="refusalbench/base_questions",
    inputs=FactInputs,
    parse=parse_facts,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(questions=listed(closed(query=text(300), answer=text(60)), most=MOST_FACTS)),
)


def _of_facts(pool: PassagePool, inputs: StepInputs) -> Iterator[Candidate | Reject]:
    """Ask for questions on passages; some have a table with a scale, the others are prose.

    Rules read tables only. For a model two thirds are prose, which levers are about.
    """
    (writer,) = inputs.engines[WRITER.name]
    with_tables = [one for one in pool.passages if any(t.scale for t in find_tables(one.text))]
    prose = [passage for passage in pool.passages if not find_tables(passage.text)]
    third = -(-_PASSAGES * inputs.options.base_questions // 3)
    n_tables = third if writer.identity else 2 * third
    passages = [*with_tables[:n_tables], *prose[: 3 * third - n_tables]]
    subjects = [Question(stable_id("facts", one.text), FactInputs(one.text)) for one in passages]
    stated: dict[tuple[str, str], list[tuple[Fact, BasePassage]]] = defaultdict(list)
    for passage, reply in zip(passages, ask(writer, WRITE_FACTS, subjects), strict=True):
        document_id = passage.document_id or ""
        if not reply.value:
            reason = UNREAD if reply.value is None else NOTHING_ASKED
            detail = f"{passage.start_char}: {reply.error or passage.text[:80]}"
            yield reject_of("questions", document_id, reason, detail)
        for query, answer in reply.value or ():
            if holds(passage.text, answer):
                stated[document_id, words(query)].append(((query, answer), passage))
            else:
                yield reject_of("questions", document_id, NOT_STATED, f"{query} {answer}")
    yield from (_joined(document_id, facts) for (document_id, _), facts in stated.items())


def _joined(document_id: str, facts: Sequence[tuple[Fact, BasePassage]]) -> Candidate | Reject:
    """Join a document's facts of one query; one with several answers is a reject."""
    (query, answer), _ = facts[0]
    if len({words(fact[1]) for fact, _ in facts}) > 1:
        return reject_of("questions", document_id, SEVERAL, query)
    return Candidate(document_id, query, answer, [*dict.fromkeys(p for _, p in facts)])


STEP = Step(
    name="questions",
    run=build_questions,
    version=12,
    writes=(BaseQuestion,),
    reads=("ingest", "ingest.base_file", "suite.base"),
    asks={WRITER.name: (WRITE_FACTS,)},
    options=("settings", "base", "base_file", "base_questions", "seed"),
    most=lambda options, models: (
        None if options.base_file else _CANDIDATES * options.base_questions * len(options.settings)
    ),
)
