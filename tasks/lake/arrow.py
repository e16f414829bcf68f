"""Keep pyarrow lean: without pandas, and with memory that goes back.

pyarrow imports pandas to check whether a list is a pandas Series: 0.4 s and 40 MB. Its own
allocator keeps what was freed: after many parts, 90 MB where 6 MB had been in use. The system's
keeps freed memory in pieces, unless it is asked to return them.
"""

from __future__ import annotations

import os
import sys
from functools import cache

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # read when pyarrow is imported


class _NoPandas:
    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError("pyarrow does without pandas here")


@cache
def without_pandas() -> None:
    """Make pyarrow's only look for pandas fail; `to_pandas` still works."""
    import pyarrow.lib

    if "pandas" in sys.modules:  # pandas is already imported
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pyarrow.lib._pandas_api.have_pandas  # noqa: B018  the attribute access looks for pandas
    finally:
        sys.meta_path.remove(_NoPandas)


def give_back() -> None:
    """Return freed memory to the system: without this, each part leaves some pieces behind."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()
