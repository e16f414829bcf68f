"""FailSafeQA: are answers robust to clumsy queries and bad scans, and refused without grounds?

Kamble et al. 2025, "Expect the Unexpected: FailSafe Long Context QA for Finance".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.core.settings import RunSettings, WrongSettings
from tasks.inference.operation import ParseError
from tasks.suites.build_inputs import Ingested, RowsOf, Shown
from tasks.suites.failsafeqa import answer, perturbations
from tasks.suites.failsafeqa import published as dataset
from tasks.suites.failsafeqa.citations import cited, json_spans, longcite, support
from tasks.suites.failsafeqa.contexts import truncate
from tasks.suites.failsafeqa.judges import attacks, compliance
from tasks.suites.failsafeqa.perturbations.ocr_table import load_table
from tasks.suites.failsafeqa.planning import PLAN
from tasks.suites.failsafeqa.questions import choice, dialogue, grounded, rating, rewriting
from tasks.suites.labels import SuiteWords, Words
from tasks.suites.shared.published import Exported, Imported
from tasks.suites.suite import DependsOn, Suite, by_name

_SPACY = ("spacy", "en-core-web-sm")

_STEPS = {
    "contexts": DependsOn(
        settings=("context_tokens", "encoding", "start"),
    ),
    "qa_pairs": DependsOn(
        packages=("nltk", *_SPACY),
        prompts=(
            *(
                f"failsafeqa/{name}"
                for name in ("choice.txt", "dialogue.txt", "examples.jsonl", "rating.txt", "rewriting.txt")
            ),
            "failsafeqa/json_spans.txt",
            "failsafeqa/longcite.txt",
            "failsafeqa/support.txt",
        ),
        settings=("generator", "citer", "citation_format", "pairs", "seed", "examples"),
    ),
    "dataset": DependsOn(
        packages=_SPACY,
        settings=("encoding",),
    ),
    "cases": DependsOn(
        packages=("codespell", "pyspellchecker"),
        prompts=(
            "failsafeqa/check_irrelevant.txt",
            "failsafeqa/incomplete.txt",
            "failsafeqa/out_of_domain.txt",
        ),
        settings=("seed", "generator"),
    ),
    "cases.ocr": DependsOn(settings=("seed", "ocr_max_error", "ocr_table")),
    "answers": DependsOn(
        prompts=("failsafeqa/grounded.txt",),
    ),
    "judgements": DependsOn(prompts=("failsafeqa/verdict.txt", "failsafeqa/rubrics")),
    "rejudgements": DependsOn(settings=("judge_repeats", "seed")),
    "metrics": DependsOn(settings=("beta",)),
}


def _contexts(ingested: Ingested) -> Iterator[Context | Reject]:
    run = ingested.run
    return truncate(ingested.documents, limit=run.context_tokens, encoding=run.encoding, start=run.start)


def _write(shown: Shown) -> Iterator[QAPair | Reject]:
    """Pairs by conversation, then the sentences behind their answers."""
    run, (generator,), (citer,) = shown.run, shown.engines["generator"], shown.engines["citer"]
    examples = None if run.examples is None else Path(run.examples).read_text(encoding="utf-8")
    pairs: list[QAPair] = []
    written = grounded.write(
        shown.contexts, generator, pairs=SUITE.setting(run, "pairs"), seed=run.seed, examples=examples
    )
    for row in written:
        if isinstance(row, QAPair):
            pairs.append(row)
        else:
            yield row
    contexts = {context.context_id: context for context in shown.contexts}
    documents = shown.documents({of for pair in pairs for of in contexts[pair.context_id].document_ids})
    texts = {document_id: document.text for document_id, document in documents.items()}
    yield from cited.cite(
        pairs, contexts, texts, citer, generator, reply_format=run.citation_format, workers=run.workers
    )


def _answer_inputs(case: Case, context: str) -> answer.Inputs:
    return answer.Inputs(context=context, query=case.query)


def _load(path: Path, run: RunSettings) -> Imported:
    return dataset.load(path, limit=run.limit, encoding=run.encoding)


def _export(target: Path, rows: RowsOf) -> Exported:
    return dataset.export(target, contexts=rows(Context), qa_pairs=rows(QAPair), cases=rows(Case))


def _check(run: RunSettings) -> None:
    """Refuse files that cannot be read.

    Raises:
        WrongSettings: the file of examples has none.
        TableError: the character table is none.
    """
    if run.ocr_table is not None:
        load_table(run.ocr_table)
    if run.examples is None:
        return
    try:
        dialogue.parse(Path(run.examples).read_text(encoding="utf-8"))
    except (ParseError, UnicodeDecodeError) as unreadable:
        raise WrongSettings(
            f"--examples {run.examples}: {unreadable}; expected JSON lines with the keys USER and ASSISTANT"
        ) from unreadable


_PAPER = """```bibtex
@misc{kamble2025failsafeqa,
  title = {Expect the Unexpected: FailSafe Long Context QA for Finance},
  author = {Kamble, Kiran and Russak, Melisa and Mozolevskyi, Dmytro and Ali, Muayad and Russak, Mateusz and AlShikh, Waseem},
  year = {2025},
  eprint = {2502.06329},
  archivePrefix = {arXiv}
}
```

