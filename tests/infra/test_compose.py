"""The compose file names only what exists, publishes only on loopback, and holds no secret."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import boto3
import pytest
import yaml

from deployments.wanted import pools
from tasks.lake.objects import open_objects
from tests.some import some

INFRA = Path(__file__).parents[2] / "infra"
TEXT = (INFRA / "compose.yaml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]


def test_services_wait_for_what_is_there_and_says_when_it_is_well() -> None:
    for service in SERVICES.values():
        for name, wanted in service.get("depends_on", {}).items():
            assert wanted["condition"] in {"service_healthy", "service_completed_successfully"}
            assert ("healthcheck" in SERVICES[name]) == (wanted["condition"] == "service_healthy")


def test_volumes_are_declared_and_ports_are_on_loopback() -> None:
    declared = set(yaml.safe_load(TEXT)["volumes"])
    used = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    }
    assert used == declared
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_pool_has_a_worker() -> None:
    commands = [_command(service) for service in SERVICES.values()]
    for pool in some(pools()):
        assert any(f"--pool {pool.name}" in re.sub(r",", "", command) for command in commands)


def test_some_node_of_the_ray_cluster_takes_work() -> None:
    starts = [text for service in SERVICES.values() if "ray start" in (text := _command(service))]
    assert len(starts) == 2
    assert not all("--num-cpus=0" in text for text in starts)


def test_the_bucket_is_made_and_lets_read_reports_where_runs_link_to_them(
    bucket: str, s3_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy = SERVICES["deploy"]
    script = (
        deploy["command"][-1].partition("<<'PYTHON'")[2].partition("\n")[2].partition("\nPYTHON")[0]
    )
    monkeypatch.setenv("LAKE", f"{bucket}-of-team/lake")
    for _ in range(2):  # a second time after an upgrade
        subprocess.run([sys.executable, "-c", script], check=True)
    name = f"{bucket.removeprefix('s3://')}-of-team"
    policy = json.loads(boto3.client("s3").get_bucket_policy(Bucket=name)["Policy"])
    (allowed,) = policy["Statement"]
    assert allowed["Action"] == ["s3:GetObject"]
    assert allowed["Resource"] == [f"arn:aws:s3:::{name}/lake/_reports/*"]
    open_objects(f"{bucket}-of-team/lake").put("_reports/dev/all.html", b"<html>")
    assert deploy["environment"]["LAKE"] == "s3://${LAKE_IN_S3:-tenkbench/lake}"
    assert deploy["environment"]["TENKBENCH_REPORTS_LAKE"] == deploy["environment"]["LAKE"]
    linked: str = SERVICES["worker-cpu"]["environment"]["TENKBENCH_REPORTS_URL"]
    linked = linked.replace("${OBJECTS_URL:-http://127.0.0.1:9000}", s3_endpoint)
    linked = linked.replace("${LAKE_IN_S3:-tenkbench/lake}", f"{name}/lake")
    with urlopen(f"{linked}/dev/all.html") as reply:
        assert (reply.headers["Content-Type"], reply.read()) == ("text/html", b"<html>")


def _command(service: dict[str, Any]) -> str:
    return " ".join(service.get("command", ()))


def test_secrets_come_from_files_that_git_ignores() -> None:
    named = set(re.findall(r"\$\{(\w+):\?", TEXT))
    example = (INFRA / "compose.env.example").read_text()
    assert named == {"POSTGRES_PASSWORD", "OBJECTS_USER", "OBJECTS_PASSWORD", "RAY_AUTH_TOKEN"}
    for name in named:
        assert re.search(rf"^{name}=$", example, re.MULTILINE)  # named, and empty
    ignored = (INFRA.parent / ".gitignore").read_text().split()
    assert {"/infra/compose.env", "/infra/keys.env"} <= set(ignored)
    keys = {name for name, service in SERVICES.items() if service.get("env_file")}
    assert keys == {"worker-cpu", "worker-gpu"}
