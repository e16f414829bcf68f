"""The prompts as an inspect_ai task: ask, and keep the answer; nothing is scored."""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.solver import generate


@task
def road(prompts: str) -> Task:
    """One sample a prompt."""
    fields = FieldSpec(id="id", input="prompt", target="target")
    return Task(dataset=json_dataset(prompts, fields), solver=generate())
