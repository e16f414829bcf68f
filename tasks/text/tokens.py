"""Count tokens in tiktoken's encodings, without a download.

tiktoken downloads its tables at first use, but the litellm wheel contains them. We copy them into
our own cache folder, since tiktoken deletes files with an unexpected hash.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from binascii import a2b_base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.lake.cache_folder import cache_folder

if TYPE_CHECKING:
    import tiktoken

DEFAULT_ENCODING = "cl100k_base"


@cache
def encoding(name: str = DEFAULT_ENCODING) -> tiktoken.Encoding:
    """Return a tiktoken encoding by name, from the tables in the litellm wheel.

    Raises:
        ValueError: tiktoken does not know the name.
    """
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(_own_tables())
    import tiktoken
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    openai_public.load_tiktoken_bpe = _read_table
    return tiktoken.get_encoding(name)


def _read_table(file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Read a table like `tiktoken.load.load_tiktoken_bpe`, but without a loop in Python.

    The first call of a run waits for this.
    """
    from tiktoken.load import read_file_cached

    words = read_file_cached(file, expected_hash).split()  # token, rank, token, rank, ...
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))


def _own_tables() -> Path:
    home = cache_folder() / "tiktoken"
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return home
    carried = Path(spec.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers"
    home.mkdir(parents=True, exist_ok=True)
    for table in carried.iterdir():
        target = home / table.name
        is_table = len(table.name) == 40 and not table.suffix  # tiktoken names tables by SHA-1
        if is_table and (not target.exists() or target.stat().st_size != table.stat().st_size):
            with (
                tempfile.NamedTemporaryFile(dir=home, delete=False) as copy,
                table.open("rb") as source,
            ):
                shutil.copyfileobj(source, copy)
            os.replace(copy.name, target)
    return home


def count_tokens(text: str, encoding_name: str = DEFAULT_ENCODING) -> int:
    """Count the tokens of a text; names of special tokens count as plain text."""
    return len(encoding(encoding_name).encode_ordinary(text))
