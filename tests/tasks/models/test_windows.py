"""A window too small for the longest prompt is refused, with what would fit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.models.catalogue import UnreachableModel, find_model
from tasks.models.windows import DoesNotFit, Need, check_window
from tasks.pipeline.plan import check_run
from tasks.pipeline.preflight import check_models
from tasks.pipeline.resolved import resolve, settings_of
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.suites.registry import SUITES

OCR_PROMPT, ANSWER = 33_000, 2_048


def test_says_what_fits_in_the_models_own_tokens() -> None:
    model = replace(find_model("gpt-4o"), window=40_000, token_ratio=1.5)
    need = Need(model, OCR_PROMPT, ANSWER, remedy=lambda most: f"--context-tokens {most}")
    takes = "takes about 49,500, thoughts and the shortest answer 512, and the chat template 64"
    with pytest.raises(DoesNotFit, match=takes) as refused:
        check_window(need)
    (most,) = re.findall(r"--context-tokens (\d+)", str(refused.value))
    check_window(Need(model, int(most), ANSWER))
    with pytest.raises(DoesNotFit):
        check_window(Need(model, int(most) + 2, ANSWER))


# --- at the start of a run -----------------------------------------------------------------


@pytest.mark.parametrize("role", ["model", "generator", "citer", "judge"])
def test_refuses_a_model_that_does_not_fit_in_every_role_before_making_a_lake(
    role: str, tmp_path: Path
) -> None:
    row = '[models.m]\nengine = "openai"\ndescription = "d"\nwindow = 100\n'
    (tmp_path / "models.toml").write_text(row, encoding="utf-8")
    named = {role: ("m",) if role in ("model", "judge") else "m"}
    named["models_file"] = str(tmp_path / "models.toml")
    with pytest.raises(DoesNotFit):
        check_run(resolve(settings_of(lake=str(tmp_path / "lake"), **named)))
    assert not (tmp_path / "lake").exists()


def test_refuses_a_missing_key_before_making_a_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UnreachableModel, match="OPENAI_API_KEY"):
        check_run(resolve(RunSettings(lake=str(tmp_path / "lake"), judge=("gpt-4o",))))
    assert not (tmp_path / "lake").exists()
    check_models(resolve(RunSettings(judge=("gpt-4o",))))  # what a finished lake is asked about


@pytest.mark.parametrize("suite", SUITES)
def test_before_prompts_exist_only_what_never_fits_is_refused(suite: str, tmp_path: Path) -> None:
    def check(window: int) -> None:
        row = f'[models.m]\nengine = "openai"\ndescription = "d"\nwindow = {window}\n'
        (tmp_path / "models.toml").write_text(row, encoding="utf-8")
        models_file = str(tmp_path / "models.toml")
        check_models(resolve(settings_of(suite=suite, model=("m",), models_file=models_file)))

    check(8_192)
    with pytest.raises(DoesNotFit, match="m has a window of 100 tokens"):
        check(100)


def test_refuses_a_budget_for_a_model_without_a_price(tmp_path: Path) -> None:
    rows = '[models.m]\nengine = "litellm"\ndescription = "d"\nserved_as = "nobody/knows-this"\n'
    (tmp_path / "unpriced.toml").write_text(rows, encoding="utf-8")
    (tmp_path / "priced.toml").write_text(
        f"{rows}price = {{ prompt = 1, output = 2 }}\n", encoding="utf-8"
    )
    unpriced = RunSettings(model=("m",), models_file=str(tmp_path / "unpriced.toml"))
    check_models(resolve(unpriced))
    with pytest.raises(WrongSettings, match="needs the price of m"):
        check_models(resolve(replace(unpriced, budget=5.0)))
    check_models(resolve(replace(unpriced, models_file=str(tmp_path / "priced.toml"), budget=5.0)))
