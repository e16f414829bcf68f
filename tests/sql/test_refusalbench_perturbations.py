"""Verifiers and generators of RefusalBench, counted; and checks that find each fault."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
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
from tasks.warehouse.sql_files import sql_files
from tests.refusals import GENERATORS, N_BASES, Refusals, panel
from tests.sql.conftest import HandmadeLake

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
    query = "select says from refusalbench.remarks"
    (single,), (multi,) = read(query)
    n = N_BASES
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
        "select verifier, n, own, others, preference, low, high from refusalbench.self_evaluation "
        "where measure = 'share'"
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
    assert found["kind", "strict"] == (n, pytest.approx(0.5), pytest.approx(0))


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


def failed(lake: HandmadeLake, **options: Any) -> dict[str, set[str]]:
    """Map each release that fails a check to the checks that it fails."""
    names = [f.name for f in sql_files() if f.folder == "refusalbench" and f.is_check]
    asked = " ".join(f"from refusalbench.{name}" for name in names)
    found = defaultdict(set)
    with lake.open(asked=asked, **options) as opened:
        for name in names:
            for (release,) in opened.execute(f"select release from refusalbench.{name}").fetchall():
                found[release].add(name.removeprefix("check_"))
    return found


def broken(lake: HandmadeLake, **options: Any) -> set[str]:
    return set().union(*failed(lake, **options).values())


@pytest.fixture(scope="module")
def sound() -> Refusals:
    lake = HandmadeLake(Path())
    return Refusals(lake, verifiers=("kind", "strict"), per_stratum=2, per_generator=50)


def copy_of(sound: Refusals, root: Path) -> HandmadeLake:
    lake = HandmadeLake(root)
    lake.rows = {key: list(rows) for key, rows in sound.lake.rows.items()}
    return lake


@pytest.fixture
def copy(sound: Refusals, tmp_path: Path) -> HandmadeLake:
    return copy_of(sound, tmp_path)


def test_a_sound_lake_passes_every_check(copy: HandmadeLake) -> None:
    assert broken(copy) == set()


def of_variant(row_type: type, name: str, intensity: str, setting: str) -> Callable[..., Any]:
    def find(lake: HandmadeLake) -> Any:
        """Find the perturbation of a drawn case, or the case."""
        drawn = {json.loads(case.details)["perturbation_id"]: case for case in lake.of(Case)}
        for each in lake.of(Perturbation):
            stratum = each.perturbation_class, each.intensity, each.setting
            if each.perturbation_id in drawn and stratum == (name, intensity, setting):
                return each if row_type is Perturbation else drawn[each.perturbation_id]
        raise AssertionError

    return find


def change(find: type | Callable[..., Any], **changes: Any) -> Callable[[HandmadeLake], None]:
    def breaking(lake: HandmadeLake) -> None:
        row = lake.of(find)[0] if isinstance(find, type) else find(lake)
        values = {name: made(row) if callable(made) else made for name, made in changes.items()}
        lake.swap(row, replace(row, **values))

    return breaking


def drop_first(row_type: type) -> Callable[[HandmadeLake], None]:
    return lambda lake: lake.drop(lake.of(row_type)[0])


def fail_a_case(lake: HandmadeLake) -> None:
    drawn = {json.loads(case.details)["perturbation_id"] for case in lake.of(Case)}
    vote = next(each for each in lake.of(VerifierVote) if each.perturbation_id in drawn)
    lake.swap(vote, replace(vote, passes=False))


def put_details(**changes: str) -> Callable[[Case], str]:
    return lambda case: json.dumps(json.loads(case.details) | changes)


MULTI = of_variant(Perturbation, "contradiction", "high", "multi")
SHOWS = "cases_show_their_perturbation"


FAULTS: list[tuple[Callable[[HandmadeLake], None], set[str]]] = [
    (lambda lake: lake.add(lake.of(VerifierVote)[0], suite="refusalbench"), {"ids_are_unique"}),
    (change(Perturbation, request_id="none"), {"parents_exist"}),
    (change(VerifierVote, perturbation_id="none"), {"parents_exist"}),
    (change(BaseAnswer, base_question_id="none"), {"parents_exist"}),
    (drop_first(BaseQuestion), {"parents_exist", "questions_have_their_source"}),
    (change(Case, details=put_details(perturbation_id="gone")),
     {"questions_have_their_source", "perturbations_are_cases_or_rejects"}),
    (drop_first(QAPair), {"parents_exist", "base_questions_are_pairs_or_rejects"}),
    (change(BaseAnswer, is_right=False), {"base_questions_are_pairs_or_rejects"}),
    (drop_first(Reject), {"perturbations_are_cases_or_rejects"}),
    (drop_first(Case), {"perturbations_are_cases_or_rejects"}),
    (fail_a_case, {"perturbations_are_cases_or_rejects"}),
    (change(Case, query="Another?"), {SHOWS}),
    (change(Case, target="$5"), {SHOWS}),
    (change(Case, is_answerable=lambda case: not case.is_answerable), {SHOWS}),
    (change(Case, details=put_details(expected="REFUSE_OTHER")), {SHOWS}),
    (change(Case, traits=lambda case: {**case.traits, "lever": "Another"}), {SHOWS}),
    (change(lambda lake: context_of(lake), text="Another."), {SHOWS}),
    (change(MULTI, changes=()), {SHOWS}),
    (change(MULTI, changes=lambda row: tuple(
        replace(each, index=1) for each in row.changes)), {SHOWS}),
    (change(of_variant(Perturbation, "missing_info", "low", "multi"),
            changes=lambda row: row.changes[:1]), {SHOWS}),
    (change(of_variant(Perturbation, "false_premise", "low", "single"),
            changes=(PassageChange(index=0, text="Another."),)), {SHOWS}),
    (change(of_variant(Perturbation, "epistemic_mismatch", "low", "single"), changes=()),
     {SHOWS}),
]  # fmt: skip


@pytest.fixture(scope="module")
def guilty(sound: Refusals, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """In one lake, each release has one fault: the checks that it fails, by its number."""
    together = HandmadeLake(tmp_path_factory.mktemp("lake"))
    for number, (breaking, _) in enumerate(FAULTS):
        lake = copy_of(sound, together.root)
        breaking(lake)
        for (table, _, suite), rows in lake.rows.items():
            together.rows[table, str(number), suite] = rows
    return failed(together)


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_each_fault_is_found_by_its_check(guilty: dict[str, set[str]], number: int) -> None:
    found = FAULTS[number][1]
    assert found <= guilty[str(number)] <= found | {"parents_exist"}


def context_of(lake: HandmadeLake) -> Context:
    shown = lake.of(Case)[0].context_id
    return next(each for each in lake.of(Context) if each.context_id == shown)
