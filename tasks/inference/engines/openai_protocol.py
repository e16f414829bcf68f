"""Chat completions of OpenAI-compatible servers: request bodies and replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from tasks.core.rows import Response
from tasks.inference.engines.failures import (
    Failure,
    Hopeless,
    Passing,
    Refused,
    scrubbed,
    without_key,
)
from tasks.inference.operation import Call
from tasks.inference.replies import split_thoughts
from tasks.models.catalogue import Model, cost_of
from tasks.models.windows import CHAT_TOKENS, prompt_room

# If the server reports less than this share of the prompt tokens that we count, it cut the prompt.
_LEAST_SHARE_READ = 0.5
_LEAST_TOKENS_TO_TELL = 500
_MOST_TOKENS = 10_000_000  # of a prompt or an answer: no model has so large a window
# A reply's size: its envelope, and a token of up to 128 characters, a few of them escaped.
_ENVELOPE_BYTES = 256 * 1024
_BYTES_OF_TOKEN = 256
_YEAR_S = 365 * 86_400.0

# Errors for a prompt that is too long, as worded by OpenAI, Azure, vLLM, SGLang, llama.cpp, TGI,
# Anthropic, Gemini and Mistral.
_OVERFLOW = re.compile(
    r"context.(?:length|window|size|limit)|maximum.context|max_model_len"
    r"|too many (?:input )?tokens|prompt is too long"
    r"|longer than the (?:maximum )?model|exceeds? the (?:maximum|model)|input is too long"
    r"|reduce the length|`?inputs`? tokens \+ `?max_new_tokens`?|request_too_large",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?(?:filter|policy|management)|safety (?:system|setting|filter)|responsible.?ai"
    r"|flagged|moderation",
    re.IGNORECASE,
)
# Errors of the account, whatever the status: no call can succeed until somebody fixes it.
_NO_CREDIT = re.compile(
    r"insufficient.?(?:quota|balance|credit)|billing.hard.limit|credit balance is too low",
    re.IGNORECASE,
)
# The window in such an error, in the words of OpenAI and vLLM, SGLang, Mistral and Anthropic.
_WINDOW = re.compile(
    r"(?:maximum context length is|context length \(|maximum model length of|context limit of"
    r"|tokens >) ?([\d,]*\d)"
    r"|([\d,]*\d) maximum context length",
    re.IGNORECASE,
)
# How a whole reply may end, and how rows name that. Any other end breaks a reply off. A provider's
# filter is a refusal, which would recur.
ENDS = {
    word: end
    for end, words in {
        "stop": "stop eos eos_token stop_sequence end_turn complete completed",
        "length": "length max_tokens max_output_tokens model_length "
        "model_context_window_exceeded repetition",
        "tool_calls": "tool_calls function_call tool_use",
        "content_filter": "content_filter content_filtered refusal safety recitation blocklist "
        "prohibited_content spii guardrail_intervened sensitive error_toxic",
    }.items()
    for word in words.split()
}


def most_tokens(call: Call, model: Model) -> int:
    """Return the most tokens of a call's answer, thoughts included."""
    return call.request.sampling.max_tokens + (0 if call.is_primer else model.thinking_tokens)


def most_bytes(call: Call, model: Model) -> int:
    """Return the most bytes that a reply to this call can reasonably have."""
    return _ENVELOPE_BYTES + _BYTES_OF_TOKEN * most_tokens(call, model)


def too_long(call: Call, model: Model) -> Passing:
    """Return the failure of a reply of more than `most_bytes`."""
    return Passing(
        "unreadable_reply",
        f"the reply to a call with max_tokens {most_tokens(call, model):,} has more than "
        f"{most_bytes(call, model):,} bytes: the server does not keep to it, or the model needs "
        "more thinking_tokens in a models file",
    )


def cut_reply() -> Passing:
    """Return the failure of a reply that has no end; what began it was there and answered."""
    return Passing("cut_reply", "the connection was cut in the middle of the reply")


def window_in(message: str) -> int | None:
    """Return the window that a server names as it refuses a prompt, or None."""
    window = _WINDOW.search(message)
    return int((window[1] or window[2]).replace(",", "")) if window else None


def check_window(call: Call, model: Model) -> None:
    """Raise `Refused` for a prompt beyond the model's window, which some servers cut silently."""
    n_output = most_tokens(call, model)
    if call.request.n_prompt_tokens > prompt_room(model, n_output):
        n_prompt = call.request.n_prompt_tokens * model.token_ratio
        raise Refused(
            "context_overflow",
            f"about {n_prompt:,.0f} tokens of prompt, {n_output:,} of answer and {CHAT_TOKENS} of "
            f"the chat template do not fit the window of {model.window:,}; the call was not sent",
        )


