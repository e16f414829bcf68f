"""A probe of three servers: a good one, a stubborn one, and a gateway that counts oddly."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from flows.cli.app import main
from tasks.core.errors import RunFailed
from tasks.inference.engines.dispatch import ROOM_TO_THINK
from tasks.models.catalogue import find_model
from tasks.results.probe import Probed, _obeys, probe
from tasks.text.tokens import count_tokens
from tests.calls import call_of
from tests.scripted import response_to
from tests.servers.serving import serving
from tests.servers.threaded import Answer, threaded


def completion(text: str, usage: object = None) -> str:
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": usage})


def prompt_of(body: Any) -> str:
    return str(body["messages"][-1]["content"])


def good(path: str, body: Any) -> Answer:
    """Lists its window, follows schemas and formats, and reports its cache."""
    if path == "/v1/models":
        return 200, {}, json.dumps({"data": [{"id": "mine", "max_model_len": 32_768}]})
    n_prompt = round(1.1 * count_tokens(prompt_of(body)))
    usage: dict[str, Any] = {"prompt_tokens": n_prompt, "completion_tokens": 12}
    usage |= {"prompt_tokens_details": {"cached_tokens": 0}}
    if "response_format" in body:
        return 200, {}, completion('{"side": "left"}', usage)
    return 200, {}, completion("The document does not say.\nRating: [[4]]", usage)


def stubborn(path: str, body: Any) -> Answer:
    """Lists no models, ignores schemas, rates nothing, and neither counts nor streams."""
    if body is None:
        return 404, {}, "not found"
    return 200, {}, completion("What a lovely question. It depends on how one looks at it.")


def gateway(path: str, body: Any) -> Answer:
    """Reads whole prompts and counts one token in each."""
    if body is None:
        return 200, {}, json.dumps({"data": "none"})
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    return 200, {}, completion("It does not say.\nRating: [[4]]", usage)


def thinking(path: str, body: Any) -> Answer:
    """Thinks until its limit of tokens is reached."""
    choice = {"message": {"content": "<think>Net sales"}, "finish_reason": "length"}
    return 200, {}, json.dumps({"choices": [choice]})


def short(path: str, body: Any) -> Answer:
    """Lists a window of 32,768 tokens, and has one of 4,096."""
    if path == "/v1/models":
        return good(path, body)
    message = "This model's maximum context length is 4096 tokens. However, you requested 9000."
    return 400, {}, json.dumps({"error": {"message": message}})


def probed(server: Any, tmp_path: Path) -> tuple[Probed, Any]:
    """What a probe of a server found, and the row that it printed, read from a models file."""
    with threaded(server) as url:
        result = probe(find_model(f"mine@{url}"), "failsafeqa")
    file = tmp_path / "models.toml"
    file.write_text(result.row, encoding="utf-8")
    find_model("mine", str(file))
    return result, tomllib.loads(result.row)["models"]["mine"]


def test_a_good_server_shows_all_that_it_can(tmp_path: Path) -> None:
    result, row = probed(good, tmp_path)
    assert (row["window"], row["has_schema"]) == (32_768, True)
    assert row["token_ratio"] == pytest.approx(1.1, abs=0.02)
    assert result.reports_cached
    answered, *judged = result.obedience
    assert (answered.asked, answered.readable) == (10, 10)
    assert sum(record.readable for record in judged) == sum(record.asked for record in judged) == 10


def test_a_stubborn_server_gets_no_credit_for_prose(tmp_path: Path) -> None:
    result, row = probed(stubborn, tmp_path)
    assert row.keys() == {"engine", "description", "base_url"}
    assert not result.reports_cached
    answered, *judged = result.obedience
    assert answered.readable == 10
    assert sum(record.readable for record in judged) == 0
    assert sum(record.asked for record in judged) == 10
    assert all(record.problem for record in judged)


def test_the_window_is_what_the_server_holds_to(tmp_path: Path) -> None:
    result, row = probed(short, tmp_path)
    assert row["window"] == 4096
    assert [record.asked for record in result.obedience] == [
        0
    ]  # a prompt that does not fit has no reply


def test_a_model_that_thinks_to_its_limit_gets_more_room(tmp_path: Path) -> None:
    result, row = probed(thinking, tmp_path)
    assert (row["thinks"], row["thinking_tokens"]) == (True, ROOM_TO_THINK)
    assert sum(record.readable for record in result.obedience) == 0


def command(server: Any) -> object:
    with threaded(server) as url, pytest.raises(SystemExit) as ended:
        main(["probe", f"mine@{url}"])
    return ended.value.code


def test_the_command_prints_the_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert not command(good)
    printed = capsys.readouterr().out
    assert "32,768 tokens" in printed
    assert tomllib.loads(printed[printed.index("[models.") :])["models"]["mine"]["window"]


@pytest.mark.parametrize(
    ("server", "out", "err"),
    [
        (lambda path, body: (401, {}, "{}"), "", "key_env"),
        (lambda path, body: (500, {}, ""), "", "HTTP 500"),
        (gateway, "", "counts_tokens = false"),
        (lambda path, body: (200, {}, completion("")), "window", "none of its replies could be"),
        (thinking, f"thinking_tokens = {ROOM_TO_THINK}", "none of its replies could be read"),
    ],
)
def test_the_command_fails_and_says_what_helps(
    server: Any,
    out: str,
    err: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tasks.results.probe._PATIENCE_S", 0.1)
    assert command(server) == 1
    printed = capsys.readouterr()
    assert out in printed.out if out else printed.out == ""
    assert err in printed.err
    assert not [word for word in ("tenkbench probe", "--fresh") if word in printed.err]


def test_a_model_without_an_endpoint_is_refused() -> None:
    with pytest.raises(RunFailed, match="no endpoint"):
        probe(find_model("extractive"), "failsafeqa")


def test_a_slow_server_is_measured_and_one_that_hangs_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(reply="one two three four. Rating: [[4]]") as server:
        server.set_faults([{"kind": "trickle", "pause_s": 0.1}])
        monkeypatch.setattr("tasks.results.probe._LONGEST_S", 20.0)
        result = probe(find_model(f"local@{server.url}"), "failsafeqa")
        assert result.answer_s > 20
        assert result.n_left_out > 0
        server.set_faults([{"kind": "hang"}])
        monkeypatch.setattr("tasks.results.probe._LONGEST_S", 1.0)
        with pytest.raises(SystemExit):
            main(["probe", f"local@{server.url}"])
    assert "too slow for a probe, or hangs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "end", "obeys"),
    [
        ('{"side": "left"}', "stop", True),
        ('{\n "side"' + "\n" * 60, "length", True),
        ("{" + " " * 60, "stop", False),
        ("", "length", False),
        ("The left side", "length", False),
    ],
)
def test_a_small_model_that_fills_a_schema_with_whitespace_obeys_it(
    text: str, end: str, obeys: bool
) -> None:
    reply = response_to(call_of("", " What?", find_model("extractive")), text, finish_reason=end)
    assert _obeys(reply) == obeys
