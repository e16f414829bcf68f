"""The step `questions`: all base questions that a release can ask, each with its passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Context, Document, Filing, QAPair, Reject
from tasks.suites.refusalbench.base.asked import asked_of
from tasks.suites.refusalbench.base.base_file import FileQuestion, questions_of_file
from tasks.suites.refusalbench.base.cells import statements_of_table
from tasks.suites.refusalbench.base.excerpts import FilingText
from tasks.suites.refusalbench.base.noise import TEN, Pool, apart, ten_passages
from tasks.suites.refusalbench.base.other_suite import by_document, groups_of_pairs
from tasks.suites.refusalbench.base.sectors import sector_of
from tasks.suites.refusalbench.base.sentences import statements_of_sentence
from tasks.suites.refusalbench.base.statements import Statement, agreeing
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.rows import AskedFigure, BasePassage, BaseQuestion
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.shared.company_names import company_name
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART
from tasks.suites.suite import Step, StepInputs
from tasks.text.sentences import split_sentences

NO_NAME = "the company's name is unknown, or may be two names"
NOTHING_STATED = "no sentence or cell of the filing states a short answer for certain"
NO_DOCUMENT = "the release does not have the document that the pair cites"
NO_PASSAGE = "no passage of 400 tokens states the answer by itself"
TOO_FEW_PASSAGES = "fewer than ten passages without the answer are near the question"

_CANDIDATES = 4  # for each question of the base set
_POOL = 4_000  # passages of all filings that noise is drawn from
_MOST_OF_FILING = 40  # of these


def build_questions(inputs: StepInputs) -> Iterator[BaseQuestion | Reject]:
    """Make questions of filings, of another suite's rows, or of a file."""
    options: RefusalBenchOptions = inputs.options
    if options.base_file is not None:
        yield from questions_of_file(inputs.rows(FileQuestion), options.settings)
    else:
        yield from _of_filings(inputs)


STEP = Step(
    name="questions",
    run=build_questions,
    version=5,
    writes=(BaseQuestion,),
    reads=("ingest", "ingest.base_file"),
    part_rows=CONTEXTS_OF_A_PART,
    of_suite="base",
    options=("settings", "base", "base_file", "base_questions", "seed"),
)


