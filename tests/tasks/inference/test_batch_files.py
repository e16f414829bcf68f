"""Calls leave as OpenAI batch files; replies enter the ledger whole or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Response, Sampling
from tasks.inference import batch_files
from tasks.inference.batch_files import (
    AwaitingBatch,
    BatchFileError,
    BatchWriter,
    import_batch,
    line_of,
)
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import Call, Question, render
from tasks.models.catalogue import Model, find_model
from tasks.models.prices import Price
from tasks.suites.failsafeqa.answer import OPERATION, Inputs
from tests.calls import call_of, collect
from tests.journals import bought
from tests.scripted import Scripted

MODEL = Model(
    name="writer",
    engine="openai",
    description="",
    served_as="provider-writer-1",
    price=Price(prompt=2.0, cached=0.5, output=10.0),
)
QUESTIONS = [
    Question(f"{context}{n}", Inputs(context=f"Report {context}.", query=f"{n}?"))
    for context in "AB"
    for n in range(3)
]
Line = dict[str, Any]


def calls_of(questions: Sequence[Question[Inputs]] = QUESTIONS) -> list[Call]:
    return render(OPERATION, MODEL.name, questions, MODEL.identity)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[ResponseCache]:
    opened = ResponseCache(tmp_path / "lake" / "_ledger" / "journal.sqlite")
    yield opened
    opened.close()


def export(
    journal: ResponseCache,
    file: Path,
    model: Model = MODEL,
    questions: Sequence[Question[Inputs]] = QUESTIONS,
) -> str:
    """Write calls; the sentence that says so."""
    writer = BatchWriter(model, journal, file)
    with pytest.raises(AwaitingBatch) as awaiting:
        asyncio.run(collect(Client(writer, journal, primes=True), calls_of(questions)))
    return str(awaiting.value)


def answers(journal: ResponseCache) -> dict[str, Response]:
    """What the same run gets afterwards; nothing may be sent."""
    engine = Scripted(lambda call: pytest.fail("sent"), model=MODEL.name, identity=MODEL.identity)
    return asyncio.run(collect(Client(engine, journal), calls_of()))


def lines_of(file: Path) -> list[Line]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def answered(line: Line, text: str = "Yes.", **changes: Any) -> Line:
    """The line with which OpenAI answers a line."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 100,
            "prompt_tokens_details": {"cached_tokens": 400},
        },
    }
    reply = {"status_code": 200, "request_id": "req_1", "body": body}
    return {
        "id": "batch_req_1",
        "custom_id": line["custom_id"],
        "response": reply,
        "error": None,
        **changes,
    }


def refused(line: Line, status: int, message: str) -> Line:
    reply = {"status_code": status, "request_id": "req_1", "body": {"error": {"message": message}}}
    return answered(line, response=reply)


def dollars(journal: ResponseCache) -> list[float | None]:
    """What each purchase of the journal has cost."""
    return [one.cost_usd for one in bought(journal)]


