"""A small OpenAI-compatible chat server: answers by rule, a fixed delay, faults on request.

`python tests/servers/chat_server.py --port 0 [--model NAME ...] [--delay-ms 200] [--reply TEXT |
--reply-rule MODULE:FUNCTION] [--log FILE] [--faults FILE.json] [--cache-tokens N] [--window N]`
listens on 127.0.0.1, unless --host says otherwise, and prints
`listening on http://127.0.0.1:PORT/v1` when it is ready. The other way in is
`tests.servers.serving`.

What it answers to:
    GET  /health               200 while it lives
    GET  /v1/models            the names it was started with
    POST /v1/chat/completions  one choice; if the request asks for a stream, word by word at once
    GET  /metrics              what its cache holds, as vLLM says it; 404 without --cache-tokens
    GET  /stats                received, answered, gone, in_flight, max_in_flight, by_status,
                               by_fault, and what a provider would bill: prompt_tokens,
                               cached_tokens (of these), completion_tokens
    GET  /last                 body of the last chat request, and whether it brought a key
    POST /faults               a list of fault rules, which replaces the one before

A reply is a function of the prompt alone, cut at the request's maximum of new tokens.
`--reply-rule` names your own: `prompt -> text`, or `(prompt, model) -> text` if each model is to
say something else. The delay counts from the moment the request's head is in, so it includes
reading the body. Four bytes are one token. Cached tokens are simulated: a prompt's cached part is
its longest beginning that an earlier *answered* prompt of the same model had, in blocks of 16
tokens up to 256, of 512 tokens after that. With --window, as vLLM does, it refuses a request whose
prompt and maximum of new tokens are more; there, a prompt has 1.05 times the tokens of cl100k and
40 for a chat template. It remembers --cache-tokens, or very many, and forgets first what it has
not met for longest.

A fault rule is `{"kind": ..., ...}`. A request meets the first rule that selects it. Every
condition of the rule must hold:
    share   of requests, drawn from the prompt's hash, how often it came, and the rule's place
    match   a string that the prompt has in it
    after   so many requests that the other conditions select are let through first
    first   the rule ends after so many requests
    times   most often per prompt
Kinds:
    429             with Retry-After if the rule has `retry_after` (as in the header, or seconds)
    500, 503        a server error
    reset           the connection is reset before anything is said
    hang            no answer, ever
    hold            no answer until the rules are replaced, then a good one
    cut             half of the reply or stream, then the connection is closed
    stall           half of the stream, then nothing, ever
    break           half of the stream, then an event with an error
    trickle         a stream whose words are each `pause_s` apart
    no_usage        a stream that does not count tokens
    no_done         a stream without [DONE]
    unending        a stream whose connection stays open behind [DONE]
    no_stream       400 if a stream is asked for
    whole           a reply that is not streamed, though it may have been asked for so
    not_json        200 with a body that is not JSON
    empty           200 with an empty text
    overflow        400, context_length_exceeded
    content_filter  400 with that code; with `"form": "finish_reason"` a 200 that ends for it
    expired_key     401, with the key that was sent in the message, as careless servers do
    bad_request     400 for another reason
    die             the process ends at once

The log has one JSON line per event, written at once: `received`, then `answered` (with its status)
or `gone` (the client hung up). Each has `at` (monotonic seconds), `prompt` (sha256 of its text),
`images` (sha256 of each) and `max_tokens`.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import importlib
import inspect
import math
import os
import re
import socket
import struct
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

BYTES_PER_TOKEN = 4
BILLED = ("prompt_tokens", "cached_tokens", "completion_tokens")
MOST_TOKENS = 50_000_000  # that its cache holds, if nobody says how many
_FINE_BYTES, _FINE_UNTIL, _COARSE_BYTES = 64, 1024, 2048

KINDS = frozenset([
    "429", "500", "503", "reset", "hang", "hold", "cut", "stall", "break", "trickle", "no_usage",
    "no_done", "unending", "no_stream", "whole", "not_json", "empty", "overflow",
    "content_filter", "expired_key", "bad_request", "die",
])  # fmt: skip
_RULE_KEYS = frozenset([
    "kind", "share", "match", "after", "first", "times", "retry_after", "pause_s", "form",
])  # fmt: skip


def short_reply(prompt: str) -> str:
    """The reply where none is asked for: a sentence that differs from prompt to prompt."""
    return f"The answer is {hashlib.sha256(prompt.encode()).hexdigest()[:12]}."


def _same_reply(text: str, _: str) -> str:
    return text


class Rule:
    """One fault, whom it meets, and how often it did."""

    def __init__(self, place: int, settings: dict[str, Any]) -> None:
        if settings.get("kind") not in KINDS or set(settings) - _RULE_KEYS:
            raise ValueError(f"no fault rule: {settings}")
        self.place = place
        self.given = settings
        self.kind: str = settings["kind"]
        self.selected = 0
        self.met = 0
        self.met_by_prompt: Counter[bytes] = Counter()

    def meets(self, digest: bytes, prompt: str, attempt: int) -> bool:
        """Whether this request gets the fault; counts it if so."""
        settings = self.given
        if "match" in settings and settings["match"] not in prompt:
            return False
        if "share" in settings:
            drawn = hashlib.sha256(b"%d:%d:" % (self.place, attempt) + digest).digest()
            if int.from_bytes(drawn[:8], "big") >= settings["share"] * 2**64:
                return False
        if "times" in settings and self.met_by_prompt[digest] >= settings["times"]:
            return False
        if "first" in settings and self.met >= settings["first"]:
            return False
        self.selected += 1
        if self.selected <= settings.get("after", 0):
            return False
        self.met += 1
        self.met_by_prompt[digest] += 1
        return True


class Beginnings:
    """Which beginnings of prompts were answered before: a stand-in for a server's prefix cache."""

    def __init__(self, most_tokens: int) -> None:
        # Key -> bytes of the block; last met, last. A plain dict would take ever longer to find its
        # first key, once many have left.
        self.known: OrderedDict[tuple[str, bytes], int] = OrderedDict()
        self.most_bytes = most_tokens * BYTES_PER_TOKEN
        self.n_bytes = 0

    def read(self, model: str, prompt: bytes) -> tuple[bytes, int, list[tuple[str, bytes]]]:
        """A prompt's sha256, how many of its bytes are known, and the keys of its beginnings."""
        fine = range(_FINE_BYTES, min(len(prompt), _FINE_UNTIL) + 1, _FINE_BYTES)
        coarse = range(_COARSE_BYTES, len(prompt) + 1, _COARSE_BYTES)
        view, running, start, n_known, keys = memoryview(prompt), hashlib.sha256(), 0, 0, []
        for end in (*fine, *coarse):
            running.update(view[start:end])
            start = end
            # of all up to here, so one look-up tells of all before
            key = (model, running.digest()[:12])
            keys.append(key)
            if key in self.known:
                n_known = end
        running.update(view[start:])
        return running.digest(), n_known, keys

    def remember(self, keys: Sequence[tuple[str, bytes]]) -> None:
        """Keep an answered prompt's beginnings."""
        for place, key in enumerate(keys):
            size = self.known.pop(key, 0)
            if not size:
                size = _FINE_BYTES if place < _FINE_UNTIL // _FINE_BYTES else _COARSE_BYTES
                self.n_bytes += size
            self.known[key] = size
        while self.known and self.n_bytes > self.most_bytes:
            self.n_bytes -= self.known.popitem(last=False)[1]


