"""The infer step refuses what does not fit a model, by our count, before it sends anything."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tasks.infer as infer_module
from tasks.core.rows import Case, Request
from tasks.infer import BuiltCases
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.models import catalogue
from tasks.models.catalogue import find_model
from tasks.models.windows import CHAT_TOKENS, LEAST_ANSWER, DoesNotFit
from tasks.pipeline.plan import plan_prefixes, stale_commits
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import PlannedStep
from tasks.suites.registry import load_suite
from tests.built import build_steps, infer_answers, infer_heads, ingest_files

LONG_QUERY = (
    "How many patents did the company hold" + ", counting those of its subsidiaries" * 200 + "?"
)


def published_row(number: int = 0) -> dict[str, Any]:
    """Return a pair as the authors publish it, with a query far longer than its context."""
    text = f"ACME FICTION CORP {number or ''}\n\nNet sales were $1.5 million in 1998.\n"
    return {
        "idx": number,
        "query": "What were net sales in 1998?",
        "answer": "$1.5 million.",
        "citations": text,
        "context": text,
        "ocr_context": text.replace("l", "1"),
        "tokens": 20,
        "citations_tokens": 20,
        "error_query": "What wer net salse in 1998?",
        "incomplete_query": "net sales 1998",
        "out-of-domain_query": "How much money did they take in?",
        "out-of-scope_query": LONG_QUERY,
    }


def built(tmp_path: Path, *rows: dict[str, Any]) -> RunSettings:
    """Build published pairs."""
    released = tmp_path / "released.jsonl"
    released.write_text(json.dumps(rows))
    run = RunSettings(lake=str(tmp_path / "lake"), dataset=str(released))
    ingest_files(run)
    build_steps(run)
    return run


@pytest.fixture
def run(tmp_path: Path) -> RunSettings:
    """One pair, built with its prompts' heads."""
    run = built(tmp_path, published_row())
    infer_heads(run)
    return run


def test_a_dev_release_asks_again_by_another_prompt(run: RunSettings) -> None:
    lake = Lake(run.lake)
    asked = []
    for each in (run, replace(run, options={"prompt": "coached"})):
        infer_heads(each)
        if asked:  # what the other prompt gave is no part of the release any more
            stale = [commit.step.name for commit in stale_commits(lake, run.release)]
            assert stale == ["failsafeqa.infer.extractive"]
        commit = infer_answers(each)
        asked.append(list(lake.each(commit, Request)))
    assert [{request.operation for request in requests} for requests in asked] == [
        {"answer_neutral"},
        {"answer_coached"},
    ]
    first, second = ({request.request_id for request in requests} for requests in asked)
    assert len(first) == len(second) > 0
    assert not first & second


def test_a_frozen_release_asks_all_models_alike(run: RunSettings) -> None:
    frozen = replace(run, release="2026.11")
    ingest_files(frozen)
    build_steps(frozen)
    infer_heads(frozen)
    with pytest.raises(ReleaseConflict, match="prompt: neutral -> coached"):
        infer_heads(replace(frozen, options={"prompt": "coached"}))


def test_the_longest_prompt_is_counted_query_and_all(
    run: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(run.lake)
    commit = infer_answers(run)
    longest = max(request.n_prompt_tokens for request in lake.each(commit, Request))
    assert longest > 1_000
    needed = longest + LEAST_ANSWER + CHAT_TOKENS
    extractive = find_model("extractive")
    for window, fits in ((needed - 1, False), (needed, True)):
        monkeypatch.setitem(catalogue._packaged(), "extractive", replace(extractive, window=window))
        if fits:
            infer_answers(replace(run, force=True))
        else:
            with pytest.raises(DoesNotFit, match=r"the longest prompt, of case-\w+, takes"):
                infer_answers(replace(run, force=True))


def test_contexts_that_start_alike_are_asked_about_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infer_module, "SHARD_TOKENS", 1)
    options = {"lengths": (4_000,), "records": (2,), "queries": 2, "placements": ("append",)}
    run = RunSettings(lake=str(tmp_path / "lake"), suite="longcontext", options=options)
    ingest_files(run)
    build_steps(run)
    infer_heads(run)
    commit = infer_answers(run)
    lake = Lake(run.lake)
    requests = [r for r in lake.each(commit, Request) if r.operation == "answer_append"]
    asked = {
        case.case_id: (case.query, json.loads(case.details)["head_chars"])
        for built in lake.commits()
        for case in lake.each(built, Case)
        if case.variant == "append"
    }
    siblings: dict[tuple[str, int], list[Request]] = {}
    for request in requests:
        siblings.setdefault(asked[request.case_id or ""], []).append(request)
    assert len(siblings) == 4 * 2
    for one, other in siblings.values():  # a haystack and its twin without needles
        assert one.prefix_id == other.prefix_id
        assert one.shard == other.shard
        # side by side, but for others that share no more than an empty head with everybody
        seqs = sorted(
            r.seq for r in requests if (r.prefix_id, r.shard) == (one.prefix_id, one.shard)
        )
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    # one shard for each background, whatever its tokens; single articles have shards of their own
    assert len({request.shard for request in requests}) == 2


def cases_of(run: RunSettings) -> BuiltCases:
    resolved = resolve(run)
    return BuiltCases(resolved, plan_prefixes(resolved, "text"), "text")


def test_the_cases_of_a_pair_are_asked_side_by_side_whatever_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infer_module, "REQUEST_SHARD", 1)
    run = built(tmp_path, *map(published_row, range(3)))
    cases, variants = cases_of(run), load_suite(run.suite).variants
    shards = [cases.read(shard)[0] for shard in range(len(cases.sizes))]
    assert [len({case.qa_pair_id for case in shard}) for shard in shards] == [1, 1, 1]
    for shard in shards:  # with the scan, and without a context
        assert sorted(case.variant for case in shard) == sorted(variants)
        # one prefix after the other, and each in the order of reports
        places = [(case.context_id or "", variants.index(case.variant)) for case in shard]
        assert places == sorted(places)


def test_cases_of_an_earlier_build_are_asked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = built(tmp_path, *map(published_row, range(3)))
    monkeypatch.setattr(infer_module, "REQUEST_SHARD", 1)

    def asked() -> list[list[str]]:
        cases = cases_of(run)
        shards = (cases.read(shard)[0] for shard in range(len(cases.sizes)))
        return sorted(sorted(case.case_id for case in shard) for shard in shards)

    wanted = asked()
    assert [len(shard) for shard in wanted] == 3 * [len(load_suite(run.suite).variants)]
    columns = PlannedStep.columns
    monkeypatch.setattr(
        PlannedStep,
        "columns",
        lambda self, table, *names, **only: (
            iter(()) if table == "qa_pairs" else columns(self, table, *names, **only)
        ),
    )
    assert asked() == wanted  # a pair's cases stay together, and apart from other pairs'
