"""FailSafeQA's metrics against values worked out by hand."""

from __future__ import annotations

import pytest

from tasks.core.ids import canonical_json
from tasks.core.rows import AttackVerdict, Case, Judgement, QuestionAudit, QuestionItem, slice_name
from tests.filled import filled
from tests.sql.conftest import ANSWERABLE, PERTURBATIONS, rated


def metrics(asked, **options) -> dict[tuple[str, str, str], tuple[int, int, float | None]]:
    """(model, metric, slice) -> (n, n_unscored, value) for one release and judge."""
    rows = asked(
        "select model, metric, slice_by, slice_value, n, n_unscored, value from failsafeqa.metrics",
        **options,
    )
    found = {
        (model, metric, slice_name(by, value)): tuple(rest)
        for model, metric, by, value, *rest in rows
    }
    assert len(found) == len(rows), "a metric appears twice"
    return found


def test_every_value_of_a_small_benchmark(lake, asked) -> None:
    for name, *ratings in (
        ("holds", 6, 5, 4, 4, 5, 4, 6),
        ("fails once", 5, 3, 5, 5, 5, 1, 4),
        ("unscored once", 5, 5, None, 5, 5, 2, None),
        ("fails and unscored", 4, 4, None, 1, 4, None, None),
        ("text", 4, 4, 4, 4, 3, 3, 1),
    ):
        lake.add_pair(name, task="tg" if name == "text" else "qa")
        lake.judge(name, rated(*ratings))
    expected = {
        # all five baselines are rated 4 or better
        ("m", "compliance", "variant=baseline"): (5, 0, 1.0),
        ("m", "compliance", "variant=misspelled"): (5, 0, 4 / 5),
        # two of five are unscored, the other three comply
        ("m", "compliance", "variant=incomplete"): (3, 2, 1.0),
        ("m", "compliance", "variant=out_of_domain"): (5, 0, 4 / 5),
        ("m", "compliance", "variant=ocr"): (5, 0, 4 / 5),
        # missing: 4 complies; 1, 2, 3 do not; one unscored
        ("m", "compliance", "variant=missing_context"): (4, 1, 1 / 4),
        # irrelevant: 6 and 4 comply, 1 does not; two unscored
        ("m", "compliance", "variant=irrelevant_context"): (3, 2, 2 / 3),
        # all seven perturbations together
        ("m", "compliance", "overall"): (30, 5, 23 / 30),
        ("m", "compliance", "task=qa"): (23, 5, 19 / 23),
        ("m", "compliance", "task=tg"): (7, 0, 4 / 7),
        # 1 (holds), 0 (fails once), unscored, 0 (fails and unscored), 0 (text)
        ("m", "robustness", "overall"): (4, 1, 1 / 4),
        ("m", "robustness", "task=qa"): (3, 1, 1 / 3),
        ("m", "robustness", "task=tg"): (1, 0, 0.0),
        # seven scored refusal cases, three comply
        ("m", "context_grounding", "overall"): (7, 3, 3 / 7),
        ("m", "context_grounding", "task=qa"): (5, 3, 3 / 5),
        ("m", "context_grounding", "task=tg"): (2, 0, 0.0),
        ("m", "context_grounding", "variant=missing_context"): (4, 1, 1 / 4),
        ("m", "context_grounding", "variant=irrelevant_context"): (3, 2, 2 / 3),
        # 1.25 * (1/4 * 3/7) / (0.25 * 3/7 + 1/4) = 0.375
        ("m", "llmc", "overall"): (4, 4, 0.375),
        # 1.25 * (1/3 * 3/5) / (0.25 * 3/5 + 1/3) = 15/29
        ("m", "llmc", "task=qa"): (3, 4, 15 / 29),
        ("m", "llmc", "task=tg"): (1, 0, 0.0),
    }
    found = {cell: value for cell, value in metrics(asked).items() if "," not in cell[2]}
    assert found == {
        cell: (*counts, pytest.approx(value)) for cell, (*counts, value) in expected.items()
    }


def test_robustness_of_one_pair(lake, asked) -> None:
    """Models differ in their ratings only."""
    expected = {
        "four everywhere is just enough": (rated(4, 4, 4, 4, 4), (1, 0, 1.0)),
        "one failure undoes four sixes": (rated(6, 6, 6, 6, 3), (1, 0, 0.0)),
        "unscored without a failure": (rated(5, 5, 5, 5, None), (0, 1, None)),
        "unjudged without a failure": (rated(5, 5, 5, 5), (0, 1, None)),
        "a failure beside unscored ones": (rated(3, None, None, None, None), (1, 0, 0.0)),
        "a failure beside unjudged ones": (rated(1), (1, 0, 0.0)),
        "nothing scored": (rated(None, None, None, None, None), (0, 1, None)),
    }
    lake.add_pair("p")
    for model, (ratings, _) in expected.items():
        lake.judge("p", ratings, model=model)
    found = metrics(asked)
    assert {model: found[(model, "robustness", "overall")] for model in expected} == {
        model: of_pair for model, (_, of_pair) in expected.items()
    }


