"""Models named NAME@URL on servers that misbehave: each ends in a sentence that helps, and soon."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from flows.infer import infer
from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.cache import response_cache
from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import rows_of
from tests.servers.threaded import Answer, threaded

ANSWER = {"choices": [{"message": {"content": "It does not say."}, "finish_reason": "stop"}]}


def always(status: int, body: str, **headers: str) -> Callable[[str, Any], Answer]:
    """A server that gives the same reply to every request."""
    return lambda path, asked: (status, headers, body)


def counting(usage: object) -> Callable[[str, Any], Answer]:
    """A gateway that answers, and counts tokens in its own way."""
    return always(200, json.dumps({**ANSWER, "usage": usage}))


def without_v1(path: str, asked: Any) -> Answer:
    """A server whose API is below /v1, as most are."""
    is_there = path == "/v1/chat/completions"
    return (200, {}, json.dumps(ANSWER)) if is_there else (404, {}, '{"detail": "Not Found"}')


def no_models(path: str, asked: Any) -> Answer:
    """A server that lists nothing, and says that it has no such model."""
    said = {"message": "The model `mine` does not exist", "code": "model_not_found"}
    return 404, {}, json.dumps({"detail": "Not Found"} if asked is None else {"error": said})


TOO_LONG = "This model's maximum context length is 512 tokens. However, you requested 3021 tokens."
STILL_THINKING = {
    "choices": [{"message": {"content": "<think>Net sales"}, "finish_reason": "length"}]
}
SERVERS = {
    "no key": (always(401, '{"error": "Unauthorized"}'), r"a key.*Set key_env"),
    "overflow": (
        always(400, json.dumps({"error": {"message": TOO_LONG}})),
        r"512 tokens.*Set window = 512 ",
    ),
    "no models": (no_models, r"does not know the model 'mine'.*--model NAME@URL"),
    "redirect": (always(302, "", Location="https://login.example/"), r"redirects.*@URL"),
    "without /v1": (without_v1, r"HTTP 404.*usually ends in /v1"),
    "tiny counts": (
        counting({"prompt_tokens": 1, "completion_tokens": 4}),
        r"counts 1 token.*Set counts_tokens = false ",
    ),
    "thinks to the limit": (
        always(200, json.dumps(STILL_THINKING)),
        r"said nothing within.*Set thinking_tokens = 16000 ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_misbehaves_is_named_with_what_helps(
    name: str, copied: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, sentence = SERVERS[name]
    with threaded(answer) as url:
        address = url.removesuffix("/v1") if name == "without /v1" else url
        assert_told(replace(copied, model=(f"mine@{address}",)), sentence, monkeypatch)


def assert_told(run: RunSettings, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    with pytest.raises(RunFailed, match=f"(?s){sentence}") as failed:
        infer(run)
    assert time.monotonic() - started < 30  # 10 promised; one that may come back has 900
    assert failed.value.exit_status == 1
    assert "Answers kept in this run: 0" not in str(failed.value)
    assert "row of the models file" not in str(failed.value)
    assert "the model's row" not in str(failed.value)
    assert Lake(run.lake).commit_of(LakeStep(run.release, "failsafeqa.infer.mine")) is None
    monkeypatch.setattr(response_cache, "_caches", {})  # another program
    with threaded(always(200, json.dumps(ANSWER))) as url:  # the same command, once it is mended
        infer(replace(run, model=(f"mine@{url}",), retry_failed=True))
    answers = [row for row in rows_of(run, Response) if row.engine == "openai"]
    assert answers
    assert {row.status for row in answers} == {"ok"}


def test_a_name_that_is_answered_is_not_asked_at_another_address(copied: RunSettings) -> None:
    with threaded(always(200, json.dumps(ANSWER))) as url:
        infer(replace(copied, model=(f"mine@{url}",)))
    nobody = replace(copied, model=("mine@http://127.0.0.1:9/v1",))
    for again in (nobody, replace(nobody, force=True)):  # a finished step, and one made again
        infer(again)
