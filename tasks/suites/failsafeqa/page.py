"""FailSafeQA's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import Label, Page

PAGE = Page(
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
    asks=(
        "Questions on SEC annual reports (Form 10-K), each asked unchanged and then made harder: "
        "misspelled, cut short, in a layman's words, on a scanned copy, without a document, or on "
        "a document that lacks the answer."
    ),
    metrics={
        "llmc": Label(
            "LLM Compliance",
            "robustness and context grounding, weighted into one number between 0 and 1",
            parts=("robustness", "context_grounding"),
        ),
        "robustness": Label(
            "Robustness",
            "the share of questions answered well in every wording and on the scanned filing",
            unit="question",
        ),
        "context_grounding": Label(
            "Context grounding",
            "the share of unanswerable questions that were refused instead of answered",
        ),
        "compliance": Label(
            "Compliance", "the share of answers that the judge rated 4, 5 or 6 of 6"
        ),
    },
    variants={
        "baseline": Label("Baseline", "the question as written, on the clean filing"),
        "misspelled": Label("Misspelled", "the question with typing errors"),
        "incomplete": Label("Incomplete", "the question cut down to search terms"),
        "out_of_domain": Label("Out of domain", "the question in a layman's words"),
        "ocr": Label("Scanned", "the filing with a scanner's errors"),
        "missing_context": Label("Missing context", "no filing at all: a good answer refuses"),
        "irrelevant_context": Label(
            "Irrelevant context", "a question about another filing: a good answer refuses"
        ),
    },
    rules=("copies sentences", "copy sentences"),
    asked={"qa": "an answer", "tg": "a text to be written"},
    contexts={"truncated": "Clean", "dataset": "Clean", "ocr": "Scanned"},
    tasks={"qa": "Question answering", "tg": "Text generation"},
    limits=(
        "Contexts are cut to a number of tokens, so no question asks about later parts of a "
        "report.",
        "Scanned copies are simulated by confusing, dropping and adding characters at random; "
        "no page was ever scanned.",
        "If a perturbation of a pair could not be made, its case is missing, not empty.",
    ),
)
