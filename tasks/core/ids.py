"""Ids are derived, never drawn; randomness is seeded from what it is for.

So the same inputs give the same rows whatever the order, the partitioning or the
number of workers.
"""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import orjson


def sha256_hex(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
)


def canonical_json(value: Any) -> str:
    """JSON with one spelling per value: sorted keys, no blanks, no escapes.

    Raises:
        ValueError: a number that JSON has no word for (NaN, infinity).
    """
    return _CANONICAL.encode(value)


def stable_id(prefix: str, *parts: Any) -> str:
    """`prefix-` and 16 hexadecimal digits of a hash of the parts, in their order."""
    return f"{prefix}-{hashlib.sha256(_canonical_bytes(parts)).hexdigest()[:16]}"


def _canonical_bytes(parts: tuple[Any, ...]) -> bytes:
    """`canonical_json` in UTF-8; a long text (a prompt's head has 100 kB) in a tenth of the time."""
    if len(parts) == 1 and isinstance(parts[0], str):
        try:
            return orjson.dumps(parts)
        except TypeError:  # a lone surrogate, for which orjson has no bytes
            pass
    return canonical_json(parts).encode("utf-8", "surrogatepass")


def stable_rng(seed: int, *parts: Any) -> random.Random:
    """A generator whose stream depends on the seed and on what it is for, and on nothing else."""
    return random.Random(int(sha256_hex(canonical_json([seed, *parts]))[:16], 16))
