"""Objects in S3 when requests fail, or seem to: a local S3 behind a faulty proxy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import boto3
import pytest
from botocore.retries import standard

from tasks.lake.objects import LakeError, open_objects, s3
from tests.servers.faulty_s3 import Fault, FaultyS3, faulty_s3

NOT_DONE = ("500", "503", "reset", "hang")
DONE = ("done_500", "done_reset", "done_hang")


@pytest.fixture(scope="module")
def one_proxy(s3_endpoint: str) -> Iterator[FaultyS3]:
    with faulty_s3(s3_endpoint) as proxy:
        yield proxy


@pytest.fixture
def proxy(
    one_proxy: FaultyS3,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> FaultyS3:
    """Proxy the bucket; botocore retries at once, and waits a second for what never comes."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", one_proxy.endpoint)
    monkeypatch.setattr(standard.ExponentialBackoff, "delay_amount", lambda self, context: 0)
    if "hang" in request.node.name:
        monkeypatch.setattr(s3, "_READ_TIMEOUT_S", 1.0)
    s3._made_client.cache_clear()
    one_proxy.faults, one_proxy.requests = [], []
    return one_proxy


@pytest.fixture
def objects(proxy: FaultyS3, bucket: str) -> s3.S3Objects:
    opened = open_objects(f"{bucket}/lake")
    assert isinstance(opened, s3.S3Objects)
    return opened


@pytest.mark.parametrize("kind", [*NOT_DONE, *DONE])
def test_retries_a_failed_request(kind: str, objects: s3.S3Objects, proxy: FaultyS3) -> None:
    proxy.faults = [
        Fault(kind, method=method, times=1) for method in ("PUT", "GET", "HEAD", "POST")
    ]
    objects.put("a", b"content")
    assert objects.read("a") == b"content"
    assert objects.exists("a")
    objects.delete(["a"])
    proxy.faults = [Fault(kind, method="GET", times=1)]
    assert list(objects.list("")) == []


@pytest.mark.parametrize("kind", DONE)
@pytest.mark.parametrize("times", [1, 2])
def test_recognises_its_write_that_succeeded_with_an_error(
    kind: str, times: int, objects: s3.S3Objects, proxy: FaultyS3
) -> None:
    proxy.faults = [Fault(kind, method="PUT", times=times)]
    assert objects.create("a", b"1") is True
    _, version = objects.read_versioned("a")
    proxy.faults = [Fault(kind, method="PUT", times=times)]
    assert objects.replace("a", b"2", version) is True
    assert objects.read("a") == b"2"
    assert sum(method == "PUT" for method, _ in proxy.requests) == 2 * (1 + times)


@pytest.mark.parametrize("kind", ["500", "done_500", "done_reset"])
def test_loser_learns_it_despite_faults(kind: str, objects: s3.S3Objects, proxy: FaultyS3) -> None:
    objects.put("a", b"same")
    _, version = objects.read_versioned("a")
    objects.put("a", b"other")
    proxy.faults = [Fault(kind, method="PUT", times=1)]
    assert objects.create("a", b"same") is False
    proxy.faults = [Fault(kind, method="PUT", times=1)]
    assert objects.replace("a", b"same", version) is False
    assert objects.read("a") == b"other"


def test_failed_write_is_an_error_and_leaves_nothing(
    objects: s3.S3Objects, proxy: FaultyS3
) -> None:
    proxy.faults = [Fault("503", method="PUT")]
    with pytest.raises(LakeError, match=r"PutObject was answered 503 SlowDown"):
        objects.create("a", b"1")
    assert not objects.exists("a")


@pytest.mark.parametrize("times", [1, 3])
def test_retries_a_body_that_breaks_off(times: int, objects: s3.S3Objects, proxy: FaultyS3) -> None:
    content = os.urandom(100_000)
    objects.put("a", content)
    proxy.faults = [Fault("cut", method="GET", times=times)]
    assert objects.read("a") == content
    proxy.faults = [Fault("cut", method="GET")]
    with pytest.raises(LakeError, match="run it again"):
        objects.read("a")


def test_local_copy_is_whole_or_missing(objects: s3.S3Objects, proxy: FaultyS3) -> None:
    objects.put("a/part", b"content")
    proxy.faults = [Fault("cut", method="GET")]
    with pytest.raises(LakeError):
        objects.file("a/part")
    proxy.faults = []
    assert objects.file("a/part").read_bytes() == b"content"
    proxy.faults = [Fault("500")]  # it is not asked for again
    assert objects.file("a/part").read_bytes() == b"content"


# --- many at once ----------------------------------------------------------------------------


def test_loses_and_repeats_nothing_while_half_of_the_writes_seem_to_fail(
    objects: s3.S3Objects, proxy: FaultyS3, bucket: str
) -> None:
    """We and a rival append to a log: a win denied, or granted to both, would show."""
    proxy.faults = [
        Fault("done_500", method="PUT", every=3),
        Fault("done_reset", method="PUT", every=5),
    ]
    rival = boto3.client("s3", endpoint_url=proxy.upstream)

    def interfere() -> int:
        n_won = 0
        for place in range(15):
            key = f"lake/log/{place:04d}"
            with suppress(rival.exceptions.ClientError):  # it lost that place
                rival.put_object(
                    Bucket=bucket.removeprefix("s3://"), Key=key, Body=b"rival", IfNoneMatch="*"
                )
                n_won += 1
        return n_won

    with ThreadPoolExecutor(1) as thread:
        interfering, place = thread.submit(interfere), 0
        for line in range(8):
            while not objects.create(f"log/{place:04d}", str(line).encode()):
                place += 1
    lines = [objects.read(stored.key).decode() for stored in objects.list("log")]
    assert sorted(line for line in lines if line != "rival") == [str(line) for line in range(8)]
    assert lines.count("rival") == interfering.result() > 0


# --- what people are told --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("denied", r"do not allow that\. They need s3:ListBucket, .*PutObject was answered 403"),
        ("unconditional", r"does not honour If-None-Match and If-Match, .* such as S3 or MinIO"),
    ],
)
def test_refuses_unusable_storage_before_a_run(
    kind: str, told: str, objects: s3.S3Objects, proxy: FaultyS3
) -> None:
    proxy.faults = [Fault(kind)]
    with pytest.raises(LakeError, match=told):
        objects.make_ready()


def test_says_what_credentials_are_missing(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-key")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    with pytest.raises(LakeError, match="Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and") as error:
        open_objects(f"{bucket}/lake").make_ready()
    assert "planted-key" not in str(error.value)


def test_retries_conflicting_writes(
    objects: s3.S3Objects, proxy: FaultyS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "_FIRST_BACKOFF_S", 0.0)
    proxy.faults = [Fault("409", method="PUT", times=2)]
    assert objects.create("a", b"1") is True
    proxy.faults = [Fault("409", method="PUT")]
    with pytest.raises(LakeError, match="409 ConditionalRequestConflict"):
        objects.create("b", b"1")
