"""Our road by itself: cases are rendered as their turn comes, journaled, and written to a lake.

`python tests/bench/roads/ours.py FOLDER URL LAKE` does what `tasks.infer` does, without the Prefect
task around it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from tasks.core.rows import Request, Response
from tasks.inference.cache.response_cache import cache_of
from tasks.inference.client import Client, open_client
from tasks.inference.context import RunContext
from tasks.inference.operation import Call, Group, Question, render
from tasks.lake.lake import Lake, LakeStep, Part
from tasks.models.catalogue import find_model
from tasks.pipeline.settings import RunSettings
from tasks.suites.failsafeqa.answer import OPERATION
from tasks.suites.shared.contexts import ContextInputs

SHARD = 512  # as in tasks.infer


class Writing:
    """Answers as they come -> one part a shard and table, as soon as the shard is complete.

    Parts are written in a thread: the answers of other calls come in meanwhile.
    """

    def __init__(self, lake: Lake, step: LakeStep, model: str, n_calls: int) -> None:
        self.lake, self.step = lake, step
        self.expected = [min(SHARD, n_calls - first) for first in range(0, n_calls, SHARD)]
        self.rows: dict[int, list[tuple[Request, Response]]] = {}
        self.parts: list[Part] = []
        self.failed = 0
        self.keys = {"suite": "bench", "model": model, "candidate": "none"}
        self.keys["operation"] = OPERATION.name

    async def read(self, client: Client, found: Sequence[Group]) -> None:
        """Take every answer in; a shard that is complete is written in a thread."""
        written = None
        async for call, response in client.stream(found):
            shard = self._add(call, response)
            if shard is not None:
                if written is not None:
                    await written
                written = asyncio.create_task(
                    asyncio.to_thread(self._write, shard, self.rows.pop(shard))
                )
        if written is not None:
            await written

    def _add(self, call: Call, response: Response) -> int | None:
        self.failed += response.status != "ok"
        shard = call.request.shard
        rows = self.rows.setdefault(shard, [])
        rows.append((call.request, response))
        return shard if len(rows) == self.expected[shard] else None

    def _write(self, shard: int, rows: list[tuple[Request, Response]]) -> None:
        rows.sort(key=lambda row: row[0].seq)
        tables: dict[type, list[Any]] = {
            Request: [request for request, _ in rows],
            Response: [response for _, response in rows],
        }
        self.parts += [
            self.lake.write(self.step, {}, row_type, written, shard, **self.keys)
            for row_type, written in tables.items()
        ]


def groups(folder: Path, model: str, identity: str | None) -> list[Group]:
    """One group a case; its prompt is read and rendered when it is opened."""
    file = os.open(folder / "cases.jsonl", os.O_RDONLY)
    index: list[tuple[int, int, str, int]] = orjson.loads(
        (folder / "cases.index.json").read_bytes()
    )
    prefix_tokens = {prefix_id: n_tokens for _, _, prefix_id, n_tokens in index}

    def group(number: int, offset: int, length: int, prefix_id: str, n_tokens: int) -> Group:
        async def opened() -> Sequence[Call]:
            case = orjson.loads(os.pread(file, length, offset))
            question = Question(
                case["id"], ContextInputs(context=case["context"], query=case["query"])
            )
            (call,) = render(OPERATION, model, [question], identity, prefix_tokens)
            return [call.placed(*divmod(number, SHARD))]

        return Group(prefix_id, OPERATION.name, n_tokens, 1, opened)

    return [group(number, *entry) for number, entry in enumerate(index)]


def main(folder: Path, url: str, lake_folder: str) -> None:
    """Answer every case."""
    import pyarrow.parquet  # noqa: F401  the real step has read its cases with it before the first call

    run = RunSettings(lake=lake_folder, model=(f"local@{url}",))
    lake = Lake(run.lake)
    lake.make()
    row = find_model(run.model[0])
    client = open_client(RunContext(lake), row, {OPERATION.name: OPERATION}, remembers=False)
    found = groups(folder, client.model, client.identity)
    step = LakeStep(run.release, "infer.responses.bench")
    writing = Writing(lake, step, client.model, len(found))
    asyncio.run(writing.read(client, found))
    lake.commit(step, {}, writing.parts)
    cache_of(lake).close()
    print(
        json.dumps(
            {"answered": sum(part.n_rows for part in writing.parts) // 2, "failed": writing.failed}
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
