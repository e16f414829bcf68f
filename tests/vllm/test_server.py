"""A real vLLM engine on the CPU: a request finds in cache what its group's first one left."""

from __future__ import annotations

import json
import urllib.request
from importlib.util import find_spec
from typing import Any

import pytest

from tests.vllm.tiny_model import BLOCK, NAME

pytestmark = [
    pytest.mark.skipif(find_spec("vllm") is None, reason="needs vLLM: make test-vllm"),
    pytest.mark.timeout(900),  # the server starts in one to two minutes
]

DOCUMENT = " ".join(
    f"In year {year} net sales were ${year * 7} million." for year in range(1990, 2020)
)


def ask(url: str, content: str, max_tokens: int = 4) -> dict[str, Any]:
    """The usage that the server reports for one chat request."""
    body = {
        "model": NAME,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": max_tokens,
        "temperature": 0,
    }
    request = urllib.request.Request(
        f"{url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as reply:
        usage: dict[str, Any] = json.load(reply)["usage"]
    return usage


def test_the_second_request_of_a_group_finds_the_first_ones_prefix(vllm_server: str) -> None:
    first = ask(vllm_server, f"{DOCUMENT}\nQuestion: what were net sales in 1995?")
    second = ask(vllm_server, f"{DOCUMENT}\nQuestion: and in which year did they exceed 14,000?")
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    # a token a byte: the document, up to the last full block before the prompts differ
    assert second["prompt_tokens_details"]["cached_tokens"] >= len(DOCUMENT) // BLOCK * BLOCK > 1000


def test_a_primer_of_one_token_warms_the_prefix_for_every_sibling(vllm_server: str) -> None:
    prefix = DOCUMENT.replace("net sales", "total assets")
    ask(vllm_server, prefix, max_tokens=1)
    cached = {
        ask(vllm_server, f"{prefix}\nQuestion: {question}")["prompt_tokens_details"][
            "cached_tokens"
        ]
        for question in ("the sum for 1999?", "the trend?", "the largest of them all?")
    }
    assert len(cached) == 1
    assert cached.pop() >= len(prefix) // BLOCK * BLOCK


def test_a_document_behind_the_question_is_never_found(vllm_server: str) -> None:
    document = DOCUMENT.replace("net sales", "cash")
    ask(vllm_server, f"How much in 1995? {document}")
    second = ask(vllm_server, f"In which year was there most? {document}")
    assert second["prompt_tokens_details"]["cached_tokens"] == 0
