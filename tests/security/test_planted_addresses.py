"""Passwords in addresses of servers and proxies appear in no error and no log."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from botocore.retries import standard

from tasks.core.errors import RunFailed
from tasks.filings.edgar import download
from tasks.filings.edgar.query import EdgarAccess
from tasks.lake.lease import FileLease
from tasks.lake.objects import open_objects, s3

PASSWORD = "hunter2"  # and more behind a sign that a password in an address should not have
NOBODY = "127.0.0.1:9"  # nothing listens there
USERINFOS = [
    f"user:{PASSWORD}pw",
    f"user:{PASSWORD}/pw",
    f"user:{PASSWORD} pw",
    f"user:{PASSWORD}@pw",
]


def told(failing: Callable[[], object]) -> str:
    """Return what people and logs see of a failure."""
    with pytest.raises(RunFailed) as failed:
        failing()
    return "".join(traceback.format_exception(failed.value))


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard.ExponentialBackoff, "delay_amount", lambda self, context: 0)
    monkeypatch.setattr(download, "_ATTEMPTS", 1)
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "anything")
    s3._made_client.cache_clear()


@pytest.mark.parametrize("userinfo", USERINFOS)
@pytest.mark.parametrize("scheme", ["http://", "https://", "", "socks5://"])
@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "HTTPS_PROXY"])
def test_lake_errors_show_no_password(
    variable: str, scheme: str, userinfo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, f"{scheme}{userinfo}@{NOBODY}")
    found = told(lambda: open_objects("s3://bucket/lake").read("a"))
    assert "cannot use the lake s3://bucket/lake" in found
    assert PASSWORD not in found


@pytest.mark.parametrize("userinfo", USERINFOS)
@pytest.mark.parametrize("scheme", ["http://", "", "socks5://"])
def test_edgar_errors_show_no_proxy_password(
    scheme: str, userinfo: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def fetch() -> None:
        lease = FileLease(tmp_path / "edgar.lock", "EDGAR")
        await lease.take()
        async with download.open_edgar("https://www.sec.gov", "Example a@b.c", lease) as edgar:
            await edgar.fetch("Archives/a")

    monkeypatch.setenv("HTTPS_PROXY", f"{scheme}{userinfo}@{NOBODY}")
    found = told(lambda: asyncio.run(fetch()))
    assert "EdgarFailed" in found
    assert PASSWORD not in found


def test_refuses_an_edgar_url_with_a_password_without_showing_it() -> None:
    address = f"https://user:{PASSWORD}@{NOBODY}"
    access = EdgarAccess(contact="Example a@b.c", url=address)
    assert PASSWORD not in told(access.checked_contact)
