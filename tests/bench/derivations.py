"""Figures of real filings that tables prove, wrong ones proved, and how far the reader gets.

`python tests/bench/derivations.py [seed]`; needs the shared test data beside the checkout.

It fails if wrong figures of any kind are proved in 2 % of the trials or more on all filings, or
those of all kinds together on the pilot's five reports. Each filing is searched with weights that
were fitted without it; the pilot's reports are in no fit. Cells of the row that the search likes
best are only printed, because they are drawn from what it would prove. Wilson's interval treats
figures as independent. The other interval redraws whole filings, and so is wider.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from statsmodels.stats.proportion import proportion_confint

from tasks.baseline.faith import reply_on_mask
from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.answer import Inputs, form_of, parse
from tasks.suites.faith.derivations import search
from tasks.suites.faith.derivations.passage import Passage, read_passage
from tasks.suites.faith.judge.masked_figure import compared, written_figure
from tasks.suites.faith.published import load
from tasks.suites.faith.rows import MaskedSpan
from tasks.suites.shared.tables.sheets import read_sheets, write_sheets
from tests.bench.derivation_weights import sample, without
from tests.derivation_trials import (
    FALSE_KINDS,
    LAST_DIGIT,
    LIKELIEST_ROW,
    OF_FILING,
    OF_OTHERS,
    SAME_ROW,
    TRUE,
    Filing,
    Trial,
    read_filings,
    trials,
    wrong_trials,
)

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[3] / "shared"))
MOST = 0.02
# Tried as the least evidence of a proof, lowest first.
THRESHOLDS = (0.15, 0.2, 0.25, search.LEAST_EVIDENCE, 0.35, 0.4, 0.5, 0.6)
# Wrong figures that have nothing to do with the sentence.
STRANGE = (OF_FILING, OF_OTHERS, LAST_DIGIT)


def main(seed: int) -> int:
    """Measure and print; 1 where wrong figures are proved too often."""
    started = time.perf_counter()
    filings = read_filings(SHARED / "filings")
    weighing = without(*sample(filings))
    tried = list(trials(filings, seed=seed, least=min(THRESHOLDS), weighing=weighing))
    found = _proved_at(search.LEAST_EVIDENCE, tried)
    console = Console(width=100)  # a file is as wide as a terminal, so that no figure is cut
    console.print(_by_filing(filings, found))
    console.print(_by_scenario(found))
    console.print(_unproved(filings, found))
    table, worst = _wrong("Wrong figures, all filings", found)
    console.print(table)
    console.print(_curve(tried))
    console.print(_wrong_by_digits(found))
    pilot = _of_pilot(seed)
    table, _ = _wrong("Wrong figures, the authors' pilot", pilot)
    worst = max(worst, sum(trial.proof is not None for trial in pilot) / len(pilot))
    console.print(table)
    console.print(_reader_on_ours(filings, found))
    console.print(_reader_on_pilot())
    console.print(f"{len(found):,} searches; {time.perf_counter() - started:.0f} s in all")
    return 1 if worst >= MOST else 0


def _unproved(filings: list[Filing], found: list[Trial]) -> Table:
    """Count where the search leaves unproved figures: the most that its evidence could still win.

    What is built fits by accident, too: a figure of two digits fits some cell of most filings. Only
    a reader can tell which of the rest the tables hold at all.
    """
    tables = {filing.name: search.tables_of(filing.sheets) for filing in filings}
    counts: Counter[str] = Counter()
    for trial in found:
        if trial.kind == TRUE and not trial.proof and trial.span is not None:
            ranked = search.rank(
                read_passage(Passage.read(trial.span.query)),
                tables[trial.filing],
                trial.figure.unit,
            )
            giving = ranked.giving(trial.figure)
            given = ranked.likely[giving].sum()
            if not giving:
                counts["no expression gives it"] += 1
            elif given < ranked.none * search.chance(trial.figure):
                counts["one does, likelier by chance"] += 1
            else:
                counts["one does, another value or place is likelier"] += 1
    table = _table("Figures without a proof", "why", "n")
    for reason, n in counts.most_common():
        table.add_row(reason, str(n))
    return table


def _proved_at(least: float, tried: list[Trial]) -> list[Trial]:
    """Return the trials with another least evidence of a proof; theirs was lower.

    A figure that stays unproved has no row of its own: cells of the likeliest were tried for it.
    """
    found = []
    is_proved = False
    for trial in tried:
        proof = trial.proof if trial.proof and trial.proof.evidence >= least else None
        if trial.kind == TRUE:
            is_proved = proof is not None
        kind = LIKELIEST_ROW if trial.kind == SAME_ROW and not is_proved else trial.kind
        found.append(replace(trial, kind=kind, proof=proof))
    return found


def _curve(tried: list[Trial]) -> Table:
    """Proofs and accidental ones by the least evidence.

    Proofs that are accidental: if every figure were as strange to its sentence as those that are
    put there, this share of the proofs would be wrong. It is the most, since many are not.
    """
    table = _table(
        "By the least evidence",
        "least evidence",
        "proved",
        "wrong proved",
        "worst kind %",
        "accidental %, at most",
    )
    for least in THRESHOLDS:
        found = _proved_at(least, tried)
        n = {kind: sum(trial.kind == kind for trial in found) for kind in (TRUE, *FALSE_KINDS)}
        proved = Counter(trial.kind for trial in found if trial.proof)
        rate = sum(proved[kind] for kind in STRANGE) / sum(n[kind] for kind in STRANGE)
        table.add_row(
            f"{least:.2f}",
            str(proved[TRUE]),
            str(sum(proved[kind] for kind in FALSE_KINDS)),
            f"{100 * _wrong('', found)[1]:.2f}",
            f"{100 * rate * n[TRUE] / max(1, proved[TRUE]):.1f}",
        )
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return table


def _by_filing(filings: list[Filing], found: list[Trial]) -> Table:
    table = _table(
        "Figures of Item 7", "filing", "tables", "spans", "proved", "share", "one value fits"
    )
    for filing in filings:
        proofs = [
            trial.proof for trial in found if trial.filing == filing.name and trial.kind == TRUE
        ]
        proved = [proof for proof in proofs if proof]
        unique = sum(proof.is_unique for proof in proved)
        share = f"{len(proved) / len(proofs):.0%}" if proofs else ""
        table.add_row(
            filing.name,
            str(len(filing.sheets)),
            str(len(proofs)),
            str(len(proved)),
            share,
            str(unique),
        )
    return table


def _by_scenario(found: list[Trial]) -> Table:
    counts = Counter(
        (trial.proof.scenario, trial.proof.operation)
        for trial in found
        if trial.kind == TRUE and trial.proof
    )
    table = _table("Proved, by scenario and operation", "scenario", "operation", "n")
    for (scenario, operation), n in sorted(counts.items(), key=lambda entry: -entry[1]):
        table.add_row(scenario, operation, str(n))
    return table


def _wrong(title: str, found: list[Trial]) -> tuple[Table, float]:
    """The table of a part of the trials, and the highest of the rates that are held."""
    table = _table(
        title, "wrong figure", "trials", "proved", "%", "95 %, Wilson", "95 %, by filing"
    )
    worst = 0.0
    for kind in (*FALSE_KINDS, LIKELIEST_ROW):
        tried = [trial for trial in found if trial.kind == kind]
        n, proved = len(tried), sum(trial.proof is not None for trial in tried)
        if not n:
            continue
        intervals = (proportion_confint(proved, n, method="wilson"), _by_filings(tried))
        written = [f"{100 * low:.2f} to {100 * high:.2f}" for low, high in intervals]
        table.add_row(kind, str(n), str(proved), f"{100 * proved / n:.2f}", *written)
        if kind != LIKELIEST_ROW:
            worst = max(worst, proved / n)
    return table, worst


def _by_filings(tried: list[Trial]) -> tuple[float, float]:
    """Return the rate's 2.5 % and 97.5 % points if filings are redrawn with all their trials."""
    names = sorted({trial.filing for trial in tried})
    counts = np.array(
        [
            (len(own), sum(trial.proof is not None for trial in own))
            for name in names
            if (own := [trial for trial in tried if trial.filing == name])
        ]
    )
    drawn = counts[np.random.default_rng(0).integers(len(names), size=(2_000, len(names)))].sum(
        axis=1
    )
    low, high = np.quantile(drawn[:, 1] / drawn[:, 0], (0.025, 0.975))
    return float(low), float(high)


