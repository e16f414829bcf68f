"""The chat server does what the tests that lean on it take for granted."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.servers.serving import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(log=tmp_path_factory.mktemp("chat") / "log.jsonl", models=("a", "b")) as running:
        yield running


@pytest.fixture(autouse=True)
def without_faults(server: Server) -> None:
    server.set_faults([])


def chat(server: Server, prompt: str, timeout: float = 120, **fields: Any) -> dict[str, Any]:
    body = {"model": "a", "messages": [{"role": "user", "content": prompt}], **fields}
    request = urllib.request.Request(
        server.url + "/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer not-a-key"},
    )
    with urllib.request.urlopen(request, timeout=timeout) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def refusal(server: Server, prompt: str) -> tuple[int, dict[str, Any], Mapping[str, str]]:
    with pytest.raises(urllib.error.HTTPError) as caught:
        chat(server, prompt)
    with caught.value as error:
        return error.code, json.load(error)["error"], dict(error.headers)


def test_cached_tokens_are_the_longest_beginning_answered_before(server: Server) -> None:
    document = "".join(f"sentence {number} of a document that is shared. " for number in range(400))
    first = chat(server, document + "What?")["usage"]
    second = chat(server, document + "Why?")["usage"]
    other_model = chat(server, document + "Why?", model="b")["usage"]
    shared = len(document) // 2048 * 2048 // 4
    cached = [
        usage["prompt_tokens_details"]["cached_tokens"] for usage in (first, second, other_model)
    ]
    assert cached == [0, shared, 0]
    assert first["prompt_tokens"] == -(-len(document + "What?") // 4)


# --- faults --------------------------------------------------------------------------------


def test_a_hanging_request_is_given_up_by_the_client_and_then_not_in_flight(server: Server) -> None:
    server.set_faults([{"kind": "hang"}])
    gone = server.stats()["gone"]
    with pytest.raises(TimeoutError):
        chat(server, "hang", timeout=0.2)
    until = time.monotonic() + 120
    while server.stats()["in_flight"] and time.monotonic() < until:
        time.sleep(0.01)
    assert (server.stats()["in_flight"], server.stats()["gone"]) == (0, gone + 1)


# --- who meets a fault ---------------------------------------------------------------------


def is_refused(server: Server, prompt: str) -> bool:
    try:
        chat(server, prompt)
    except urllib.error.HTTPError as error:
        error.close()
        return True
    return False


def test_first_and_after_count_the_requests_that_match(server: Server) -> None:
    server.set_faults([{"kind": "500", "match": "x", "after": 1, "first": 2}])
    assert [is_refused(server, f"x{number}") for number in range(5)] == [
        False,
        True,
        True,
        False,
        False,
    ]
    assert not is_refused(server, "another")


def test_times_counts_per_prompt(server: Server) -> None:
    server.set_faults([{"kind": "500", "times": 1}])
    assert [is_refused(server, prompt) for prompt in ("p", "q", "p", "q")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_first_rule_that_fits_is_met(server: Server) -> None:
    server.set_faults([{"kind": "429", "first": 1}, {"kind": "503"}])
    assert [refusal(server, "r")[0], refusal(server, "r")[0]] == [429, 503]


def test_a_share_is_drawn_from_the_prompt_and_its_attempt() -> None:
    def refused() -> list[int]:
        with serving(faults=[{"kind": "429", "share": 0.3}]) as fair:
            return [number for number in range(200) if is_refused(fair, f"prompt {number}")]

    first = refused()
    assert first == refused()
    assert 30 < len(first) < 90