The perturbations and their names are those of this paper; its own data set, Writer/FailSafeQA, is another one."""

_WORDS = SuiteWords(
    asks=(
        "Questions on SEC annual reports (Form 10-K), each asked as it is and then made harder: misspelled, cut short, in a "
        "layman's words, on a scanned copy, on no document, on a document that does not hold the answer."
    ),
    paper=_PAPER,
    metrics={
        "llmc": Words(
            "LLM Compliance",
            "robustness and context grounding weighed into one number between 0 and 1",
            parts=("robustness", "context_grounding"),
        ),
        "robustness": Words(
            "Robustness",
            "the share of questions answered well in every wording and also on the scanned filing",
            unit="question",
        ),
        "context_grounding": Words(
            "Context grounding", "the share of unanswerable questions that were refused instead of answered"
        ),
        "compliance": Words("Compliance", "the share of answers that the judge rated 4, 5 or 6 of 6"),
    },
    perturbations={
        "baseline": Words("Baseline", "the question as it was written, on the clean filing"),
        "misspelled": Words("Misspelled", "the question with typing errors"),
        "incomplete": Words("Incomplete", "the question cut down to search terms"),
        "out_of_domain": Words("Out of domain", "the question in a layman's words"),
        "ocr": Words("Scanned", "the filing with the errors of a scanner"),
        "missing_context": Words("Missing context", "no filing at all: a good answer refuses"),
        "irrelevant_context": Words(
            "Irrelevant context", "a question about another filing: a good answer refuses"
        ),
    },
    rules=("copies sentences", "copy sentences"),
    asked={"qa": "an answer", "tg": "a text to be written"},
    contexts={"truncated": "Clean", "dataset": "Clean", "ocr": "Scanned"},
    tasks={"qa": "Question answering", "tg": "Text generation"},
    limits=(
        "Contexts are cut to a number of tokens: what stands later in a report is never asked about.",
        "Scanned copies are simulated: characters are confused, dropped and added by chance; no page was ever scanned.",
        "A pair may lack a perturbation that could not be made; the case is missing then, not empty.",
    ),
)

SUITE = Suite(
    name="failsafeqa",
    title="FailSafeQA",
    description="robustness to query and context failures, context grounding, LLM Compliance",
    steps=_STEPS,
    defaults={"judge": ("extractive",), "pairs": 4},
    longest_context=lambda run: run.context_tokens,
    contexts=_contexts,
    write=_write,
    perturbations=perturbations.PERTURBATIONS,
    answer=answer.OPERATION,
    answer_inputs=_answer_inputs,
    judge=compliance.judge,
    attacks=attacks.judge_attacks,
    operations=by_name(
        dialogue.OPERATION,
        rating.OPERATION,
        choice.OPERATION,
        rewriting.OPERATION,
        longcite.OPERATION,
        json_spans.OPERATION,
        support.OPERATION,
        *perturbations.OPERATIONS.values(),
        answer.OPERATION,
        *compliance.OPERATIONS,
    ),
    check=_check,
    check_dataset=dataset.read_records,
    load_dataset=_load,
    export=_export,
    plan=PLAN,
    words=_WORDS,
    reports=(
        "dataset_statistics",
        "context_tokens",
        "query_verbs",
        "ocr_noise",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
        "judge_repeats",
        "judge_agreement",
        "judge_confusion",
        "judge_self_preference",
        "judge_attacks",
        "audit_agreement",
        "rating_classes",
        "robustness",
        "context_grounding",
        "comparisons",
        "leaderboard",
    ),
    headlines=("dataset_statistics", "rejects_by_reason", "robustness", "context_grounding"),
)
