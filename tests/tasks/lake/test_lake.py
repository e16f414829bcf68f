"""The lake, in a folder and in S3: atomic commits, fingerprints, and two runs at once."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tasks.core.rows import ROW_TYPES, Document, Prefix, QAPair, Reject
from tasks.lake.lake import ConcurrentChange, Lake
from tasks.lake.objects import Objects
from tasks.lake.records import LakeStep
from tests.tasks.core.test_rows import row_of

STEP = LakeStep("2026.11", "failsafeqa.build.cases.ocr")

KEYS = {"suite": "failsafeqa", "operation": "answer", "model": "m", "candidate": "none"}


def prefix(number: int) -> Prefix:
    return Prefix(prefix_id=f"prefix-{number}", text=f"text {number} €\n\n", n_tokens=number)


@pytest.fixture(params=["folder", "s3"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    if request.param == "folder":
        return Lake(tmp_path / "lake")
    return Lake(f"{request.getfixturevalue('bucket')}/lake")


def parts_in(lake: Lake) -> set[str]:
    """Every part that lies in the lake, whether a commit names it or not."""
    return {stored.key for stored in lake.objects.list("prefixes")}


def commit(lake: Lake, numbers: list[int], identity: dict, step: LakeStep = STEP, inputs=()):
    part = lake.write(step, identity, Prefix, [prefix(number) for number in numbers], **KEYS)
    return lake.commit(step, identity, [part], inputs)


def test_nothing_is_seen_before_the_commit(lake: Lake) -> None:
    lake.write(STEP, {"seed": 1}, Prefix, [prefix(1)], **KEYS)
    assert lake.commit_of(STEP) is None
    assert lake.files()["prefixes"] == []


def test_a_new_commit_replaces_the_parts_of_the_old_one(lake: Lake) -> None:
    before = commit(lake, [1], {"seed": 1})
    after = commit(lake, [2], {"seed": 2})
    assert lake.read(after, Prefix) == [prefix(2)]
    assert not lake.objects.exists(before.parts[0].path)
    with pytest.raises(ConcurrentChange, match="another run replaced it"):
        lake.read(before, Prefix)


def test_a_step_whose_input_was_replaced_meanwhile_is_not_committed(lake: Lake) -> None:
    upstream = LakeStep("2026.11", "ingest")
    read = commit(lake, [1], {"seed": 1}, upstream)
    commit(lake, [1], {"seed": 2}, upstream)
    with pytest.raises(ConcurrentChange, match="replaced its input ingest"):
        commit(lake, [5], {}, STEP, inputs=[read])
    assert lake.commit_of(STEP) is None


def test_a_commit_never_names_a_part_that_is_gone(lake: Lake) -> None:
    part = lake.write(STEP, {"seed": 1}, Prefix, [prefix(1)], **KEYS)
    lake.objects.delete([part.path])
    with pytest.raises(ConcurrentChange, match="removed its parts"):
        lake.commit(STEP, {"seed": 1}, [part])


def test_parts_written_under_different_identities_are_not_committed_together(lake: Lake) -> None:
    parts = [
        lake.write(STEP, {"seed": seed}, Prefix, [prefix(seed)], shard=seed, **KEYS)
        for seed in (1, 2)
    ]
    with pytest.raises(ConcurrentChange, match="its parts do not match"):
        lake.commit(STEP, {"seed": 2}, parts)
    assert lake.commit_of(STEP) is None


def test_sweeping_removes_what_a_killed_run_left_and_nothing_else(lake: Lake) -> None:
    kept = commit(lake, [1], {"seed": 1})
    abandoned = lake.write(STEP, {"seed": 9}, Prefix, [prefix(9)], **KEYS)
    assert lake.sweep(STEP.release, ROW_TYPES, older_than_s=3600) == []
    assert lake.sweep(STEP.release, ROW_TYPES, older_than_s=-1) == [abandoned.path]
    assert lake.read(kept, Prefix) == [prefix(1)]


def test_a_commit_that_comes_between_the_look_and_the_write_wins(lake: Lake) -> None:
    """The second look of the other run would come too late: the storage itself refuses."""
    mine, others = (
        lake.write(STEP, {"seed": seed}, Prefix, [prefix(seed)], **KEYS) for seed in (1, 2)
    )
    with pytest.MonkeyPatch.context() as between:

        def after_the_other(objects: Objects, key: str, data: bytes) -> bool:
            between.undo()
            lake.commit(STEP, {"seed": 2}, [others])
            return objects.create(key, data)

        between.setattr(type(lake.objects), "create", after_the_other)
        with pytest.raises(ConcurrentChange):
            lake.commit(STEP, {"seed": 1}, [mine])
    now = lake.commit_of(STEP)
    assert now is not None
    assert lake.read(now, Prefix) == [prefix(2)]


def test_a_part_that_another_run_is_about_to_remove_is_written_under_another_name(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its removal comes late, after the same rows were written and committed again."""
    before = commit(lake, [1], {"seed": 1})
    late = []
    with monkeypatch.context() as slow:
        slow.setattr(type(lake.objects), "delete", lambda self, keys: late.append(list(keys)))
        commit(lake, [2], {"seed": 2})
    again = commit(lake, [1], {"seed": 1})
    assert late == [[before.parts[0].path]]
    lake.objects.delete(late[0])
    assert lake.read(again, Prefix) == [prefix(1)]
    assert again.content == before.content


