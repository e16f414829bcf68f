"""What is asked of a server, and of nobody else."""

from __future__ import annotations

import pytest

from tasks.core.http_probe import NoAnswer, ask
from tests.servers.answering import answering


def test_a_redirection_is_not_followed_with_a_key() -> None:
    with answering({"/there": (200, b"{}")}) as other:
        with answering({"/here": (302, f"{other.url}/there".encode())}) as running:
            reply = ask(f"{running.url}/here", headers={"Authorization": "Bearer hunter2"})
        assert reply.status == 302
        assert other.asked == []


def test_what_is_no_address_is_a_sentence_without_it() -> None:
    with pytest.raises(NoAnswer) as failed:
        ask("http://admin:hunter2@127.0.0.1/api")
    assert "hunter2" not in str(failed.value)
