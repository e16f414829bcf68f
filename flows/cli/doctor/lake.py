"""Checks of the lake: writing, and two writers at once."""

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

_NO_VERSION = '"00000000000000000000000000000000"'  # no object of a probe has it


def lake(url: str) -> list[Finding]:
    """Write and delete a probe object, without creating the lake's folder.

    Args:
        url: a folder, or s3://bucket/prefix.
    """
    if "://" in url:
        if (endpoint := s3_endpoint()) is not None:
            try:
                ask(endpoint)  # boto3 would retry for too long
            except NoAnswer as failed:
                mend = "start the storage server, or correct AWS_ENDPOINT_URL"
                return [Finding("lake writable", "not ok", f"{shown(endpoint)} {failed}", mend)]
        try:
            return _probe(open_objects(url))
        except LakeError as failed:
            return [
                Finding(
                    "lake writable", "not ok", str(failed), "fix that, or choose another --lake"
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
    """Return the endpoint set for boto3, or None for Amazon's."""
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
            Finding("one of two writers wins", "ok", "conditional writes work"),
        ]
    ignored = "If-Match" if not is_made_again else "If-None-Match"
    return [
        writable,
        Finding(
            "one of two writers wins",
            "not ok",
            f"{name} ignores {ignored}: two runs could both take the same step",
            "use storage with conditional writes, such as AWS S3 or MinIO, or a folder as --lake",
        ),
    ]
