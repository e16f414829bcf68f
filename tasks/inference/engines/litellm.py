"""Proprietary models through LiteLLM: OpenAI, Anthropic, Gemini, Bedrock and others.

LiteLLM knows how to ask each provider and what its tokens cost. It sends each call once, and logs
nothing. Anthropic's models cache only what a request marks: writing a marked prefix costs 1.25
times its price, reading it a tenth. So only a prefix of several calls is marked.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from socket import gaierror
from typing import Any

from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.engines.failures import SHORTEST_KEY, Failure, Hopeless, Lost, Passing, Refused
from tasks.inference.engines.openai import key_of
from tasks.inference.engines.openai_protocol import (
    most_bytes,
    most_tokens,
    read_completion,
    schema_format,
    too_long,
    whole,
)
from tasks.inference.operation import Call, Work
from tasks.inference.schemas import unbounded
from tasks.models.catalogue import Model, UnreachableModel, check_reachable

_NO_TIMEOUT_S = 7 * 86_400.0
# Environment variables that hold secrets.
_NAMES_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)

# Loggers below LiteLLM. At verbose levels they write whole prompts and servers' headers.
_TALKERS = ("LiteLLM", "LiteLLM Router", "openai", "httpx", "httpcore", "botocore")

# LiteLLM's errors, different per provider, if it found no key and has sent nothing.
_NAMES_KEY = re.compile("api.?key|credentials", re.IGNORECASE)


class LiteLLM(EngineOfRow):
    """A model of a provider that LiteLLM reaches.

    `served_as` of its row is LiteLLM's name, such as `anthropic/claude-sonnet-4-5`.
    """

    async def answer(self, work: Work) -> None:
        """Send every call to the provider; see `dispatch`."""
        check_reachable(self.row)
        provider = Provider(self.row, work.shared_prefixes)
        try:
            await dispatch(work, [provider], Limits.of(self.row), self.row)
        finally:
            await _close_clients()


class Provider:
    """A model's provider, as a `Replica`; `shared` are the prefixes of several calls."""

    def __init__(self, row: Model, shared: Collection[str] = ()) -> None:
        self.row = row
        self.shared = shared
        self.key = key_of(row)
        self.name = row.called
        self.litellm = _litellm()
        self.version = version("litellm")
        try:
            self.litellm.get_llm_provider(row.called, api_base=row.base_url)
        except self.litellm.BadRequestError:
            raise UnreachableModel(
                f"{row.name}: LiteLLM knows no provider for {row.called!r}. Give served_as as "
                "provider and model, such as anthropic/claude-sonnet-4-5"
            ) from None
        costs = self.litellm.model_cost
        listed = costs.get(row.called) or costs.get(row.called.partition("/")[2]) or {}
        # other providers mark by themselves, or charge for keeping what is marked
        self.marks = "claude" in row.called and bool(listed.get("supports_prompt_caching"))
        self.has_schema = row.has_schema or self.litellm.supports_response_schema(row.called)

    async def is_alive(self) -> bool:
        """Return True: no provider has a free health check."""
        return True

    async def send(self, call: Call, heard: Callable[[], None] = lambda: None) -> Response:
        """Send a call once; see `failure_of` and `read_completion` for its failures.

        No reply is streamed.
        """
        from openai import OpenAIError  # the base of all of LiteLLM's errors

        failure: Failure | None = None
        try:
            answer = await self.litellm.acompletion(**self.asking(call))
        except OpenAIError as error:
            failure = self.failure_of(call, error)
        # raised out here, without LiteLLM's own error as its context: that may quote the key
        if failure is not None:
            raise failure
        body = _without_secrets(answer.model_dump_json().encode(), SHORTEST_KEY)
        if len(body) > most_bytes(call, self.row):
            raise too_long(call, self.row)
        read = read_completion(call, self.row, 200, {}, body, self.key)
        return replace(read, engine_version=self.version, cost_usd=self.cost_of(answer, read))

    def asking(self, call: Call) -> dict[str, Any]:
        """Return the arguments of `litellm.acompletion`."""
        row, sampling = self.row, call.request.sampling
        asking: dict[str, Any] = {
            **row.body,
            "model": row.called,
            "messages": [*call.messages[:-1], {"role": "user", "content": self.content_of(call)}],
            "temperature": sampling.temperature,
            "max_tokens": most_tokens(call, row),
            "timeout": row.timeout_s or _NO_TIMEOUT_S,  # the dispatcher has one of its own
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,  # models that think accept no sampling
        }
        if sampling.top_p is not None:
            asking.setdefault("top_p", sampling.top_p)
        if row.base_url is not None:
            asking["api_base"] = row.base_url
        if self.key is not None:
            asking["api_key"] = self.key
        if call.schema is not None and self.has_schema:
            asking["response_format"] = schema_format(call, unbounded(call.schema))
        return asking

    def content_of(self, call: Call) -> str | list[dict[str, Any]]:
        """Return the prompt, in blocks for Anthropic's models: prefix, its images, suffix.

        The last block of the prefix is marked if other calls share it. There are always as many
        blocks, so that the same question is always asked in the same form.
        """
        if not self.marks or not call.prefix.text:
            return call.content(whole)
        head: list[dict[str, Any]] = [{"type": "text", "text": whole(call.prefix.text)}]
        head += [image.part for image in call.images]
        if call.prefix.prefix_id in self.shared:
            head[-1]["cache_control"] = {"type": "ephemeral"}
        suffix = {"type": "text", "text": whole(call.request.suffix)}
        return [*head, suffix] if call.request.suffix else head

    def cost_of(self, answer: Any, read: Response) -> float | None:
        """Return US dollars, by the row's price or else LiteLLM's, surcharges included."""
        if read.n_prompt is None and read.n_output is None:
            return None
        if self.row.price is not None:
            n_written = getattr(answer.usage, "cache_creation_input_tokens", None) or 0
            return self.row.price.of(
                read.n_prompt or 0, read.n_cached or 0, read.n_output or 0, n_written
            )
        listed: float | None = answer._hidden_params.get("response_cost")
        return read.cost_usd if listed is None else listed

    def failure_of(self, call: Call, error: BaseException) -> Failure:
        """Classify an error by its causes, not by LiteLLM's class.

        LiteLLM reports some refused keys as bad requests, and lost connections as server errors.
        """
        import httpx
        from aiohttp import ClientConnectorError, ClientError

        causes = list(_causes(error))
        names = " from ".join(dict.fromkeys(type(cause).__name__ for cause in causes))
        for cause in causes:
            if isinstance(cause, httpx.HTTPStatusError):
                return self._refusal(call, error, cause.response)
        if any(isinstance(cause, TimeoutError | httpx.TimeoutException) for cause in causes):
            return Passing("timeout", f"no answer: {names}")
        if any(isinstance(cause, json.JSONDecodeError) for cause in causes):
            return Passing("unreadable_reply", "the reply is not JSON")
        if any(isinstance(cause, OSError | ClientError | httpx.TransportError) for cause in causes):
            unsent = (ClientConnectorError, ConnectionRefusedError, gaierror)
            was_sent = not any(isinstance(cause, unsent) for cause in causes)
            return Lost("connection", f"the connection failed: {names}", was_sent=was_sent)
        if any(_NAMES_KEY.search(str(cause)) for cause in causes):
            return Hopeless(
                f"{self.row.name}: LiteLLM found no key. In a models file, name the environment "
                "variable that holds it (key_env)"
            )
        return Passing("litellm_error", f"LiteLLM failed: {names}")

    def _refusal(self, call: Call, error: BaseException, answer: Any) -> Failure:
        """Return the failure in an answer with a status other than 200."""
        try:
            reply = _without_secrets(answer.content)
            read_completion(call, self.row, answer.status_code, answer.headers, reply, self.key)
        except Refused as refused:
            if isinstance(error, self.litellm.ContextWindowExceededError):
                return Refused("context_overflow", refused.detail)
            if isinstance(error, self.litellm.ContentPolicyViolationError):
                return Refused("content_filter", refused.detail)
            return refused
        except Failure as failure:
            return failure
        raise AssertionError("a status other than 200 is a failure")


def _without_secrets(reply: bytes, shortest: int = 8) -> bytes:
    """Remove all secrets of the environment: LiteLLM finds keys there itself."""
    secrets = {
        value
        for name, value in os.environ.items()
        if _NAMES_SECRET.search(name) and len(value) >= shortest
    }
    for secret in sorted(secrets, key=len, reverse=True):
        reply = reply.replace(secret.encode(), b"***")
    return reply


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it was raised from, latest first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@cache
def _litellm() -> Any:
    """Return LiteLLM, offline and silent; the import takes seconds and 180 MB."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    for name in _TALKERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def _close_clients() -> None:
    """Close this event loop's connections; the next step has another loop."""
    loop = f"-{id(asyncio.get_running_loop())}"
    cached = _litellm().in_memory_llm_clients_cache
    for key in [key for key in cached.cache_dict if key.endswith(loop)]:
        client = cached.cache_dict[key]
        cached.delete_cache(key.removesuffix(loop))
        await client.close()
