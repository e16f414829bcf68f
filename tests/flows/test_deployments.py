"""`deployments/` is whole: existing flows, their parameters, pools, limits, and a clear form."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from prefect.cli.deploy._models import PrefectYamlModel
from prefect.client.schemas.schedules import CronSchedule
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.events import DeploymentEventTrigger
from prefect.utilities.callables import parameter_schema
from prefect.workers.process import ProcessJobConfiguration

from deployments.wanted import (
    Pool,
    contents,
    faults,
    limits,
    pools,
    silent_seconds,
)
from flows import ingest
from flows.evaluation import newest_release
from tasks.lake.lake import Lake, LakeError, Step
from tasks.pipeline.settings import RunSettings
from tasks.suites.registry import UnknownSuite

DEPLOYMENTS = {deployment["name"]: deployment for deployment in contents()["deployments"]}


def flow_of(deployment: dict[str, Any]) -> Any:
    module, name = deployment["entrypoint"].rsplit(".", 1)
    return getattr(import_module(module), name)


def test_prefect_reads_every_deployment_with_its_schedules_and_pools() -> None:
    read = PrefectYamlModel.model_validate(contents())
    assert read.pull == []  # null would have workers go to a folder of who deploys
    assert {each.name for each in read.deployments} == set(DEPLOYMENTS)
    assert all(each.work_pool for each in read.deployments)
    assert {each.work_pool.name for each in read.deployments} == {pool.name for pool in pools()}
    scheduled = {name for name, each in DEPLOYMENTS.items() if each.get("schedules")}
    assert scheduled == {"nightly-smoke", "quarterly-refresh"}
    for name in scheduled:
        for schedule in DEPLOYMENTS[name]["schedules"]:
            CronSchedule(cron=schedule["cron"], timezone=schedule["timezone"])


@pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=list(DEPLOYMENTS))
def test_a_deployments_flow_takes_its_parameters(deployment: dict[str, Any]) -> None:
    extra = {"models": ["extractive"]} if deployment["name"] == "evaluation" else {}
    taken = flow_of(deployment).validate_parameters(deployment["parameters"] | extra)
    settings = [taken.get("run"), taken.get("lake")]
    assert any("TENKBENCH_LAKE" in str(getattr(each, "lake", each)) for each in settings)


@pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=list(DEPLOYMENTS))
def test_every_field_of_the_form_says_what_it_means(deployment: dict[str, Any]) -> None:
    schema = parameter_schema(flow_of(deployment)).model_dump()
    fields = dict(schema["properties"])
    is_nested = "run" in fields
    if is_nested:
        (settings,) = schema["definitions"].values()
        fields = fields | settings["properties"]
        del fields["run"]
    assert [name for name, field in fields.items() if not field.get("description")] == []
    assert ("seed" in fields) == is_nested


def test_an_added_model_starts_an_evaluation() -> None:
    (trigger,) = DEPLOYMENTS["evaluation"]["triggers"]
    read = DeploymentEventTrigger.model_validate(
        {key: value for key, value in trigger.items() if key != "type"}
    )
    assert read.expect == {"tenkbench.model.added"}
    assert read.parameters == {"models": "{{ event.payload.models }}"}


def test_a_download_from_edgar_waits_for_the_limit_that_is_deployed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, bool]] = []

    @contextmanager
    def concurrency(name: str, *, strict: bool, **options: Any) -> Iterator[None]:
        asked.append((name, strict))
        yield

    monkeypatch.setattr("prefect.concurrency.sync.concurrency", concurrency)
    with ingest._alone_at_edgar(RunSettings()):
        assert asked == []
    with ingest._alone_at_edgar(RunSettings(filings="edgar:2018Q1")):
        pass
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", "deployed")
    with ingest._alone_at_edgar(RunSettings(filings="edgar:2018Q1")):
        pass
    (name,) = limits()
    assert asked == [(name, False), (name, True)]  # who is deployed fails where there is no limit


@pytest.mark.usefixtures("prefect_harness")
def test_a_deployed_download_fails_where_no_server_has_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", "deployed")
    with (
        pytest.raises(ConcurrencySlotAcquisitionError, match=r"edgar.*must be created"),
        ingest._alone_at_edgar(RunSettings(filings="edgar:2018Q1")),
    ):
        pytest.fail("nobody held it up")


@pytest.mark.usefixtures("prefect_harness")
def test_a_suite_that_nobody_knows_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownSuite, match="nosuch"):
        ingest.ingest(RunSettings(lake=str(tmp_path / "lake"), suite="nosuch"))
    assert not (tmp_path / "lake").exists()


def configured(template: dict[str, Any], variables: dict[str, Any]) -> ProcessJobConfiguration:
    """What a worker makes of a pool's template and a deployment's job variables."""
    no_client: Any = object()  # nothing in the templates refers to what a server keeps
    return asyncio.run(
        ProcessJobConfiguration.from_template_and_values(template, variables, client=no_client)
    )


@pytest.mark.parametrize("pool", pools(), ids=lambda pool: pool.name)
def test_runs_of_a_pool_send_heartbeats_in_time_and_have_what_is_set_for_them(pool: Pool) -> None:
    extra = {"ray_address": "a:1"} if pool.name == "gpu" else {}
    made = configured(pool.base_job_template, {"env": {"ADDED": "yes"}} | extra)
    assert made.env["ADDED"] == "yes"
    assert 2 * int(made.env["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"]) < silent_seconds()
    assert made.env.get("RAY_ADDRESS") == ("a:1" if pool.name == "gpu" else None)


def test_a_gpu_run_has_the_workers_cluster_where_none_is_set() -> None:
    (template,) = (pool.base_job_template for pool in pools() if pool.name == "gpu")
    made = configured(template, {})
    assert "RAY_ADDRESS" not in made.env


def test_what_is_missing_on_a_server_is_said() -> None:
    edgar = {"name": "edgar", "limit": 1, "active": True}
    assert faults("limit", [edgar]) == []
    assert faults("limit", []) == ["no limit edgar"]
    assert faults("limit", [edgar | {"active": False, "limit": 5}]) == [
        "limit edgar: active is False, not True",
        "limit edgar: limit is 5, not 1",
    ]


def test_a_model_is_added_to_the_last_quarter_s_release_that_is_built(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    with pytest.raises(LakeError, match="No quarterly release"):
        newest_release(lake.url, "failsafeqa")

    def begun(release: str) -> None:
        lake.commit(Step(release, "ingest"), {"inputs": {}, "dataset": {}}, [])

    def built(release: str) -> None:
        begun(release)
        lake.commit(Step(release, "failsafeqa.build.dataset"), {"inputs": {}}, [])

    for release in ("2026Q2", "2026Q3", "2026Q4-dev", "dev", "paper", "trial"):
        built(release)
    begun("2026Q4")
    assert newest_release(lake.url, "failsafeqa") == "2026Q3"