def _wrong_by_digits(found: list[Trial]) -> Table:
    """Those that are held, by the number of digits of the wrong figure."""
    table = _table(
        "Wrong figures of all kinds, by digits", "unit and digits", "trials", "proved", "%"
    )
    groups: dict[str, list[Trial]] = {}
    for trial in found:
        if trial.kind in FALSE_KINDS and trial.figure.unit in ("money", "percent"):
            digits = len(str(int(abs(trial.figure.value.scaleb(trial.figure.decimals)))))
            groups.setdefault(
                f"{trial.figure.unit}, {digits if digits < 3 else '3 and more'}", []
            ).append(trial)
    for name, tried in sorted(groups.items()):
        proved = sum(trial.proof is not None for trial in tried)
        table.add_row(name, str(len(tried)), str(proved), f"{100 * proved / len(tried):.2f}")
    return table


def _of_pilot(seed: int) -> list[Trial]:
    """Try the pilot's masked texts with the last digit one off and with another of its figures."""
    imported = load(SHARED / "reference" / "faith" / "pilot_part.json")
    contexts = {context.context_id: context.text for context in imported.contexts}
    pairs = {pair.qa_pair_id: pair for pair in imported.qa_pairs}
    asked: dict[str, list[tuple[str, Figure]]] = {}
    for span in imported.of_suite[MaskedSpan]:
        if span.qa_pair_id and (figures := find_figures(span.masked_text)):
            asked.setdefault(span.context_id, []).append((pairs[span.qa_pair_id].query, figures[0]))
    return [
        trial
        for context_id, figures in sorted(asked.items())
        for trial in wrong_trials(
            context_id, tuple(read_sheets(contexts[context_id])), figures, seed
        )
    ]


