"""The command `prefect`, whose server on SQLite has whoever may write wait for another writer.

Prefect begins most transactions as readers. In SQLite one that has read, and then wants to write, cannot wait once
another has written meanwhile: it fails at once, whatever the time limit, and the UI's form shows `503`.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from prefect.cli import app
from prefect.server.database.configurations import AioSqliteConfiguration
from prefect.server.database.dependencies import MODELS_DEPENDENCIES
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction


class WritersFromTheStart(AioSqliteConfiguration):
    """Prefect's database in SQLite, in which each transaction that may write is a writer from its beginning."""

    def begin_transaction(
        self, session: AsyncSession, with_for_update: bool = False
    ) -> AbstractAsyncContextManager[AsyncSessionTransaction]:
        """Begin once no other writes, for which SQLite waits up to a minute."""
        return super().begin_transaction(session, with_for_update=True)


if __name__ == "__main__":
    MODELS_DEPENDENCIES["database_config"] = WritersFromTheStart(
        PREFECT_API_DATABASE_CONNECTION_URL.value()
    )
    app()
