"""The rules that a run's weightless models answer by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.core.settings import RunSettings
from tasks.models.catalogue import find_model

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules


def rules_of(run: RunSettings, model_name: str) -> Rules:
    """Load the rules of a run's suite; none if a real model answers, which starts faster.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    if find_model(model_name, run.models_file).engine != "extractive":
        return {}
    from tasks.baseline import load_rules

    return load_rules(run.suite)
