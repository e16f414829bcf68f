"""A published instance's figure and its truth are compared in one unit."""

from __future__ import annotations

import pytest

from tasks.suites.faith.masking import passage_text
from tasks.suites.faith.published_proofs import Examined, examine
from tasks.suites.shared.tables.sheets import Sheet

SHEETS = [
    Sheet(
        index=0,
        pre_text="Results",
        cells=(
            ("", "2023", "2022"),
            ("Net sales", "$4,100", "$3,900"),
            ("Gross margin", "32.50%", "32.00%"),
        ),
    )
]


def examined(before: str, figure: str, after: str, truth: str) -> Examined:
    instance = {
        "sentence": before + figure + after,
        "mask_span": [len(before), len(before) + len(figure)],
        "ground_truth": truth,
    }
    return examine(instance, passage_text("", f"{before}[MASK]{after}", ""), SHEETS)


@pytest.mark.parametrize(
    ("figure", "truth", "agrees"),
    [
        ("50 basis points", "50 basis points", "both"),
        ("50 basis points", "50 bps", "both"),
        ("50 basis points", "0.50%", "both"),
        ("50 basis points", "0.50 percentage points", "both"),
        ("50 basis points", "0.005", "both"),
        ("50 basis points", "0.6%", "sentence"),
        ("50 basis points", "5%", "sentence"),
        ("50 basis points", "60 bps", "sentence"),
        ("60 basis points", "0.50%", "truth"),
        ("0.5 percentage points", "50 bps", "both"),
        ("0.5 percentage points", "60 bps", "sentence"),
        ("0.5 percentage points", "0.5 percentage points", "both"),
    ],
)
def test_percent_basis_points_and_bare_ratios_are_one_unit(
    figure: str, truth: str, agrees: str
) -> None:
    found = examined("Gross margin increased ", figure, " in 2023 from 2022.", truth)
    assert found.agrees_with == agrees


@pytest.mark.parametrize(("truth", "value"), [("0.50%", 50), ("0.005", 50), ("50 bps", 50)])
def test_a_proof_of_the_truth_is_in_the_sentences_unit(truth: str, value: int) -> None:
    found = examined("Gross margin increased ", "60 basis points", " in 2023 from 2022.", truth)
    assert [proof.value for proof in found.proofs] == [value]


def test_an_amount_is_never_a_ratio() -> None:
    found = examined("Gross margin increased ", "50 basis points", " in 2023.", "$0.005")
    assert found.agrees_with == "sentence"
