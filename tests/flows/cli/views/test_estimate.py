"""`tenkbench estimate` and `tenkbench models` on the screen and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli.app import main
from tasks.models.catalogue import load_catalogue


def ran(capsys: pytest.CaptureFixture[str], *tokens: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(tokens)
    assert ended.value.code in (0, None)
    return capsys.readouterr().out


def test_an_estimate_shows_its_steps_and_as_json_adds_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(f"estimate --lake {tmp_path}/lake --pairs 1 --model gpt-4o --json".split())
    shown = capsys.readouterr()
    steps = ["Reading 3 of 3 filings ...", "Trying contexts ...", "Trying qa_pairs ..."]
    assert shown.err.splitlines()[:3] == steps
    found = json.loads(shown.out)
    assert set(found) == {"lines", "total", "notes"}
    assert {line["model"] for line in found["lines"] if not line["is_rule"]} == {"gpt-4o"}
    for column in ("requests", "prompt", "shared", "output", "most_output"):
        assert found["total"][column] == sum(
            line[column] for line in found["lines"] if not line["is_rule"]
        )
    assert found["total"]["dollars"] == pytest.approx(
        sum(line["dollars"] or 0 for line in found["lines"])
    )
    assert found["total"]["dollars"] < found["total"]["most_dollars"]


def test_models_tell_price_and_whether_a_key_is_set_but_never_the_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    for model in load_catalogue(None).values():
        if model.key_env and model.key_env != "OPENAI_API_KEY":
            monkeypatch.delenv(model.key_env, raising=False)
    shown = ran(capsys, "models")
    assert "OPENAI_API_KEY set" in shown
    assert "ANTHROPIC_API_KEY NOT SET" in shown
    assert "sk-very-secret" not in shown
