"""The head of every engine whose answers come from a model: which model it is, and what its answers depend on."""

from __future__ import annotations

from tasks.models.catalogue import Model


class EngineOfRow:
    """An engine that asks the model of one row of the catalogue; what it does with calls is for `answer`.

    Args:
        row: the model's.
    """

    def __init__(self, row: Model) -> None:
        self.row = row

    @property
    def model(self) -> str:
        """The model's name."""
        return self.row.name

    @property
    def identity(self) -> str:
        """What its answers depend on, see `Model.identity`."""
        return self.row.identity
