"""The stop signal, and whether anybody has calls in flight."""

from __future__ import annotations

import pytest

from tasks.core.cancellation import (
    is_sending,
    request_stop,
    sending,
    stop_requested,
    withdraw_stop,
)


def test_is_sending_until_the_last_sender_has_finished() -> None:
    assert not is_sending()
    with sending():
        with sending():
            assert is_sending()
        assert is_sending()
    assert not is_sending()


def test_a_sender_that_fails_is_not_sending() -> None:
    with pytest.raises(ValueError, match="fails"), sending():
        raise ValueError("fails")
    assert not is_sending()


def test_a_stop_holds_until_it_is_withdrawn() -> None:
    assert not stop_requested()
    request_stop()
    try:
        assert stop_requested()
    finally:
        withdraw_stop()
    assert not stop_requested()
