"""`tenkbench explain` on real filings, end to end."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import duckdb
import pytest

from flows.cli.app import main
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tests.without_prefect import flows_as_functions

# A full submission, which has an accession number, and a main document alone, which has none.
FILINGS = ("tgfin_2009_full-submission.txt", "medicis_1999_main.htm")


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A lake of two real filings."""
    from flows.benchmark import benchmark

    folder = tmp_path_factory.mktemp("real")
    for name in FILINGS:
        (folder / "filings").mkdir(exist_ok=True)
        shutil.copy(shared / "filings" / name, folder / "filings" / name)
    lake, models = str(folder / "lake"), folder / "models.toml"
    models.write_text(
        '[models.extractive]\nengine = "extractive"\ndescription = ""\ncutoff = 2010-12-31\n'
        'family = "Rules"\nparameters_b = 0\n'
    )
    run = settings_of(
        filings=str(folder / "filings"), lake=lake, models_file=str(models), pairs=2, workers=1
    )
    with flows_as_functions(writes_warehouse=True):
        benchmark(run)
    return lake


def explained(capsys: pytest.CaptureFixture[str], *tokens: str) -> dict:
    with pytest.raises(SystemExit) as ended:
        main(["explain", *tokens, "--json"])
    assert not ended.value.code
    return json.loads(capsys.readouterr().out)


def test_what_only_the_run_was_told_of_a_model_holds_for_whoever_looks_later(
    real: str, capsys: pytest.CaptureFixture[str]
) -> None:
    slice_of_date = ("--metric", "compliance", "--slice", "filed=before cutoff", "--all")
    found = explained(capsys, *slice_of_date, "--lake", real)
    assert found["cell"]["n"] == found["n_units"] == len(found["units"]) > 0
    query = "select release, suite, model, cutoff, family, parameters_b from raw.models"
    with duckdb.connect(Lake(real).warehouse, read_only=True) as written:
        assert written.execute(query).fetchall() == [
            ("dev", "failsafeqa", "extractive", date(2010, 12, 31), "Rules", 0.0)
        ]


def test_each_case_behind_a_number_leads_to_a_sentence_of_its_filing(
    real: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = explained(
        capsys, "--metric", "compliance", "--slice", "variant=ocr", "--all", "--lake", real
    )
    assert cell["units"]
    ratings = [unit["cases"][0]["rating"] for unit in cell["units"]]
    assert sum(rating >= 4 for rating in ratings) / len(ratings) == pytest.approx(
        cell["cell"]["value"]
    )
    found = [
        explained(capsys, unit["cases"][0]["case_id"], "--lake", real) for unit in cell["units"]
    ]
    for case in found:
        quoted = [part["text"] for passage in case["passages"] for part in passage["parts"]]
        assert all(
            any(citation["quote"] in text for text in quoted) for citation in case["citations"]
        )
        assert case["prompt_prefix"].count("[Start of document]") == 1
    # much of what was cited is in the scans as well, with errors
    pieces = [piece for case in found for pieces in case["shown_citations"] for piece in pieces]
    kept, added = (
        sum(len(piece["text"]) for piece in pieces if piece["kind"] == kind)
        for kind in ("kept", "added")
    )
    assert kept > added / 2
    addresses = {case["company"]: case["edgar_url"] for case in found}
    assert addresses["TGFIN HOLDINGS INC"] == (
        "https://www.sec.gov/Archives/edgar/data/876134/000101041210000078/0001010412-10-000078-index.htm"
    )
