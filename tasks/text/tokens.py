"""Count tokens in tiktoken's encodings, without a download.

tiktoken downloads its tables at first use, but the litellm wheel carries them.
"""

from __future__ import annotations

import hashlib
from binascii import a2b_base64
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

DEFAULT_ENCODING = "cl100k_base"
_TABLES = "litellm/litellm_core_utils/tokenizers"


@cache
def encoding(name: str = DEFAULT_ENCODING) -> tiktoken.Encoding:
    """Return a tiktoken encoding by name, from the tables in the litellm wheel.

    Raises:
        ValueError: tiktoken does not know the name.
    """
    import tiktoken
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    openai_public.load_tiktoken_bpe = _read_table
    return tiktoken.get_encoding(name)


def _read_table(address: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Read a table like `tiktoken.load.load_tiktoken_bpe`, but without a loop in Python.

    The first call of a run waits for this. tiktoken names tables by the SHA-1 of their addresses.
    """
    from tiktoken.load import read_file_cached

    name = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    carried = Path(str(distribution("litellm").locate_file(f"{_TABLES}/{name}")))
    is_carried = carried.is_file()
    table = carried.read_bytes() if is_carried else read_file_cached(address, expected_hash)
    words = table.split()  # token, rank, token, rank, ...
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))


def count_tokens(text: str, encoding_name: str = DEFAULT_ENCODING) -> int:
    """Count the tokens of a text; names of special tokens count as plain text."""
    return len(encoding(encoding_name).encode_ordinary(text))


def token_starts(text: str, encoding_name: str = DEFAULT_ENCODING) -> list[int]:
    """Return where each token of a text starts, in characters.

    A token that starts inside a character has that character's place.
    """
    table = encoding(encoding_name)
    return table.decode_with_offsets(table.encode_ordinary(text))[1]