class ChatServer:
    """The server's state, and one method per address."""

    def __init__(
        self,
        models: Sequence[str],
        delay_s: float,
        reply: Callable[..., str],
        log: Path | None = None,
        rules: Sequence[dict[str, Any]] = (),
        cache_tokens: int | None = None,
        window: int | None = None,
    ) -> None:
        self.window = window
        self.models = list(models)
        self.delay_s = delay_s
        self.reply = reply
        parameters = inspect.signature(reply).parameters.values()
        self.reads_model = sum(parameter.default is parameter.empty for parameter in parameters) > 1
        self.log_file = (
            None if log is None else os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        )
        self.rules = [Rule(place, settings) for place, settings in enumerate(rules)]
        self.replaced = asyncio.Event()
        self.cache_tokens = cache_tokens
        self.beginnings = Beginnings(cache_tokens or MOST_TOKENS)
        self.attempts: Counter[bytes] = Counter()
        self.counts: Counter[str] = Counter()
        self.billed: Counter[str] = Counter()
        self.by_status: Counter[str] = Counter()
        self.by_fault: Counter[str] = Counter()
        self.in_flight = 0
        self.max_in_flight = 0
        self.last: dict[str, Any] = {}

    def application(self) -> web.Application:
        """What aiohttp runs."""
        app = web.Application(client_max_size=256 * 2**20)
        app.router.add_get("/health", self.health)
        app.router.add_get("/v1/models", self.list_models)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/metrics", self.metrics)
        app.router.add_get("/stats", self.stats)
        app.router.add_get("/last", self.last_request)
        app.router.add_post("/faults", self.replace_rules)
        return app

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def list_models(self, _: web.Request) -> web.Response:
        return _json(
            {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
        )

    async def metrics(self, _: web.Request) -> web.Response:
        if self.cache_tokens is None:
            raise web.HTTPNotFound
        labels = f'block_size="16",engine="0",kv_cache_size_tokens="{self.cache_tokens}"'
        return web.Response(text=f"vllm:cache_config_info{{{labels}}} 1.0\n")

    async def stats(self, _: web.Request) -> web.Response:
        return _json(
            {
                "received": self.counts["received"],
                "answered": self.counts["answered"],
                "gone": self.counts["gone"],
                "in_flight": self.in_flight,
                "max_in_flight": self.max_in_flight,
                "by_status": self.by_status,
                "by_fault": self.by_fault,
                **{kind: self.billed[kind] for kind in BILLED},
            }
        )

    async def last_request(self, _: web.Request) -> web.Response:
        return _json(self.last)

    async def replace_rules(self, request: web.Request) -> web.Response:
        try:
            new_rules = orjson.loads(await request.read())
            self.rules = [Rule(place, rule) for place, rule in enumerate(new_rules)]
        except ValueError as error:
            return _json({"error": {"message": str(error)}}, 400)
        self.replaced.set()
        self.replaced = asyncio.Event()
        return _json({"rules": len(self.rules)})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One chat completion, or the fault that the first fitting rule asks for."""
        arrived = time.monotonic()
        raw = await request.read()
        try:
            body = orjson.loads(raw)
            prompt = "".join(_text(message["content"]) for message in body["messages"])
            images = [
                image for message in body["messages"] for image in _images(message["content"])
            ]
        except (ValueError, KeyError, TypeError):
            return _error(
                400, "the body is no chat request", "invalid_request_error", "invalid_body"
            )
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.last = {"body": body, "has_key": bool(key)}
        model = str(body.get("model"))
        max_tokens = body.get("max_completion_tokens", body.get("max_tokens"))
        digest, n_known, keys = self.beginnings.read(model, prompt.encode())
        attempt = self.attempts[digest] = self.attempts[digest] + 1
        event = {"prompt": digest.hex(), "max_tokens": max_tokens, "images": images}
        self.counts["received"] += 1
        self.write("received", arrived, event)
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        status = None
        try:
            rule = next((rule for rule in self.rules if rule.meets(digest, prompt, attempt)), None)
            kind = None if rule is None else rule.kind
            settings = {} if rule is None else rule.given
            if kind is not None:
                self.by_fault[kind] += 1
            if kind == "die":
                os._exit(1)
            if kind == "hang":
                await asyncio.Event().wait()
            if kind == "hold":
                await self.replaced.wait()
            if kind == "reset":
                return _reset(request)
            await asyncio.sleep(arrived + self.delay_s - time.monotonic())
            is_streamed = body.get("stream") is True
            refusal = refuse(kind, settings, key, prompt, is_streamed=is_streamed)
            if refusal is None and self.window is not None:
                refusal = refuse_beyond(self.window, prompt, max_tokens)
            if refusal is not None:
                status = refusal.status
                return refusal
            shown = (prompt, model) if self.reads_model else (prompt,)
            text = "" if kind == "empty" else self.reply(*shown)
            reply = complete(model, text, max_tokens, len(prompt.encode()), n_known)
            if kind == "content_filter" and settings.get("form") == "finish_reason":
                reply["choices"][0]["finish_reason"] = kind
            self.beginnings.remember(keys)
            self.bill(reply["usage"])
            if is_streamed and kind != "whole":
                streamed = await _stream(request, reply, kind, settings)
                status = 200
                return streamed
            status = 200
            if kind == "cut":
                return await _cut(request, orjson.dumps(reply))
            return _json(reply)
        finally:
            self.in_flight -= 1
            if status is None:
                self.counts["gone"] += 1
                self.write("gone", time.monotonic(), event)
            else:
                self.counts["answered"] += 1
                self.by_status[str(status)] += 1
                self.write("answered", time.monotonic(), {**event, "status": status, "fault": kind})

    def bill(self, usage: dict[str, Any]) -> None:
        """Count what a reply has taken, whatever becomes of it."""
        counts = usage | usage["prompt_tokens_details"]
        self.billed.update({kind: counts[kind] for kind in BILLED})

    def write(self, name: str, at: float, event: dict[str, Any]) -> None:
        """Log one event; it is in the file when this returns, whatever becomes of the process."""
        if self.log_file is not None:
            os.write(self.log_file, orjson.dumps({"event": name, "at": at, **event}) + b"\n")


# --- replies -------------------------------------------------------------------------------


def complete(
    model: str, text: str, max_tokens: int | None, n_bytes: int, n_known: int
) -> dict[str, Any]:
    """A chat completion as OpenAI's reference has it; the text is cut at `max_tokens`."""
    finish_reason = "stop"
    if max_tokens is not None and _n_tokens(len(text)) > max_tokens:
        text, finish_reason = text[: max_tokens * BYTES_PER_TOKEN], "length"
    n_prompt, n_output = _n_tokens(n_bytes), _n_tokens(len(text))
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "logprobs": None,
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": n_prompt,
            "completion_tokens": n_output,
            "total_tokens": n_prompt + n_output,
            "prompt_tokens_details": {"cached_tokens": n_known // BYTES_PER_TOKEN},
        },
    }


