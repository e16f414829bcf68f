"""Chat completions of OpenAI-compatible servers: request bodies and replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

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
from tasks.models.gpu_memory import CHAT_TOKENS, prompt_room

# If the server reports less than this share of the prompt tokens that we count, it cut the prompt.
_LEAST_SHARE_READ = 0.5
_LEAST_TOKENS_TO_TELL = 500
# What a note of dropped counts says.
NO_SUCH_COUNTS = "the server reports impossible counts of tokens"
# A server that counts more tokens than these and what was sent or asked for has a fault.
_MOST_THOUGHTS = 200_000  # of an answer, beyond max_tokens, if the server counts them
_TEMPLATE_TOKENS = 1_000  # of a prompt: a chat template, and what a gateway puts before a prompt
_IMAGE_TOKENS = 50_000  # of an image: OpenAI's gpt-4o-mini, the dearest, counts up to 48,169
_ENDING_TOKENS = 100  # of an answer: what ends it, and what servers give at the least
# A reply's size: its envelope, and a token of up to 128 characters, a few of them escaped.
_ENVELOPE_BYTES = 256 * 1024
_BYTES_OF_TOKEN = 256
_YEAR_S = 365 * 86_400.0
_MOST_OFFERED = 10  # models of a server that a message lists

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
    r"content.?(?:filter|policy|management)|safety (?:system|setting|filter)|responsible.?ai",
    re.IGNORECASE,
)
_MODERATED = re.compile(r"flagged|moderation", re.IGNORECASE)
# Errors of the account or key, whatever the status: no call can succeed until somebody fixes it.
_NO_CREDIT = re.compile(
    r"insufficient.?(?:quota|balance|credit)|billing.hard.limit|credit balance is too low",
    re.IGNORECASE,
)
_WRONG_KEY = re.compile(
    r"api[ _-]?key (?:not valid|is invalid|expired)"
    r"|(?:invalid|incorrect|expired)[ _-]api[ _-]?key|api_key_invalid",
    re.IGNORECASE,
)
# Errors for a model that the server does not have, as worded by OpenAI, vLLM, SGLang, Ollama, Groq
# and Gemini.
_NO_MODEL = re.compile(
    r"model_not_found|(?<![/\w])models?\b.{1,100}?\b(?:does not exist|not found)"
    r"|(?:unknown|no such) model",
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
# Statuses of errors that have a name and no number, as Anthropic, OpenAI and Google name them.
STATUS_OF = {
    name: status
    for status, names in {
        400: "invalid_request_error invalid_argument",
        401: "authentication_error invalid_api_key unauthenticated",
        402: "billing_error insufficient_quota",
        403: "permission_error permission_denied",
        404: "not_found_error model_not_found not_found",
        413: "request_too_large",
        429: "rate_limit_error rate_limit_exceeded resource_exhausted",
        500: "api_error",
        504: "timeout_error",
        529: "overloaded_error",
    }.items()
    for name in names.split()
}
# One request asks for too much; waiting does not help.
_TOO_LARGE = re.compile(r"request too large", re.IGNORECASE)


def most_tokens(call: Call, model: Model) -> int:
    """Return the most tokens of a call's answer, thoughts included."""
    return call.request.sampling.max_tokens + (0 if call.is_primer else model.thinking_tokens)


def most_prompt_tokens(call: Call, model: Model) -> int:
    """Return the most tokens that a server can count in a call's prompt: one for each byte."""
    texts = (call.prefix.system or "", call.prefix.text, call.request.suffix)
    n_bytes = sum(len(text) * (1 if text.isascii() else 4) for text in texts)
    n_bytes += len(orjson.dumps([call.schema and dict(call.schema), dict(model.body)]))
    return n_bytes + _IMAGE_TOKENS * len(call.images) + _TEMPLATE_TOKENS


def most_bytes(call: Call, model: Model) -> int:
    """Return the most bytes that a reply to this call can reasonably have."""
    return _ENVELOPE_BYTES + _BYTES_OF_TOKEN * most_tokens(call, model)


def too_long(call: Call, model: Model) -> Passing:
    """Return the failure of a reply of more than `most_bytes`."""
    n_tokens = most_tokens(call, model)
    return Passing(
        "unreadable_reply",
        f"the reply to a call with max_tokens {n_tokens:,} has more than "
        f"{most_bytes(call, model):,} bytes",
        remedy="Configure the server to keep to max_tokens. If the model thinks at length, raise "
        "thinking_tokens in a models file",
    )


