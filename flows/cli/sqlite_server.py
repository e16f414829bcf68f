"""The command `prefect`, whose server on SQLite queues its writers.

Prefect begins most transactions as readers. In SQLite a reader that wants to write fails at once if
another transaction has written meanwhile, whatever the time limit. The UI's form then shows `503`.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from prefect.cli import app
from prefect.server.database.configurations import AioSqliteConfiguration
from prefect.server.database.dependencies import MODELS_DEPENDENCIES
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction


class WritersFromTheStart(AioSqliteConfiguration):
    """Prefect's SQLite database, with every transaction a writer from its start."""

    def begin_transaction(
        self, session: AsyncSession, with_for_update: bool = False
    ) -> AbstractAsyncContextManager[AsyncSessionTransaction]:
        """Begin when no other transaction writes; SQLite waits up to a minute."""
        return super().begin_transaction(session, with_for_update=True)


if __name__ == "__main__":
    MODELS_DEPENDENCIES["database_config"] = WritersFromTheStart(
        PREFECT_API_DATABASE_CONNECTION_URL.value()
    )
    app()
