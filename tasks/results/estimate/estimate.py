"""Calls and cost of a run, or of the rest of one. Nothing is sent or written.

Rows of a finished build are counted. Else its steps run in memory on a sample, with an engine that
plays each reply, and what they ask is multiplied. A reply in the response cache is free.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from tasks.core.progress import tell
from tasks.core.rows import Case, Context, QAPair, Request, Response
from tasks.inference.cache.response_cache import kept_cache
from tasks.inference.client import Client
from tasks.inference.cutting import cut_to_fit
from tasks.inference.images.images import Images
from tasks.inference.operation import PRIME, Call, grouped, render
from tasks.models.catalogue import UnreachableModel, check_reachable, costs_unknown, name_of
from tasks.models.windows import DoesNotFit, Need, check_window
from tasks.pipeline.clients import is_played_by_rules
from tasks.pipeline.plan import check_options, is_judged_on, judged_together, occasions
from tasks.pipeline.preflight import model_needs
from tasks.pipeline.resolved import NamedJudge, ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.results.estimate import call_costs
from tasks.results.estimate.call_costs import COUNTED, Calls, Counting, EstimateLine, Play, Stage
from tasks.results.estimate.trial_build import TrialBuild, spread
from tasks.suites.judge import Answered, units_of

Answers = dict[str, tuple[Request, Response]]  # by case_id
Key = tuple[Stage, str, str]  # stage, operation, model

# Contexts whose cases are rendered, or all of a smaller release.
CONTEXTS = 2_000
_IMITATED = "predicted from answers of usual length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """All lines of a run, in order, with notes for the reader."""

    lines: tuple[EstimateLine, ...]
    notes: tuple[str, ...]


def estimate(settings: RunSettings) -> Estimate:
    """Say what a run would ask and cost, less what is there already.

    Raises:
        UnknownModel, UnknownSuite, WrongSettings, DatasetError, LakeError: as the run itself.
    """
    run = check_options(settings)
    needs = model_needs(run)
    unpriced = {need.model.name: None for need in needs if costs_unknown(need.model)}
    estimating = _Estimating(replace(run, lake=run.lake.as_of_now()))
    return Estimate(
        lines=tuple(estimating.lines()),
        notes=(*estimating.build.notes, *_notes(needs, [*unpriced])),
    )


def together(estimates: Sequence[Estimate]) -> Estimate:
    """Join the estimates of several suites, in order."""
    lines = chain.from_iterable(each.lines for each in estimates)
    notes = chain.from_iterable(each.notes for each in estimates)
    return Estimate(lines=tuple(lines), notes=tuple(dict.fromkeys(notes)))


class _Estimating:
    def __init__(self, run: ResolvedRun) -> None:
        self.run, self.settings = run, run.settings
        cache = None if run.settings.fresh else kept_cache(run.lake)
        self.find = None if cache is None else cache.find
        self.rules = call_costs.by_rules(run)
        usual = call_costs.by_rules(run, usual=True)

        def engine_of(option: str) -> Counting:
            return self._engine(option, self.rules if is_played_by_rules(run, option) else usual)

        self.build = TrialBuild(run, engine_of)
        self.cases = list(self.build.all_rows(Case))
        self.pairs = {pair.qa_pair_id: pair for pair in self.build.all_rows(QAPair)}
        self.sample = self._sample()
        self.answers: dict[str, Answers] = {}  # model -> its answers to the sampled cases
        self.sums: dict[Key, tuple[Calls, str]] = {}  # with what they are predicted from

    def lines(self) -> Iterator[EstimateLine]:
        """Yield a line for each operation that a model is asked, in the run's order."""
        self._build()
        self._answer()
        for judge in self.run.judges:
            if judge.model is not None:
                self._judge(judge, judge.model)
        judging = (judge.model for judge in self.run.judges if judge.model)
        named = chain(self.settings.model, judging, *self.run.roles.values())
        rows = {row.name: row for row in map(self.run.row, named)}
        for (stage, operation, model), (calls, basis) in self.sums.items():
            yield calls.line(stage, operation, rows[model], basis)

    def _engine(self, option: str, play: Play) -> Counting:
        return Counting(self.run.row(option), self.find, play)

    def _add(self, stage: Stage, engine: Counting, scale: float, basis: str) -> None:
        for operation, calls in engine.sums.items():
            self._add_calls((stage, operation, engine.model), calls * scale, basis)

    def _add_calls(self, key: Key, calls: Calls, basis: str) -> None:
        before, _ = self.sums.get(key, (Calls(), basis))
        self.sums[key] = before + calls, basis

    def _build(self) -> None:
        """Add what the build asks; a finished one has asked all."""
        for part in (part for commit in self.build.commits for part in commit.parts_of("requests")):
            keys = dict(part.keys)
            if keys["operation"] != PRIME:
                calls = Calls(requests=part.n_rows, answered=part.n_rows)
                self._add_calls(("build", keys["operation"], keys["model"]), calls, COUNTED)
        for step, engines in self.build.engines.items():
            for engine in engines.values():
                self._add("build", engine, self.build.scale_of([step]), self.build.basis)

    # --- answers

    def _sample(self) -> list[Case]:
        """Choose the cases of some contexts, or all if there are few; in the build's order."""
        of_context: dict[str, list[Case]] = {}
        for case in self.cases:
            context_id = case.context_id or self.pairs[case.qa_pair_id].context_id
            of_context.setdefault(context_id, []).append(case)
        return [*chain.from_iterable(spread([*of_context.values()], CONTEXTS))]

    @property
    def scale(self) -> float:
        """How many cases of the run one sampled case stands for."""
        makers = (step.name for step in self.run.build if Case in step.writes)
        return self.build.scale_of(makers) * len(self.cases) / max(1, len(self.sample))

    def _answer(self) -> None:
        basis = self.build.basis
        if basis == COUNTED and len(self.sample) < len(self.cases):
            basis = f"predicted from {len(self.sample):,} of {len(self.cases):,} cases"
        for option in self.settings.model:
            is_rule = is_played_by_rules(self.run, option)
            engine = self._engine(option, self.rules if is_rule else call_costs.usual_words)
            tell(f"Counting the calls of {engine.model} ...")
            self.answers[engine.model] = asyncio.run(self._answers(engine))
            self._add("infer", engine, self.scale, basis)

    async def _answers(self, engine: Counting) -> Answers:
        stream = Client(engine, part=None).stream(grouped([*self._calls(engine)]))
        return {call.request.case_id or "": (call.request, reply) async for call, reply in stream}

    def _calls(self, engine: Counting) -> Iterator[Call]:
        """Render the sampled cases for a model, as the run would."""
        texts = self._texts({case.context_id for case in self.sample})
        questions = call_costs.questions_of(self.run, engine.row.shown, self.sample, texts)
        images = Images(self.run.lake.objects, draws=False)
        for operation, posed in questions.items():
            calls = render(operation, engine.model, posed, engine.identity, images=images)
            if self.run.cuts and operation.cuts:
                calls = cut_to_fit(operation, engine.row, posed, calls, engine.identity)
            yield from calls

    def _texts(self, context_ids: Collection[str | None]) -> dict[str, str]:
        return {
            context.context_id: context.text
            for context in self.build.all_rows(Context)
            if context.context_id in context_ids
        }

    # --- judgements

    def _judge(self, judge: NamedJudge, option: str) -> None:
        """Add what a model that judges is asked: all answers, a share again, perhaps attacks."""
        if judge.judge.attacks is not None and self.settings.attacks:
            engine = self._engine(option, call_costs.not_sent)
            list(judge.judge.attacks(engine, judge.name))
            self._add("judge", engine, 1.0, COUNTED)
        together = [tuple(map(name_of, models)) for models in judged_together(self.run, judge)]
        longest = max(operation.sampling.max_tokens for operation in self.run.suite.answers)
        for occasion in occasions(self.run, judge):
            engine = self._engine(option, call_costs.not_sent)
            answered = list(self._answered(judge, [*dict.fromkeys(chain(*together))], occasion))
            units = [
                unit for unit in units_of(judge.judge.unit, answered) if unit.models in together
            ]
            list(judge.judge.run(units, engine, self.run.options))
            for calls in engine.sums.values():
                calls.more_prompt = (calls.requests - calls.answered) * len(together[0]) * longest
            self._add("judge", engine, self.scale, _IMITATED)

    def _answered(
        self, judge: NamedJudge, models: Sequence[str], occasion: int
    ) -> Iterator[Answered]:
        """Yield the models' answers as a judge reads them, case by case."""
        cases = [
            case for case in self.sample if is_judged_on(occasion, self.settings, case.case_id)
        ]
        shown = {
            case.case_id: judge.judge.context_of(case, self.pairs[case.qa_pair_id])
            for case in cases
        }
        texts = self._texts(set(shown.values())) if judge.judge.reads else {}
        some = next(iter(self.answers.values()))  # a model of the release answers alike
        for case, model in product(cases, models):
            request, response = self.answers.get(model, some)[case.case_id]
            if not occasion or response.status == "ok":
                yield Answered(
                    case=case,
                    pair=self.pairs[case.qa_pair_id],
                    context=texts.get(shown[case.case_id] or "", ""),
                    request=replace(request, model=model),
                    response=response,
                    judge=judge.name,
                    occasion=occasion,
                )


def _notes(needs: Sequence[Need], unpriced: Sequence[str]) -> Iterator[str]:
    """Say why the run would be refused, and which prices are not known."""
    refusals: dict[str, str] = {}
    for need in needs:
        try:
            check_window(need)
            check_reachable(need.model)
        except (DoesNotFit, UnreachableModel) as refused:
            refusals.setdefault(need.model.name, str(refused))
    yield from (f"the run would be refused: {reason}" for reason in refusals.values())
    for name in unpriced:
        yield (
            f"{name}: its price is not known and not in the totals; --budget needs it in a "
            "models file"
        )
