"""Chat completions: a call's body, and the response or failure that each reply becomes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.rows import Response
from tasks.inference.engines.failures import Failure, Hopeless, Passing, Refused
from tasks.inference.engines.openai_protocol import body_of, read_completion, window_in
from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tests.calls import LONG, call_of

MODEL = Model(name="chat", engine="openai", description="", key_env="CHAT_KEY")
CALL = call_of("A document. ", "What rose?", MODEL, max_tokens=32)
KEY = "sk-planted-0123456789"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


def completion(**changes: Any) -> dict[str, Any]:
    """A completion as OpenAI's reference has it, with some of it changed."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "chat",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Sales."},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 1_000,
            "completion_tokens": 20,
            "prompt_tokens_details": {"cached_tokens": 600},
        },
    } | changes


def read(reply: object, model: Model = MODEL, status: int = 200, **headers: str) -> Response:
    body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_completion(CALL, model, status, named, body, KEY)


def failure(reply: object, status: int = 200, model: Model = MODEL, **headers: str) -> Failure:
    with pytest.raises(Failure) as failed:
        read(reply, model, status, **headers)
    return failed.value


def error(
    message: str, code: str | None = None, kind: str = "invalid_request_error"
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


# --- bodies ----------------------------------------------------------------------------------


def test_a_call_is_one_user_message_with_its_sampling() -> None:
    assert json.loads(body_of(CALL, MODEL)) == {
        "model": "chat",
        "messages": [{"role": "user", "content": "A document. What rose?"}],
        "temperature": 0.0,
        "max_tokens": 32,
        "stream": False,
    }
    body = json.loads(body_of(CALL, replace(MODEL, body={"seed": 7, "temperature": 1.0})))
    assert (body["seed"], body["temperature"]) == (7, 1.0)


def test_a_schema_is_asked_for_where_the_server_holds_to_it() -> None:
    call = replace(CALL, schema=SCHEMA)
    assert "response_format" not in json.loads(body_of(call, MODEL))
    assert "response_format" in json.loads(body_of(call, replace(MODEL, engine="vllm")))
    asked = json.loads(body_of(call, replace(MODEL, has_schema=True)))["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["schema"] == SCHEMA
    assert "response_format" not in json.loads(body_of(CALL, replace(MODEL, has_schema=True)))


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_sent(text: str) -> None:
    sent = json.loads(body_of(call_of("", text, MODEL), MODEL))["messages"][0]["content"]
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert sent == text


# --- answers ---------------------------------------------------------------------------------


def test_an_answer_has_its_text_its_tokens_and_those_from_the_cache() -> None:
    response = read(completion())
    assert (response.status, response.text, response.finish_reason) == ("ok", "Sales.", "stop")
    assert (response.n_prompt, response.n_cached, response.n_output) == (1_000, 600, 20)
    assert (response.request_id, response.engine) == (CALL.request.request_id, "openai")


PRICED = replace(MODEL, price=Price(prompt=2.0, cached=0.5, output=8.0))


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        (completion()["usage"], (400 * 2.0 + 600 * 0.5 + 20 * 8.0) / 1e6),
        ({"prompt_tokens": 1_000, "completion_tokens": 20}, (1_000 * 2.0 + 20 * 8.0) / 1e6),
        ({"prompt_tokens": 3, "completion_tokens": None}, None),
        ({}, None),
        (None, None),
    ],
)
def test_an_answer_costs_what_its_tokens_cost_if_they_are_known(
    usage: object, dollars: float | None
) -> None:
    assert read(completion(usage=usage), PRICED).cost_usd == pytest.approx(dollars)
    assert read(completion(usage=usage)).cost_usd is None


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": ""}, ""),
        ({"content": None}, ""),
        ({"content": None, "refusal": "I can't help with that."}, "I can't help with that."),
        ({"content": "B.", "reasoning_content": "A or B?"}, "B."),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "In "},
         {"type": "text", "text": "parts."}]}, "In parts."),
    ],
    ids=["empty", "null", "refusal", "reasoning", "parts"],
)  # fmt: skip
def test_the_text_is_what_the_model_says(message: dict[str, Any], text: str) -> None:
    assert read(completion(choices=[{"message": message, "finish_reason": "stop"}])).text == text


# What a reply may end with, as servers write it, and what its row says; None: it was broken off.
ENDINGS = {
    "stop": "stop", "STOP": "stop", "eos": "stop", "end_turn": "stop", "COMPLETE": "stop",
    "length": "length", "MAX_TOKENS": "length", "max_tokens": "length",
    "tool_calls": "tool_calls", "abort": None, "error": None, "ERROR": None, "OTHER": None,
    "SAFETY": "content_filter", "guardrail_intervened": "content_filter",
}  # fmt: skip


