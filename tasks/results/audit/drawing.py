"""Draw a stratified sample of judged answers for people to rate.

A *draw* is one export. It takes answers from every stratum, so that people also see rare verdicts.
Each drawn answer represents as many answers as its stratum has per drawn answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import AuditItem, Field
from tasks.inference.operation import cut_inputs
from tasks.lake.lake import Identity, Lake, Step
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Suite
from tasks.warehouse.connection import open_warehouse


class CannotDraw(RunFailed):
    """Nothing can be drawn; the message says what to do."""


# The prompts that judges saw.
_PROMPTS = """
select
    requests.request_id,
    any_value(prefixes.text) || requests.suffix as prompt,
    requests.fields
from raw.requests as requests
inner join raw.prefixes as prefixes using (suite, prefix_id)
where requests.suite = $suite and list_contains($wanted, requests.request_id)
group by requests.request_id, requests.suffix, requests.fields
"""
# Every rated answer, with the columns that define strata.
_RATED = """
select
    judgements.judge,
    judgements.judgement_id,
    judgements.request_id,
    judgements.judge_request_id,
    judgements.model,
    macros.rubric(cases.variant, cases.is_answerable),
    cases.variant,
    macros.is_compliant(judgements.rating),
    sha256(responses.text),
    if(cases.is_answerable, qa_pairs.query, cases.query),
    [citation.quote for citation in qa_pairs.citations]
from staging.judgements as judgements
inner join raw.cases as cases using (suite, case_id)
inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
inner join raw.responses as responses using (suite, request_id)
where judgements.suite = $suite and judgements.rating is not null
order by judgements.judgement_id
"""


@dataclass(frozen=True, slots=True)
class Rated:
    """One rated answer, with the values that define its stratum."""

    judgement_id: str
    request_id: str
    judge_request_id: str
    model: str
    rubric: str
    variant: str
    is_compliant: bool
    answer_sha256: str
    question: str  # as the judge was shown it
    quotes: Sequence[str]  # the pair's citations; empty if a published dataset only has their text


@dataclass(frozen=True, slots=True)
class Shown:
    """One drawn answer as its auditor sees it.

    The auditor sees only what the judge saw, without the report's opening.
    """

    item: AuditItem
    question: str
    citation: str
    reference: str
    answer: str
    rubric: str


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw as the lake will store it, in sheet order."""

    step: Step
    suite: str
    identity: Identity
    shown: tuple[Shown, ...]


# Rows of a sheet in which no question comes twice, as far as there are others.
_APART = 20
# Between the report's opening and each cited passage, as a judge reads them.
_RULE = "\n-----\n"

# Definitions of strata, finest first. A draw uses the first with at most `n` strata.
_STRATA: tuple[Callable[[Rated], str], ...] = (
    lambda rated: f"{rated.variant}, {_verdict(rated)}, {rated.model}",
    lambda rated: f"{rated.variant}, {_verdict(rated)}",
    lambda rated: f"{rated.rubric}, {_verdict(rated)}",
)


def _verdict(rated: Rated) -> str:
    return "compliant" if rated.is_compliant else "not compliant"


def draw(lake: Lake, release: str, suite: str, judge: str | None, n: int, seed: int) -> Draw:
    """Draw n rated answers, or all if there are fewer; write nothing.

    Strata are defined by variant (or rubric, if n is small), the judge's compliance and the model.
    Each stratum gives the same number of answers if it has enough. The order of answers is random.

    Args:
        judge: whose ratings define the strata. Optional if the release has only one judge.

    Raises:
        UnknownSuite: no suite has this name.
        CannotDraw: the judge rated nothing in this release, or it has several judges and none is
            named.
        WrongUsage: no judge of the suite gives ratings, or n is smaller than the number of strata.
    """
    with_ratings = [name for name in SUITES if _is_rated(load_suite(name))]
    if suite not in with_ratings:
        raise WrongUsage(
            f"judges of {suite} give no ratings, so people have none to check. Audit another "
            f"suite: --suite {', '.join(with_ratings)}"
        )
    with open_warehouse(lake.files(release), asked=f"{_RATED};{_PROMPTS}") as warehouse:
        frame = _rated(warehouse, lake, release, suite, judge)
        strata = stratified(frame, n)
        drawn = [
            (rated, name) for name, found in allotted(strata, n, seed).items() for rated in found
        ]
        prompts = _prompts(warehouse, suite, [rated.judge_request_id for rated, _ in drawn])
    n_drawn = {name: sum(of == name for _, of in drawn) for name in strata}
    facts = [
        (rated.request_id, rated.answer_sha256, name, len(strata[name]), n_drawn[name])
        for rated, name in drawn
    ]
    draw_id = stable_id("draw", release, suite, judge, seed, sorted(facts))
    shown = []
    for rated, name in drawn:
        item = AuditItem(
            audit_item_id=stable_id("audit", draw_id, rated.request_id),
            draw_id=draw_id,
            judgement_id=rated.judgement_id,
            request_id=rated.request_id,
            answer_sha256=rated.answer_sha256,
            rubric=rated.rubric,
            stratum=name,
            n_stratum=len(strata[name]),
            n_drawn=n_drawn[name],
        )
        inputs = prompts[rated.judge_request_id]
        shown.append(
            Shown(
                item=item,
                question=inputs["query"],
                citation=_cited(rated.quotes, inputs["citation"]),
                reference=inputs["reference"],
                answer=inputs["answer"],
                rubric=inputs["rubric"],
            )
        )
    # sorted by a hash, so that the order shows neither stratum nor model
    shown.sort(key=lambda each: each.item.audit_item_id)
    shown = apart(shown)
    step = Step(release, f"{suite}.audit.drawn.{draw_id}")
    identity = {"parameters": {"judge": judge, "n": n, "seed": seed}, "inputs": {}}
    return Draw(step, suite, identity, tuple(shown))


