"""Ids and random streams depend on what they are for, and on nothing else."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from tasks.core.ids import canonical_json, sha256_hex, stable_id, stable_rng

PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(PARTS, max_size=4), st.lists(PARTS, max_size=4))
def test_two_ids_are_equal_exactly_when_their_parts_are(
    first: list[object], second: list[object]
) -> None:
    assert (stable_id("x", *first) == stable_id("x", *second)) == (
        canonical_json(first) == canonical_json(second)
    )


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_the_id_of_a_text_is_the_hash_of_its_canonical_json(text: str) -> None:
    assert stable_id("x", text) == f"x-{sha256_hex(canonical_json([text]))[:16]}"


def test_an_id_is_its_prefix_and_sixteen_digits_and_never_changes() -> None:
    assert stable_id("case", "pair-1", "failsafeqa", "ocr") == "case-ed10f921b633b1b0"


def test_a_stream_is_the_same_in_every_process() -> None:
    code = (
        "from tasks.core.ids import stable_rng; print(stable_rng(7, 'ocr', 'context-1').random())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {str(stable_rng(7, "ocr", "context-1").random())}