def _reader_on_ours(filings: list[Filing], found: list[Trial]) -> Table:
    table = _table(
        "The weightless reader on figures of the filings", "figures", "n", "strict", "official"
    )
    shown = {filing.name: write_sheets(filing.sheets) for filing in filings}
    true = [trial for trial in found if trial.kind == TRUE]
    for title, part in (
        ("proved", [trial for trial in true if trial.proof]),
        (
            "proved, and one value fits",
            [trial for trial in true if trial.proof and trial.proof.is_unique],
        ),
        ("all that could be masked", true),
    ):
        asked = [
            (shown[trial.filing], trial.span.query, trial.figure.text, trial.figure.text)
            for trial in part
            if trial.span
        ]
        table.add_row(title, str(len(asked)), *_accuracy(asked))
    return table


def _reader_on_pilot() -> Table:
    imported = load(SHARED / "reference" / "faith" / "pilot_part.json")
    contexts = {context.context_id: context.text for context in imported.contexts}
    table = _table(
        "The weightless reader on the authors' pilot", "compared with", "n", "strict", "official"
    )
    pairs = {pair.qa_pair_id: pair for pair in imported.qa_pairs}
    labelled = [
        (contexts[pair.context_id], pair.query, pair.answer, written_figure(pair))
        for pair in imported.qa_pairs
    ]
    written = [
        (
            contexts[span.context_id],
            pairs[span.qa_pair_id].query,
            span.masked_text,
            span.masked_text,
        )
        for span in imported.of_suite[MaskedSpan]
        if span.qa_pair_id
    ]
    table.add_row("their labels", str(len(labelled)), *_accuracy(labelled))
    table.add_row("the masked text", str(len(written)), *_accuracy(written))
    return table


def _accuracy(asked: list[tuple[str, str, str, str | None]]) -> tuple[str, str]:
    """Have each judge rate the reader's answers to (tables, passage, truth, what is written)."""
    answers = [
        (parse(reply_on_mask(Inputs(tables, form_of(truth), passage))).answer, truth, written)
        for tables, passage, truth, written in asked
    ]
    n = max(1, len(answers))
    right = {
        mode: sum(
            compared(answer, truth, written, mode).correct for answer, truth, written in answers
        )
        for mode in ("strict", "official")
    }
    return f"{100 * right['strict'] / n:.1f} %", f"{100 * right['official'] / n:.1f} %"


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
