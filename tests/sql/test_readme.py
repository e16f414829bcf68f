"""What `sql/README.md` says is true: its questions have answers, and `units` its columns."""

from __future__ import annotations

import re
from importlib.resources import files

import duckdb
import pytest

from tasks.warehouse.sql_files import united
from tests.sql.conftest import HandmadeLake

TEXT = files("sql").joinpath("README.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^\d+\. (.*?)\n\n```sql\n(.*?)```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory):
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    for pair in "abc":
        lake.add_pair(pair)
        for model in ("one", "other"):
            ratings = {"baseline": 2 if pair == "a" else 6, "ocr": 1, "irrelevant_context": 1}
            lake.judge(pair, ratings, model=model)
    with lake.open() as connection:
        yield connection


def test_every_column_of_units_is_described() -> None:
    columns = [name for name, *_ in duckdb.execute(united("units", ()).statement).description]
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE) == columns


@pytest.mark.parametrize("number", range(1, 11))
def test_a_question_is_one_query_that_runs(
    number: int, warehouse: duckdb.DuckDBPyConnection
) -> None:
    _, query = QUESTIONS[number - 1]
    assert query.count(";") == 1
    found = warehouse.execute(query)
    assert len(found.description) >= 3
    if number in (1, 2, 3, 4, 6):  # the lake holds these
        assert found.fetchall()
