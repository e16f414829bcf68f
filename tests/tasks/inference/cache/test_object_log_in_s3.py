"""The shared log in a local S3 whose requests fail or seem to: only what is stored counts."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.retries import standard

from tasks.inference.cache import object_log
from tasks.inference.cache.response_cache import ResponseCache
from tasks.lake.objects import Objects, open_objects, s3
from tests.journals import adding, bought, saying
from tests.servers.faulty_s3 import Fault, FaultyS3, faulty_s3

KEYS = [f"k{number}" for number in range(40)]


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


def rows(journal: ResponseCache) -> list[Any]:
    with sqlite3.connect(journal.path) as database:
        return sorted(database.execute("select * from answers").fetchall(), key=repr)


def test_machines_whose_storage_fails_now_and_then_keep_everything_once(
    objects: Objects, proxy: FaultyS3, tmp_path: Path
) -> None:
    journals = [ResponseCache(tmp_path / name / "journal.sqlite", objects) for name in "ab"]
    for each in journals:
        each.prepare()
    proxy.faults = [
        Fault("503", every=7),
        Fault("done_500", method="PUT", every=5),
        Fault("reset", every=11),
        Fault("done_reset", method="PUT", every=13),
    ]

    async def several(journal: ResponseCache, keys: list[str]) -> None:
        added = (adding(journal, key, saying(key)) for key in keys)
        await asyncio.gather(*added)

    halves = (KEYS[:20], KEYS[20:])
    threads = [
        threading.Thread(target=asyncio.run, args=(several(each, half),))
        for each, half in zip(journals, halves, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in journals:
        each.catch_up()
    assert len(rows(journals[0])) == len(KEYS)
    assert rows(journals[0]) == rows(journals[1])
    assert journals[0].find(KEYS) == {key: saying(key) for key in KEYS}
    for each in journals:
        each.close()


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
