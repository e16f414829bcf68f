"""Verifiers and generators of RefusalBench, counted; and checks that find each fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.refusalbench.rows import (
    BaseAnswer,
    BaseQuestion,
    PassageChange,
    Perturbation,
    VerifierVote,
)
from tests.refusals import GENERATORS, N_BASES, Refusals, panel
from tests.sql.breakings import change, drop, repeat
from tests.sql.conftest import Breaking, HandmadeLake, guilty_releases, numbered

Read = Callable[[str], list[tuple[Any, ...]]]
N_STRATA = 18
N_OF_GENERATOR = N_BASES * N_STRATA  # in a setting


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Three models write, and vote as scripted: one passes all, one half, one only its own."""
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    Refusals(lake, passes=panel)
    with lake.open() as opened:
        yield opened


@pytest.fixture
def read(connection: duckdb.DuckDBPyConnection) -> Read:
    return lambda query: connection.execute(query).fetchall()


def test_a_base_set_that_is_short_is_said_once_for_each_setting(
    connection: duckdb.DuckDBPyConnection, read: Read
) -> None:
    query = "select says, query from refusalbench.remarks where says like '% base set %'"
    (single, listing), (multi, _) = read(query)
    n = N_BASES
    assert len(read(listing)) == n
    assert single.startswith(f"The base set of one passage has {n} questions, not the 100 ")
    assert single.endswith(f"from {n} candidates, the panel was asked {n} and got {n} right.")
    assert multi.startswith("The base set of ten passages has")
    connection.execute(f"set variable base_questions = {n}")
    assert read(query) == []
    connection.execute("reset variable base_questions")


def test_pass_rates_are_those_of_the_script(read: Read) -> None:
    found = read(
        "select generator, verifier, n, pass_rate, matched_pass_rate from refusalbench.pass_rates "
        "where setting = 'multi'"
    )
    of = {"kind": (1, 1, 1), "strict": (0.5, 0.5, 0.5), "vain": (0, 0, 1)}
    expected = {
        (generator, verifier): (N_OF_GENERATOR, of[verifier][place], of[verifier][place])
        for place, generator in enumerate(GENERATORS)
        for verifier in GENERATORS
    }
    each = {row[:2]: row[2:] for row in found if "all" not in row[:2]}
    assert each == expected
    assert {row[:2]: row[2:] for row in found}["all", "all"] == (
        9 * N_OF_GENERATOR, pytest.approx((3 + 1.5 + 1) / 9), pytest.approx((3 + 1.5 + 1) / 9),
    )  # fmt: skip


def test_only_the_verifier_that_favours_itself_has_a_self_preference(read: Read) -> None:
    found = read(
        "select verifier, n, own, others, preference, low, high from refusalbench.self_evaluation"
    )
    n = 2 * N_BASES * N_STRATA
    # every filing says the same of `kind` and `vain`: there is no interval
    assert [row[:5] for row in found] == [
        ("kind", n, 1, 1, 0),
        ("strict", n, 0.5, 0.5, 0),
        ("vain", n, 1, 0, 1),
    ]


def test_verifiers_agree_as_scripted_with_each_other(read: Read) -> None:
    found = {
        row[:2]: row[2:]
        for row in read(
            "select verifier, other_verifier, n, agreement, kappa "
            "from refusalbench.verifier_agreement"
        )
    }
    n = 2 * 3 * N_OF_GENERATOR
    assert found["strict", "vain"] == (n, pytest.approx(0.5), pytest.approx(0))
    assert found["kind", "strict"] == (n, pytest.approx(0.5), None)  # `kind` passes all


def test_unanimity_keeps_what_all_pass_and_each_perturbation_is_counted_once(read: Read) -> None:
    rows = read(
        "select generator, n, n_failed, n_drawn, "
        "n_no_lever + n_unread + n_unverified + n_not_drawn, "
        "n_cases from refusalbench.strata"
    )
    assert len(rows) == 2 * N_STRATA * 3
    for generator, n, n_failed, n_drawn, n_others, n_cases in rows:
        assert (n, n_others) == (N_BASES, 0)
        assert n_drawn == n_cases == (N_BASES / 2 if generator == "vain" else 0)
        assert n_failed == n - n_drawn
    shares = read("select generator, n_passed, share_of_drawn from refusalbench.contributions")
    assert shares == 2 * [("kind", 0, 0), ("strict", 0, 0), ("vain", N_OF_GENERATOR / 2, 1)]


# --- a case's evidence -------------------------------------------------------------------


