"""Amazon Bedrock through LiteLLM: its key, and the budgets of thoughts of the catalogue's rows."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from tasks.core.rows import Response
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.models.catalogue import Model, find_model
from tests.calls import call_of, collect
from tests.servers.in_process import answering

KEY = "bedrock-test-0123456789"
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}}


def asked(model: Model) -> tuple[dict[str, Any], Response]:
    """Ask one question; return what Bedrock gets, and the answer."""
    bodies: list[dict[str, Any]] = []

    async def converse(request: web.Request) -> web.Response:
        bodies.append({**await request.json(), "key": request.headers["Authorization"]})
        content = [THOUGHT, {"text": "It rose."}] if model.thinks else [{"text": "It rose."}]
        usage = {"inputTokens": 1_000, "outputTokens": 0, "totalTokens": 1_000}
        output = {"message": {"role": "assistant", "content": content}}
        return web.json_response({"output": output, "stopReason": "end_turn", "usage": usage})

    async def ask() -> Response:
        async with answering(converse, "/model/{model}/converse") as url:
            row = replace(model, base_url=url.removesuffix("/v1"))
            call = call_of("Thought.", " What?", row, max_tokens=512)
            found = await collect(Client(load_engine(row, {})), [call])
            return found[call.request.request_id]

    response = asyncio.run(ask())
    (body,) = bodies
    return body, response


@pytest.mark.parametrize("budget", [0, 2048])
def test_a_budget_of_thoughts_reaches_bedrock(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")
    name = f"claude-sonnet-4-thinks-{budget}" if budget else "claude-sonnet-4"
    body, response = asked(find_model(name))
    assert body["key"] == f"Bearer {KEY}"
    assert body["inferenceConfig"]["maxTokens"] == 512 + budget
    wanted = {"type": "enabled", "budget_tokens": budget} if budget else None
    assert body.get("additionalModelRequestFields", {}).get("thinking") == wanted
    assert (response.text, response.reasoning) == ("It rose.", "Hm." if budget else None)
    assert response.cost_usd == pytest.approx(0.003, rel=0.02)
