"""Root verb and object of a query, with spaCy's model and without it."""

from __future__ import annotations

import pytest

from tasks.core.progress import hearing, teller
from tasks.text import verbs
from tasks.text.verbs import MISSING, MODEL, verbs_and_objects


@pytest.mark.parametrize(
    ("query", "verb", "noun"),
    [
        ("What was revenue in 2017?", "be", None),
        ("How many employees did Acme have in 2017?", "have", "employee"),
        ("Which segment generated the highest operating margins?", "generate", "margin"),
        ("Summarize the risk factors. Write at most 200 words.", "summarize", "factor"),
        ("Explain it.", "explain", None),
        ("revenue 2017", None, None),
        ("", None, None),
    ],
)
def test_finds_verb_and_object_of_the_first_sentence(
    query: str, verb: str | None, noun: str | None
) -> None:
    pytest.importorskip(MODEL, reason="needs the extra `language`")
    assert verbs_and_objects([query]) == [(verb, noun, f"spacy:{MODEL} 3.8.0")]


def test_without_the_model_nothing_is_found_and_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verbs, "_parser", lambda: None)
    monkeypatch.setattr(verbs, "_tell_once", teller())
    lines: list[str] = []
    with hearing(lines.append):
        assert verbs_and_objects(["List it.", "Why?"]) == [(None, None, None)] * 2
        verbs_and_objects(["List it."])
    assert lines == [MISSING]
    assert "pip install 'tenkbench[language]'" in MISSING
