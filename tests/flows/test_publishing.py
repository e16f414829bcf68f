"""A lake published as a Hugging Face data set: what `datasets` opens is what the lake holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.cli.exports import export_published
from tasks.lake.lake import Lake, LakeError, Step
from tasks.pipeline.settings import RunSettings
from tasks.results.publish.folder import publish
from tasks.warehouse.connection import open_warehouse
from tests.flows.opened_by_datasets import opened_by_datasets


@pytest.fixture(scope="module")
def published(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    publish(Lake(finished.lake), ["dev"], folder)
    return folder


@pytest.fixture(scope="module")
def opened(published: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return opened_by_datasets(published, tmp_path_factory.mktemp("cache"))


def test_datasets_opens_the_cases_and_they_are_those_of_the_lake(
    finished: RunSettings, opened: dict[str, Any]
) -> None:
    assert list(opened) == ["failsafeqa", "filings"]
    rows = opened["failsafeqa"]
    assert list(rows) == ["dev"]
    query = """
        select case_id, cases.query, shown.text, cases.target, qa_pairs.query, qa_pairs.answer,
            [citation.quote for citation in qa_pairs.citations], filing_id, sha256, company,
            period_end::varchar
        from raw.cases as cases
        inner join raw.qa_pairs as qa_pairs using (qa_pair_id)
        inner join raw.contexts as whole on qa_pairs.context_id = whole.context_id
        inner join raw.documents as documents on whole.document_ids[1] = documents.document_id
        inner join raw.filings as filings using (filing_id)
        left join raw.contexts as shown on cases.context_id = shown.context_id"""
    with open_warehouse(Lake(finished.lake).files("dev"), asked=query) as warehouse:
        held = {row[0]: row[1:] for row in warehouse.execute(query).fetchall()}
    columns = ("query", "context", "target", "original_query", "answer", "citations")
    columns += ("filing_id", "filing_sha256", "company", "period_end")
    found = {row["case_id"]: [row[column] for column in columns] for row in rows["dev"]}
    for values in found.values():
        values[5] = [citation["quote"] for citation in values[5]]
    assert {name: tuple(values) for name, values in found.items()} == held
    assert len(rows["dev"]) == len(held) > 30


def test_the_same_lake_gives_the_same_bytes(
    finished: RunSettings, published: Path, tmp_path: Path
) -> None:
    for _ in range(2):  # the second time over what is there
        publish(Lake(finished.lake), ["dev"], tmp_path)
    files = [path.relative_to(published) for path in published.rglob("*") if path.is_file()]
    assert len(files) == 3
    assert sorted(files) == sorted(
        path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()
    )
    for file in files:
        assert (tmp_path / file).read_bytes() == (published / file).read_bytes(), file


def test_a_release_that_is_half_built_is_refused(copied: RunSettings, tmp_path: Path) -> None:
    lake = Lake(copied.lake)
    ocr = lake.commit_of(Step("dev", "failsafeqa.build.cases.ocr"))
    assert ocr is not None
    lake.retire(ocr)
    says = r"not wholly built: failsafeqa.build.cases.ocr .* `tenkbench build --lake .*`"
    with pytest.raises(LakeError, match=says):
        publish(lake, ["dev"], tmp_path / "folder")
    with pytest.raises(LakeError, match=says):
        export_published(copied.lake, "dev", "failsafeqa", tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", b"mine"),
        ("README.md", b"# My notes\n"),
        ("README.md", b"---\ntags: [finance]\n---\n# Another data set\n"),
        ("README.md", b"\xff"),
    ],
)
def test_a_folder_with_other_files_is_left_alone(
    finished: RunSettings, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LakeError, match="holds files, but no data set card of tenkbench"):
        publish(Lake(finished.lake), ["dev"], tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, content)]