def write(file: Path, lines: Sequence[Line]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


# --- out -----------------------------------------------------------------------------------


def test_a_call_is_a_line_with_its_id_and_its_body(journal: ResponseCache, tmp_path: Path) -> None:
    said = export(journal, tmp_path / "calls.jsonl")
    calls = calls_of()
    assert [
        (
            line["custom_id"],
            line["method"],
            line["url"],
            line["body"]["model"],
            line["body"]["messages"],
        )
        for line in lines_of(tmp_path / "calls.jsonl")
    ] == [
        (
            call.request.request_id,
            "POST",
            "/v1/chat/completions",
            "provider-writer-1",
            [{"role": "user", "content": call.prompt}],
        )
        for call in calls
    ]
    for words in (
        "6 requests to writer",
        f"6 of {OPERATION.name}",
        str(tmp_path / "calls.jsonl"),
        "batch",
    ):
        assert words in said


def test_what_the_ledger_has_is_not_written(journal: ResponseCache, tmp_path: Path) -> None:
    model = Scripted(lambda call: "known", model=MODEL.name, identity=MODEL.identity)
    asyncio.run(collect(Client(model, journal), calls_of()[:4]))
    assert "2 requests" in export(journal, tmp_path / "calls.jsonl")
    assert len(lines_of(tmp_path / "calls.jsonl")) == 2


def test_more_calls_than_a_file_may_hold_fill_several(
    journal: ResponseCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_files, "MOST_CALLS", 4)
    said = export(journal, tmp_path / "calls.jsonl")
    assert [len(lines_of(tmp_path / name)) for name in ("calls.jsonl", "calls-2.jsonl")] == [4, 2]
    assert "calls-2.jsonl" in said
    line = len((tmp_path / "calls.jsonl").read_bytes()) // 4
    monkeypatch.setattr(batch_files, "MOST_BYTES", int(2.5 * line))
    export(journal, tmp_path / "small.jsonl")
    files = sorted(tmp_path.glob("small*.jsonl"))
    assert [len(lines_of(file)) for file in files] == [2, 2, 2]


def test_a_second_export_warns_of_paying_twice(journal: ResponseCache, tmp_path: Path) -> None:
    assert "twice" not in export(journal, tmp_path / "first.jsonl")
    said = export(journal, tmp_path / "second.jsonl")
    assert "6 of them are also in" in said
    assert "first.jsonl" in said


def test_what_a_batch_can_cost_is_said_at_its_price(journal: ResponseCache, tmp_path: Path) -> None:
    said = export(journal, tmp_path / "calls.jsonl")
    n_prompt = sum(call.request.n_prompt_tokens for call in calls_of())
    most = (n_prompt * 2.0 + 6 * OPERATION.sampling.max_tokens * 10.0) / 1e6
    assert most > 0.1
    assert f"They cost at most ${most:,.2f} at the provider's price for batches" in said
    half = export(journal, tmp_path / "half.jsonl", replace(MODEL, batch_discount=0.5))
    assert f"at most ${most / 2:,.2f} at" in half
    free = export(journal, tmp_path / "free.jsonl", replace(MODEL, price=None))
    assert "They cost" not in free


# --- and back ------------------------------------------------------------------------------


def test_replies_in_any_order_answer_the_run(journal: ResponseCache, tmp_path: Path) -> None:
    export(journal, tmp_path / "calls.jsonl")
    lines = lines_of(tmp_path / "calls.jsonl")
    replies = write(
        tmp_path / "replies.jsonl",
        [answered(line, f"to {number}") for number, line in enumerate(lines)][::-1],
    )
    imported = import_batch(journal, replies)
    assert (imported.n_kept, imported.n_before, imported.failed) == (6, 0, {})
    found = answers(journal)
    assert [found[line["custom_id"]].text for line in lines] == [
        f"to {number}" for number in range(6)
    ]
    response = found[lines[0]["custom_id"]]
    assert (response.n_prompt, response.n_cached, response.n_output) == (1000, 400, 100)
    assert response.cost_usd == pytest.approx((600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6)
    assert (response.status, response.engine, response.finish_reason) == ("ok", "batch", "stop")
    assert dollars(journal) == [response.cost_usd] * 6


def test_a_failure_that_was_charged_for_is_in_the_accounts_once_and_asked_again(
    journal: ResponseCache, tmp_path: Path
) -> None:
    long = [Question("A", Inputs(context="Report A. " * 300, query="Why?"))]
    export(journal, tmp_path / "calls.jsonl", questions=long)
    truncated = answered(*lines_of(tmp_path / "calls.jsonl"))
    truncated["response"]["body"]["usage"] = {"prompt_tokens": 100, "completion_tokens": 100}
    replies = write(tmp_path / "replies.jsonl", [truncated])
    assert import_batch(journal, replies).failed == {"prompt_truncated": 1}
    assert import_batch(journal, replies).n_before == 1
    assert dollars(journal) == [pytest.approx((100 * 2.0 + 100 * 10.0) / 1e6)]
    assert "1 requests" in export(journal, tmp_path / "again.jsonl", questions=long)


def test_what_failed_for_good_is_kept_and_the_rest_is_asked_again(
    journal: ResponseCache, tmp_path: Path
) -> None:
    export(journal, tmp_path / "calls.jsonl")
    first, second, third, fourth, fifth, sixth = lines_of(tmp_path / "calls.jsonl")
    expired = {
        "code": "batch_expired",
        "message": "not executed before the completion window expired",
    }
    vllm_error = {
        "error": {"message": "maximum context length is 10", "type": "BadRequestError", "code": 400}
    }
    replies = [
        answered(first),
        refused(second, 400, "content_filter: filtered"),
        refused(third, 429, "slow down"),
        answered(fourth, response=None, error=expired),
        # as `vllm run-batch` has it
        answered(fifth, response={"status_code": 400, "request_id": "x"}, error=vllm_error),
        answered(
            sixth, response={"status_code": 200, "request_id": "x", "body": {"object": "error"}}
        ),
    ]
    imported = import_batch(journal, write(tmp_path / "replies.jsonl", replies))
    assert imported.n_kept == 3
    assert imported.failed == {"rate_limited": 1, "batch_expired": 1, "unreadable_reply": 1}
    kept = journal.find([call.request.key or "" for call in calls_of()])
    assert sorted((response.status, response.error_type) for response in kept.values()) == [
        ("error", "content_filter"),
        ("error", "context_overflow"),
        ("ok", None),
    ]
    assert "3 requests" in export(journal, tmp_path / "rest.jsonl")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ('{"custom_id": "a', "line 3: not a reply to a call .*Invalid JSON"),
        (
            '{"custom_id": "a", "response": null}',
            "line 3: not a reply to a call .*neither response nor error",
        ),
        (
            '{"custom_id": "a", "result": {"type": "succeeded", "message": {"content": "Yes."}}}',
            "line 3: not a reply to a call .*content or usage",
        ),
        (
            '{"custom_id": "a", "response": null, "error": "x"}',
            "line 3: request 'a' was not written by this lake",
        ),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_nothing_is_imported(
    journal: ResponseCache, tmp_path: Path, broken: str, says: str
) -> None:
    export(journal, tmp_path / "calls.jsonl")
    first, second, third, *_ = lines_of(tmp_path / "calls.jsonl")
    replies = write(tmp_path / "replies.jsonl", [answered(first), answered(second)])
    replies.write_text(replies.read_text() + broken + "\n" + json.dumps(answered(third)) + "\n")
    with pytest.raises(BatchFileError, match=rf"replies\.jsonl, {says}.*Nothing was imported"):
        import_batch(journal, replies)
    assert journal.find([call.request.key or "" for call in calls_of()]) == {}


def test_a_reply_that_comes_twice_is_named_with_both_lines(
    journal: ResponseCache, tmp_path: Path
) -> None:
    export(journal, tmp_path / "calls.jsonl")
    first, second, *_ = lines_of(tmp_path / "calls.jsonl")
    replies = write(
        tmp_path / "replies.jsonl", [answered(first), answered(second), answered(first, "other")]
    )
    with pytest.raises(BatchFileError, match=r"line 3: request .* was already answered in line 1"):
        import_batch(journal, replies)
    assert journal.find([call.request.key or "" for call in calls_of()]) == {}


@pytest.mark.parametrize("name", ["gpt-4o", "o1", "o3-mini"])
def test_the_catalogues_openai_models_are_called_as_openai_calls_them(name: str) -> None:
    row = find_model(name)
    call = call_of("Document. ", "Question?", row)
    sampling = Sampling(temperature=1.0, max_tokens=16, top_p=1.0)
    call = replace(call, request=replace(call.request, sampling=sampling))
    body = json.loads(line_of(call, row))["body"]
    assert body.get("top_p") == (None if row.thinks else 1.0)
    assert body["model"] == row.called.removeprefix("openai/")
    assert "/" not in body["model"]
    if row.thinks:
        assert "temperature" not in body
        assert "max_tokens" not in body
        assert body["max_completion_tokens"] > row.thinking_tokens


# --- Anthropic -----------------------------------------------------------------------------

CLAUDE = replace(MODEL, engine="litellm", served_as="anthropic/claude-1")


def result_of(line: Line, **result: Any) -> Line:
    return {"custom_id": line["custom_id"], "result": result}


def message(text: str, stop_reason: str = "end_turn") -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "usage": {
            "input_tokens": 600,
            "cache_read_input_tokens": 400,
            "cache_creation_input_tokens": 0,
            "output_tokens": 100,
        },
    }


def test_anthropic_gets_its_own_format_and_its_results_are_answers(
    journal: ResponseCache, tmp_path: Path
) -> None:
    calls = tmp_path / "calls.jsonl"
    export(journal, calls, CLAUDE)
    asked = lines_of(calls)
    assert asked[0] == {
        "custom_id": calls_of()[0].request.request_id,
        "params": {
            "model": "claude-1",
            "messages": [{"role": "user", "content": calls_of()[0].prompt}],
            "temperature": 0.0,
            "max_tokens": OPERATION.sampling.max_tokens,
        },
    }
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
    results = [
        result_of(asked[0], type="succeeded", message=message("Yes.")),
        result_of(asked[1], type="succeeded", message=message("", "max_tokens")),
        result_of(asked[2], type="errored", error=refusal),
        result_of(asked[3], type="expired"),
        result_of(asked[4], type="canceled"),
        result_of(asked[5], type="succeeded", message=message("", "refusal")),
    ]
    done = import_batch(journal, write(tmp_path / "results.jsonl", results[::-1]))
    assert (done.n_kept, done.failed) == (4, {"expired": 1, "canceled": 1})
    first = journal.find([calls_of()[0].key])[calls_of()[0].key]
    assert (first.text, first.reasoning, first.finish_reason) == ("Yes.", "Hm.", "stop")
    assert (first.n_prompt, first.n_cached, first.n_output) == (1000, 400, 100)
    keys = [call.key for call in calls_of()]
    kinds = {keys.index(key): row.error_type for key, row in journal.find(keys).items()}
    assert kinds == {0: None, 1: "cut_before_answer", 2: "bad_request", 5: "content_filter"}