def refuse(
    kind: str | None, settings: dict[str, Any], key: str, prompt: str, *, is_streamed: bool
) -> web.Response | None:
    """Return the answer of a rule that refuses or is unreadable, or None if it answers well."""
    match kind:
        case "429":
            response = _error(
                429, "Rate limit reached for requests", "requests", "rate_limit_exceeded"
            )
            if "retry_after" in settings:
                response.headers["Retry-After"] = str(settings["retry_after"])
            return response
        case "500" | "503":
            return _error(int(kind), "The server had an error", "server_error", None)
        case "not_json":
            return web.Response(
                body=b'{"id": "chatcmpl-local", "choices": [', content_type="application/json"
            )
        case "overflow":
            detail = (
                "This model's maximum context length is 8192 tokens; "
                f"your messages have {_n_tokens(len(prompt))}."
            )
            return _error(400, detail, "invalid_request_error", "context_length_exceeded")
        case "content_filter" if settings.get("form") != "finish_reason":
            detail = "The prompt was filtered by the content management policy."
            return _error(400, detail, "invalid_request_error", "content_filter")
        case "expired_key":
            return _error(
                401, f"API key {key} has expired", "invalid_request_error", "invalid_api_key"
            )
        case "no_stream" if is_streamed:
            return _error(400, "Streaming is not supported", "invalid_request_error", "stream")
        case "bad_request":
            return _error(400, "Unknown parameter", "invalid_request_error", "unknown_parameter")
    return None


