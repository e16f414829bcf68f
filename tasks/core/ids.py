"""Derived ids and seeded randomness.

The same inputs give the same rows, whatever the order, the partitioning or the number of workers.
"""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any


def sha256_hex(text: str) -> str:
    """Hash a text's UTF-8 bytes with SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
)


def canonical_json(value: Any) -> str:
    """Serialize to JSON with one spelling per value: sorted keys, no whitespace, no escapes."""
    return _CANONICAL.encode(value)


def stable_id(prefix: str, *parts: Any) -> str:
    """Return `prefix-` and 16 hexadecimal digits of a hash of the ordered parts."""
    return f"{prefix}-{sha256_hex(canonical_json(parts))[:16]}"


def stable_rng(seed: int, *parts: Any) -> random.Random:
    """Make a random generator that depends only on the seed and the parts."""
    return random.Random(int(sha256_hex(canonical_json([seed, *parts]))[:16], 16))
