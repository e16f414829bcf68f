"""Models with a window of 8,192 play every role; a smaller one is refused with what would fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.benchmark import benchmark
from flows.story import failed_calls
from tasks.core.rows import Case, Context, Prefix, Request, Response
from tasks.lake.lake import Lake
from tasks.models.windows import LEAST_ANSWER, DoesNotFit
from tasks.pipeline.resolved import resolve, settings_of
from tasks.results.opened import opened_warehouse
from tests.flows.rows import rows_of
from tests.servers.serving import Server, serving
from tests.without_prefect import flows_as_functions


@contextmanager
def small_models(folder: Path, window: int) -> Iterator[tuple[Server, dict[str, Any]]]:
    """Serve two models that enforce a window, and yield the settings of a run that names them."""
    rule = "tests.servers.table_judges:reply"
    with serving(reply_rule=rule, window=window) as server, flows_as_functions():
        row = f'engine = "openai"\ndescription = ""\nbase_url = "{server.url}"\nwindow = {window}\n'
        (folder / "models.toml").write_text(f"[models.small]\n{row}[models.other]\n{row}")
        lake, models_file = str(folder / "lake"), str(folder / "models.toml")
        common = {"lake": lake, "models_file": models_file, "workers": 1, "limit": 1}
        yield server, common | {"model": ("small",)}


@pytest.mark.parametrize(
    ("suite", "options"),
    [
        ("faith", {}),
        (
            "tablequest",
            {"model": ("small", "other"), "baseline": "other", "judge": ("pairwise=small",)}
            | {"context_tokens": 1_500},
        ),
    ],
)
def test_what_was_refused_by_bounds_runs_and_no_call_fails(
    suite: str, options: dict[str, Any], tmp_path: Path
) -> None:
    with small_models(tmp_path, 8_192) as (server, settings):
        run = settings_of(suite=suite, **{**settings, **options})
        benchmark(run)
        assert server.stats()["by_status"].keys() == {"200"}
    assert {row.status for row in rows_of(run, Response)} == {"ok"}
    assert not any("limited" in line for line in failed_calls(resolve(run)))


def test_an_answer_is_limited_to_what_its_prompt_leaves_and_that_is_told(tmp_path: Path) -> None:
    with small_models(tmp_path, 8_192) as (server, settings):
        run = settings_of(suite="failsafeqa", context_tokens=5_000, **settings)
        benchmark(run)
        assert server.stats()["by_status"].keys() == {"200"}
    answers = [row for row in rows_of(run, Request) if row.operation.startswith("answer")]
    limits = {row.sampling.max_tokens for row in answers}
    assert LEAST_ANSWER <= min(limits) < max(limits) == 2_048
    (told,) = [line for line in failed_calls(resolve(run)) if "limited" in line]
    assert re.match(rf"\d+ answers of failsafeqa.infer.small .* {min(limits):,} tokens", told)
    assert all(row.n_prompt_tokens + row.sampling.max_tokens < 8_192 for row in answers)


@pytest.mark.parametrize(
    ("suite", "window", "options"),
    [
        ("failsafeqa", 8_192, {}),
        ("tablequest", 2_500, {"table_format": ("html", "csv")}),
        ("failsafeqa", 5_000, {"generator": "small", "model": ("extractive",)}),
    ],
)
def test_a_window_too_small_is_refused_before_a_call_with_an_option_that_works(
    suite: str, window: int, options: dict[str, Any], tmp_path: Path
) -> None:
    with small_models(tmp_path, window) as (server, settings):
        run = settings_of(suite=suite, **{**settings, **options})
        with pytest.raises(DoesNotFit, match="small has a window") as refused:
            benchmark(run)
        assert not server.stats()["received"]
        (n_tokens,) = re.findall(r"What would fit: --context-tokens (\d+)", str(refused.value))
        shorter = replace(run, options={**run.options, "context_tokens": int(n_tokens)})
        benchmark(shorter)
        assert server.stats()["by_status"].keys() == {"200"}
    assert {row.status for row in rows_of(shorter, Response)} == {"ok"}


def test_contexts_are_cut_if_asked_for_and_judges_read_them_whole(tmp_path: Path) -> None:
    """The server counts tokens of its own: it refuses a prompt that does not fit."""
    models, window = tmp_path / "models.toml", 1_800
    rule = "tests.servers.table_judges:reply"
    with serving(reply_rule=rule, window=window) as small, serving(reply_rule=rule) as server:
        row = 'engine = "openai"\ndescription = ""\nbase_url = "{}"\n'
        models.write_text(
            f"[models.narrow]\n{row.format(small.url)}window = {window}\n"
            f"[models.wide]\n{row.format(server.url)}"
        )
        run = settings_of(
            suite="tablequest",
            lake=str(tmp_path / "lake"),
            workers=1,
            limit=1,
            models_file=str(models),
            model=("wide", "narrow"),
            baseline="wide",
            judge=("pairwise=wide",),
            cut_contexts=True,
            context_tokens=1_500,
        )
        with flows_as_functions():
            benchmark(run)
        assert small.stats()["by_status"].keys() == {"200"}
    texts = {row.context_id: row.text for row in rows_of(run, Context)}
    context_of = {case.case_id: texts[case.context_id or ""] for case in rows_of(run, Case)}
    prefixes = {row.prefix_id: row.text for row in rows_of(run, Prefix)}
    n_cut = 0
    for request in rows_of(run, Request):
        if request.case_id is None:
            continue
        prompt, context = prefixes[request.prefix_id] + request.suffix, context_of[request.case_id]
        is_cut = request.n_cut_tokens is not None
        assert is_cut == (context not in prompt)
        if is_cut:
            assert request.model == "narrow"
            (field,) = (each for each in request.fields if each.name == "context")
            assert context.startswith(prompt[field.start_char : field.end_char])
            n_cut += 1
    assert 0 < n_cut < len(context_of)
    with opened_warehouse(Lake(run.lake), "dev") as connection:
        query = "select model, n_cut from tablequest.cut_contexts order by model"
        assert connection.execute(query).fetchall() == [("narrow", n_cut), ("wide", 0)]