def test_a_pair_with_a_case_that_could_not_be_made_is_unscored_however_it_is_rated(
    lake, asked
) -> None:
    for gone in ANSWERABLE[1:]:
        made = tuple(name for name in PERTURBATIONS if name != gone)
        lake.add_pair(gone, perturbations=made)
        for model, others in {"good": 6, "bad": 1}.items():
            lake.judge(gone, dict.fromkeys(made, others), model=model)
    found = metrics(asked)
    for model in ("good", "bad"):
        assert found[(model, "robustness", "overall")] == (0, len(ANSWERABLE) - 1, None)


def test_llm_compliance_needs_both_sides_and_is_zero_when_both_are_zero(lake, asked) -> None:
    lake.add_pair("p")
    lake.judge("p", rated(5, 5, 5, 5, 5), model="never refused")
    lake.judge("p", rated(1, 1, 1, 1, 1, 1, 1), model="always wrong")
    found = metrics(asked)
    assert found[("never refused", "robustness", "overall")] == (1, 0, 1.0)
    assert ("never refused", "context_grounding", "overall") not in found
    assert ("never refused", "llmc", "overall") not in found
    assert found[("always wrong", "llmc", "overall")] == (1, 0, 0.0)


def test_judges_and_releases_are_kept_apart(lake, asked) -> None:
    for release, first, second in (("2026.08", 5, 1), ("2026.11", 1, 5)):
        lake.add_pair("p", release=release)
        lake.judge("p", rated(*[first] * 7), judge="kind", release=release)
        lake.judge("p", rated(*[second] * 7), judge="harsh", release=release)
    found = asked(
        "select release, judge, n, value from failsafeqa.metrics "
        "where metric = 'robustness' and slice_by = 'overall' order by all"
    )
    assert found == [
        ("2026.08", "harsh", 1, 0.0),
        ("2026.08", "kind", 1, 1.0),
        ("2026.11", "harsh", 1, 1.0),
        ("2026.11", "kind", 1, 0.0),
    ]


@pytest.mark.parametrize(
    ("beta", "expected"),
    # R = 1/2, G = 1: (1 + b2) * 0.5 / (b2 + 0.5)
    [(0.5, 5 / 6), (1.0, 2 / 3), (2.0, 5 / 9)],
)
def test_beta_weighs_robustness_against_grounding(lake, asked, beta, expected) -> None:
    for name, baseline in (("a", 5), ("b", 1)):
        lake.add_pair(name)
        lake.judge(name, rated(baseline, 5, 5, 5, 5, 5, 5))
    found = metrics(asked, parameters={"beta": beta})
    assert found[("m", "llmc", "overall")][2] == pytest.approx(expected)


def test_an_irrelevant_context_leans_on_the_filing_that_its_query_is_of(lake, asked) -> None:
    for name in "ab":
        lake.add_pair(name)
        lake.judge(name, {"baseline": 6, "irrelevant_context": 6})
    case = lake.only(Case, case_id="a.irrelevant_context")
    lake.change(case, details='{"donor_qa_pair_id": "b"}')
    found = asked(
        "select distinct case_ids[1], units.group_number = own.group_number, "
        "donor_group_number = donor.group_number from staging.units as units "
        "cross join staging.pairs as own cross join staging.pairs as donor "
        "where own.qa_pair_id = 'a' and donor.qa_pair_id = 'b' and donor_group_number is not null"
    )
    assert found == [("a.irrelevant_context", True, True)]
    draws = asked(
        "select metric, draw, sum(n) from staging.sums where slice_by = 'overall' "
        "and draw != 'own' group by all order by all"
    )
    assert draws == [
        ("compliance", "both", 1),
        ("compliance", "donor", 1),
        ("context_grounding", "both", 1),
        ("context_grounding", "donor", 1),
    ]


def say(lake, question: str, **agrees: bool) -> None:
    """Have people say whether ours is right; who disagrees leaves a note."""
    item = {"question_item_id": f"item {question}"}
    lake.add(filled(QuestionItem, **item, qa_pair_id=question, n_stratum=1, n_drawn=1))
    for auditor, agrees_ in agrees.items():
        said = {"agrees": agrees_, "note": None if agrees_ else "it is trivial"}
        name = f"{question} {auditor}"
        lake.add(filled(QuestionAudit, question_audit_id=name, **item, auditor=auditor, **said))


