"""Planted secrets: used by a whole run, and found nowhere that it leaves behind.

The environment of real commands holds a model's key and an S3 account's secret. Afterwards we
search every byte that they left: the lake (in S3), the copies on this machine, Prefect's database
and its logs, the report, all that was printed.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import boto3
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deployments.server import prefect_api
from tests.ports import free_port
from tests.servers.serving import serving

REPOSITORY = Path(__file__).parents[2]
MODEL_KEY = "sk-planted-4c1d7b90e2a85f63"
S3_SECRET = "planted+Secret/9f8e7d6c5b4a39281706"
# A secret that was cut, quoted or written in a table's own way is found by its middle.
MARKS = {
    name: secret[6:20].encode() for name, secret in {"model": MODEL_KEY, "S3": S3_SECRET}.items()
}

# The database has its tables, and nobody looks at the UI.
QUICK = {"PREFECT_SERVER_DATABASE_MIGRATE_ON_START": "false", "PREFECT_SERVER_UI_ENABLED": "false"}

# Commands after the run, in one process: each would import for two seconds. The model's server is
# gone by then.
LATER = """
from flows.cli.app import main
for exit_status, command in (
    (1, ["infer", "--fresh"]),
    (0, ["report", "report.html"]),
    (0, ["models", "--json"]),
    (0, ["estimate"]),
    (0, ["sql", "--json", "from raw.responses select * exclude (text)"]),
):
    try:
        main(command)
    except SystemExit as ended:
        assert (ended.code or 0) == exit_status, command
"""


@pytest.fixture(scope="module")
def left_behind(
    s3_endpoint: str, prefect_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """Return the content of each place after two runs on one Prefect server and a report.

    Of the first run's calls two fail before they succeed, and one fails for good.
    """
    folder = tmp_path_factory.mktemp("planted")
    (folder / "prefect").mkdir()
    shutil.copy(prefect_database, folder / "prefect" / "prefect.db")
    models = folder / "models.toml"
    bucket = f"planted-{os.getpid()}"
    client = boto3.client(
        "s3", endpoint_url=s3_endpoint, aws_access_key_id="anybody",
        aws_secret_access_key=S3_SECRET, region_name="us-east-1",
    )  # fmt: skip
    client.create_bucket(Bucket=bucket)
    port = free_port()
    environment = {
        **os.environ,
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PYTHONPATH": str(REPOSITORY),
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_LOGGING_LEVEL": "DEBUG",
        "TENKBENCH_CACHE": str(folder / "cache"),
        "TENKBENCH_MODELS_FILE": str(models),
        "TENKBENCH_LAKE": f"s3://{bucket}/lake",
        "TENKBENCH_MODEL": "guarded",
        "TENKBENCH_LIMIT": "1",
        "TENKBENCH_PAIRS": "1",
        "TENKBENCH_PLANTED_KEY": MODEL_KEY,
        "AWS_ENDPOINT_URL": s3_endpoint,
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": S3_SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    printed = b""

    def ran(*command: str) -> None:
        nonlocal printed
        done = subprocess.run(
            [sys.executable, *command],
            cwd=folder, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        printed += done.stdout
        assert done.returncode == 0, done.stdout.decode()[-2000:]

    faults = [
        {"kind": "429", "first": 1},
        {"kind": "500", "first": 1},
        {"kind": "bad_request", "after": 2, "first": 1},
    ]
    with (
        (folder / "prefect" / "server.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "--factory", "--port", str(port),
             "--log-level", "debug", "prefect.server.api.server:create_app"],
            env=environment | QUICK, stdout=log, stderr=log,
        ) as prefect,
        pytest.MonkeyPatch.context() as patched,
    ):  # fmt: skip
        patched.setenv("PREFECT_API_URL", environment["PREFECT_API_URL"])
        while not prefect_api().ok:
            assert prefect.poll() is None
            time.sleep(0.2)
        with serving(
            models=["guarded"],
            reply="Revenue was $5 million.",
            faults=faults,
            log=folder / "server.log",
        ) as server:
            models.write_text(
                '[models.guarded]\nengine = "openai"\n'
                f'description = "has a key"\nbase_url = "{server.url}"\n'
                'key_env = "TENKBENCH_PLANTED_KEY"\nprice = { prompt = 1.0, output = 1.0 }\n'
            )
            ran("-m", "flows.cli.app", "run", "--workers", "1")
            assert server.stats()["received"] > 5
            assert server.stats()["by_fault"] == {"429": 1, "500": 1, "bad_request": 1}
        ran("-c", LATER)
        prefect.terminate()
    return {
        "printed": printed,
        "lake": b"".join(_lake(client, bucket, folder)),
        "Prefect": b"".join(map(content_of, _files(folder / "prefect"))),
        "this machine": b"".join(
            map(content_of, [*_files(folder / "cache"), folder / "report.html"])),
    }  # fmt: skip


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _lake(client, bucket: str, folder: Path) -> Iterator[bytes]:
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for stored in page.get("Contents", []):
            copy = folder / "downloaded" / stored["Key"]
            copy.parent.mkdir(parents=True, exist_ok=True)
            client.download_file(bucket, stored["Key"], str(copy))
            yield stored["Key"].encode() + content_of(copy)


def content_of(path: Path) -> bytes:
    """Return a file's bytes, and their content if compressed or in pages."""
    content = path.read_bytes()
    if content.startswith(b"PAR1"):
        content += (
            str(pq.read_table(path).to_pylist()).encode()
            + str(pq.read_schema(path).metadata).encode()
        )
    elif content.startswith(b"\x1f\x8b"):
        content += gzip.decompress(content)
    elif content.startswith(b"\x28\xb5\x2f\xfd"):
        with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
            content += stream.read()
    elif content.startswith(b"SQLite format 3"):
        with closing(sqlite3.connect(path)) as database:
            content += "".join(database.iterdump()).encode()
    elif content[8:12] == b"DUCK":
        with duckdb.connect(str(path), read_only=True) as database:
            content += str(database.execute("select sql from duckdb_views()").fetchall()).encode()
    return content


@pytest.mark.parametrize("place", ["printed", "lake", "Prefect", "this machine"])
def test_no_place_holds_a_secret_of_any_kind(place: str, left_behind: dict[str, bytes]) -> None:
    held = left_behind[place]
    assert (
        b"guarded" in held
    )  # the place was searched: the model's name, which is no secret, stands there
    assert [name for name, mark in MARKS.items() if mark in held] == []


def test_search_finds_packed_secrets(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(MODEL_KEY.encode()))
    packed = pa.compress(
        MODEL_KEY.encode() + Path(__file__).read_bytes(), codec="zstd", asbytes=True
    )
    assert (
        MARKS["model"] not in packed
    )  # as it would be of the key alone, which is too short to be coded
    (tmp_path / "d.jsonl.zst").write_bytes(packed)
    with closing(sqlite3.connect(tmp_path / "b.sqlite")) as database:
        database.execute("create table t as select ? as x", [MODEL_KEY])
        database.commit()
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select '{MODEL_KEY}' as x) to '{tmp_path}/c.parquet' (compression zstd)"
        )
    files = ("a.gz", "b.sqlite", "c.parquet", "d.jsonl.zst")
    assert [name for name in files if MARKS["model"] not in content_of(tmp_path / name)] == []
