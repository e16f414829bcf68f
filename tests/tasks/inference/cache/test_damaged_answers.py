"""An answer that the disk has changed is never taken for the one that was bought."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tests.journals import answered, saying

KEYS = [f"key-{n}" for n in range(60)]


def test_no_flipped_bit_gives_another_answer(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    cache = opened()
    cache.store(*(answered(key, saying(f"Sales were $ {key}")) for key in KEYS)).result()
    cache.close()
    sound = journal_path.read_bytes()
    rng = random.Random(77)
    n_read = n_refused = 0
    for _ in range(500):
        place, bit = rng.randrange(len(sound)), rng.randrange(8)
        data = bytearray(sound)
        data[place] ^= 1 << bit
        journal_path.write_bytes(data)
        cache = opened()
        try:
            answers = cache.find(KEYS)
        except CacheError:
            n_refused += 1
        else:  # a key that is not found is asked again
            n_read += 1
            assert all(answers[key] == saying(f"Sales were $ {key}") for key in answers)
        cache.close()
    assert n_read > 25
    assert n_refused > 25
