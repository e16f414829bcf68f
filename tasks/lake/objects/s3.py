"""Objects in S3, or in storage with its protocol, through boto3.

boto3 finds endpoint, region and credentials: in the environment (`AWS_ENDPOINT_URL`, `AWS_PROFILE`,
`AWS_ACCESS_KEY_ID`, ...), in its files, or in the machine's role.

botocore retries a request after 500, 503, a timeout or a broken connection. The failed attempt may
have succeeded all the same, and its retry then finds the object that it made. So each conditional
write marks its object's metadata, to recognise it.
"""

from __future__ import annotations

import hashlib
import mimetypes
import os
import random
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
)

from tasks.lake.objects import LakeError, NoSuchObject, StoredObject
from tasks.lake.objects.folder import FolderObjects
from tasks.models.addresses import shown

_PAGE = 1000  # most keys per listing or removal
_AT_ONCE = 16
_FIRST_BACKOFF_S = 0.1  # doubles with each attempt
_READ_TIMEOUT_S = 60.0
_TRIES = 6
_MARK = "tenkbench-write"  # of the object's metadata
_BROKEN_BODY = (HTTPClientError, IncompleteReadError)
_DENIED = (
    "the credentials do not allow that. They need s3:ListBucket, s3:GetObject, s3:PutObject and "
    "s3:DeleteObject for this bucket"
)


class S3Objects:
    """Objects below `s3://bucket/prefix`; the bucket must exist."""

    at_once = _AT_ONCE

    def __init__(self, url: str) -> None:
        self._bucket, _, prefix = url.removeprefix("s3://").partition("/")
        prefix = prefix.strip("/")
        if not self._bucket or set("?#") & set(url) or set("@[]") & set(self._bucket):
            # the address is not shown, since people put keys into addresses
            raise LakeError(
                "this is not an address in S3. Write s3://bucket/prefix, and nothing else"
            )
        self._prefix = f"{prefix}/" if prefix else ""
        self.url = f"s3://{self._bucket}/{prefix}".rstrip("/")

    @cached_property
    def here(self) -> Path:
        endpoint = self._client.meta.endpoint_url  # another server may have a bucket of this name
        name = hashlib.sha256(f"{endpoint} {self.url}".encode()).hexdigest()[:12]
        cache = Path(os.environ.get("TENKBENCH_CACHE") or "~/.cache/tenkbench")
        return cache.expanduser().resolve() / "lakes" / f"{self._bucket}-{name}"

    def read(self, key: str) -> bytes:
        return self.read_versioned(key)[0]

    def read_versioned(self, key: str) -> tuple[bytes, str]:
        with _explained(self.url):
            for _ in range(_TRIES - 1):
                with suppress(*_BROKEN_BODY):  # botocore retries only until the answer begins
                    return self._get(key)
            return self._get(key)

    def _get(self, key: str) -> tuple[bytes, str]:
        try:
            answer = self._client.get_object(**self._named(key))
        except self._client.exceptions.NoSuchKey as error:
            raise NoSuchObject(self.url, key) from error
        return answer["Body"].read(), answer["ETag"]

    def put(self, key: str, data: bytes) -> None:
        with _explained(self.url):
            self._client.put_object(**self._named(key), Body=data, **_about(key))

    def create(self, key: str, data: bytes) -> bool:
        return self._write(key, data, {"IfNoneMatch": "*"})

    def replace(self, key: str, data: bytes, version: str) -> bool:
        return self._write(key, data, {"IfMatch": version})

    def exists(self, key: str) -> bool:
        with _explained(self.url):
            return self._head(key) is not None

    def list(self, folder: str) -> Iterator[StoredObject]:
        below = f"{self._prefix}{folder}/" if folder else self._prefix
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=below, PaginationConfig={"PageSize": _PAGE}
        )
        with _explained(self.url):
            for stored in (stored for page in pages for stored in page.get("Contents", ())):
                if not stored["Key"].endswith("/"):  # some tools make this for an empty folder
                    key = stored["Key"].removeprefix(self._prefix)
                    yield StoredObject(key, stored["LastModified"].timestamp())

    def delete(self, keys: Iterable[str]) -> None:
        copies, remaining = FolderObjects(self.here), list(keys)
        with _explained(self.url):
            for start in range(0, len(remaining), _PAGE):
                batch = remaining[start : start + _PAGE]
                listed = [{"Key": self._prefix + key} for key in batch]
                answer = self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": listed, "Quiet": True}
                )
                for refused in answer.get("Errors", ()):
                    raise LakeError(
                        f"cannot remove {refused.get('Key')} from {self.url}: "
                        f"{refused.get('Message')}. The credentials need s3:DeleteObject"
                    )
                copies.delete(batch)

    def file(self, key: str) -> Path:
        copies = FolderObjects(self.here)
        if not copies.exists(key):
            copies.put(key, self.read(key))
        return copies.file(key)

    def make_ready(self) -> None:
        """Check that the storage honours conditional writes; else two runs would mix."""
        key = f"_probe/{uuid.uuid4().hex}"
        is_made, is_made_again = self.create(key, b"1"), self.create(key, b"2")
        is_replaced = self.replace(key, b"3", '"0123456789abcdef0123456789abcdef"')
        left = self.read(key)
        self.delete([key])
        if (is_made, is_made_again, is_replaced, left) != (True, False, False, b"1"):
            raise LakeError(
                f"the storage behind {self.url} does not honour If-None-Match and If-Match, so two "
                "runs could overwrite each other. Use one that does, such as S3 or MinIO"
            )

    @property
    def _client(self) -> Any:
        named = tuple(sorted(item for item in os.environ.items() if item[0].startswith("AWS_")))
        try:
            with _explained(self.url):
                return _made_client(named)
        except ValueError:  # its message shows the address, which may hold a password
            raise LakeError(
                f"cannot use the lake {self.url}: AWS_ENDPOINT_URL must be an address such as "
                "https://host:9000"
            ) from None

    def _named(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._prefix + key}

    def _head(self, key: str) -> dict[str, Any] | None:
        try:
            return dict(self._client.head_object(**self._named(key)))
        except ClientError as error:
            if _answer_of(error)[0] == 404:
                return None
            raise

    def _write(self, key: str, data: bytes, condition: Mapping[str, str]) -> bool:
        """Write if the condition holds; return whether this very call did."""
        mark = uuid.uuid4().hex
        about = _about(key) | {"Metadata": {_MARK: mark}}
        with _explained(self.url):
            for tries_left in reversed(range(_TRIES)):
                try:
                    self._client.put_object(**self._named(key), Body=data, **about, **condition)
                    return True
                except (ClientError, BotoCoreError) as error:
                    status, code = _answer_of(error)
                    # this attempt or an earlier one may have succeeded
                    if status in (0, 412) or status >= 500:
                        head = self._head(key)
                        if head is not None and head["Metadata"].get(_MARK) == mark:
                            return True
                    if code in ("PreconditionFailed", "NoSuchKey"):  # the latter: it was removed
                        return False
                    # 409: another write to this key is in flight, and S3 asks for a retry
                    if status != 409 or not tries_left:
                        raise
                    time.sleep(random.uniform(0, _FIRST_BACKOFF_S * 2 ** (_TRIES - 1 - tries_left)))
        raise AssertionError("the last attempt returns or raises")


