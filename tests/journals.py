"""A journal's answers made by hand, and programs that have it open."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

from tasks.core.rows import Response
from tasks.inference.cache.response_cache import Purchase, ResponseCache
from tasks.inference.cache.tables import Answer

RESPONSE = Response(
    request_id="req-1",
    status="ok",
    text="Net sales were $ 5.1 million; “up” 3 %.\x00\n",
    finish_reason="stop",
    n_prompt=25_001,
    n_cached=24_992,
    n_output=17,
    latency_ms=812.25,
    attempts=2,
    engine="openai",
    engine_version="vllm 0.33",
    cost_usd=0.00125,
)
FAILURE = Response(
    request_id="req-1",
    status="error",
    attempts=2,
    error_type="content_filter",
    error="the prompt was filtered",
    engine="openai",
    engine_version="vllm 0.33",
)


def saying(text: str) -> Response:
    return dataclasses.replace(RESPONSE, text=text)


def add(
    kept: ResponseCache, key: str, response: Response = RESPONSE, after: int | None = None
) -> Response:
    return asyncio.run(adding(kept, key, response, after=after))


async def adding(
    kept: ResponseCache, key: str, response: Response = RESPONSE, after: int | None = None
) -> Response:
    """Add an answer as a stream of calls does."""
    (current,) = await asyncio.wrap_future(kept.store(answered(key, response, after=after)))
    return current


def answered(
    key: str,
    response: Response = RESPONSE,
    *,
    model: str = "m1",
    operation: str = "answer",
    after: int | None = None,
) -> Answer:
    """An answer that is bought now."""
    return Answer(
        key=key, model=model, operation=operation, response=response, at=time.time(), after=after
    )


def charged(key: str, failure: Response, **names: str) -> Answer:
    """A failure that is charged for now."""
    return dataclasses.replace(answered(key, failure, **names), is_kept=False)


def bought(journal: ResponseCache) -> list[Purchase]:
    """All purchases."""
    names = [field.name for field in dataclasses.fields(Purchase)]
    return [
        Purchase(**dict(zip(names, values, strict=True)))
        for portion in journal.purchases()
        for values in portion
    ]


def python(script: str, path: Path, **options: object) -> subprocess.Popen[str]:
    """A program that is told the journal's path."""
    command = [sys.executable, "-c", script, str(path)]
    root = str(Path(__file__).parents[1])
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        **options,
    )