def test_a_lake_as_of_now_reads_each_commit_once_and_sees_none_that_comes_later(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, other = commit(lake, [1], {}), LakeStep("2026.11", "failsafeqa.build.cases.baseline")
    now = lake.as_of_now()
    commit(lake, [2], {}, other)
    lake.retire(found)
    with monkeypatch.context() as unreachable:
        unreachable.setattr(type(lake.objects), "read_versioned", None)
        unreachable.setattr(type(lake.objects), "list", None)
        assert now.commits("2026.11") == [found] == now.commits()
        assert now.commits("dev") == []
        assert now.commit_of(STEP) == found
        assert now.commit_of(other) is None
    part = now.write(STEP, {}, Prefix, [prefix(3)], **KEYS)
    with pytest.raises(ConcurrentChange):
        now.commit(STEP, {}, [part])


def test_a_column_that_is_a_key_stands_in_the_folder_alone(lake: Lake) -> None:
    row = Reject(reject_id="r", stage="cases.ocr", parent_id="p", reason="no", detail="")
    part = lake.write(STEP, {}, Reject, [row], stage=row.stage, suite="failsafeqa")
    assert part.path.startswith(
        "rejects/release=2026.11/suite=failsafeqa/stage=cases.ocr/part-00000-"
    )
    found = lake.commit(STEP, {}, [part])
    stored = pq.read_schema(lake.objects.file(part.path)).names
    assert stored == ["reject_id", "parent_id", "reason", "detail"]
    assert [*lake.rows_of(part, Reject)] == lake.read(found, Reject) == [row]
    assert [*lake.columns(found, "rejects", "reject_id", "stage")] == [("r", "cases.ocr")]
    assert [*lake.columns(found, "rejects", "stage")] == [("cases.ocr",)]


def test_a_key_that_contradicts_a_row_is_refused(lake: Lake) -> None:
    row = Reject(reject_id="r", stage="perturbations_ocr", parent_id="p", reason="no", detail="")
    with pytest.raises(ValueError, match="a row of 'rejects' has stage 'perturbations_ocr', but"):
        lake.write(STEP, {}, Reject, [row], suite="failsafeqa", stage="cases.ocr")
    assert list(lake.objects.list("rejects")) == []


def test_a_part_from_before_a_column_was_added_is_read_with_the_columns_default(lake: Lake) -> None:
    written = row_of(QAPair, is_full=False)
    found = lake.commit(
        STEP, {}, [lake.write(STEP, {}, QAPair, [replace(written, traits={})], suite="failsafeqa")]
    )
    older = io.BytesIO()
    pq.write_table(
        pq.read_table(io.BytesIO(lake.objects.read(found.parts[0].path))).drop(["traits"]), older
    )
    digest = hashlib.sha256(older.getvalue()).hexdigest()[:12]
    path = found.parts[0].path.replace(found.parts[0].content, digest)
    lake.objects.put(path, older.getvalue())
    assert [*lake.rows_of(replace(found.parts[0], path=path), QAPair)] == [
        replace(written, traits={})
    ]


@pytest.mark.parametrize(
    "value", ["a/b", "NAME@http://host:80/v1", ".hidden", "_under", "ünï code", "a=b", "100%"]
)
def test_keys_may_hold_any_text(lake: Lake, value: str) -> None:
    step = LakeStep(value, f"failsafeqa.infer.{value}")
    part = lake.write(step, {}, Prefix, [prefix(1)], **{**KEYS, "model": value})
    lake.commit(step, {}, [part])
    assert [found.step for found in lake.commits()] == [step]
    assert lake.releases() == [value]
    name = Path(lake.files(value)["prefixes"][0]).relative_to(lake.here)
    assert all(not piece.startswith((".", "_")) for piece in name.parts)


def test_files_of_a_suite_are_its_own_and_those_of_all_suites(lake: Lake) -> None:
    for suite in ("failsafeqa", "faith", "all"):
        step = LakeStep("dev", f"{suite}.build")
        reject = row_of(Reject, is_full=True)
        lake.commit(
            step,
            {},
            [
                lake.write(step, {}, Document, [row_of(Document, is_full=True)]),
                lake.write(step, {}, Reject, [reject], suite=suite, stage=reject.stage),
            ],
        )
    found = lake.files("dev", suite="faith")
    assert len(found["documents"]) == 3
    assert sorted(Path(path).parts[-3] for path in found["rejects"]) == ["suite=all", "suite=faith"]


WRITER = """
import sys
from tasks.core.rows import Prefix
from tasks.lake.records import LakeStep
from tasks.lake.lake import ConcurrentChange, Lake

root, release, name, seed, times = *sys.argv[1:4], *map(int, sys.argv[4:])
lake, step = Lake(root), LakeStep(release, name)
keys = {"suite": "s", "operation": "answer", "model": "m", "candidate": "none"}
for time in range(times):
    identity = {"seed": seed, "time": time % 2}
    numbers = range(seed * 1000, seed * 1000 + 20)
    rows = [
        Prefix(prefix_id=f"prefix-{number}", text="text", n_tokens=number) for number in numbers
    ]
    try:
        part = lake.write(step, identity, Prefix, rows, **keys)
        lake.commit(step, identity, [part])
    except ConcurrentChange:
        continue
"""


def test_two_writers_at_once_leave_one_whole_commit(lake: Lake) -> None:
    """Two processes keep committing one step; a reader sees one commit or the other, not a mix."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, lake.url, STEP.release, STEP.name, str(seed), "30"],
            stderr=subprocess.PIPE,
        )
        for seed in (1, 2)
    ]
    n_read = 0
    while any(writer.poll() is None for writer in writers):
        found = lake.commit_of(STEP)
        if found is None:
            continue
        try:
            rows = lake.read(found, Prefix)
        except ConcurrentChange:
            continue
        n_read += 1
        assert len({row.n_tokens // 1000 for row in rows}) == 1
        assert len(rows) == 20
    for writer in writers:
        _, complaint = writer.communicate()
        assert writer.returncode == 0, complaint.decode()
    found = lake.commit_of(STEP)
    assert found is not None
    assert len(lake.read(found, Prefix)) == 20
    assert {part.path for part in found.parts} <= parts_in(lake)
    assert n_read > 0


def test_retiring_leaves_what_another_run_has_committed_since(lake: Lake) -> None:
    old = commit(lake, [1], {"seed": 1})
    new = commit(lake, [2], {"seed": 2})
    lake.retire(old)
    assert lake.read(new, Prefix) == [prefix(2)]
