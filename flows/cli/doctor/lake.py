"""The lake: whether it can be written to, and whether of two writers only one wins."""

from __future__ import annotations

import os
import tempfile
import uuid
from pathlib import Path

from flows.cli.doctor.machine import nearest_existing
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.lake.objects import LakeError, Objects, open_objects
from tasks.models.addresses import shown

_NO_VERSION = '"00000000000000000000000000000000"'  # of no object that a probe makes


def lake(url: str) -> list[Finding]:
    """Write a probe and take it away again; a folder that is not there yet is not made.

    Args:
        url: a folder, or s3://bucket/prefix.
    """
    if "://" in url:
        if (endpoint := s3_endpoint()) is not None:
            try:
                ask(endpoint)  # boto3 would try for longer than anybody waits here
            except NoAnswer as failed:
                mend = "start the storage, or correct AWS_ENDPOINT_URL"
                return [Finding("lake writable", "not ok", f"{shown(endpoint)} {failed}", mend)]
        try:
            return _probe(open_objects(url))
        except LakeError as failed:
            return [
                Finding(
                    "lake writable", "not ok", str(failed), "see there, or choose another --lake"
                )
            ]
    try:
        with tempfile.TemporaryDirectory(
            dir=nearest_existing(Path(url)), prefix=".doctor-"
        ) as folder:
            return _probe(open_objects(folder), str(Path(url).resolve()))
    except (OSError, LakeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        return [
            Finding(
                "lake writable", "not ok", f"{Path(url).resolve()}: {why}", "choose another --lake"
            )
        ]


def s3_endpoint() -> str | None:
    """Where S3 is when it is not Amazon's, as boto3 is told."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None


def _probe(objects: Objects, called: str | None = None) -> list[Finding]:
    key = f"_doctor/{uuid.uuid4().hex}"
    name = called or objects.url
    try:
        is_made = objects.create(key, b"first")
        is_made_again = objects.create(key, b"second")
        is_replaced = objects.replace(key, b"third", _NO_VERSION)
        left = objects.read(key)
    finally:
        objects.delete([key])
    writable = Finding("lake writable", "ok", name)
    if is_made and not is_made_again and not is_replaced and left == b"first":
        return [
            writable,
            Finding("one of two writers wins", "ok", "conditional writes are honoured"),
        ]
    ignored = "If-Match" if not is_made_again else "If-None-Match"
    return [
        writable,
        Finding(
            "one of two writers wins",
            "not ok",
            f"{name} ignores {ignored}: two runs could each think that a step is theirs",
            "use a storage that honours conditional writes, as AWS S3 and MinIO do, or a folder as --lake",
        ),
    ]
