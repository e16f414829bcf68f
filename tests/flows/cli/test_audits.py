"""An audit end to end: drawn from a run, filled in by two people, compared with the judge."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from flows.cli.app import main
from flows.score import score
from tasks.core.rows import Audit, AuditItem, Judgement, Metric, Response
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.connection import open_warehouse, run_checks


def run(*tokens: str, status: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        main(tokens)
    assert ended.value.code == status


def rows_of(settings: RunSettings, row_type: type) -> list:
    lake = Lake(settings.lake)
    return [row for commit in lake.commits(settings.release) for row in lake.read(commit, row_type)]


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def fill(file: Path, settings: RunSettings, auditor: str, off: int = 0) -> Path:
    """Rate as the judge did, or one lower where the row's number is a multiple of `off`."""
    rating_of = {row.judgement_id: row.rating for row in rows_of(settings, Judgement)}
    item_of = {row.audit_item_id: row for row in rows_of(settings, AuditItem)}
    rows = read(file)
    for number, row in enumerate(rows):
        rating = rating_of[item_of[row["id"]].judgement_id]
        row["rating"] = str(max(1, rating - 1) if off and number % off == 0 else rating)
        row["auditor"] = auditor
    filled = file.with_name(f"{auditor}.csv")
    with filled.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return filled


def test_an_audit_goes_out_blind_and_comes_back_as_agreement(
    copied: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, file = ["--lake", copied.lake], tmp_path / "audit.csv"
    run("audit", "export", str(file), "--n", "24", *lake)
    assert "24 answers from" in capsys.readouterr().err
    rows = read(file)
    items = {item.audit_item_id: item for item in rows_of(copied, AuditItem)}
    assert sorted(row["id"] for row in rows) == sorted(items)
    answers = {row.request_id: row.text for row in rows_of(copied, Response)}
    for row in rows:
        # as the judge was shown it: double brackets spaced apart
        assert (
            row["answer"].lstrip("'")[:40] == answers[items[row["id"]].request_id].lstrip("'")[:40]
        )
        assert row["question"]
        assert "6 = " in row["rubric"]
        assert "extractive" not in "".join(row.values())
        assert not row["rating"] + row["note"] + row["auditor"]

    run("audit", "export", str(file), *lake, status=1)
    assert "may hold ratings" in capsys.readouterr().err
    again = tmp_path / "again.csv"
    run("audit", "export", str(again), "--n", "24", *lake)
    assert again.read_bytes() == file.read_bytes()
    assert len(rows_of(copied, AuditItem)) == 24

    ann, bob = fill(file, copied, "ann"), fill(file, copied, "bob", off=3)
    run("audit", "import", str(ann), str(bob), *lake)
    assert len(rows_of(copied, Audit)) == 48
    assert f"Next: tenkbench score --lake {copied.lake}" in capsys.readouterr().err
    run("score", *lake)
    capsys.readouterr()
    run("sql", "from reports.audit_agreement where slice_by = 'overall'", "--json", *lake)
    found = {
        (row["rater"], row["other_rater"]): row
        for row in map(json.loads, capsys.readouterr().out.splitlines())
    }
    assert set(found) == {(rater, "extractive") for rater in ("ann", "bob", "all auditors")} | {
        ("ann", "bob")
    }
    by_ann = found["ann", "extractive"]
    assert (by_ann["n"], by_ann["agreement"]) == (24, 1.0)
    assert [by_ann["kendall"], by_ann["pearson"]] == pytest.approx([1.0, 1.0])
    assert found["ann", "bob"]["pearson"] < 1.0
    lake = Lake(copied.lake)
    with open_warehouse(lake.files("dev"), journal=cache_of(lake)) as warehouse:
        assert not [name for name, broken in run_checks(warehouse, copied.suite).items() if broken]


def test_ratings_change_no_metric_of_a_frozen_release_and_are_not_refused(
    frozen: RunSettings, tmp_path: Path
) -> None:
    lake, step = Lake(frozen.lake), LakeStep("2026.11", "failsafeqa.score")
    scored = lake.commit_of(step)
    assert scored is not None
    metrics = lake.read(scored, Metric)
    where = ("--lake", frozen.lake, "--release", "2026.11")
    file = tmp_path / "audit.csv"
    run("audit", "export", str(file), "--n", "24", *where)
    for off in (0, 3):  # a second import replaces ratings of the first
        run("audit", "import", str(fill(file, frozen, "ann", off)), "--lake", frozen.lake)
        score(frozen)
    again = lake.commit_of(step)
    assert again is not None
    assert again.fingerprint != scored.fingerprint
    assert lake.read(again, Metric) == metrics