@pytest.mark.parametrize("end", ENDINGS)
def test_only_a_reply_with_a_known_end_is_an_answer(end: str) -> None:
    reply = completion(choices=[{"message": {"content": "The net"}, "finish_reason": end}])
    known = ENDINGS[end]
    if known not in (None, "content_filter"):
        assert read(reply).finish_reason == known
        return
    failed = failure(reply)
    assert failed.error_type == (known or "broken_off")
    assert isinstance(failed, Refused if known else Passing)
    assert failed.reply is not None
    assert (failed.reply.n_prompt, failed.reply.n_output) == (1_000, 20)  # paid for


KEYS = ["choices", "message", "content", "usage", "error", "code", "prompt_tokens"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_whatever_json_comes_it_is_an_answer_or_a_failure(reply: object) -> None:
    for status in (200, 400, 401, 429, 500):
        try:
            response = read(json.dumps(reply).encode(), status=status)
        except (Failure, Hopeless):
            continue
        assert response.status == "ok"


# --- failures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "kind", "error_type"),
    [
        ({"code": 429, "message": "busy"}, Passing, "rate_limited"),
        ({"code": "503", "message": "no upstream"}, Passing, "server_error"),
        ({"code": "weird", "message": "?"}, Passing, "server_error"),
        ("something broke", Passing, "server_error"),
        ({"code": 401, "message": "who?"}, Hopeless, "hopeless"),
    ],
)
def test_an_error_in_a_good_reply_is_what_a_gateway_was_told(
    said: object, kind: type[Failure], error_type: str
) -> None:
    for beside in ({}, {"choices": None}, completion()):
        failed = failure({**beside, "error": said})
        assert (type(failed), failed.error_type) == (kind, error_type)


@pytest.mark.parametrize(
    ("value", "seconds"), [("17", 17), ("0.5", 0.5), ("soon", None), ("", None)]
)
def test_a_server_says_when_to_come_back_in_seconds(value: str, seconds: float | None) -> None:
    failed = failure(error("slow down"), 429, Retry_After=value)
    assert isinstance(failed, Passing)
    assert failed.retry_after_s == seconds


@pytest.mark.parametrize("status", [429, 500, 529, 408])
def test_what_may_pass_by_its_status(status: int) -> None:
    failed = failure(error("try later"), status)
    assert isinstance(failed, Passing)
    assert failed.error_type == ("rate_limited" if status == 429 else "server_error")
    assert failed.retry_after_s is None
    assert f"HTTP {status}" in failed.detail
    assert "try later" in failed.detail


# What servers say of a prompt that is too long, and the window that they name.
OVERFLOWS: dict[str, tuple[int, object, int | None]] = {
    "OpenAI": (400, error("This model's maximum context length is 8192 tokens. "
        "However, your messages resulted in 9000 tokens.", "context_length_exceeded"), 8192),
    "vLLM": (400, error("The decoder prompt (length 41000) is longer than the "
        "maximum model length of 32768.", "400"), 32768),
    "SGLang": (400, {"object": "error", "message": "The input (33000 tokens) is longer than the "
        "model's context length (32768 tokens).", "code": 400}, 32768),
    "Anthropic": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "prompt is too long: 208310 tokens > 200000 maximum"}}, 200_000),
    "Gemini": (400, [{"error": {"code": 400, "message": "The input token count (1100000) exceeds "
        "the maximum number of tokens allowed (1048576)."}}], None),
    "Mistral": (400, {"object": "error", "message": "Prompt contains 40000 tokens and 0 draft "
        "tokens, too large for model with 32768 maximum context length"}, 32768),
    "llama.cpp": (400, {"error": {"code": 400, "message": "the request exceeds the available "
        "context size, try increasing it", "type": "exceed_context_size_error"}}, None),
    "Bedrock": (400, {"message": "Input is too long for requested model."}, None),
    "a proxy": (413, b"<html>413 Request Entity Too Large</html>", None),
}  # fmt: skip


@pytest.mark.parametrize("server", OVERFLOWS)
def test_a_prompt_that_is_too_long_is_known_by_what_servers_say(server: str) -> None:
    status, reply, window = OVERFLOWS[server]
    failed = failure(reply, status)
    assert isinstance(failed, Refused)
    assert failed.error_type == "context_overflow"
    assert window_in(failed.detail) == window


FILTERS = {
    "OpenAI": (400, error("Your request was rejected as a result of our safety system.",
        "content_policy_violation")),
    "Azure": (400, error("The response was filtered due "
        "to the prompt triggering Azure OpenAI's content management policy.", "content_filter")),
    "OpenRouter": (403, {"error": {"code": 403,
        "message": "Your input was flagged", "metadata": {"reasons": ["violence"]}}}),
}  # fmt: skip


@pytest.mark.parametrize("server", FILTERS)
def test_a_content_filter_is_known_by_what_servers_say(server: str) -> None:
    status, reply = FILTERS[server]
    failed = failure(reply, status)
    assert isinstance(failed, Refused)
    assert failed.error_type == "content_filter"