def failed(
    request_id: str, failure: Failure, *, engine: str, attempts: int, cost_usd: float | None
) -> Response:
    """Return a failure as the response to a call that was sent `attempts` times."""
    nothing = Response(request_id=request_id, status="error", attempts=attempts, engine=engine)
    return replace(
        failure.reply or nothing,
        request_id=request_id,
        status="quarantined" if failure.error_type == "quarantined" else "error",
        text=None,
        attempts=attempts,
        error_type=failure.error_type,
        error=failure.detail,
        cost_usd=cost_usd,
    )


def body_of(
    call: Call, model: Model, *, is_renamed: bool = False, is_streamed: bool = False
) -> bytes:
    """Write a call as a request body; `is_renamed`: with the newer name of max_tokens."""
    body: dict[str, Any] = {
        "model": model.called,
        "messages": call.messages,
        "temperature": call.request.sampling.temperature,
        "max_completion_tokens" if is_renamed else "max_tokens": most_tokens(call, model),
        "stream": is_streamed,
    }
    if is_streamed:
        body["stream_options"] = {"include_usage": True}
    if call.request.sampling.top_p is not None:
        body["top_p"] = call.request.sampling.top_p
    if call.schema is not None and model.takes_schema:
        body["response_format"] = schema_format(call, dict(call.schema))
    body |= model.body
    try:
        return orjson.dumps(body)
    except TypeError:
        body["messages"][-1]["content"] = call.content(whole)
        return orjson.dumps(body)


def schema_format(call: Call, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the `response_format` of a JSON reply."""
    described = {"name": call.request.operation, "schema": schema, "strict": True}
    return {"type": "json_schema", "json_schema": described}


def whole(text: str) -> str:
    """Replace halves of surrogate pairs, which damaged filings contain and JSON cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_completion(
    call: Call,
    model: Model,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    key: str | None = None,
) -> Response:
    """Read a server's reply, or raise its `Failure`; the caller sets attempts and latency."""
    if status != 200:
        raise _failure(model, status, headers, body, key)
    try:
        reply = orjson.loads(body)
        if error := reply.get("error"):  # a gateway passes on another's
            raise _failure(model, _status_of(error), headers, body, key, "HTTP 200 with an error")
        choice = reply["choices"][0]
        text, thoughts = split_thoughts(without_key(text_of(choice["message"]), key))
        kept_apart = without_key(_reasoning_of(choice["message"]), key)
        # LiteLLM calls every end that it does not know a stop, and keeps the provider's word
        beside = choice.get("provider_specific_fields") or {}
        end = beside.get("native_finish_reason") or choice.get("finish_reason") or ""
        finish_reason = ENDS.get(end.lower()) or scrubbed(end, key) or None
        counts = _read_counts(reply.get("usage")) if model.counts_tokens else None
        fingerprint = reply.get("system_fingerprint")
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError) as broken:
        raise Passing(
            "unreadable_reply", f"the reply is not a chat completion ({type(broken).__name__})"
        ) from broken
    n_prompt, n_cached, n_output = counts or (None, None, None)
    cost = None
    if n_prompt is not None and n_output is not None:
        cost = cost_of(model, n_prompt, n_cached or 0, n_output)
    response = Response(
        request_id=call.request.request_id,
        status="ok",
        text=text,
        reasoning="\n\n".join(filter(None, (kept_apart, thoughts))) or None,
        finish_reason=finish_reason,
        n_prompt=n_prompt,
        n_cached=n_cached,
        n_output=n_output,
        attempts=1,
        engine=model.engine,
        engine_version=scrubbed(fingerprint, key) if isinstance(fingerprint, str) else "",
        cost_usd=cost,
    )
    _check_whole(call, model, response)
    return response


def _check_whole(call: Call, model: Model, response: Response) -> None:
    """Raise the failure of a reply that is no whole answer to the whole prompt; it is paid for."""
    finish_reason, n_prompt = response.finish_reason, response.n_prompt
    if finish_reason and finish_reason not in ENDS.values():
        raise Passing(
            "broken_off",
            f"the server broke the reply off: its finish_reason is {finish_reason!r}",
            reply=response,
        )
    if finish_reason == "content_filter":
        raise Refused(
            "content_filter", "the provider's content filter ended the answer", reply=response
        )
    n_shown = sum(image.n_tokens for image in call.images)  # which providers count differently
    n_sent = (call.request.n_prompt_tokens - n_shown) * model.token_ratio
    if (
        n_prompt is not None
        and n_sent > _LEAST_TOKENS_TO_TELL
        and n_prompt < _LEAST_SHARE_READ * n_sent
    ):
        raise Refused(
            "prompt_truncated",
            f"the server counts {n_prompt:,} tokens in a prompt of about {n_sent:,.0f}: it cuts "
            "long prompts, or counts wrongly. If it cuts them, raise the window of the server",
            reply=response,
        )
    if not response.text and finish_reason == "length" and not call.is_primer:
        raise Refused(
            "cut_before_answer",
            f"the model said nothing within the limit of {most_tokens(call, model):,} tokens",
            reply=response,
        )