def cut_reply(detail: str = "the connection was cut in the middle of the reply") -> Passing:
    """Return the failure of a reply that has no end; what began it was there and answered."""
    return Passing("cut_reply", detail)


def window_in(said: str) -> int | None:
    """Return the window that a server names as it refuses a prompt, or None."""
    found = _WINDOW.search(said)
    return int((found[1] or found[2]).replace(",", "")) if found else None


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


# What a failure's row tells of a reply.
_TOLD = (
    *("reasoning", "finish_reason", "n_prompt", "n_cached", "n_output"),
    *("latency_ms", "first_token_ms"),
)


def failed(
    request_id: str, failure: Failure, *, engine: str, attempts: int, cost_usd: float | None
) -> Response:
    """Return a failure as the response to a call that was sent `attempts` times."""
    told = {name: getattr(failure.reply, name) for name in _TOLD} if failure.reply else {}
    return Response(
        request_id=request_id,
        status="quarantined" if failure.error_type == "quarantined" else "error",
        attempts=attempts,
        error_type=failure.error_type,
        error=failure.detail,
        engine=engine,
        cost_usd=cost_usd,
        **told,
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
        name = call.request.operation
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": dict(call.schema), "strict": True},
        }
    body |= model.body
    try:
        return orjson.dumps(body)
    except TypeError:
        body["messages"][-1]["content"] = call.content(whole)
        return orjson.dumps(body)


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
    note: Callable[[str], None] = lambda _: None,
    offered: Sequence[str] | None = None,
    most_prompt: int | None = None,
) -> Response:
    """Read a server's reply, or raise its `Failure`; the caller sets attempts and latency.

    Args:
        note: called with a sentence if counts of tokens are dropped.
        offered: models that the server lists; None if it was not asked.
        most_prompt: `most_prompt_tokens`, if the call has no prompt any more.
    """
    if status != 200:
        raise _failure(model, status, headers, body, key, offered)
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        reply = orjson.loads(body)
        error = reply.get("error")
        if not reply.get("choices"):
            error = error or reply.get("code") or reply.get("detail")
        if (code := _code_of(error, reply)) is not None:  # a gateway passes on another's error
            raise _failure(model, code, headers, body, key, http=_IN_REPLY)
        choice = reply["choices"][0]
        text, thoughts = split_thoughts(without_key(text_of(choice["message"]), key))
        kept_apart = without_key(_reasoning_of(choice["message"]) or "", key)
        reasoning = "\n\n".join(filter(None, (kept_apart, thoughts))) or None
        # LiteLLM calls every end that it does not know a stop, and keeps the provider's word
        beside = choice.get("provider_specific_fields") or {}
        end = beside.get("native_finish_reason") or choice.get("finish_reason")
        usage = reply.get("usage") if model.counts_tokens else None
        if most_prompt is None:
            most_prompt = most_prompt_tokens(call, model)
        most_output = most_tokens(call, model) + _ENDING_TOKENS
        n_prompt, n_cached, n_output = _counts(model, usage, most_prompt, most_output, note)
        fingerprint = reply.get("system_fingerprint")
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError) as broken:
        raise Passing(
            "unreadable_reply",
            f"the reply is not a chat completion ({_why_not(body) or type(broken).__name__})",
            at_first=_at_first(model, body),
        ) from broken
    if not isinstance(end, str | None):
        raise Passing("unreadable_reply", "the reply's finish_reason is malformed")
    finish_reason = ENDS.get(end.lower()) if end else None
    cost = None
    if n_prompt is not None and n_output is not None:
        cost = cost_of(model, n_prompt, n_cached or 0, n_output)
    response = Response(
        request_id=call.request.request_id,
        status="ok",
        text=text,
        reasoning=reasoning,
        finish_reason=finish_reason or (scrubbed(end, key) if end else None),
        n_prompt=n_prompt,
        n_cached=n_cached,
        n_output=n_output,
        attempts=1,
        engine=model.engine,
        engine_version=scrubbed(fingerprint, key) if isinstance(fingerprint, str) else "",
        cost_usd=cost,
    )
    if (code := _code_of(choice.get("error"), choice)) is not None:  # the error of one choice
        failure = _failure(model, code, headers, orjson.dumps(choice), key, http=_IN_REPLY)
        failure.reply = response
        raise failure
    if end and finish_reason is None:
        raise Passing(
            "broken_off",
            f"the server broke the reply off: its finish_reason is {response.finish_reason!r}",
            reply=response,
        )
    if finish_reason == "content_filter":
        raise Refused(
            "content_filter", "the provider's content filter ended the answer", reply=response
        )
    n_sent = (call.request.n_prompt_tokens - call.n_image_tokens) * model.token_ratio
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
    if not text and finish_reason == "length" and not call.is_primer:
        raise Refused(
            "cut_before_answer",
            f"the model said nothing within the limit of {most_tokens(call, model):,} tokens",
            reply=response,
        )
    return response


