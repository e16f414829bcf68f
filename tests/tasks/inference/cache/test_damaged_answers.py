"""An answer that the disk has changed is never taken for the one that was bought."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tests.journals import RESPONSE, answered, saying

KEYS = [f"key-{n}" for n in range(60)]


def bought(kept: ResponseCache) -> None:
    kept.store(*(answered(key, saying(f"Sales were $ {key}")) for key in KEYS)).result()
    kept.close()


def spoilt(journal_path: Path) -> None:
    with sqlite3.connect(journal_path) as journal:
        journal.execute("update answers set text = 'Sales were $ key-8' where key = 'key-7'")
    journal.close()


def test_no_flipped_bit_gives_another_answer(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    bought(opened())
    sound = journal_path.read_bytes()
    rng = random.Random(77)
    n_found = n_told = 0
    for _ in range(1_000):
        place, bit = rng.randrange(len(sound)), rng.randrange(8)
        data = bytearray(sound)
        data[place] ^= 1 << bit
        journal_path.write_bytes(data)
        kept = opened()
        try:
            found = kept.find(KEYS)
        except CacheError:
            n_told += 1
        else:  # a key that is not found is asked again
            n_found += 1
            assert all(found[key] == saying(f"Sales were $ {key}") for key in found)
        kept.close()
    assert n_found > 50
    assert n_told > 50


def test_only_a_damaged_answer_is_taken_back(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    bought(opened())
    spoilt(journal_path)
    kept = opened()
    with pytest.raises(CacheError, match=r"its checksum differs.*\n.*tenkbench repair"):
        kept.find(KEYS)
    n_answers, damaged = kept.damaged()
    assert (n_answers, len(damaged)) == (len(KEYS), 1)
    kept.take_back(damaged)
    assert kept.find(KEYS).keys() == {*KEYS} - {"key-7"}
    kept.store(answered("key-7", RESPONSE)).result()
    assert kept.find(["key-7"]) == {"key-7": RESPONSE}
    assert kept.damaged() == (len(KEYS), [])
