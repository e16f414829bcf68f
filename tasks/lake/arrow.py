"""pyarrow without pandas: it imports pandas, where that is installed, to see whether a list is a Series.

None of our rows ever is. The import costs 0.4 s and some 40 MB, in the middle of a run that is answering calls.
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
    """Have pyarrow look for pandas now, once, and not find it; `to_pandas` still works for whoever calls it."""
    import pyarrow.lib

    if "pandas" in sys.modules:  # it costs nothing any more
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pyarrow.lib._pandas_api.have_pandas  # noqa: B018  this is the look
    finally:
        sys.meta_path.remove(_NoPandas)
