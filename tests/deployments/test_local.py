"""What a second `tenkbench up` in one folder says; whole it is tested in test_server.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

from deployments.local import up


def test_who_asks_for_something_else_than_what_is_up_is_told_that_it_is_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = str(tmp_path / "lake")
    with FileLock(tmp_path / "lock"):
        up(lake, None, tmp_path, 4200)
        assert "is starting or ending in" in capsys.readouterr().out
        there = {"ui": "http://127.0.0.1:4200", "lake": lake, "contact": None}
        (tmp_path / "up.json").write_text(json.dumps(there))
        up(lake, None, tmp_path, 4200)
        assert capsys.readouterr().out == "Already up: http://127.0.0.1:4200\n"
        for other in ((lake, None, tmp_path, 4300), ("s3://b/lake", None, tmp_path, 4200)):
            up(*other)
            said = capsys.readouterr().out
            assert f"other settings: http://127.0.0.1:4200, lake {lake}." in said
            assert "--folder" in said
