"""Sentences about answers without a verdict and judges that failed, for page and terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tasks.results.report.messages import listed, say
from tasks.suites.judge import NO_IMPORTED_ANSWER

Row = Mapping[str, Any]

# What a judge may fail in, and how often it was tried, in `reports.judge_trials`.
_FAILURES = {
    "fell": "attacks",
    "missed": "controls",
    "flips": "repeated",
    "unscored": "asked",
    "same": "asked",
}


def has_answer(row: Row) -> bool:
    """Whether an unscored row is of answers; false of cases that an import has none for."""
    return bool(row["unscored_reason"] != NO_IMPORTED_ANSWER)


def is_wrong(row: Row) -> bool:
    """Whether an unscored row counts as wrong, and is no judge's failure."""
    return bool(row["counted_as"] == "wrong")


def unscored_sentences(rows: Iterable[Row]) -> list[str]:
    """Write a sentence for each model and judge of `reports.unscored_reasons`.

    Unreadable replies come first, then others, most first. Cases without an imported answer are no
    judge's: they have one sentence for each model.
    """
    groups: dict[tuple[bool, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((not is_wrong(row), row["model"], row["judge"]), []).append(row)
    shares = {key: sum(r["n"] for r in of) / of[0]["n_answers"] for key, of in groups.items()}
    ordered = sorted(groups, key=lambda key: (key[0], -shares[key], key))
    return list(dict.fromkeys(line for key in ordered for line in _of_one(groups[key])))


def _of_one(rows: Sequence[Row]) -> Iterator[str]:
    """Write the sentences of one model and judge."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["unscored_reason"]] += row["n"]
    model, n_cases = rows[0]["model"], rows[0]["n_answers"]
    if without := counts.pop(NO_IMPORTED_ANSWER, 0):
        yield say("unscored.not_imported", model=model, n=without, n_cases=n_cases)
    if counts:
        reason = min(counts, key=lambda reason: (-counts[reason], reason))
        of_them = "" if len(counts) == 1 else say("unscored.of_them", n=counts[reason])
        yield say(
            "unscored.unreadable" if is_wrong(rows[0]) else "unscored.sentence",
            model=model,
            n=counts.total(),
            n_answers=n_cases - without,
            judge=rows[0]["judge"],
            reason=of_them + reason,
        )


def trial_sentences(rows: Iterable[Row]) -> Iterator[str]:
    """Write a sentence for each judge of `reports.judge_trials` that failed in something."""
    for row in rows:
        failures = [
            say(f"trial.{failure}", n=n, of=row[f"n_{tried}"])
            for failure, tried in _FAILURES.items()
            if (n := row[f"n_{failure}"])
        ]
        if row["self_preference"] is not None:
            failures.append(say("trial.self_preference", by=row["self_preference"]))
        if failures:
            yield say("trial.sentence", judge=row["judge"], failures=listed(failures))
