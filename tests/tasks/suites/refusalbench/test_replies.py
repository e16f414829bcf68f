"""What a real model that knows no codes replies is an answer, and no refusal."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tasks.suites.refusalbench.judge import read_reply

FILE = Path(__file__).parents[2] / "inference" / "replies.toml"
REPLIES = tomllib.loads(FILE.read_text(encoding="utf-8"))["replies"]


@pytest.mark.parametrize("reply", [each for each in REPLIES if each["operation"] == "answer"])
def test_a_text_without_a_code_is_an_answer(reply: dict[str, Any]) -> None:
    assert read_reply(reply["reply"]).kind == reply["reads"]
