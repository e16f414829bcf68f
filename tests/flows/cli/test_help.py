"""The help of every command, whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cyclopts import App
from syrupy.assertion import SnapshotAssertion

from flows.cli.app import main, make_app


def commands(found: App, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The words of every command and of every group of commands."""
    yield " ".join(path)
    for name in found:
        if not name.startswith("-"):
            yield from commands(found[name], (*path, name))


OF_ANOTHER_SUITE = ["run --suite faith"]


@pytest.mark.parametrize("words", [*commands(make_app()), *OF_ANOTHER_SUITE])
def test_the_help_of_a_command(
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--help"])
    assert not ended.value.code
    assert capsys.readouterr().out == snapshot