@lru_cache(maxsize=4)
def _made_client(environment: tuple[tuple[str, str], ...]) -> Any:
    """Return a client for this environment; cached, since making one takes 0.1 s."""
    config = Config(
        retries={"mode": "standard", "total_max_attempts": _TRIES},
        connect_timeout=10,
        read_timeout=_READ_TIMEOUT_S,
        max_pool_connections=2 * _AT_ONCE,
    )
    return boto3.session.Session().client("s3", config=config)


def _about(key: str) -> dict[str, Any]:
    """Return an object's type, which browsers need to show a report."""
    return {"ContentType": mimetypes.guess_type(key)[0] or "application/octet-stream"}


# --- errors


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Raise boto3's errors in the block as `LakeError`.

    It never names a key, signature or password, and has no cause, which a log would show.
    """
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise LakeError(f"cannot use the lake {url}: {shown(_sentence(error))}") from None


def _answer_of(error: Exception) -> tuple[int, str]:
    """Return the HTTP status and S3's code, such as `NoSuchKey`; 0 and "" without an answer."""
    if not isinstance(error, ClientError):
        return 0, ""
    metadata = error.response["ResponseMetadata"]
    return metadata.get("HTTPStatusCode", 0), error.response["Error"].get("Code", "")


def _sentence(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        status, code = _answer_of(error)
        message = error.response["Error"].get("Message", "no reason")
        if code in ("AccessDenied", "403"):  # the answer to HEAD has no body, and so no message
            message = _DENIED
        return f"{message} ({error.operation_name} was answered {status} {code})"
    if isinstance(error, NoCredentialsError):
        return (
            "no credentials for S3 were found. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or run on a machine with a role"
        )
    if type(error) is HTTPClientError:  # its message may hold half of an address
        cause = type(error.kwargs["error"]).__name__
        return f"the request failed ({cause}). Are AWS_ENDPOINT_URL and HTTPS_PROXY right?"
    if isinstance(error, HTTPClientError | ConnectionError):
        return f"{error}. Is AWS_ENDPOINT_URL right? Finished steps are kept: run it again"
    return f"{type(error).__name__}: {error}"
