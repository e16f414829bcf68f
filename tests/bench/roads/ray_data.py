"""Ray Data's HTTP processor over the prompts, with its row checkpoints on.

`python tests/bench/roads/ray_data.py PROMPTS URL FOLDER BATCH_SIZE ACTORS [PER_ACTOR]`: a batch's
requests are sent one after another, so what goes on at once is batches: four an actor, unless the
undocumented RAY_DATA_DEFAULT_ASYNC_BATCH_UDF_MAX_CONCURRENCY says more.
Actors take a hundredth of a core each, because they wait; the pool has all from the start.
"""

from __future__ import annotations

import os
import sys
from typing import Any

if len(sys.argv) > 6:
    os.environ["RAY_DATA_DEFAULT_ASYNC_BATCH_UDF_MAX_CONCURRENCY"] = sys.argv[6]
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from ray.data.checkpoint import CheckpointConfig
from ray.data.llm import HttpRequestProcessorConfig, build_processor


def main(prompts: str, url: str, folder: str, batch_size: int, actors: int) -> None:
    """Answer every prompt, and write the answers as Parquet."""
    ray.init(log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.checkpoint_config = CheckpointConfig(
        id_column="id", checkpoint_path=f"{folder}/checkpoint"
    )
    config = HttpRequestProcessorConfig(
        url=f"{url}/chat/completions",
        batch_size=batch_size,
        concurrency=(actors, actors),
        max_retries=3,
        http_request_stage={"num_cpus": 0.01},
    )

    def payload(row: dict[str, Any]) -> dict[str, Any]:
        messages = [{"role": "user", "content": row["prompt"]}]
        body = {"model": "local", "messages": messages, "temperature": 0.0, "max_tokens": 2048}
        return {"id": row["id"], "payload": body}

    def answer(row: dict[str, Any]) -> dict[str, Any]:
        return {"id": row["id"], "answer": row["http_response"]["choices"][0]["message"]["content"]}

    processor = build_processor(config, preprocess=payload, postprocess=answer)
    read = ray.data.read_json(prompts, override_num_blocks=4 * actors)
    processor(read).write_parquet(f"{folder}/answers")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
