"""The shared log in a local S3 whose requests fail or seem to: only what is stored counts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.retries import standard

from tasks.inference.cache import object_log
from tasks.inference.cache.response_cache import ResponseCache
from tasks.lake.objects import Objects, open_objects, s3
from tests.journals import adding, bought, saying
from tests.servers.faulty_s3 import Fault, FaultyS3, faulty_s3


@pytest.fixture
def proxy(s3_endpoint: str, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyS3]:
    """The way to the bucket; nobody waits before trying again."""
    monkeypatch.setattr(standard.ExponentialBackoff, "delay_amount", lambda self, context: 0)
    monkeypatch.setattr(object_log, "sleep", lambda seconds: None)
    with faulty_s3(s3_endpoint) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        yield proxy


@pytest.fixture
def objects(proxy: FaultyS3, bucket: str) -> Objects:
    s3._made_client.cache_clear()
    return open_objects(f"{bucket}/lake")


def test_an_answer_counts_when_storage_that_was_gone_is_back(
    objects: Objects, proxy: FaultyS3, tmp_path: Path
) -> None:
    journal, other = (ResponseCache(tmp_path / name / "journal.sqlite", objects) for name in "ab")
    journal.prepare()
    assert journal.find(["k1"]) == {}
    proxy.faults = [Fault("503")]

    async def one() -> None:
        stored = asyncio.ensure_future(adding(journal, "k1", saying("k1")))
        while (
            sum(method == "PUT" for method, _ in proxy.requests) < 15
        ):  # botocore gives up after six
            await asyncio.sleep(0.01)
        assert not stored.done()
        assert await asyncio.to_thread(journal.find, ["k1"]) == {}
        proxy.faults = []
        assert await stored == saying("k1")

    asyncio.run(one())
    assert [purchase.key for purchase in bought(other)] == ["k1"]
    journal.close()
    other.close()