def _of_filings(inputs: StepInputs) -> Iterator[BaseQuestion | Reject]:
    """Ask what filings state, or what another suite asked of them; each filing is read twice.

    The more filings there are, the less is kept of each between the two readings.
    """
    settings = inputs.options.settings
    found: dict[str, dict[Setting, list[list[Statement]]]] = {}  # by document_id
    pool: dict[str, list[BasePassage]] = {}  # by a hash of the document: the smallest ones stay
    asked = _asked_by(inputs)
    for text, filing in _texts(inputs):
        groups: list[list[Statement]] = []
        if asked is None:
            groups = agreeing(_statements(text)) if text.company else []
            if not groups:
                reason = NOTHING_STATED if text.company else NO_NAME
                yield _reject(text.document.document_id, reason, filing.company or "")
        else:
            for pair, stated in groups_of_pairs(asked.pop(text.document.document_id, ()), text):
                if isinstance(stated, str):
                    yield _reject(pair.qa_pair_id, stated, f"{pair.query} {pair.answer}"[:300])
                else:
                    groups.append(stated)
        if groups:
            found[text.document.document_id] = {
                setting: _in_turns(groups, setting, filing, inputs.seed) for setting in settings
            }
            rng = stable_rng(inputs.seed, "pool", text.document.document_id)
            drawn = rng.sample(groups, min(len(groups), _MOST_OF_FILING))
            quoted = (text.of_statement(group[0], is_signal=False) for group in drawn)
            place = stable_id("pool", inputs.seed, text.document.document_id)
            pool[place] = apart(passage for passage in quoted if passage)
            if len(pool) > _POOL:
                del pool[max(pool)]
            n_each = -(-_CANDIDATES * inputs.options.base_questions // len(found))
            for of_setting in found.values():
                for each in of_setting.values():
                    del each[n_each:]
            for passages in pool.values():
                del passages[max(1, _POOL // len(found)) :]
    for pair in (pair for pairs in (asked or {}).values() for pair in pairs):
        yield _reject(pair.qa_pair_id, NO_DOCUMENT, pair.query)
    if not found:
        return
    others = Pool([passage for passages in pool.values() for passage in passages])
    for text, filing in _texts(inputs):
        for setting, groups in found.get(text.document.document_id, {}).items():
            for group in groups:
                yield _question(group, setting, text, filing, others, inputs)


def _asked_by(inputs: StepInputs) -> dict[str, list[QAPair]] | None:
    """Return another suite's pairs by document; None if questions are the suite's own."""
    if inputs.options.base is None:
        return None
    return by_document(inputs.rows(QAPair), inputs.rows(Context))


def _texts(inputs: StepInputs) -> Iterator[tuple[FilingText, Filing]]:
    for documents, filings in inputs.parts(Document, Filing):
        by_id = {filing.filing_id: filing for filing in filings}
        for document in documents:
            filing = by_id[document.filing_id]
            yield FilingText(filing, document, company_name(filing.company or "")), filing


def _statements(text: FilingText) -> Iterator[Statement]:
    """Yield what a filing states for certain, except of parts that the question does not name."""
    whole = text.document.text
    for start, end in split_sentences(whole):
        for each in statements_of_sentence(
            whole[start:end], text.company, text.lower_words, start, end
        ):
            # the head of each passage names the fiscal year
            is_year = each.answer.removeprefix("fiscal ") == str(text.year)
            if not is_year and (each.figure is None or text.is_named(each.query, start)):
                yield each
    for table in text.tables:
        for each in statements_of_table(table, whole, text.company, text.lower_words):
            if text.is_named(each.query, each.start_char):
                yield each


def _in_turns(
    groups: Sequence[list[Statement]], setting: Setting, filing: Filing, seed: int
) -> list[list[Statement]]:
    """Shuffle a filing's groups; kinds of answer take turns, and sentences come before cells."""
    rng = stable_rng(seed, "questions", setting, filing.filing_id)
    by_kind: dict[str, list[list[Statement]]] = defaultdict(list)
    for group in rng.sample(groups, len(groups)):
        by_kind[group[0].kind].append(group)
    turns = [
        (turn, kind_order, group)
        for kind_order, kind in enumerate(rng.sample(sorted(by_kind), len(by_kind)))
        for turn, group in enumerate(
            sorted(by_kind[kind], key=lambda group: group[0].column is not None)
        )
    ]
    return [group for _, _, group in sorted(turns, key=lambda each: each[:2])]


def _question(
    group: Sequence[Statement],
    setting: Setting,
    text: FilingText,
    filing: Filing,
    pool: Pool,
    inputs: StepInputs,
) -> BaseQuestion | Reject:
    """Make a question of statements that agree; the first that can be quoted is cited."""
    parent, detail = text.document.document_id, f"{setting}: {group[0].query}"
    quoted = [(each, passage) for each in group if (passage := text.of_statement(each))]
    if not quoted:
        return _reject(parent, NO_PASSAGE, detail)
    first, passage = quoted[0]
    passages = [passage]
    if setting == "multi":
        rng = stable_rng(inputs.seed, "ten", parent, first.query)
        passages = ten_passages(first, [passage for _, passage in quoted], text, pool, rng)
        if len(passages) < TEN:
            return _reject(parent, TOO_FEW_PASSAGES, detail)
    is_own = first.pair_id is None
    signal = [each.text for each in passages if each.is_signal]
    asked = None if is_own else asked_of(first.query, first.answer, signal, filer=text.company)
    if is_own and first.figure is not None:
        asked = AskedFigure(
            company=text.company, measure=first.measure, period=first.period, figure=first.answer
        )
    return BaseQuestion(
        base_question_id=stable_id(
            "base question", setting, first.query, *(each.text for each in passages)
        ),
        setting=setting,
        source="filings" if is_own else inputs.options.base,
        source_id=first.pair_id or parent,
        query=first.query,
        answers=(first.answer,),
        passages=tuple(passages),
        asked=asked,
        sector=sector_of(filing.sic),
        answer_kind=first.kind,
    )


def _reject(parent_id: str, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "questions", parent_id, reason, detail),
        stage="questions",
        parent_id=parent_id,
        reason=reason,
        detail=detail,
    )
