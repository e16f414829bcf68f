"""The base class of engines that ask a model."""

from __future__ import annotations

from tasks.models.catalogue import Model


class EngineOfRow:
    """An engine for the model of one catalogue row; subclasses define `answer`."""

    def __init__(self, row: Model) -> None:
        self.row = row
        self.model = row.name
        self.identity: str = row.identity
