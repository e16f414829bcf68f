"""The models that can be named on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.errors import WrongUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model and the engine that runs it."""

    name: str
    engine: str
    description: str


MODELS: dict[str, Model] = {
    "extractive": Model(
        name="extractive",
        engine="extractive",
        description="weightless baseline: rules over sentences and table cells; not a language model",
    ),
}


class UnknownModel(WrongUsage):
    """A model that no catalogue names."""


def find_model(name: str) -> Model:
    """The catalogue's entry for a name.

    Raises:
        UnknownModel: there is none; the message lists what there is.
    """
    if name not in MODELS:
        raise UnknownModel(f"no model is named {name!r}; `tenkbench models` lists them: {', '.join(MODELS)}")
    return MODELS[name]
