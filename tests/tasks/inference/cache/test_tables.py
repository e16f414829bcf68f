"""Records of a response cache: what is written comes back as it was, whatever is in it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.rows import Response
from tasks.inference.cache.tables import Answer, Charged, Kept, decoded, encoded
from tests.journals import RESPONSE

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBER = st.integers(0, 2**53 - 1)
TIME = st.floats(0, 1e10)
RESPONSES = st.builds(
    Response,
    request_id=TEXT,
    status=st.sampled_from(["ok", "error", "quarantined"]),
    text=st.none() | TEXT,
    finish_reason=st.none() | TEXT,
    n_prompt=st.none() | NUMBER,
    n_cached=st.none() | NUMBER,
    n_output=st.none() | NUMBER,
    latency_ms=st.none() | TIME,
    first_token_ms=st.none() | TIME,
    attempts=NUMBER,
    error_type=st.none() | TEXT,
    error=st.none() | TEXT,
    engine=TEXT,
    engine_version=TEXT,
    cost_usd=st.none() | TIME,
)
ANSWERS = st.builds(
    Answer, key=TEXT, model=TEXT, operation=TEXT, response=RESPONSES, after=st.none() | NUMBER
)


@given(st.builds(Kept, ANSWERS, TIME) | st.builds(Charged, ANSWERS, TIME))
def test_a_record_is_one_line_and_comes_back_as_it_was(record: Any) -> None:
    line = encoded(record)
    assert line.splitlines() == [line[:-1]]
    assert decoded(line) == record


@pytest.mark.parametrize(
    "changed", [{"text": "half \ud800"}, {"n_prompt": 2**64}, {"text": b"bytes"}]
)
def test_what_cannot_be_written_is_refused(changed: dict[str, Any]) -> None:
    answer = Answer(
        key="k", model="m", operation="o", response=dataclasses.replace(RESPONSE, **changed)
    )
    with pytest.raises(TypeError):
        encoded(Kept(answer, 1.0))
