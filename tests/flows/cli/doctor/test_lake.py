"""What is said of lakes: writable, and with conditional writes that are honoured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from flows.cli.doctor import lake as checks
from flows.cli.doctor.lake import lake
from tasks.lake.objects import open_objects
from tasks.lake.objects.folder import FolderObjects
from tests.servers.answering import silent


def test_a_folder_that_is_not_there_is_probed_and_not_made(tmp_path: Path) -> None:
    findings = lake(str(tmp_path / "new" / "lake"))
    assert [each.outcome for each in findings] == ["ok", "ok"]
    assert findings[0].found == f"{tmp_path / 'new' / 'lake'}, not made yet"
    assert not list(tmp_path.iterdir())


class Careless(FolderObjects):
    """A stand-in for storages that take a conditional write and do not look at its condition."""

    def create(self, key: str, data: bytes) -> bool:
        self.put(key, data)
        return True


def test_a_storage_that_ignores_conditions_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "open_objects", lambda url: Careless(tmp_path))
    writable, wins = lake("s3://careless/lake")
    assert writable.outcome == "ok"
    assert (wins.outcome, "ignores conditional writes" in wins.found) == ("not ok", True)


def test_the_probe_is_taken_away_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deleted: list[str] = []

    class Watched(FolderObjects):
        def delete(self, keys: Iterable[str]) -> None:
            found = list(keys)
            deleted.extend(found)
            super().delete(found)

    monkeypatch.setattr(checks, "open_objects", lambda url: Watched(tmp_path))
    lake("s3://watched/lake")
    assert len(deleted) == 1
    assert list(open_objects(str(tmp_path)).list("")) == []


def test_a_bucket_is_probed_and_left_as_it_was(bucket: str) -> None:
    assert [each.outcome for each in lake(f"{bucket}/lake")] == ["ok", "ok"]
    assert list(open_objects(bucket).list("")) == []


def test_a_storage_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with silent() as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{address}")
        (finding,) = lake("s3://bucket/lake")
    assert finding.outcome == "not ok"
    assert finding.found == f"http://{address} does not answer within 1.5 s"
    assert "AWS_ENDPOINT_URL" in finding.fix
