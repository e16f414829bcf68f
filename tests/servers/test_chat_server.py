"""The chat server does what the tests that lean on it take for granted."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
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


def text(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def refusal(server: Server, prompt: str) -> tuple[int, dict[str, Any], Mapping[str, str]]:
    with pytest.raises(urllib.error.HTTPError) as caught:
        chat(server, prompt)
    with caught.value as error:
        return error.code, json.load(error)["error"], dict(error.headers)


def test_the_same_prompt_gets_the_same_reply_and_another_prompt_another(server: Server) -> None:
    assert text(chat(server, "one")) == text(chat(server, "one")) != text(chat(server, "two"))


def test_models_are_those_it_was_started_with(server: Server) -> None:
    with urllib.request.urlopen(server.url + "/models", timeout=120) as reply:
        assert [model["id"] for model in json.load(reply)["data"]] == ["a", "b"]


def test_a_reply_is_cut_at_the_most_new_tokens(server: Server) -> None:
    answer = chat(server, "cut me", max_tokens=1)
    assert text(answer) == "The "
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] == 1


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


def test_a_short_beginning_counts_in_blocks_of_sixteen_tokens(server: Server) -> None:
    chat(server, "b" * 64 + "c" * 64)
    usage = chat(server, "b" * 64 + "d" * 64)["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] == 16


def test_the_log_tells_what_was_received_and_answered(server: Server) -> None:
    before = len(server.log())
    chat(server, "logged", max_tokens=5)
    received, answered = server.log()[before:]
    assert (received["event"], answered["event"]) == ("received", "answered")
    assert received["prompt"] == answered["prompt"]
    assert received["max_tokens"] == 5
    assert answered["status"] == 200
    assert received["at"] <= answered["at"]


def test_the_last_request_can_be_looked_at_and_its_key_not(server: Server) -> None:
    chat(server, "look", temperature=0.5)
    last = server.last()
    assert last["body"]["temperature"] == 0.5
    assert last["has_key"] is True
    assert "not-a-key" not in json.dumps(last)


# --- faults --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "status", "code"),
    [
        ({"kind": "429"}, 429, "rate_limit_exceeded"),
        ({"kind": "500"}, 500, None),
        ({"kind": "503"}, 503, None),
        ({"kind": "overflow"}, 400, "context_length_exceeded"),
        ({"kind": "content_filter"}, 400, "content_filter"),
        ({"kind": "expired_key"}, 401, "invalid_api_key"),
        ({"kind": "bad_request"}, 400, "unknown_parameter"),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else None,
)
def test_a_refusal_has_its_status_and_code(
    server: Server, rule: dict[str, Any], status: int, code: str | None
) -> None:
    server.set_faults([rule])
    got, error, headers = refusal(server, "refuse me")
    assert (got, error["code"]) == (status, code)
    assert "Retry-After" not in headers


def test_an_expired_key_is_echoed_as_careless_servers_do(server: Server) -> None:
    server.set_faults([{"kind": "expired_key"}])
    assert "not-a-key" in refusal(server, "key")[1]["message"]


def test_retry_after_is_sent_as_given(server: Server) -> None:
    server.set_faults([{"kind": "429", "retry_after": 3}])
    assert refusal(server, "wait")[2]["Retry-After"] == "3"


@pytest.mark.parametrize(
    ("rule", "reply", "finish_reason"),
    [
        ({"kind": "empty"}, "", "stop"),
        ({"kind": "length"}, None, "length"),
        ({"kind": "content_filter", "form": "finish_reason"}, None, "content_filter"),
        ({"kind": "reply", "text": "no number here"}, "no number here", "stop"),
    ],
)
def test_a_bad_answer_is_a_good_reply_otherwise(
    server: Server, rule: dict[str, Any], reply: str | None, finish_reason: str
) -> None:
    good = text(chat(server, "bad answer"))
    server.set_faults([rule])
    answer = chat(server, "bad answer")
    assert text(answer) == (good if reply is None else reply)
    assert answer["choices"][0]["finish_reason"] == finish_reason


def test_what_is_not_json_cannot_be_read(server: Server) -> None:
    server.set_faults([{"kind": "not_json"}])
    with pytest.raises(json.JSONDecodeError):
        chat(server, "no json")


def test_a_cut_reply_promises_more_than_it_sends(server: Server) -> None:
    server.set_faults([{"kind": "cut"}])
    with pytest.raises(http.client.IncompleteRead):
        chat(server, "cut in half")


def test_a_reset_says_nothing(server: Server) -> None:
    server.set_faults([{"kind": "reset"}])
    with pytest.raises(ConnectionResetError):
        chat(server, "reset")
    assert server.stats()["by_fault"]["reset"] >= 1


def test_a_hanging_request_is_given_up_by_the_client_and_then_not_in_flight(server: Server) -> None:
    server.set_faults([{"kind": "hang"}])
    gone = server.stats()["gone"]
    with pytest.raises(TimeoutError):
        chat(server, "hang", timeout=0.2)
    until = time.monotonic() + 120
    while server.stats()["in_flight"] and time.monotonic() < until:
        time.sleep(0.01)
    assert (server.stats()["in_flight"], server.stats()["gone"]) == (0, gone + 1)


def test_a_server_that_dies_returns_on_its_port_and_logs_on(tmp_path: Path) -> None:
    with serving(log=tmp_path / "log.jsonl", faults=[{"kind": "die", "match": "poison"}]) as mortal:
        port = mortal.port
        chat(mortal, "before")
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            chat(mortal, "poison")
        assert mortal.process.wait(120) == 1
        mortal.start()
        chat(mortal, "after")
        assert mortal.port == port
        assert [event["event"] for event in mortal.log()] == (
            ["received", "answered", "received", "received", "answered"]
        )


def test_a_slow_answer_takes_its_factor_of_the_delay() -> None:
    with serving(delay_ms=20) as slow:
        slow.set_faults([{"kind": "slow", "factor": 10}])
        start = time.monotonic()
        chat(slow, "slow")
        assert time.monotonic() - start >= 0.2


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


def test_a_reply_can_be_given_or_made_by_a_function_of_ones_own() -> None:
    with serving(reply="42") as given:
        assert text(chat(given, "any")) == "42"
    with serving(reply_rule="string:capwords") as made:
        assert text(chat(made, "net sales rose")) == "Net Sales Rose"
    with serving(reply_rule="operator:concat") as made:
        assert text(chat(made, "said to ", model="b")) == "said to b"


def test_a_rule_with_an_unknown_word_is_refused(server: Server) -> None:
    for rule in ({"kind": "explode"}, {"kind": "429", "shares": 0.1}):
        with pytest.raises(urllib.error.HTTPError) as caught:
            server.set_faults([rule])
        caught.value.close()


def test_many_at_once_are_counted_while_they_wait() -> None:
    async def ask_all(url: str) -> Counter[int]:
        async with aiohttp.ClientSession() as session:

            async def ask(number: int) -> int:
                body = {"model": "a", "messages": [{"role": "user", "content": f"prompt {number}"}]}
                async with session.post(url + "/chat/completions", json=body) as reply:
                    await reply.read()
                    return reply.status

            return Counter(await asyncio.gather(*(ask(number) for number in range(40))))

    with serving(delay_ms=300) as busy:
        assert asyncio.run(ask_all(busy.url)) == {200: 40}
        stats = busy.stats()
    assert (stats["received"], stats["answered"], stats["in_flight"]) == (40, 40, 0)
    assert stats["max_in_flight"] > 20
