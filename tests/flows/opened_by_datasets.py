"""A published folder as its readers open it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# In its own process, as a reader runs it: without a network, and without our code.
_LOAD = """
import json, sys, datasets
folder, cache = sys.argv[1:]
found = {}
for config in datasets.get_dataset_config_names(folder):
    splits = datasets.load_dataset(folder, config, cache_dir=cache)
    found[config] = {split: [dict(row) for row in splits[split]] for split in splits}
print(json.dumps(found, default=str))
"""


def opened_by_datasets(folder: Path, cache: Path) -> dict[str, Any]:
    """Open a data set by `datasets` offline: configuration -> split -> rows."""
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(folder), str(cache)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(cache)},
        cwd=cache,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
