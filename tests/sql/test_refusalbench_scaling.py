"""Accuracies over sizes, tunings and budgets of thoughts, from handmade results."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import duckdb
import pytest

from tasks.warehouse.judged_models import JudgedModel
from tasks.warehouse.raw_tables import create_given

MODELS = (
    JudgedModel("r", "refusalbench", "o-1B-SFT", None, "O", 1.5, "SFT", 0),
    JudgedModel("r", "refusalbench", "o-1B-DPO", None, "O", 1.5, "DPO", 0),
    JudgedModel("r", "refusalbench", "o-7B-DPO", None, "O", 7.0, "DPO", 0),
    JudgedModel("r", "refusalbench", "c", None, "C", None, None, 0),
    JudgedModel("r", "refusalbench", "c-thinks", None, "C", None, None, 1024),
    JudgedModel("r", "faith", "o-7B-DPO", None, "other", 70.0, "SFT", 9),
    JudgedModel("q", "refusalbench", "o-7B-DPO", None, "other", 1.5, "SFT", 0),
)


def scaling(metrics: Sequence[tuple[object, ...]]) -> list[dict[str, object]]:
    folder = files("sql")
    with duckdb.connect() as connection:
        for schema in ("macros", "raw", "reports"):
            connection.execute(f"create schema {schema}")
        macro = (folder / "macros" / "interval.sql").read_text(encoding="utf-8")
        connection.execute(macro)
        create_given(connection, "models", MODELS)
        connection.execute(
            "create table reports.metrics (suite varchar, release varchar, judge varchar, "
            "model varchar, metric varchar, slice_by varchar, slice_value varchar, value double, "
            "low double, high double)"
        )
        connection.executemany(
            f"insert into reports.metrics values ({', '.join('?' * 10)})", metrics
        )
        text = (folder / "refusalbench" / "scaling.sql").read_text(encoding="utf-8")
        found = connection.sql(text)
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def both(
    model: str, answer: float, refusal: float | None, slice_by: str = "task"
) -> list[tuple[object, ...]]:
    of = ("single", "all")[slice_by == "overall"]
    head = ("refusalbench", "r", "j", model)
    return [
        (*head, "answer_accuracy", slice_by, of, answer, answer - 0.1, answer + 0.1),
        (*head, "refusal_accuracy", slice_by, of, refusal, None, None),
        (*head, "crs", slice_by, of, 0.99, None, None),
    ]


def test_a_model_has_its_size_family_tuning_and_thoughts_and_its_gain_over_sft() -> None:
    rows = scaling(
        [
            *both("o-1B-SFT", 0.4, 0.05),
            *both("o-1B-DPO", 0.5, 0.15),
            *both("o-1B-DPO", 0.7, 0.35, slice_by="overall"),
            *both("o-7B-DPO", 0.6, 0.2),
            ("faith", "r", "j", "o-7B-DPO", "answer_accuracy", "overall", "all", 0.1, None, None),
        ]
    )
    named = {(row["model"], row["setting"]): row for row in rows}
    assert len(named) == len(rows) == 4
    small = named["o-1B-DPO", "single"]
    assert (small["family"], small["parameters_b"], small["tuning"]) == ("O", 1.5, "DPO")
    assert (small["answer_accuracy"], small["answer_accuracy_interval"]) == (0.5, "0.40 to 0.60")
    assert (small["refusal_accuracy"], small["refusal_accuracy_interval"]) == (0.15, None)
    assert small["sft_model"] == "o-1B-SFT"
    assert (small["answer_gain"], small["refusal_gain"]) == pytest.approx((0.1, 0.1))
    for other in (named["o-7B-DPO", "single"], named["o-1B-DPO", "all"]):
        assert (other["sft_model"], other["answer_gain"]) == (None, None)
    assert named["o-7B-DPO", "single"]["family"] == "O"


def test_budgets_of_thoughts_of_one_model_stand_together_and_an_unknown_model_last() -> None:
    rows = scaling([*both("z", 0.9, 0.9), *both("c-thinks", 0.5, None), *both("c", 0.4, 0.4)])
    assert [(row["model"], row["family"], row["thinking_tokens"]) for row in rows] == [
        ("c", "C", 0),
        ("c-thinks", "C", 1024),
        ("z", None, None),
    ]
    assert rows[1]["refusal_accuracy"] is None