def test_a_case_leads_to_its_lever_votes_and_passages(read: Read) -> None:
    ((case_id, lever, code),) = read(
        "select case_id, traits['lever'], details ->> '$.expected' from raw.cases "
        "where variant = 'missing_info_high' and traits['setting'] = 'multi' "
        "order by case_id limit 1"
    )
    said: dict[str, list[str]] = {}
    for heading, text in read(
        f"select heading, said from suites.evidence where case_id = '{case_id}' order by all"
    ):
        said.setdefault(heading, []).append(text)
    assert said["Lever"][0].startswith(f"{lever} (missing info, high), applied by vain: ")
    assert [text.partition(",")[0] for text in said["Votes"]] == [
        "kind: PASS",
        "strict: PASS",
        "vain: PASS",
    ]
    ((wanted, passages),) = read(
        f"select wanted, passages from refusalbench.changes where case_id = '{case_id}'"
    )
    assert code in wanted
    assert [passage["name"] for passage in passages] == [
        "Passage 2, with the answer",
        "Passage 3, with the answer",
    ]
    assert all(p["changed"] == f"{p['original']} So we say." for p in passages)


# --- checks --------------------------------------------------------------------------------


def drawn(lake: HandmadeLake) -> dict[str, Case]:
    """Map the perturbations that are cases to these."""
    return {json.loads(case.details)["perturbation_id"]: case for case in lake.of(Case)}


def change_text(lake: HandmadeLake) -> None:
    shown = lake.of(Case)[0].context_id
    lake.change(lake.only(Context, context_id=shown), text="Another.")


def fail_a_case(lake: HandmadeLake) -> None:
    cases = drawn(lake)
    vote = next(each for each in lake.of(VerifierVote) if each.perturbation_id in cases)
    lake.change(vote, passes=False)


def change_case(made: Callable[[Case], dict[str, Any]]) -> Breaking:
    """Change the first case by its columns."""
    return lambda lake: lake.change(lake.of(Case)[0], **made(lake.of(Case)[0]))


def put_details(**changes: str) -> Breaking:
    return change_case(lambda case: {"details": json.dumps(json.loads(case.details) | changes)})


Changes = tuple[PassageChange, ...]


def change_passages(stratum: str, made: Callable[[Changes], Changes]) -> Breaking:
    """Change what the perturbation of a case of a class, intensity and setting changed."""

    def breaking(lake: HandmadeLake) -> None:
        cases = drawn(lake)
        name, intensity, setting = stratum.split()
        of = {"perturbation_class": name, "intensity": intensity, "setting": setting}
        row = next(row for row in lake.of(Perturbation, **of) if row.perturbation_id in cases)
        lake.change(row, changes=made(row.changes))

    return breaking


FAULTS: dict[str, list[Breaking]] = {
    "ids_are_unique": [repeat(VerifierVote, "refusalbench")],
    "parents_exist": [
        change(Perturbation, request_id="none"),
        change(VerifierVote, perturbation_id="none"),
        change(BaseAnswer, base_question_id="none"),
        drop(BaseQuestion),
        drop(QAPair),
    ],
    "base_questions_are_pairs_or_rejects": [
        drop(BaseQuestion),
        drop(QAPair),
        change(BaseAnswer, is_right=False),
    ],
    "perturbations_are_cases_or_rejects": [
        put_details(perturbation_id="gone"),
        lambda lake: lake.drop(lake.of(Reject)[0]),
        lambda lake: lake.drop(lake.of(Case)[0]),
        fail_a_case,
    ],
    "cases_show_their_perturbation": [
        change(Case, query="Another?"),
        change(Case, target="$5"),
        change_case(lambda case: {"is_answerable": not case.is_answerable}),
        put_details(expected="REFUSE_OTHER"),
        change_case(lambda case: {"traits": {**case.traits, "lever": "Another"}}),
        change_text,
        change_passages("contradiction high multi", lambda made: ()),
        change_passages(
            "contradiction high multi", lambda made: tuple(replace(each, index=1) for each in made)
        ),
        change_passages("missing_info low multi", lambda made: made[:1]),
        change_passages(
            "false_premise low single", lambda made: (PassageChange(index=0, text="Another."),)
        ),
        change_passages("epistemic_mismatch low single", lambda made: ()),
    ],
}
BROKEN = numbered(FAULTS)


@pytest.fixture(scope="module")
def guilty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The releases that each check finds; one is sound, each other has one fault."""
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    Refusals(lake, verifiers=("kind", "strict"), per_stratum=2, per_generator=50)
    return guilty_releases(lake, BROKEN, "refusalbench")


def test_a_sound_lake_passes_every_check(guilty: dict[str, set[str]]) -> None:
    assert [check for check, releases in guilty.items() if "sound" in releases] == []


@pytest.mark.parametrize("release", BROKEN)
def test_each_fault_is_found_by_its_check(guilty: dict[str, set[str]], release: str) -> None:
    assert release in guilty[f"refusalbench.{release.partition(' ')[0]}"]


def test_every_check_is_seen_to_fail(guilty: dict[str, set[str]]) -> None:
    assert {f"refusalbench.{check}" for check in FAULTS} == guilty.keys()
