"""`deployments/` is whole: existing flows, their parameters, pools, and a clear form."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from prefect.automations import Automation
from prefect.cli.deploy._models import PrefectYamlModel
from prefect.client.schemas.schedules import CronSchedule
from prefect.utilities.callables import parameter_schema
from prefect.utilities.schema_tools.validation import validate
from prefect.workers.process import ProcessJobConfiguration

from deployments.deploy import _bring_automation, common_lake, settled, summary
from deployments.wanted import WorkPool, automations, contents, pools
from flows.evaluation import newest_release
from tasks.lake.lake import Lake, LakeError, LakeStep
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.suites.registry import SUITES

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
    assert scheduled == {"nightly-smoke", "quarterly-refresh", "monthly"}
    for name in scheduled:
        for schedule in DEPLOYMENTS[name]["schedules"]:
            CronSchedule(cron=schedule["cron"], timezone=schedule["timezone"])


@pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=list(DEPLOYMENTS))
def test_a_deployments_flow_takes_its_parameters_and_its_form_explains_them(
    deployment: dict[str, Any],
) -> None:
    extra = {"models": ["extractive"]} if deployment["name"] == "evaluation" else {}
    taken = flow_of(deployment).validate_parameters(deployment["parameters"] | extra)
    assert "TENKBENCH_LAKE" in taken["run"].lake
    schema = parameter_schema(flow_of(deployment)).model_dump()
    (settings,) = schema["definitions"].values()
    fields = schema["properties"] | settings["properties"]
    del fields["run"]
    assert [name for name, field in fields.items() if not field.get("description")] == []
    assert settings["properties"]["suite"]["anyOf"][0]["enum"] == [*SUITES, "all"]


def test_what_a_run_does_not_take_is_refused_when_it_is_created() -> None:
    schema = parameter_schema(flow_of(DEPLOYMENTS["benchmark"])).model_dump()

    def refusal(**given: Any) -> str:
        found = validate({"run": {"lake": "/lake", **given}}, schema)
        return "".join(error.message for error in found)

    assert refusal(suite="faith,tablequest", options={"pairs": 1, "hard": True}) == ""
    assert "'relase' was unexpected" in refusal(relase="dev")
    assert "'faith,fith' does not match" in refusal(suite="faith,fith")
    assert "'pair' is not one of" in refusal(options={"pair": 1})
    assert "'many'" in refusal(options={"pairs": "many"})
    assert "'judge' is not one of" in refusal(roles={"judge": ["m"]})


def form_of(field: str) -> dict[str, Any]:
    """What Prefect's form sends for a suite's settings if nobody touches them."""
    schema = parameter_schema(flow_of(DEPLOYMENTS["benchmark"])).model_dump()
    (settings,) = schema["definitions"].values()
    first = settings["properties"][field]["anyOf"][0]["properties"]
    return {name: each.get("default") for name, each in first.items()}


@pytest.mark.parametrize("suite", SUITES)
def test_an_untouched_form_means_the_suites_own_defaults(suite: str) -> None:
    sent = {"suite": suite, "options": form_of("options"), "roles": form_of("roles")}
    run = flow_of(DEPLOYMENTS["benchmark"]).validate_parameters({"run": sent})["run"]
    untouched, plain = resolve(run), resolve(RunSettings(suite=suite))
    assert untouched.options == plain.options
    assert untouched.roles == plain.roles


@pytest.mark.parametrize(
    "given",
    [
        {"lake": "lake-rel"},
        {"filings": "filings"},
        {"suite": "longcontext", "options": {"articles": "news.jsonl"}},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_deployed_run_refuses_a_relative_path_and_a_command_does_not(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = flow_of(DEPLOYMENTS["ingest"])
    full = {"lake": "/lakes/a"} | given
    assert flow.validate_parameters({"run": full})
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", "deployed")
    ((name, path),) = (given.get("options") or given).items()
    refusal = f"--{name.replace('_', '-')} is the relative path '{path}'.*Give the full path"
    with pytest.raises(WrongSettings, match=refusal):
        flow.validate_parameters({"run": full})
    for lake, filings in (("/lakes/a", "/data/filings"), ("s3://b/lake", "edgar:2018Q1")):
        assert flow.validate_parameters({"run": {"lake": lake, "filings": filings}})


def configured(template: dict[str, Any], variables: dict[str, Any]) -> ProcessJobConfiguration:
    """What a worker makes of a pool's template and a deployment's job variables."""
    no_client: Any = object()  # nothing in the templates refers to what a server keeps
    return asyncio.run(
        ProcessJobConfiguration.from_template_and_values(template, variables, client=no_client)
    )


@pytest.mark.parametrize("pool", pools(), ids=lambda pool: pool.name)
def test_runs_of_a_pool_send_heartbeats_in_time_and_have_what_is_set_for_them(
    pool: WorkPool,
) -> None:
    extra = {"ray_address": "a:1"} if pool.name == "gpu" else {}
    made = configured(pool.base_job_template, {"env": {"ADDED": "yes"}} | extra)
    assert made.env["ADDED"] == "yes"
    (silent,) = automations("always")
    seconds = silent["trigger"]["within"]
    assert 2 * int(made.env["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"]) < seconds
    assert f"No heartbeat for {seconds} s" in silent["actions"][0]["message"]
    assert made.env.get("RAY_ADDRESS") == ("a:1" if pool.name == "gpu" else None)


def test_an_automation_that_stays_is_not_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    (silent,) = automations("always")
    there = Automation.model_validate(silent)
    monkeypatch.setattr(Automation, "read", lambda **_: there)
    monkeypatch.setattr(Automation, "update", lambda _: pytest.fail("it forgets its heartbeats"))
    _bring_automation(silent)


def deployed(there: dict[str, Any], lake: str | None = None, contact: str | None = None) -> Any:
    """The parameters that a server's deployments get."""
    wanted = settled(there, lake, contact)["deployments"]
    return {each["name"]: each["parameters"] for each in wanted}


