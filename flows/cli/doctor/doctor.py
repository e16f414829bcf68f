"""All checks of `tenkbench doctor`, run side by side."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from deployments import server
from flows.cli.doctor import models, ray_nodes
from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask
from tasks.inference.cache.response_cache import kept_cache
from tasks.inference.cache.tables import CacheError
from tasks.lake.lake import Lake
from tasks.lake.objects import LakeError, Unreadable, open_objects
from tasks.models.addresses import shown
from tasks.models.catalogue import find_model, load_catalogue
from tasks.pipeline.settings import place_options


def examine(place: str, model: Sequence[str] = (), models_file: str | None = None) -> list[Finding]:
    """Check a lake, Prefect, Ray and the named models at the same time.

    Raises:
        UnknownModel, WrongModelsFile: a model has no row, or the file is invalid.
    """
    load_catalogue(models_file)  # to be told of a wrong file, even without a model
    rows = [find_model(name, models_file) for name in dict.fromkeys(model)]
    checks: list[Callable[[], list[Finding]]] = [
        partial(lake, place),
        partial(intact, place),
        server.prefect,
        ray_nodes.ray,
        *(partial(models.model, row) for row in rows),
    ]
    with ThreadPoolExecutor(len(checks)) as pool:
        results = pool.map(lambda check: check(), checks)
    return [finding for findings in results for finding in findings]


def lake(url: str) -> list[Finding]:
    """Write what a lake would be made ready by, without creating the lake's folder."""
    try:
        if "://" in url:
            endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
            if endpoint:  # Amazon's if not
                ask(endpoint)  # boto3 would retry for too long
            open_objects(url).make_ready()
            return [Finding("lake writable", "ok", url)]
        place = str(Path(url).resolve())
        near = next(path for path in (Path(place), *Path(place).parents) if path.exists())
        with tempfile.TemporaryDirectory(dir=near, prefix=".doctor-") as folder:
            open_objects(folder).make_ready()
        is_there = Path(url).exists()
        return [Finding("lake writable", "ok", place if is_there else f"{place}, not made yet")]
    except NoAnswer as failed:
        fix = "start the storage server, or correct AWS_ENDPOINT_URL"
        return [Finding("lake writable", "not ok", f"{shown(endpoint or '')} {failed}", fix)]
    except OSError as error:
        outcome = f"{place}: {error.strerror}"
        return [Finding("lake writable", "not ok", outcome, "choose another --lake")]
    except LakeError as failed:
        fix = "fix that, or choose another --lake"
        return [Finding("lake writable", "not ok", str(failed), fix)]


def intact(url: str) -> list[Finding]:
    """Compare every part and record of the lake with its hash, and look for its models' answers."""
    check, fix = "lake intact", f"tenkbench repair{place_options(lake=url)}"
    try:
        lake = Lake(url)
        damaged = [f"{step.name} of {step.release}" for step, _ in lake.damaged()]
        if damaged:
            return [Finding(check, "not ok", f"damaged: {', '.join(damaged)}", fix)]
        n_parts = sum(len(commit.parts) for commit in lake.commits())
        cache = kept_cache(lake)
        n_answers = 0 if cache is None else cache.check()
    except (CacheError, Unreadable) as failed:
        return [Finding(check, "not ok", str(failed))]
    except LakeError as failed:
        return [Finding(check, "not checked", str(failed))]
    outcome = f"{n_parts:,} Parquet files match their checksums"
    if n_answers:
        outcome += f", and {n_answers:,} stored answers are there"
    return [Finding(check, "ok", outcome)]
