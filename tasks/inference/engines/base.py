"""The base class of engines that ask a model."""

from __future__ import annotations

from tasks.models.catalogue import Model


class EngineOfRow:
    """An engine for the model of one catalogue row; subclasses define `answer`."""

    def __init__(self, row: Model) -> None:
        self.row = row

    @property
    def model(self) -> str:
        """The model's name."""
        return self.row.name

    @property
    def identity(self) -> str:
        """Hash of what its answers depend on; see `Model.identity`."""
        return self.row.identity