def refuse_beyond(window: int, prompt: str, max_tokens: int) -> web.Response | None:
    """Refuse a request that does not fit a window, in vLLM's words, or return None."""
    from tasks.text.tokens import count_tokens

    n_prompt = math.ceil(1.05 * count_tokens(prompt)) + 40
    if n_prompt + max_tokens <= window:
        return None
    detail = (
        f"This model's maximum context length is {window} tokens. However, you requested "
        f"{max_tokens} output tokens and your prompt contains {n_prompt} input tokens."
    )
    return _error(400, detail, "BadRequestError", None)


def _reset(request: web.Request) -> web.Response:
    """Close without a word, so that the client reads a connection reset."""
    if request.transport is not None:
        linger_for_no_time = struct.pack("ii", 1, 0)  # makes closing send RST instead of FIN
        request.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, linger_for_no_time
        )
        request.transport.abort()
    return web.Response()


async def _cut(request: web.Request, body: bytes) -> web.StreamResponse:
    """Promise the whole body, send half, hang up."""
    response = web.StreamResponse()
    response.content_type = "application/json"
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def events_of(reply: dict[str, Any], kind: str | None) -> list[bytes]:
    """Return a completion as the events of a stream: a word each, its end, its usage, [DONE]."""
    (choice,) = reply["choices"]
    words = re.findall(r"\s*\S+|\s+$", choice["message"]["content"])
    choices: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
    choices += [{"delta": {"content": word}} for word in words]
    choices += [{"delta": {}, "finish_reason": choice["finish_reason"]}]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "finish_reason": None, **one}]} for one in choices
    ]
    if kind != "no_usage":
        chunks.append({"choices": [], "usage": reply["usage"]})
    beside = {"id": reply["id"], "object": "chat.completion.chunk", "model": reply["model"]}
    events = [b"data: %b\n\n" % orjson.dumps(beside | chunk) for chunk in chunks]
    return events if kind == "no_done" else [*events, b"data: [DONE]\n\n"]