def _status_of(error: Any) -> int:
    """Return the HTTP status of an error that came as a good reply."""
    code = str(error.get("code") if isinstance(error, dict) else "")
    return int(code) if len(code) == 3 and code.isdecimal() and code[0] in "45" else 502


def text_of(message: dict[str, Any]) -> str:
    """Return a message's text without reasoning, or else its refusal."""
    content = message.get("content")  # some gateways omit it if an answer hit its limit
    if content is None:
        refusal = message.get("refusal")
        return refusal if isinstance(refusal, str) else ""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    if not isinstance(content, str):
        raise TypeError
    return content


def _reasoning_of(message: dict[str, Any]) -> str:
    """Return the thoughts that a server keeps apart; servers name them differently."""
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    return thoughts if isinstance(thoughts, str) and thoughts.strip() else ""


def _read_counts(usage: Any) -> tuple[int | None, int | None, int | None] | None:
    """Return the tokens of prompt, cache and answer, or None if they are impossible."""
    if not isinstance(usage, dict):
        return None
    n_prompt: Any = usage.get("prompt_tokens")
    n_output: Any = usage.get("completion_tokens")
    n_cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    n_thought = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    if not all(n is None or _is_count(n) for n in (n_prompt, n_cached, n_output)):
        return None
    if n_prompt == 0 or (n_cached or 0) > (n_prompt or 0):
        return None
    is_counted = all(map(_is_count, (n_prompt, n_output, n_thought)))
    if is_counted and usage.get("total_tokens") == n_prompt + n_output + n_thought:
        n_output += n_thought  # some servers count thoughts only in total
    return n_prompt, n_cached, n_output


def _is_count(n: Any) -> bool:
    return type(n) is int and 0 <= n <= _MOST_TOKENS


def _detail(usage: dict[str, Any], details: str, name: str) -> Any:
    """Return one of the detailed counts, None if a server gives none."""
    counts = usage.get(details)
    return counts.get(name) if isinstance(counts, dict) else None


def _failure(
    model: Model,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    key: str | None,
    http: str = "",
) -> Failure:
    http = http or f"HTTP {status}"
    message = scrubbed(_message(body), key).removesuffix(".")  # it is quoted within a sentence
    quoted = f"{http}: {message}"
    is_filtered = status in (400, 403, 422) and _FILTERED.search(message) is not None
    if is_filtered:
        return Refused("content_filter", quoted)
    if status in (401, 403):
        return Hopeless(f"{model.name}: {_on_key(model, http)}")
    if status == 402 or (status < 500 and _NO_CREDIT.search(message)):
        return Hopeless(
            f"{model.name}: the account has no credit left ({quoted}). Add credit or raise the "
            "limit, and run again"
        )
    if 300 <= status < 400:
        target = scrubbed(headers.get("Location", "another address"), key)
        return Hopeless(_on_address(model, f"{http}: it redirects to {target!r}"))
    if status in (404, 405):
        return Hopeless(_on_address(model, quoted))
    if status in (408, 409, 425, 429) or status >= 500:
        kind = "rate_limited" if status == 429 else "server_error"
        return Passing(kind, quoted, retry_after_s=_retry_after(headers))
    is_overflow = status == 413 or _OVERFLOW.search(message)
    return Refused("context_overflow" if is_overflow else "bad_request", quoted)


def _on_key(model: Model, http: str) -> str:
    """Say what to do about a refused key; what the server says about it may hold the key."""
    if model.key_env:
        return (
            f"the server refused the key in {model.key_env} ({http}). Set a valid key and run again"
        )
    remedy = model.remedy(
        "key_env, the variable that holds the key,", 'key_env = "NAME_OF_THE_VARIABLE"'
    )
    return f"the server refused a call without a key ({http}). {remedy}"


def _on_address(model: Model, quoted: str) -> str:
    """Say what to do about an address that answers not found."""
    return (
        f"{model.name}: {model.base_url or 'the server'} does not know the model {model.called!r} "
        f"or has no chat completions there ({quoted}). Check the model's name and address, which "
        f"usually ends in /v1 "
        f"({'served_as and base_url' if model.has_row else '--model NAME@URL'})"
    )


def _message(body: bytes) -> str:
    """Return a server's error message, after its code if there is one."""
    try:
        reply = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if not isinstance(error, dict):
        return str(error)
    parts = [str(error[key]) for key in ("code", "type", "message", "detail") if error.get(key)]
    return ": ".join(dict.fromkeys(parts)) or str(error)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, at most a year, from the number in a header."""
    value = headers.get("Retry-After", "").strip()
    return min(float(value), _YEAR_S) if value.replace(".", "", 1).isdecimal() else None
