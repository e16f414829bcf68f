"""A model with too small a window: refused before anything is sent, or shown less of a context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from flows.infer import infer
from flows.judge import judge
from tasks.core.rows import Case, Context, Prefix, Request, Response
from tasks.lake.lake import Lake
from tasks.models.gpu_memory import CHAT_TOKENS, LEAST_ANSWER, UNCOUNTED, DoesNotFit
from tasks.pipeline.plan import check_settings, plan_responses
from tasks.pipeline.resolved import resolve, settings_of
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import is_finished
from tasks.results.estimate.estimate import estimate
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


def test_by_default_the_longest_prompt_is_refused_before_any_model_is_asked(
    given: dict[str, Any], server: Server, tmp_path: Path
) -> None:
    before = server.stats()["received"]
    run = settings_of(**given)
    check_settings(run)  # before contexts are made nobody knows
    with pytest.raises(DoesNotFit, match=r"narrow has a window of 1,346 tokens") as refused:
        infer(run)
    assert server.stats()["received"] == before
    said = str(refused.value)
    assert "--cut-contexts" in said
    lengths = {each.case_id: n for each, n in prompt_lengths(given).items()}
    longest = max(lengths, key=lambda case_id: lengths[case_id])
    assert f"of {longest}," in said
    assert f"({lengths[longest]:,} + 512 + 64 for the chat template)" in said
    file = tmp_path / "models.toml"
    file.write_text(models(server, lengths[longest] + LEAST_ANSWER + CHAT_TOKENS))
    enough = replace(run, lake=f"{tmp_path}/lake", models_file=str(file), model=("narrow",))
    ingest_files(enough)
    build_steps(enough)
    infer(enough)
    assert all(row.n_cut_tokens is None for row in rows_of(enough, Request))


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


def test_cutting_asks_no_other_model_again_and_another_window_asks_this_one(
    cut: RunSettings, given: dict[str, Any], server: Server, tmp_path: Path
) -> None:
    def is_answered(run: RunSettings, model: str) -> bool:
        lake = Lake(run.lake)
        return is_finished(lake, plan_responses(lake, resolve(run), model), run)

    whole = settings_of(**given)
    assert is_answered(cut, "narrow")
    assert is_answered(whole, "wide")
    assert not is_answered(whole, "narrow")
    file = tmp_path / "models.toml"
    file.write_text(models(server, WINDOW + 1))
    assert not is_answered(replace(cut, models_file=str(file)), "narrow")
    before = server.stats()["received"]
    infer(cut)
    assert server.stats()["received"] == before


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


@pytest.mark.parametrize("cuts", [False, True])
def test_an_estimate_counts_what_would_be_sent_and_says_what_would_be_refused(
    given: dict[str, Any], cuts: bool, tmp_path: Path
) -> None:
    run = settings_of(**given, cut_contexts=cuts)
    found = estimate(replace(run, lake=str(tmp_path / "lake")))
    prompts = {line.model: line.prompt for line in found.lines if line.stage == "infer"}
    assert (prompts["narrow"] < prompts["wide"]) == cuts
    refused = [note for note in found.notes if "would be refused: narrow" in note]
    assert len(refused) == (not cuts)
    assert all("--cut-contexts" in note for note in refused)


def test_a_window_that_holds_no_prompt_at_all_is_refused_even_then(
    given: dict[str, Any], server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "models.toml"
    file.write_text(models(server, LEAST_ANSWER + CHAT_TOKENS + 100))
    run = settings_of(**{**given, "models_file": str(file)}, cut_contexts=True)
    before = server.stats()["received"]
    with pytest.raises(DoesNotFit, match="narrow has a window") as refused:
        infer(run)
    assert "--cut-contexts" not in str(refused.value)
    assert server.stats()["received"] == before
