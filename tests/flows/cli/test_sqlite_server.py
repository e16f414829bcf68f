"""Prefect's server on SQLite: two who read and then write at once are both served."""

from __future__ import annotations

import asyncio
from pathlib import Path

N_AT_ONCE = 6


def test_transactions_that_read_and_then_write_wait_for_each_other(tmp_path: Path) -> None:
    import sqlalchemy

    # a second, and every test worker imports this file
    from flows.cli.sqlite_server import WritersFromTheStart

    configuration = WritersFromTheStart(f"sqlite+aiosqlite:///{tmp_path / 'server.db'}")

    async def add_one() -> None:
        session = await configuration.session(await configuration.engine())
        async with session, configuration.begin_transaction(session):
            found = (await session.execute(sqlalchemy.text("select n from counted"))).scalar_one()
            await asyncio.sleep(0.02)  # so that all have read, were they let in
            await session.execute(sqlalchemy.text("update counted set n = :n"), {"n": found + 1})

    async def counted() -> int:
        session = await configuration.session(await configuration.engine())
        async with session, configuration.begin_transaction(session):
            await session.execute(sqlalchemy.text("create table counted as select 0 as n"))
        await asyncio.gather(*(add_one() for _ in range(N_AT_ONCE)))
        async with session:
            return int(
                (await session.execute(sqlalchemy.text("select n from counted"))).scalar_one()
            )

    assert asyncio.run(counted()) == N_AT_ONCE