def test_a_second_deployment_keeps_what_is_not_given_and_says_what_moves() -> None:
    first = deployed({}, "s3://ours/lake", "Example Corp data@example.com")
    first["quarterly-refresh"]["run"]["sample"] = 500  # in the UI
    first["evaluation"]["run"]["budget"] = 20
    first["monthly"]["models"] = ["ours"]
    assert deployed(first) == first
    added = dict(first)
    del added["benchmark"]  # as if this version brought it
    assert deployed(added) == first
    assert common_lake(first) == "s3://ours/lake"
    moved = deployed(first, "s3://other/lake")
    assert moved["nightly-smoke"]["run"]["lake"] == "s3://other/lake-smoke"
    assert moved["evaluation"] == {"run": {"lake": "s3://other/lake", "budget": 20}}
    assert moved["monthly"]["models"] == ["ours"]
    assert "deployment evaluation: lake s3://ours/lake -> s3://other/lake" in summary(first, moved)


def test_a_first_deployment_has_the_default_lake_and_lacks_a_contact() -> None:
    first = deployed({})
    assert first["evaluation"] == {"run": {"lake": str(Path("lake").resolve())}}
    (warning,) = [line for line in summary({}, first) if line.startswith("Warning")]
    assert "quarterly-refresh will fail" in warning
    assert not any("Warning" in line for line in summary({}, deployed(first, contact="E e@f.g")))


def test_a_model_is_added_to_the_last_quarter_s_release_that_is_built(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    with pytest.raises(LakeError, match="No quarterly release"):
        newest_release(lake.url, "failsafeqa")

    def begun(release: str) -> None:
        lake.commit(LakeStep(release, "ingest"), {"inputs": {}, "dataset": {}}, [])

    def built(release: str) -> None:
        begun(release)
        lake.commit(LakeStep(release, "failsafeqa.build.dataset"), {"inputs": {}}, [])

    for release in ("2026Q2", "2026Q3", "2026Q4-dev", "dev", "paper", "trial"):
        built(release)
    begun("2026Q4")
    assert newest_release(lake.url, "failsafeqa") == "2026Q3"