def _is_rated(suite: Suite) -> bool:
    """Whether a judge of the suite gives ratings; attacks are rated, too."""
    return any(judge.attacks is not None for judge in suite.judges.values())


def keep(lake: Lake, drawn: Draw) -> None:
    """Store a draw in the lake, which allows importing its ratings."""
    items = [each.item for each in drawn.shown]
    part = lake.write(drawn.step, drawn.identity, AuditItem, items, suite=drawn.suite)
    lake.commit(drawn.step, drawn.identity, [part])


def stratified(frame: Sequence[Rated], n: int) -> dict[str, list[Rated]]:
    """Group the answers into the finest strata that n answers can cover.

    Raises:
        WrongUsage: n is smaller than the number of coarsest strata.
    """
    strata: dict[str, list[Rated]] = {}
    for name_of in _STRATA:
        strata = {}
        for rated in frame:
            strata.setdefault(name_of(rated), []).append(rated)
        if n >= len(strata):
            return dict(sorted(strata.items()))
    raise WrongUsage(
        f"--n {n} is too small: draw at least one answer from each of {len(strata)} strata "
        "(rubric, compliant or not)"
    )


def allotted(strata: dict[str, list[Rated]], n: int, seed: int) -> dict[str, list[Rated]]:
    """Draw an equal number of answers from each stratum, in seeded order.

    Strata with fewer answers give all of them. Questions that are drawn already come last.
    """
    sizes = dict.fromkeys(strata, 0)
    left = min(n, sum(map(len, strata.values())))
    while left:
        for name in strata:
            if left and sizes[name] < len(strata[name]):
                sizes[name] += 1
                left -= 1
    n_of: Counter[str] = Counter()
    drawn: dict[str, list[Rated]] = {}
    for name, of_stratum in sorted(strata.items(), key=lambda each: len(each[1])):
        shuffled = sorted(of_stratum, key=lambda rated: sha256_hex(f"{seed}:{rated.request_id}"))
        taken: list[Rated] = []
        most = 0  # answers to a question before this one
        while len(taken) < sizes[name]:
            rest = []
            for rated in shuffled:
                if len(taken) < sizes[name] and n_of[rated.question] <= most:
                    taken.append(rated)
                    n_of[rated.question] += 1
                else:
                    rest.append(rated)
            shuffled, most = rest, most + 1
        drawn[name] = taken
    return drawn


def apart(shown: Sequence[Shown]) -> list[Shown]:
    """Order answers so that those to one question are far apart, else as they come."""
    left = list(shown)
    ordered: list[Shown] = []
    last: dict[str, int] = {}  # question -> its last row
    n_left = Counter(each.question for each in left)
    while left:
        row = len(ordered)
        # the question with the most answers left goes first, so that none heaps up at the end
        chosen = min(
            left,
            key=lambda each: (
                max(0, last.get(each.question, -_APART) + _APART - row),
                -n_left[each.question] if n_left[each.question] > 1 else 0,
            ),
        )
        left.remove(chosen)
        ordered.append(chosen)
        last[chosen.question] = row
        n_left[chosen.question] -= 1
    return ordered


def _cited(quotes: Sequence[str], citation_text: str) -> str:
    """Return the cited passages without the report's opening, which precedes them."""
    if quotes:
        return "\n\n".join(quotes)
    return _RULE.join(citation_text.split(_RULE)[1:]) or citation_text


# --- what the lake holds -------------------------------------------------------------------


def _rated(warehouse: Any, lake: Lake, release: str, suite: str, judge: str | None) -> list[Rated]:
    rows = warehouse.execute(_RATED, {"suite": suite}).fetchall()
    judges = sorted({row[0] for row in rows})
    if not judges:
        raise CannotDraw(
            f"release {release} in {lake.url} has no rated answers of {suite}; `tenkbench judge` "
            "makes them"
        )
    if judge is None and len(judges) > 1:
        raise CannotDraw(
            f"release {release} has several judges; choose one with --judge: {', '.join(judges)}"
        )
    if judge is not None and judge not in judges:
        raise CannotDraw(
            f"no judge {judge!r} has rated answers in release {release}; --judge takes "
            f"{', '.join(judges)}"
        )
    return [Rated(*row[1:]) for row in rows if row[0] == (judge or judges[0])]


def _prompts(warehouse: Any, suite: str, request_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Map each judge request to the inputs that the judge saw."""
    rows = warehouse.execute(_PROMPTS, {"suite": suite, "wanted": list(request_ids)}).fetchall()
    return {
        request_id: cut_inputs(prompt, [Field(**field) for field in fields])
        for request_id, prompt, fields in rows
    }