_IN_REPLY = "HTTP 200 with an error"


def _code_of(error: Any, beside: dict[str, Any]) -> int | None:
    """Return the HTTP status of an error, perhaps said beside it; None if it is no error."""
    if not error:
        return None
    for each in (error if isinstance(error, dict) else {}, beside):
        for name in ("code", "status", "status_code", "type"):
            code = str(each.get(name)).lower()
            status = int(code) if re.fullmatch(r"[45]\d\d", code) else STATUS_OF.get(code)
            if status is not None:
                return status
    return 502


def _why_not(body: bytes) -> str:
    """Say what a body is that is no JSON, if it can be told."""
    if re.search(rb"[:,\[]\s*-?(?:NaN|Infinity)\s*[,\]}]", body):
        return "it has NaN or Infinity, which JSON does not allow"
    return ""


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


def _reasoning_of(message: dict[str, Any]) -> str | None:
    """Return the thoughts that a server keeps apart; servers name them differently."""
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    return thoughts if isinstance(thoughts, str) and thoughts.strip() else None


def _counts(
    model: Model, usage: Any, most_prompt: int, most_output: int, note: Callable[[str], None]
) -> tuple[int | None, int | None, int | None]:
    """Return the tokens of prompt, cache and answer; none of them if one is beyond reason."""
    if usage is None:
        return None, None, None
    if isinstance(usage, dict):
        n_prompt, n_output = usage.get("prompt_tokens"), _n_output(usage)
        details = usage.get("prompt_tokens_details") or {}
        n_cached = details.get("cached_tokens") if isinstance(details, dict) else -1
        n_written = usage.get("cache_creation_input_tokens")  # as LiteLLM reports it
        bounded = [(n, most_prompt) for n in (n_prompt, n_cached, n_written)]
        most_output += min(_n_thought(usage) or 0, _MOST_THOUGHTS)  # some servers limit no thoughts
        if all(
            n is None or (type(n) is int and 0 <= n <= most)
            for n, most in (*bounded, (n_output, most_output))
        ) and (n_prompt is None or 0 < n_prompt >= (n_cached or 0)):
            return n_prompt, n_cached, n_output
    note(
        f"{model.name}: {NO_SUCH_COUNTS}. Such counts are dropped, and the budget is charged the "
        "most that the call can cost"
    )
    return None, None, None


def _at_first(model: Model, body: bytes) -> str | None:
    """Say what to do about an HTML page in place of a first answer; None if it is none."""
    if body.lstrip()[:1] == b"<":
        return (
            f"{model.name}: {model.base_url} sends an HTML page in place of an answer. The address "
            "is wrong, or the server wants you to sign in. Check the address, which usually ends "
            f"in /v1. The server may want a key. {_key_remedy(model)}"
        )
    return None


def _key_remedy(model: Model) -> str:
    setting = "key_env, the variable that holds the key,"
    return model.remedy(setting, 'key_env = "NAME_OF_THE_VARIABLE"')


def _n_thought(usage: dict[str, Any]) -> int | None:
    """Return the tokens of an answer's thoughts, if the server counts them."""
    details = usage.get("completion_tokens_details")
    n_thought = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return n_thought if isinstance(n_thought, int) and n_thought >= 0 else None


def _n_output(usage: dict[str, Any]) -> Any:
    """Return the tokens of an answer and its thoughts, which some servers count only in total."""
    n_output, n_thought = usage.get("completion_tokens"), _n_thought(usage)
    n_prompt = usage.get("prompt_tokens")
    if not (isinstance(n_output, int) and n_thought is not None and isinstance(n_prompt, int)):
        return n_output
    is_apart = usage.get("total_tokens") == n_prompt + n_output + n_thought
    return n_output + n_thought if is_apart else n_output