HOPELESS = {
    "no key": (401, error(f"You didn't provide an API key, or {KEY} is wrong."), "key in CHAT_KEY"),
    "forbidden": (403, error(f"Country not supported for {KEY}"), "key in CHAT_KEY"),
    "no such model": (
        404, error("The model `chat` does not exist", "model_not_found"), "served_as"),
    "no such address": (405, {"detail": "Method Not Allowed"}, "base_url"),
    "quota": (
        429, error("You exceeded your current quota", "insufficient_quota"), "no credit left"),
    "payment": (402, error("Insufficient Balance"), "no credit left"),
    "Anthropic's credit": (400, {"error": {"type": "invalid_request_error",
        "message": "Your credit balance is too low"}}, "no credit left"),
    "redirect": (301, b"", "redirects to 'https://other/v1'"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOPELESS)
def test_what_no_call_survives_ends_the_run_with_a_sentence_that_says_what_to_do(case: str) -> None:
    status, reply, said = HOPELESS[case]
    failed = failure(reply, status, Location="https://other/v1")
    assert isinstance(failed, Hopeless)
    assert failed.detail.startswith("chat: ")
    assert said in failed.detail
    assert KEY not in str(failed)


# --- what is never silent, and never said ----------------------------------------------------


def test_a_prompt_that_the_server_cut_is_no_answer() -> None:
    call = call_of(LONG, " What?", MODEL)
    price = Price(prompt=2.0, output=8.0)

    def read_so_many(n_prompt: int, ratio: float = 1.0) -> Response:
        usage = {"prompt_tokens": n_prompt, "completion_tokens": 20}
        model = replace(MODEL, token_ratio=ratio, price=price)
        return read_completion(call, model, 200, {}, json.dumps(completion(usage=usage)).encode())

    assert read_so_many(call.request.n_prompt_tokens).status == "ok"
    assert read_so_many(int(0.55 * call.request.n_prompt_tokens)).status == "ok"
    with pytest.raises(Refused, match="cuts long prompts") as cut:
        read_so_many(int(0.45 * call.request.n_prompt_tokens))
    assert cut.value.error_type == "prompt_truncated"
    assert cut.value.cost_usd is not None
    with pytest.raises(Refused, match="cuts long prompts"):
        read_so_many(int(0.55 * call.request.n_prompt_tokens), ratio=1.3)
    assert (
        read(completion(usage={"prompt_tokens": 1, "completion_tokens": 1})).status == "ok"
    )  # too short to tell


@pytest.mark.parametrize("status", [400, 402, 404, 413, 422, 429, 500, 503])
def test_a_key_that_a_server_quotes_is_not_repeated(status: int) -> None:
    for reply in (
        error(f"what is Bearer {KEY}?"),
        f"plain {KEY} text".encode(),
        {"detail": [{"input": KEY}]},
    ):
        failed = failure(reply, status)
        assert KEY not in f"{failed!r} {failed} {failed.detail}"


THINKER = replace(MODEL, thinks=True, thinking_tokens=1_000)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("<think>It rose.\n</think>\n\nSales rose.", "Sales rose."),
        (
            "It rose.</think>Sales rose.",
            "Sales rose.",
        ),  # templates that open the thought themselves
        ("Sales rose.", "Sales rose."),
        ("The tag <think> opens thoughts.", "The tag <think> opens thoughts."),
        ("It thinks [think] so.", "It thinks [think] so."),
        ("It ends with </think>.", "It ends with </think>."),
    ],
)
def test_thoughts_are_no_part_of_an_answer(said: str, text: str) -> None:
    reply = completion(choices=[{"message": {"content": said}, "finish_reason": "stop"}])
    for model in (THINKER, MODEL):  # servers without a row do not say that a model thinks
        response = read(reply, model)
        assert response.text == text
        assert response.reasoning == (None if said == text else "It rose.")


@pytest.mark.parametrize("model", [THINKER, MODEL], ids=["thinks", "nobody has said so"])
@pytest.mark.parametrize("said", ["<think>It might", ""])
def test_a_model_cut_off_in_its_thoughts_has_not_answered(said: str, model: Model) -> None:
    reply = completion(choices=[{"message": {"content": said}, "finish_reason": "length"}])
    failed = failure(reply, model=model)
    assert isinstance(failed, Refused)
    assert failed.error_type == "cut_before_answer"
    assert failed.reply is not None
    assert failed.reply.reasoning == ("It might" if said else None)
    assert (failed.reply.finish_reason, failed.reply.n_output) == ("length", 20)


def test_thoughts_have_room_beside_the_answer_and_are_another_model_to_the_ledger() -> None:
    sent = orjson.loads(body_of(CALL, THINKER))
    assert sent["max_tokens"] == CALL.request.sampling.max_tokens + 1_000
    assert THINKER.identity != replace(THINKER, thinking_tokens=2_000).identity


def test_thoughts_that_are_counted_only_in_total_are_output() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 145}
    apart = usage | {"completion_tokens_details": {"reasoning_tokens": 40}}
    within = apart | {"completion_tokens": 45}
    assert [read(completion(usage=each)).n_output for each in (usage, apart, within)] == [5, 45, 45]


def test_details_of_counts_that_are_no_object_cost_no_answer() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": [1]}
    assert read(completion(usage=usage)).n_output == 5