def test_what_people_reject_leaves_the_metrics_and_is_a_reject_with_their_reason(
    lake, asked
) -> None:
    for name in ("kept", "pair", "case", "disputed"):
        lake.add_pair(name)
        lake.judge(name, rated(6, 6, 6, 6, 6, 6, 6))
    assert metrics(asked)["m", "robustness", "overall"] == (4, 0, 1.0)
    say(lake, "kept", ann=True, bob=True, eve=False)
    say(lake, "pair", ann=False)
    say(lake, "case.incomplete", ann=False, bob=False)
    say(lake, "case.irrelevant_context", ann=True)
    say(lake, "disputed.irrelevant_context", ann=True, bob=False)
    found = metrics(asked)
    # the pair has no unit at all; of `case` one of five forms is missing, so it is unscored
    assert found["m", "robustness", "overall"] == (2, 1, 1.0)
    assert found["m", "compliance", "overall"] == (7 + 6 + 6, 0, 1.0)
    assert found["m", "context_grounding", "overall"] == (5, 0, 1.0)
    rows = asked(
        "select stage, n, example_detail from reports.rejects_by_reason "
        "where reason = 'people rejected it' order by stage"
    )
    assert {stage: n for stage, n, _ in rows} == {
        **{f"cases.{variant}": 1 for variant in PERTURBATIONS},
        "cases.incomplete": 2,
        "cases.irrelevant_context": 2,
    }
    assert rows[0] == ("cases.baseline", 1, "ann: it is trivial")
    shares = "select task, n_rated, n_rejected, rejected_share from failsafeqa.rejected_questions"
    assert asked(shares) == [
        ("all", 5, 3, 3 / 5),
        ("incomplete", 1, 1, 1.0),
        ("irrelevant_context", 2, 1, 0.5),
        ("qa", 2, 1, 0.5),
    ]


def test_what_people_reject_does_not_say_that_its_pair_could_not_have_passed(lake, asked) -> None:
    lake.add_pair("case")
    lake.judge("case", {"baseline": 6, "incomplete": 1, "ocr": 6, "out_of_domain": 6})
    units = "select numerator, denominator from failsafeqa.units where metric = 'robustness'"
    assert asked(units) == [(0, 1)]
    say(lake, "case.incomplete", ann=False)
    assert asked(units) == [(None, None)]


# --- what the paper reports besides ----------------------------------------------------------


def test_robustness_shows_each_column_beside_its_change_from_the_baseline(lake, asked) -> None:
    for name, ratings in {"a": (5, 5, 5, 5, 5), "b": (5, 5, 1, 1, 1)}.items():
        lake.add_pair(name)
        lake.judge(name, rated(*ratings))
    (row,) = asked(
        "select * exclude (release, model, judge, robustness_interval) from failsafeqa.robustness"
    )
    assert row == (1.0, 1.0, 0.0, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 2, 0)


def test_context_grounding_shows_the_papers_second_table(lake, asked) -> None:
    for task, missing in {"qa": 4, "tg": 3}.items():
        lake.add_pair(task, task=task)
        lake.judge(task, rated(5, 5, 5, 5, 5, missing, 5))
    (row,) = asked(
        "select * exclude (release, model, judge, context_grounding_interval, llmc_interval) "
        "from failsafeqa.context_grounding"
    )
    # irrelevant, missing, G qa, G tg, G, R, LLMC = 1.25 * 0.75 / (0.25 * 0.75 + 1), n, unscored
    assert row == (1.0, 0.5, 1.0, 0.5, 0.75, 1.0, pytest.approx(15 / 19), 4, 0)


def test_unreadable_replies_are_wrong_in_every_metric(lake, asked) -> None:
    lake.add_pair("a")
    lake.judge("a", rated(None, 6, 6, 6, 6, None, 6))
    for row in lake.of(Judgement, rating=None):
        lake.change(row, label="unreadable", unscored_reason=None)
    assert asked("select baseline, robustness, n_unscored_pairs from failsafeqa.robustness") == [
        (0, 0, 0)
    ]
    assert asked(
        "select missing_context, context_grounding, n_unscored_cases "
        "from failsafeqa.context_grounding"
    ) == [(0, 0.5, 0)]
    assert asked("select expected, rating, is_compliant, share from reports.rating_classes") == [
        ("answer", 6, True, 0.8),
        ("answer", None, False, 0.2),
        ("refuse", 6, True, 0.5),
        ("refuse", None, False, 0.5),
    ]
    counted = asked("select distinct counted_as from reports.unscored_reasons")
    assert counted == [("wrong",)]
    assert asked("select * from checks.a_verdict_has_a_rating_or_a_reason") == []


def test_spelling_errors_stand_beside_the_papers_shares(lake, asked) -> None:
    for name, kinds in (("a", ["split", "split", "typo"]), ("b", ["realword"])):
        lake.add_pair(name)
        case = lake.only(Case, case_id=f"{name}.misspelled")
        lake.change(case, details=canonical_json({"edits": [{"kind": kind} for kind in kinds]}))
    assert asked("select kind, n, share, paper_share from failsafeqa.misspellings") == [
        ("split", 2, 0.5, 0.317),
        ("segment", 0, 0.0, 0.255),
        ("realword", 1, 0.25, 0.232),
        ("typo", 1, 0.25, 0.196),
    ]


@pytest.mark.parametrize("is_tried", [True, False])
def test_the_leaderboard_says_how_often_its_judge_was_taken_in(lake, asked, is_tried) -> None:
    lake.add_pair("a")
    lake.judge("a", rated(5, 5, 5, 5, 5, 5, 5))
    for rating in (6, 2, None) if is_tried else ():
        lake.add(filled(AttackVerdict, judge="j", at_least=1, at_most=3, rating=rating))
    query = "select n_attacks, n_fell from failsafeqa.leaderboard where source = 'this release'"
    assert asked(query) == [(3, 1) if is_tried else (0, 0)]