def _failure(
    model: Model,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    key: str | None,
    offered: Sequence[str] | None = None,
    http: str = "",
) -> Failure:
    http = http or f"HTTP {status}"
    said = scrubbed(_message(body), key).removesuffix(".")  # it is quoted within a sentence
    if status == 403 and (_MODERATED.search(said) or _FILTERED.search(said)):
        return Refused("content_filter", f"{http}: the provider's moderation refused the prompt")
    if status in (401, 403) or (status == 400 and _WRONG_KEY.search(said)):
        # not quoted: what a server says about a key may hold the key
        if model.key_env:
            return Hopeless(
                f"{model.name}: the server refused the key in {model.key_env} ({http}). Set "
                "a valid key and run again"
            )
        return Hopeless(
            f"{model.name}: the server refused a call without a key ({http}). {_key_remedy(model)}"
        )
    if 300 <= status < 400:
        target = scrubbed(headers.get("Location", "another"), key)
        return Hopeless(
            f"{model.name}: the address redirects to {target!r} "
            f"({http}). Name the address that answers, "
            f"as {'base_url' if model.has_row else f'--model {model.name}@URL'}"
        )
    if status == 402 or (status < 500 and _NO_CREDIT.search(said)):
        return Hopeless(
            f"{model.name}: the account has no credit left ({http}: {said}). Add credit or "
            "raise the limit, and run again"
        )
    if status in (404, 405):
        where = model.base_url or "the server"
        offers_others = offered and model.called not in offered
        if offers_others or _NO_MODEL.search(said):
            offers = f"The server offers {scrubbed(_some(offered), key)}. " if offered else ""
            return Hopeless(
                f"{model.name}: {where} does not know the model {model.called!r} ({http}: "
                f"{said}). {offers}Name one of {'them' if offered else 'its models'} "
                f"({'served_as' if model.has_row else '--model NAME@URL'})"
            )
        meant = ""
        right = _right_address(where)
        if right != where:
            meant = f"Did you mean {right}? "
        if offered is not None:
            return Hopeless(
                f"{model.name}: {where} has no chat completions there ({http}: {said}). The "
                f"path of its address is wrong. {meant}Correct it "
                f"({'base_url' if model.has_row else '--model NAME@URL'})"
            )
        return Hopeless(
            f"{model.name}: {where} does not know the model {model.called!r} or has no chat "
            f"completions there ({http}: {said}). {meant}Check the model's name and address "
            f"({'served_as and base_url' if model.has_row else '--model NAME@URL'})"
        )
    if status == 429:
        if _TOO_LARGE.search(said):
            return Refused("bad_request", f"{http}: {said}")
        return Passing(
            "rate_limited", f"{http}: {said}", retry_after_s=_retry_after(headers), slows=True
        )
    if status in (408, 409, 425) or status >= 500:
        return Passing(
            "server_error",
            f"{http}: {said}",
            retry_after_s=_retry_after(headers),
            slows=status in (503, 529),
        )
    if status == 413 or _OVERFLOW.search(said):
        return Refused("context_overflow", f"{http}: {said}")
    if _FILTERED.search(said):
        return Refused("content_filter", f"{http}: {said}")
    return Refused("bad_request", f"{http}: {said}")


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_OFFERED
    shown = ", ".join(map(repr, names[:_MOST_OFFERED]))
    return f"{shown} and {more:,} more" if more > 0 else shown


def _right_address(url: str) -> str:
    """Return the address that was probably meant: it ends in /v1, not in a path below it."""
    bare = url.removesuffix("/chat/completions").rstrip("/")
    return f"{bare}/v1" if urlsplit(bare).scheme and not urlsplit(bare).path else bare


def _message(body: bytes) -> str:
    """Return a server's error message, after its code if there is one."""
    try:
        reply = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if isinstance(error, dict):
        parts = [str(error[key]) for key in ("code", "type", "message", "detail") if error.get(key)]
        return ": ".join(dict.fromkeys(parts)) or str(error)
    return str(error)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, at most a year, from the number or date in headers."""
    for header, per_second in (("Retry-After-Ms", 1000), ("Retry-After", 1)):
        value = headers.get(header, "").strip()
        if re.fullmatch(r"\d+(?:\.\d+)?", value):
            return min(float(value) / per_second, _YEAR_S)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return min(max(0.0, (at - datetime.now(UTC)).total_seconds()), _YEAR_S)
