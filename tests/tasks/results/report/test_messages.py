"""Sentences are chosen by number and filled in; each is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from tasks.results.report.contents import SECTIONS
from tasks.results.report.messages import messages, say, say_html

ROOM = Path(str(files("tasks.results.report")))


def test_one_is_told_apart_from_others() -> None:
    assert say("hero.cut_off_of", n=1, model="m") == "1 reply of m"
    assert say("hero.cut_off_of", n=1200, model="m") == "1,200 replies of m"


def test_values_are_escaped_in_html_and_hidden_characters_told() -> None:
    markup = say_html("leaderboard.metric", metric="<b>\u202e", meaning="")
    assert markup == "<strong>&lt;b&gt;⟨U+202E⟩</strong>."


def test_every_message_is_used() -> None:
    def names(table: Any, above: str) -> Iterator[str]:
        for name, value in table.items():
            if isinstance(value, dict) and not value.keys() <= {"one", "other"}:
                yield from names(value, f"{above}{name}.")
            else:
                yield above + name

    code = "".join(
        file.read_text(encoding="utf-8")
        for file in ROOM.rglob("*")
        if file.suffix in (".py", ".jinja")
    )
    every = messages().items()
    sentences = {name: value for name, value in every if name not in ("rejects", "of_judges")}
    for name in names(sentences, ""):
        section, last = name.rsplit(".", 1)
        is_named = f'"{name}"' in code or re.search(rf'"{section}\.\{{\w+\}}(_\w+)?"', code)
        is_heading = section in SECTIONS and last in ("name", "title")
        assert is_named or is_heading, name