async def _stream(
    request: web.Request, reply: dict[str, Any], kind: str | None, settings: dict[str, Any]
) -> web.StreamResponse:
    """Send a completion event by event, or as much of it as the rule lets through."""
    events = events_of(reply, kind)
    if kind in ("cut", "stall", "break"):
        events = events[: len(events) // 2]
    if kind == "break":
        events.append(b'data: {"error": {"message": "the engine died", "code": 500}}\n\n')
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for event in events:
        await asyncio.sleep(settings.get("pause_s", 0.0))
        await response.write(event)
    if kind in ("stall", "unending"):
        await asyncio.Event().wait()
    if kind == "cut" and request.transport is not None:
        request.transport.close()
    return response


def _error(status: int, message: str, kind: str, code: str | None) -> web.Response:
    return _json({"error": {"message": message, "type": kind, "param": None, "code": code}}, status)


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


def _text(content: Any) -> str:
    """A message's text: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def _images(content: Any) -> list[str]:
    """The sha256 of each image of a message, which comes as a data URL."""
    parts = [] if isinstance(content, str) else content
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [hashlib.sha256(base64.b64decode(url.partition(",")[2])).hexdigest() for url in urls]


def _n_tokens(n_bytes: int) -> int:
    return -(-n_bytes // BYTES_PER_TOKEN)


# --- the process ---------------------------------------------------------------------------


async def serve(server: ChatServer, host: str, port: int) -> None:
    """Answer until the process is ended."""
    # A client that hangs up ends its handler: in_flight counts only those that still wait.
    runner = web.AppRunner(server.application(), access_log=None, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, host, port, backlog=1024).start()
    print(f"listening on http://{host}:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


def find_rule(name: str) -> Callable[..., str]:
    """Return the function that `MODULE:FUNCTION` names; also look in the working folder."""
    sys.path.insert(0, os.getcwd())
    module, _, function = name.partition(":")
    rule: Callable[..., str] = getattr(importlib.import_module(module), function)
    return rule


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description="OpenAI-compatible server for tests")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--delay-ms", type=float, default=0)
    replies = parser.add_mutually_exclusive_group()
    replies.add_argument("--reply")
    replies.add_argument("--reply-rule", metavar="MODULE:FUNCTION")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--faults", type=Path)
    parser.add_argument("--cache-tokens", type=int)
    parser.add_argument("--window", type=int)
    options = parser.parse_args(arguments)
    reply: Callable[..., str] = short_reply
    if options.reply is not None:
        reply = partial(_same_reply, options.reply)
    elif options.reply_rule is not None:
        reply = find_rule(options.reply_rule)
    rules = [] if options.faults is None else orjson.loads(options.faults.read_bytes())
    server = ChatServer(
        options.model or ["local"],
        options.delay_ms / 1000,
        reply,
        options.log,
        rules,
        options.cache_tokens,
        options.window,
    )
    asyncio.run(serve(server, options.host, options.port))


if __name__ == "__main__":
    main()
