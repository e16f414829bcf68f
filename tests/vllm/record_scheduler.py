"""Records what vLLM's scheduler makes of some small scenarios, for the tests that run without vLLM.

`.venv-vllm/bin/python -m tests.vllm.record_scheduler` in the checkout's root.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.bench.scheduler.scenarios import random_scenario, to_row
from tests.vllm.tiny_model import make_tiny_model
from tests.vllm.vllm_scheduler import run_in_vllm

RECORD = Path(__file__).parents[1] / "scheduler" / "recorded_in_vllm.jsonl"
N_ROWS = 16
MOST_CHARACTERS = 900  # a row; small scenarios show the same


def main() -> None:
    """Write the header and the rows: every small enough scenario, half with preemptions."""
    import vllm

    rows: dict[bool, list[str]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        model = make_tiny_model(Path(folder))
        for seed in range(10_000):
            scenario = random_scenario(seed)
            if (
                len(json.dumps([[a.step, a.spans, a.n_output] for a in scenario.arrivals]))
                > MOST_CHARACTERS
            ):
                continue
            outcome = run_in_vllm(scenario, model)
            row = json.dumps({"seed": seed, **to_row(scenario, outcome)}, separators=(",", ":"))
            kind = rows[outcome.n_preemptions > 0]
            if len(row) <= MOST_CHARACTERS and len(kind) < N_ROWS // 2:
                kind.append(row)
            if sum(map(len, rows.values())) == N_ROWS:
                break
    header = {
        "vllm": vllm.__version__,
        "recorded_with": ".venv-vllm/bin/python -m tests.vllm.record_scheduler",
        "rows": (
            "one scenario each (scenarios.from_row); steps and tokens as vLLM's Scheduler had them"
        ),
    }
    RECORD.write_text(
        "\n".join([json.dumps(header), *rows[True], *rows[False]]) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
