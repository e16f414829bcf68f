"""A lake published as a Hugging Face data set: what `datasets` opens is what the lake holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli.exchange import export_published
from tasks.lake.lake import Lake, LakeError, LakeStep
from tasks.pipeline.settings import RunSettings
from tasks.results.publish.folder import publish


@pytest.fixture(scope="module")
def published(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    publish(Lake(finished.lake), ["dev"], folder)
    return folder


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
    ocr = lake.commit_of(LakeStep("dev", "failsafeqa.build.cases.ocr"))
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
