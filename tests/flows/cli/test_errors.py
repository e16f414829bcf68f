"""What wrong command lines end with: exit status and whole messages, and nothing written."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from flows.cli.app import main
from flows.cli.views import progress
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import resolve, settings_of
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import plan_ingest
from tests.without_prefect import flows_as_functions

# Each folder or file stands in the working directory; the folder `lake` is a finished run.
FILES = {
    "not_toml.toml": "[models",
    "key_unknown.toml": '[models.m]\nengine = "openai"\ndescription = "d"\nin_fligt = 8\n',
    "secret.toml": '[models.m]\nengine = "openai"\ndescription = "d"\nkey_env = "sk-live-1234"\n',
    "unpriced.toml": '[models.m]\nengine = "litellm"\ndescription = "d"\nserved_as = "a/b"\n',
    "preset.toml": "seeed = 3\n",
    "columns.json": json.dumps([{"context": "of one record"}]),
    "faith.json": json.dumps([{"metadata": {}, "tables": {}, "instances": []}]),
    "sheet.csv": "id,rating\n1,6\n",
    "filings/letter.txt": "Dear shareholders, thank you.\n",
    "filings/empty.htm": "",
}
WRONG = """
frobnicate
run --limit many
run --limit 0
run --beta nan
run --release a/b
run --filings a --dataset b
run --filings nowhere --release new-dev --lake new
run --filings filings --release new-dev --lake new
run --dataset nowhere.jsonl --lake new
run --dataset columns.json --lake new
run --dataset faith.json --lake new
run --sample 3
run --lake /dev/null/lake
run --lake gs://bucket/lake
run --suite faithless
run --settings single
run --suite faith --judge gpt-4o
run --model gpt-9
run --model toy@localhost:8000
run --model gpt-4o
run --model Phi-3-small-128k-Instruct
run --judge strict
run --pairs 2 --budget 5 --model m --models-file unpriced.toml
run --preset nosuch
run --preset preset.toml
run --release 2026.11 --fresh --lake frozen
run --release 2026.11 --limit 1 --lake frozen
estimate --filings edgar:2018Q1 --lake new
infer --lake new
models --models-file not_toml.toml
doctor --models-file key_unknown.toml
models --models-file secret.toml
sql 'select 1' --lake new
sql 'select 1' --release 1999
sql 'from failsafeqa.leaderbord'
sql 'selec 1'
explain
explain case-1
explain --metric robustnes
explain --metric robustness --judge gpt-9
report --release 1999
report --judge nobody
diff dev dev
diff dev 1999
refresh 2026-Q3
export failsafeqa out.jsonl --release 1999
export hf out
import answers nowhere.csv
audit export sheet.csv
audit import sheet.csv
""".strip().splitlines()


@pytest.fixture(scope="module")
def place(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a finished lake, one with a frozen release, and wrong files."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copytree(Lake(finished.lake).here, folder / "lake")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    frozen = settings_of(lake=str(folder / "frozen"), release="2026.11")
    plan_ingest(resolve(frozen)).commit([])
    return folder


@pytest.fixture(autouse=True)
def _here(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(progress, "progress_shown", lambda **_: nullcontext())  # depends on time
    for name in ("OPENAI_API_KEY", "TENKBENCH_CONTACT"):
        monkeypatch.delenv(name, raising=False)
    with flows_as_functions():
        yield


def written(folder: Path) -> set[tuple[str, int]]:
    return {(str(file), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_ends_with_a_sentence(
    line: str, place: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    before = written(place)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(line))
    shown = capsys.readouterr()
    said = shown.err.replace(str(place), "TMP")
    assert ended.value.code in (1, 2)
    assert shown.out == ""
    assert written(place) == before
    assert f"$ tenkbench {line}\nexit status {ended.value.code}\n{said}" == snapshot
