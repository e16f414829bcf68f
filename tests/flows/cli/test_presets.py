"""Presets: what they hold is what a run gets, unless an option or a variable says otherwise."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from flows.cli import app
from flows.cli.options import options_of, run_settings, suite_named
from flows.cli.presets import read_preset
from tasks.models.catalogue import find_model
from tasks.models.windows import check_window
from tasks.pipeline import resolved
from tasks.pipeline.preflight import model_needs
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings

PRESETS = [file.name.removesuffix(".toml") for file in (files("deployments") / "presets").iterdir()]


def settings_of(*tokens: str) -> RunSettings:
    """What a command would be run with."""
    suite = suite_named(tokens, read_preset)
    _, bound, _ = app.make_app(suite).parse_args(tokens)
    values = {
        name: bound.arguments.get(name, option.default)
        for name, option in options_of(suite).items()
    }
    settings: RunSettings = run_settings(values, suite)
    return settings


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_run(name: str) -> None:
    options = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in read_preset(name).items()
    }
    found, said = (
        resolve(settings_of("run", "--preset", name)),
        resolve(resolved.settings_of(**options)),
    )
    assert (found.options, found.roles, found.judges) == (said.options, said.roles, said.judges)
    assert replace(found.settings, options={}, roles={}) == replace(
        said.settings, options={}, roles={}
    )


def test_the_paper_is_what_the_paper_says() -> None:
    paper = settings_of("estimate", "--preset", "paper")
    assert paper.filings == "edgar:1998,1999,2017,2018"
    assert len(set(paper.model)) == 24
    for model in (*paper.model, *paper.roles["generator"], *paper.roles["citer"], *paper.judge):
        found = find_model(model, None)
        assert found.layout is None or found.layout.replicas * found.layout.tensor_parallel == 8


def test_an_option_goes_before_a_variable_and_a_variable_before_the_preset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text(
        'pairs = 7\nseed = 7\nlimit = 7\njudge = ["extractive-bold"]\nfresh = true\n'
    )
    monkeypatch.setenv("TENKBENCH_PRESET", str(tmp_path / "own.toml"))
    monkeypatch.setenv("TENKBENCH_PAIRS", "5")
    monkeypatch.setenv("TENKBENCH_SEED", "5")
    found = settings_of("judge", "--pairs", "3")
    assert (found.options["pairs"], found.seed, found.limit) == (3, 5, 7)
    assert (found.judge, found.fresh) == (("extractive-bold",), True)


def test_faiths_paper_tests_the_models_of_its_panel_on_as_many_companies_as_its_main_split() -> (
    None
):
    run = resolve(settings_of("estimate", "--preset", "faith-paper"))
    dataset = (files("sql") / "faith" / "dataset.sql").read_text(encoding="utf-8")
    assert f"('paper, main', {run.settings.sample}," in dataset
    assert run.settings.companies == "sp500"
    assert len(run.settings.model) == 3
    assert read_preset("faith-paper")["panel"] == list(run.settings.model)
    for need in model_needs(run):
        check_window(need)


def test_tablequests_paper_has_the_models_and_lengths_of_its_tables() -> None:
    run = resolve(settings_of("estimate", "--preset", "tablequest-paper"))
    tables = (files("sql") / "tablequest" / "paper_models.sql").read_text(encoding="utf-8")
    assert sorted(run.settings.model) == sorted(re.findall(r"\('([\w.-]+)',", tables))
    visions = {"gpt-4o-vision", "gemini-1.5-pro-vision"}
    assert {name for name in run.settings.model if run.row(name).shown == "images"} == visions
    assert run.option("baseline") in run.settings.model
    for need in model_needs(run):
        check_window(need)
    assert run.option("context_tokens") == 16_384
    assert run.cuts  # one window of the paper's is smaller


def test_long_contexts_paper_fits_the_windows_of_its_models() -> None:
    run = resolve(settings_of("estimate", "--preset", "longcontext-paper"))
    assert run.options.records_of == dict(
        zip((4_000, 8_000, 16_000, 32_000, 64_000, 128_000), (110,) * 2 + (85,) * 4, strict=True)
    )
    assert len(run.option("placements")) == 4
    # the longest prompt, its answer and the chat template are 128,000 tokens
    assert run.options.budget_of(128_000) == 128_000 - 100 - 64
    assert {need.model.window for need in model_needs(run)} == {128_000}


def test_an_option_of_several_values_takes_them_together_repeated_or_from_a_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite = ("estimate", "--suite", "longcontext")
    together = settings_of(*suite, "--lengths", "4000", "16000", "--seed", "3")
    repeated = settings_of(*suite, "--lengths", "4000", "--lengths", "16000", "--seed", "3")
    monkeypatch.setenv("TENKBENCH_LENGTHS", "4000 16000")
    assert together == repeated == settings_of(*suite, "--seed", "3")
    assert together.options == {"lengths": (4_000, 16_000)}
