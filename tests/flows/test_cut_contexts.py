"""A model with too small a window: refused before anything is sent, or shown less of a context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import pytest

from flows.infer import infer
from flows.judge import judge
from tasks.core.rows import Case, Context, Prefix, Request, Response
from tasks.lake.lake import Lake
from tasks.models.windows import CHAT_TOKENS, LEAST_ANSWER, UNCOUNTED
from tasks.pipeline.plan import check_settings
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tests.built import build_steps, ingest_files
from tests.flows.rows import rows_of
from tests.servers.serving import Server, serving
from tests.without_prefect import flows_as_functions

ROOM = 700  # tokens of a prompt that the small window holds
WINDOW = ceil(round(ROOM * (1 + UNCOUNTED), 6)) + LEAST_ANSWER + CHAT_TOKENS


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(reply_rule="tests.servers.token_counter:reply") as running:
        yield running


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory, server: Server) -> dict[str, Any]:
    """TableQuest on the packaged samples, by rules, and two models, one with a small window."""
    folder = tmp_path_factory.mktemp("cut")
    (folder / "models.toml").write_text(models(server, WINDOW))
    found = {
        "suite": "tablequest",
        "lake": str(folder / "lake"),
        "workers": 1,
        "models_file": str(folder / "models.toml"),
        "model": ("wide", "narrow"),
        "baseline": "wide",
        "judge": ("reference",),
    }
    ingest_files(settings_of(**found))
    build_steps(settings_of(**found))
    return found


def models(server: Server, window: int) -> str:
    row = f'engine = "openai"\ndescription = ""\nbase_url = "{server.url}"\n'
    return f"[models.wide]\n{row}[models.narrow]\n{row}window = {window}\n"


@pytest.fixture(autouse=True)
def plain_functions() -> Iterator[None]:
    with flows_as_functions():
        yield


@pytest.fixture(scope="module")
def cut(given: dict[str, Any], server: Server) -> RunSettings:
    """The run after all models have answered, contexts cut where they had to be."""
    run = settings_of(**given, cut_contexts=True)
    with flows_as_functions():
        check_settings(run)
        infer(run)
    return run


def asked(run: RunSettings, model: str) -> dict[str, Request]:
    """A model's requests by case."""
    requests = [row for row in rows_of(run, Request) if row.model == model and row.case_id]
    return {str(row.case_id): row for row in requests}


def prompt_of(run: RunSettings, request: Request) -> str:
    prefixes = {row.prefix_id: row for row in rows_of(run, Prefix)}
    return prefixes[request.prefix_id].text + request.suffix


def shown(run: RunSettings, request: Request) -> str:
    (field,) = (each for each in request.fields if each.name == "context")
    return prompt_of(run, request)[field.start_char : field.end_char]


def prompt_lengths(given: dict[str, Any]) -> dict[Case, int]:
    """The tokens of each case's prompt, rendered here."""
    from tasks.inference.operation import Question, render
    from tasks.suites.tablequest.answer import OPERATION

    run = settings_of(**given)
    texts = {row.context_id: row.text for row in rows_of(run, Context)}
    cases = rows_of(run, Case)
    questions = [
        Question(case.case_id, OPERATION.inputs.of(case, texts[case.context_id])) for case in cases
    ]
    calls = render(OPERATION, "any", questions)
    return {case: call.request.n_prompt_tokens for case, call in zip(cases, calls, strict=True)}


def test_the_server_is_sent_prompts_that_fit_and_rows_say_what_was_cut(
    cut: RunSettings, given: dict[str, Any]
) -> None:
    narrow, wide = asked(cut, "narrow"), asked(cut, "wide")
    replies = {row.request_id: row for row in rows_of(cut, Response)}
    texts = {row.context_id: row.text for row in rows_of(cut, Context)}
    lengths = prompt_lengths(given)
    assert len(lengths) == len(narrow) == len(wide)
    n_cut = 0
    for case, n_tokens in lengths.items():
        request, text = narrow[case.case_id], texts[case.context_id or ""]
        counted = json.loads(replies[request.request_id].text or "")["answer"]
        assert int(counted) <= request.n_prompt_tokens <= ROOM
        if n_tokens <= ROOM:
            assert request.n_cut_tokens is None
            assert shown(cut, request) == text
        else:
            n_cut += 1
            assert request.n_prompt_tokens >= ROOM - 2
            assert abs(n_tokens - ROOM - (request.n_cut_tokens or 0)) < 8
            assert text.startswith(shown(cut, request))
        assert wide[case.case_id].n_cut_tokens is None
        assert shown(cut, wide[case.case_id]) == text
    assert 0 < n_cut < len(narrow)


def test_questions_on_a_cut_context_share_a_prefix_that_the_lake_holds(cut: RunSettings) -> None:
    context_of = {case.case_id: case.context_id for case in rows_of(cut, Case)}
    requests = asked(cut, "narrow")
    by_context: dict[str | None, set[str]] = {}
    for case_id, request in requests.items():
        by_context.setdefault(context_of[case_id], set()).add(request.prefix_id)
    assert all(len(prefixes) == 1 for prefixes in by_context.values())
    assert len(by_context) < len(requests)
    with opened_warehouse(Lake(cut.lake), "dev") as connection:
        for check in ("parents_exist", "a_prefix_has_one_text"):
            assert connection.execute(f"from checks.{check}").fetchall() == [], check
        found = connection.execute("from tablequest.cut_contexts").fetchall()
    n_cut = [row.n_cut_tokens for row in requests.values() if row.n_cut_tokens]
    (_, name, n, n_of_a_part, *_, most, total), (_, other, _, none, *_) = found
    assert (name, n, n_of_a_part, most, total) == (
        "narrow",
        len(requests),
        len(n_cut),
        max(n_cut),
        sum(n_cut),
    )
    assert (other, none) == ("wide", 0)


def test_judges_read_the_whole_context(cut: RunSettings) -> None:
    run = replace(cut, judge=("pairwise=wide",), model=("narrow", "wide"))
    judge(run)
    texts = {row.context_id: row.text for row in rows_of(run, Context)}
    context_of = {case.case_id: texts[case.context_id or ""] for case in rows_of(run, Case)}
    judged = [
        row
        for row in rows_of(run, Request)
        if row.operation == "judge_pairwise" and row.repairs is None
    ]
    assert len(judged) == 2 * len(context_of)
    prefixes = {row.prefix_id: row.text for row in rows_of(run, Prefix)}
    for row in judged:
        assert context_of[str(row.case_id)] in prefixes[row.prefix_id] + row.suffix
