"""Keep pyarrow from importing pandas.

`pa.array` imports pandas, if it is installed, to ask whether a list is a Series. Ours never is. Our
tests need pandas, so every environment made from the lock has it; the import costs 0.4 s and 40 MB.
"""

from __future__ import annotations

import sys
from functools import cache


class _NoPandas:
    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError("pyarrow does without pandas here")


@cache
def without_pandas() -> None:
    """Have pyarrow look for pandas once, and fail to find it; `to_pandas` still works."""
    import pyarrow.lib

    if "pandas" in sys.modules:  # the import costs nothing any more
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pyarrow.lib._pandas_api.have_pandas  # noqa: B018  this is the look
    finally:
        sys.meta_path.remove(_NoPandas)
