"""Token counts need no download, and counts of paragraphs add up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.text.tokens import count_tokens, encoding


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("hello world", 2), ("tiktoken is great!", 6)]
)
def test_counts_match_the_published_encoding(text: str, expected: int) -> None:
    assert count_tokens(text) == expected


def test_encodings_differ_and_an_unknown_one_is_an_error() -> None:
    text = "Verbindlichkeiten gegenüber Kreditinstituten"
    assert count_tokens(text, "o200k_base") < count_tokens(text, "cl100k_base")
    with pytest.raises(ValueError, match="no_such_base"):
        encoding("no_such_base")


def test_needs_no_network_and_no_cache(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*_): raise OSError('no network in this test')\n"
        "socket.socket.connect = refuse\n"
        "from tasks.text.tokens import count_tokens\n"
        "print(count_tokens('hello world'))\n"
    )
    environment = {
        k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "XDG_CACHE_HOME")
    }
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == "2", ran.stderr
    assert list(tmp_path.iterdir()) == []  # nor does it write one
