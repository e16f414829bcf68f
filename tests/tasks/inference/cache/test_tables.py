"""Records of a response cache: what is written comes back as it was, whatever is in it."""

from __future__ import annotations

import dataclasses
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.rows import Response
from tasks.inference.cache.tables import Answer, decoded, encoded
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
    Answer,
    key=TEXT,
    model=TEXT,
    operation=TEXT,
    response=RESPONSES,
    at=TIME,
    after=st.none() | NUMBER,
    is_kept=st.booleans(),
)


@given(ANSWERS)
def test_an_answer_is_one_line_and_comes_back_as_it_was(answer: Answer) -> None:
    line = encoded(answer)
    assert line.splitlines() == [line[:-1]]
    assert decoded(line) == answer
    fields = dataclasses.asdict(answer)
    at, is_kept = fields.pop("at"), fields.pop("is_kept")
    kind, name = ("kept", "answer") if is_kept else ("charged", "failure")
    assert decoded(orjson.dumps({kind: {name: fields, "at": at}})) == answer  # of an older log


@pytest.mark.parametrize(
    "changed", [{"text": "half \ud800"}, {"n_prompt": 2**64}, {"text": b"bytes"}]
)
def test_what_cannot_be_written_is_refused(changed: dict[str, Any]) -> None:
    response = dataclasses.replace(RESPONSE, **changed)
    with pytest.raises(TypeError):
        encoded(Answer(key="k", model="m", operation="o", response=response, at=1.0))
