"""Export for lm-eval: a task for each suite over Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import yaml

from tasks.lake.lake import Lake
from tasks.results.publish.answers import answers_of
from tasks.results.publish.task_files import Prompts, SuiteTask, check_empty, render_folder


class _Function(str):
    """A function of `tenkbench_tasks.py`."""


class _Dumper(yaml.SafeDumper):
    """Writes lm-eval's own tag for functions."""


_Dumper.add_representer(
    _Function,
    lambda dumper, name: dumper.represent_scalar("!function", f"tenkbench_tasks.{name}"),
)


def export_lm_eval(
    lake: Lake, release: str, folder: Path, suite: str | None = None
) -> list[SuiteTask]:
    """Write FOLDER/data, a YAML file for each task and the functions that they call.

    Args:
        suite: the only one to write.

    Raises:
        LakeError: no model has answered in the release, or the folder is not empty.
    """
    check_empty(folder)
    prompts = Prompts()
    for answers in answers_of(lake, release, suite):
        prompts.add(answers)
    tasks = prompts.write(folder / "data")
    names = ("README.md", "tenkbench_tasks.py")
    render_folder("lm_eval_tasks", folder, release, tasks, names, command=command_for(".", tasks))
    for task in tasks:
        text = yaml.dump(_settings(task), Dumper=_Dumper, sort_keys=False, allow_unicode=True)
        (folder / f"{task.name}.yaml").write_text(text, encoding="utf-8")
    return tasks


def command_for(folder: Path | str, tasks: Sequence[SuiteTask]) -> str:
    """Return the command that runs all tasks of a folder."""
    named = ",".join(f"tenkbench_{task.name}" for task in tasks)
    return (
        f"lm-eval run --model MODEL --include_path {quote(str(folder))} --tasks {named} "
        "--apply_chat_template"
    )


def _settings(task: SuiteTask) -> dict[str, object]:
    sampling = dict(task.sampling)
    n_tokens = sampling.pop("max_tokens")
    return {
        "task": f"tenkbench_{task.name}",
        "custom_dataset": _Function("cases"),
        "dataset_kwargs": {"suite": task.name},
        "test_split": "test",
        "output_type": "generate_until",
        "description": "{{system}}",
        "fewshot_delimiter": "\n\n",
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "target_delimiter": "",
        "num_fewshot": 0,
        # nothing stops an answer but its length: a blank line is no end
        "generation_kwargs": {
            "until": [],
            "max_gen_toks": n_tokens,
            "do_sample": sampling["temperature"] > 0,
            **sampling,
        },
        "process_results": _Function("judged"),
        "metric_list": [
            {"metric": "right", "aggregation": _Function("share"), "higher_is_better": True},
            {"metric": "unscored", "aggregation": "mean", "higher_is_better": False},
        ],
        "metadata": {"version": 1.0},
    }
