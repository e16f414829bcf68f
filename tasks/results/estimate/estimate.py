"""Calls and cost of a run, or of the rest of one. Nothing is sent or written.

What is built and answered is counted. Steps that are not finished run in memory on a sample, with
an engine that plays each reply, and what they ask is multiplied. A reply in the response cache is
free.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, product

from tasks.core.progress import tell
from tasks.core.rows import Case, Request, Response
from tasks.inference.cache.response_cache import kept_cache
from tasks.inference.client import Client
from tasks.inference.cutting import cut_to_fit
from tasks.inference.operation import PRIME, Call, Question, grouped, render
from tasks.lake.lake import Commit
from tasks.models.catalogue import (
    UnreachableModel,
    check_reachable,
    costs_unknown,
    name_of,
)
from tasks.models.windows import DoesNotFit, check_windows
from tasks.pipeline.clients import images_of
from tasks.pipeline.plan import (
    check_options,
    is_judged_on,
    judged_together,
    occasions,
    plan_attack_verdicts,
    plan_judgements,
    plan_responses,
)
from tasks.pipeline.preflight import model_needs
from tasks.pipeline.resolved import NamedJudge, ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import finished
from tasks.results.estimate.call_costs import COUNTED, RULES, Calls, EstimateLine, Stage
from tasks.results.estimate.counting import Counting, Play, Rules, no_answers, usual_answers
from tasks.results.estimate.trial_build import TrialBuild, spread
from tasks.suites.judge import Answered, units_of
from tasks.suites.suite import AnyOperation

Answers = dict[str, tuple[Request, Response]]  # by case_id
Counted = tuple[Stage, str, str, Calls, str]  # stage, operation, model's option, calls, basis

# Contexts whose cases are rendered, or all of a smaller release.
CONTEXTS = 1_000
_IMITATED = "predicted from answers of usual length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """All lines of a run, in order, with notes for the reader.

    `budget` is the run's budget in US dollars, if it has one and every price is known.
    """

    lines: tuple[EstimateLine, ...]
    budget: float | None
    notes: tuple[str, ...]


def estimate(settings: RunSettings) -> Estimate:
    """Say what a run would ask and cost, less what is there already.

    Raises:
        UnknownModel, UnknownSuite, WrongSettings, DatasetError, LakeError: as the run itself.
    """
    run = check_options(settings)
    is_priced = not any(costs_unknown(need.model) for need in model_needs(run))
    estimating = _Estimating(run)
    lines = tuple(estimating.lines())
    budget = settings.budget if is_priced else None
    return Estimate(lines=lines, budget=budget, notes=tuple(estimating.notes()))


class _Estimating:
    """One estimate under way."""

    def __init__(self, run: ResolvedRun) -> None:
        run = replace(run, lake=run.lake.as_of_now())
        self.run, self.settings = run, run.settings
        self.cache = None if run.settings.fresh else kept_cache(run.settings.lake)
        self.rules = Rules(run)
        self.build = TrialBuild(run, partial(self._engine, play=self.rules.play))
        named = (run.settings.model, *run.roles.values(), [j.model for j in run.judges if j.model])
        self.options = {name_of(option): option for option in chain.from_iterable(named)}
        self.answers: dict[str, Answers] = {}  # model -> its answers to the sampled cases

    def _engine(self, option: str, play: Play) -> Counting:
        """Make an engine that counts what a model is asked."""
        find = None if self.cache is None else self.cache.find
        return Counting(self.run.row(option), find, play)

    def lines(self) -> Iterator[EstimateLine]:
        """Yield a line for each operation that a model is asked, in the run's order."""
        sums: dict[tuple[Stage, str, str], tuple[Calls, str]] = {}
        for stage, operation, option, calls, basis in chain(
            self._building(), self._answering(), self._judging()
        ):
            before, _ = sums.get((stage, operation, option), (Calls(), ""))
            sums[stage, operation, option] = (before + calls, basis)
        for (stage, operation, option), (calls, basis) in sums.items():
            if calls.requests:
                model = self.run.row(option)
                yield calls.line(stage, operation, model, basis)

    def _done(self, stage: Stage, commit: Commit) -> Iterator[Counted]:
        """Yield what a finished step has asked, all of it answered; primers aside."""
        counts: Counter[tuple[str, str]] = Counter()
        for part in commit.parts_of("requests"):
            keys = dict(part.keys)
            if keys["operation"] != PRIME:
                counts[keys["operation"], self.options[keys["model"]]] += part.n_rows
        for (operation, option), n in counts.items():
            yield stage, operation, option, Calls(requests=n, answered=n), COUNTED

    def _building(self) -> Iterator[Counted]:
        """Yield what each step of the build asks."""
        if self.build.commits:
            for commit in self.build.commits:
                yield from self._done("build", commit)
            return
        for step in self.run.build:
            self.build.rows(step.name)
            scale = self.build.scale_of([step.name])
            for option, engine in self.build.engines[step.name].items():
                for operation, calls in engine.sums.items():
                    yield "build", operation, option, calls * scale, self.build.basis

    # --- infer

    @cached_property
    def sample(self) -> list[Case]:
        """The cases of some contexts, or of all if there are few; in the build's order."""
        of_context: dict[str, list[Case]] = {}
        for case in self.build.cases:
            context_id = case.context_id or self.build.pairs[case.qa_pair_id].context_id
            of_context.setdefault(context_id, []).append(case)
        return [*chain.from_iterable(spread([*of_context.values()], CONTEXTS))]

    @property
    def scale(self) -> float:
        """How many cases of the run one sampled case stands for."""
        scale = len(self.build.cases) / max(1, len(self.sample))
        if not self.build.commits:
            scale *= self.build.scale_of(s.name for s in self.run.build if Case in s.writes)
        return scale

    def _basis(self) -> str:
        if self.build.basis == COUNTED and len(self.sample) < len(self.build.cases):
            return f"predicted from {len(self.sample):,} of {len(self.build.cases):,} cases"
        return self.build.basis

    def _answering(self) -> Iterator[Counted]:
        """Yield what the models under test are asked."""
        is_judged = any(judge.model is not None for judge in self.run.judges)
        for option in self.settings.model:
            commit = self._answers_in_lake(option)
            if commit is not None:
                yield from self._done("infer", commit)
                if not is_judged:
                    continue
            is_rule = self.run.row(option).engine == RULES
            engine = self._engine(option, self.rules.play if is_rule else usual_answers)
            tell(f"Counting the calls of {engine.model} ...")
            self.answers[engine.model] = asyncio.run(_answers(engine, self._calls(option, engine)))
            for operation, calls in engine.sums.items() if commit is None else ():
                yield "infer", operation, option, calls * self.scale, self._basis()

    def _answers_in_lake(self, option: str) -> Commit | None:
        plan = partial(plan_responses, self.run, option)
        return finished(plan) if self.build.commits else None

    def _calls(self, option: str, engine: Counting) -> list[Call]:
        """Render the sampled cases for a model, as the run would."""
        texts = self._texts({case.context_id for case in self.sample})
        shown_to = self.run.shown_to(option)
        by_operation: dict[str, tuple[AnyOperation, list[Question]]] = {}
        for case in self.sample:
            operation = self.run.operation_of(case, shown_to)
            inputs = operation.inputs.of(case, texts.get(case.context_id, ""))
            _, questions = by_operation.setdefault(operation.name, (operation, []))
            questions.append(Question(case.case_id, inputs, case.case_id))
        images = images_of(self.run, draws=False)
        found: list[Call] = []
        for operation, questions in by_operation.values():
            calls = render(operation, engine.model, questions, engine.identity, images=images)
            if self.run.cuts and operation.cuts:
                calls = cut_to_fit(operation, engine.row, questions, calls, engine.identity)
            found += calls
        return found

    def _texts(self, wanted: set[str | None]) -> dict[str | None, str]:
        ids = {context_id for context_id in wanted if context_id is not None}
        return {context.context_id: context.text for context in self.build.contexts(ids)}

    # --- judge

    def _judging(self) -> Iterator[Counted]:
        """Yield what each model that judges is asked: all answers, a share again, perhaps attacks.

        Its replies cause no further calls.
        """
        for judge in self.run.judges:
            if judge.model is None:
                continue
            yield from self._attacks(judge, judge.model)
            for occasion in occasions(self.run, judge):
                missing = []
                for models in judged_together(self.run, judge):
                    plan = partial(plan_judgements, self.run, judge, models, occasion)
                    is_answered = all(map(self._answers_in_lake, models))
                    commit = finished(plan) if is_answered else None
                    if commit is None:
                        missing.append(models)
                    else:
                        yield from self._done("judge", commit)
                if missing:
                    yield from self._judge(judge, judge.model, missing, occasion)

    def _attacks(self, judge: NamedJudge, model: str) -> Iterator[Counted]:
        """Yield the standing attacks on a judge, by operation."""
        attacks = judge.judge.attacks
        if attacks is None or not self.settings.attacks:
            return
        plan = partial(plan_attack_verdicts, self.run, judge)
        commit = finished(plan)
        if commit is not None:
            yield from self._done("judge", commit)
            return
        engine = self._engine(model, no_answers)
        list(attacks(engine, judge.name))
        for operation, calls in engine.sums.items():
            yield "judge", operation, model, calls, COUNTED

    def _judge(
        self, judge: NamedJudge, model: str, missing: Sequence[tuple[str, ...]], occasion: int
    ) -> Iterator[Counted]:
        """Yield the judging of some models' answers to the sampled cases, by operation."""
        engine = self._engine(model, no_answers)
        names = [tuple(map(name_of, models)) for models in missing]
        answered = list(self._answered(judge, [*dict.fromkeys(chain(*names))], occasion))
        units = [unit for unit in units_of(judge.judge.unit, answered) if unit.models in names]
        list(judge.judge.run(units, engine, self.run.options))
        longest = max(operation.sampling.max_tokens for operation in self.run.suite.answers)
        n_quoted = 1 if judge.judge.unit == "answer" else 2
        for operation, calls in engine.sums.items():
            calls.more_prompt = (calls.requests - calls.answered) * n_quoted * longest
            yield "judge", operation, model, calls * self.scale, _IMITATED

    def _answered(
        self, judge: NamedJudge, models: Sequence[str], occasion: int
    ) -> Iterator[Answered]:
        """Yield the models' answers as a judge reads them, case by case."""
        pairs = self.build.pairs
        of_case = {
            case.case_id: judge.judge.context_of(case, pairs[case.qa_pair_id])
            for case in self.sample
            if is_judged_on(occasion, self.settings, case.case_id)
        }
        texts = self._texts(set(of_case.values())) if judge.judge.reads else {}
        some = next(iter(self.answers.values()))  # a model of the release answers alike
        for case, model in product(self.sample, models):
            if case.case_id not in of_case:
                continue
            request, response = self.answers.get(model, some)[case.case_id]
            if occasion and response.status != "ok":
                continue
            yield Answered(
                case=case,
                pair=pairs[case.qa_pair_id],
                context=texts.get(of_case[case.case_id], ""),
                request=replace(request, model=model),
                response=response,
                judge=judge.name,
                occasion=occasion,
            )

    # --- notes

    def notes(self) -> Iterator[str]:
        """Say what a reader has to know beside the figures."""
        yield from self.build.notes
        if "images" in self.run.shown:
            yield (
                "tokens of images are an estimate, by OpenAI's rule for gpt-4o: 85 for a page and "
                "170 for each 512 x 512 px of it; before pages are drawn, their size is a guess"
            )
        needs = model_needs(self.run)
        refusals: dict[str, str] = {}
        for need in needs:
            try:
                check_windows([need])
                check_reachable(need.model)
            except (DoesNotFit, UnreachableModel) as refused:
                refusals.setdefault(need.model.name, str(refused))
        yield from (f"the run would be refused: {reason}" for reason in refusals.values())
        for name in dict.fromkeys(need.model.name for need in needs if costs_unknown(need.model)):
            yield (
                f"{name}: its price is not known and not in the totals; --budget needs it in a "
                "models file"
            )


async def _answers(engine: Counting, calls: Sequence[Call]) -> Answers:
    """Have a counting engine answer cases."""
    stream = Client(engine, part=None).stream(grouped(calls))
    return {call.request.case_id or "": (call.request, reply) async for call, reply in stream}
