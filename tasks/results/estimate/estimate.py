"""Calls and cost of a run, or of the rest of one. Nothing is sent or written.

What is built and answered is counted. Steps that are not finished run in memory on a sample of the
filings, and what they ask is multiplied. A reply in the response cache is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, product

from tasks.core.progress import tell
from tasks.core.rows import Case, Request, Response
from tasks.inference.cache.response_cache import kept_cache
from tasks.inference.cutting import cut_to_fit, limit_answer
from tasks.inference.operation import PRIME, Call, Question, prefix_id_of, render
from tasks.inference.prompts import fill
from tasks.lake.lake import Commit, Lake
from tasks.models.catalogue import (
    Model,
    UnreachableModel,
    check_reachable,
    costs_unknown,
    find_model,
    name_of,
)
from tasks.models.windows import DoesNotFit, Need, check_windows
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
from tasks.pipeline.preflight import check_dataset, model_needs
from tasks.pipeline.resolved import NamedJudge, ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import finished
from tasks.results.estimate.call_costs import COUNTED, Calls, Line, Stage
from tasks.results.estimate.counting import Counting, Rules, usual_answer
from tasks.results.estimate.trial_build import TrialBuild, sampled
from tasks.suites.judge import Answered, units_of
from tasks.suites.suite import AnyOperation
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens_around

Answers = dict[str, tuple[Request, Response]]  # by case_id
Counted = tuple[Stage, str, str, Calls, str]  # stage, operation, model's option, calls, basis

# Pairs whose answers are imitated for judges.
JUDGED_PAIRS = 200
_IMITATED = "predicted from answers of usual length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """All lines of a run, in order, with notes for the reader.

    `budget` is the run's budget in US dollars, if it has one and every price is known.
    """

    lines: tuple[Line, ...]
    budget: float | None
    notes: tuple[str, ...]


def estimate(settings: RunSettings) -> Estimate:
    """Say what a run would ask and cost, less what is there already.

    Raises:
        UnknownModel, UnknownSuite, WrongSettings, DatasetError, LakeError: as the run itself.
    """
    run = check_options(settings)
    check_dataset(run)
    is_priced = not any(costs_unknown(need.model) for need in model_needs(run))
    counting = _Estimating(run)
    lines = tuple(counting.lines())
    budget = settings.budget if is_priced else None
    return Estimate(lines=lines, budget=budget, notes=tuple(counting.notes()))


class _Estimating:
    """One estimate under way."""

    def __init__(self, run: ResolvedRun) -> None:
        self.run, self.settings = run, run.settings
        self.lake = Lake(run.settings.lake).as_of_now()
        self.cache = None if run.settings.fresh else kept_cache(run.settings.lake)
        rules = Rules(run.settings, run.suite.operations)
        self.build = TrialBuild(self.lake, run, lambda option: self.engine(option, rules))
        named = (run.settings.model, *run.roles.values(), [j.model for j in run.judges if j.model])
        self.options = {name_of(option): option for option in chain.from_iterable(named)}
        self.sample: set[str] = set()  # case_ids whose answers are imitated
        self.answers: dict[str, Commit] = {}  # model -> its answers to all cases
        self.imitated: dict[str, Answers] = {}  # model -> answers to the sample
        self.longest: dict[str, Need] = {}  # model -> its longest prompt

    def engine(self, option: str, rules: Rules | None = None) -> Counting:
        """Make an engine that counts what a model is asked."""
        find = None if self.cache is None else self.cache.find
        model = find_model(option, self.settings.models_file)
        return Counting(model, find, None if rules is None else rules.play)

    def lines(self) -> Iterator[Line]:
        """Yield a line for each operation that a model is asked, in the run's order."""
        sums: dict[tuple[Stage, str, str], tuple[Calls, str]] = {}
        for stage, operation, option, calls, basis in chain(
            self.building(), self.answering(), self.judging()
        ):
            before, _ = sums.get((stage, operation, option), (Calls(), ""))
            sums[stage, operation, option] = (before + calls, basis)
        for (stage, operation, option), (calls, basis) in sums.items():
            if calls.requests:
                model = find_model(option, self.settings.models_file)
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

    # --- build

    def building(self) -> Iterator[Counted]:
        """Yield what each step asks, role by role."""
        for step in self.run.build:
            commit = self.build.commits.get(step.name)
            if commit is not None:
                yield from self._done("build", commit)
                continue
            self.build.rows(step.name)
            for option, engine in self.build.engines[step.name].items():
                for operation, calls in engine.sums.items():
                    scaled = calls * self.build.scale_of([step.name])
                    yield "build", operation, option, scaled, self._basis()

    def _basis(self) -> str:
        if self.build.is_exact:
            return COUNTED
        return f"predicted from {self.build.n_sampled:,} of {self.build.n_filings:,} filings"

    @property
    def scale(self) -> float:
        """How many cases of the run one case of the build stands for."""
        if self.build.is_built:
            return 1.0
        return self.build.scale_of(step.name for step in self.run.build if Case in step.writes)

    # --- infer

    def answering(self) -> Iterator[Counted]:
        """Yield what the models under test are asked."""
        for option in self.settings.model:
            plan = partial(plan_responses, self.lake, self.run, option)
            commit = finished(self.lake, self.settings, plan) if self.build.is_built else None
            if commit is not None:
                self.answers[option] = commit
        engines = {
            option: self.engine(option)
            for option in self.settings.model
            if option not in self.answers
        }
        if engines:
            self._ask(engines)
        for option in self.settings.model:
            if option in self.answers:
                yield from self._done("infer", self.answers[option])
            else:
                for operation, calls in engines[option].sums.items():
                    yield "infer", operation, option, calls * self.scale, self._basis()

    def _ask(self, engines: Mapping[str, Counting]) -> None:
        """Count each model's calls; imitate answers to a sample if a model will judge them."""
        if any(judge.model is not None for judge in self.run.judges):
            pairs = {*sampled({case.qa_pair_id for case in self.build.cases}, JUDGED_PAIRS)}
            self.sample = {c.case_id for c in self.build.cases if c.qa_pair_id in pairs}
        tell(f"Counting the calls of {', '.join(map(name_of, engines))} ...")
        self.imitated = {option: {} for option in engines}
        asked = {option: self.run.answers(self.run.shown_to(option)) for option in engines}
        images = images_of(self.run, draws=False)
        for operation, questions, known in self._questions():
            for option, engine in engines.items():
                if operation not in asked[option]:
                    continue
                calls = render(operation, engine.model, questions, engine.identity, known, images)
                if self.run.cuts and operation.cuts:
                    calls = cut_to_fit(operation, engine.row, questions, calls, engine.identity)
                self._note_longest(operation, engine.row, calls)
                self._imitate(option, engine, [limit_answer(call, engine.row) for call in calls])

    def _imitate(self, option: str, engine: Counting, calls: Sequence[Call]) -> None:
        """Count calls, and keep answers to those of the sample."""
        engine.count(calls)
        for call in calls:
            request = call.request
            if request.case_id in self.sample:
                reply = engine.replies.get(request.request_id) or usual_answer(call)
                self.imitated[option][request.case_id] = (request, reply)

    def _note_longest(self, operation: AnyOperation, row: Model, calls: Sequence[Call]) -> None:
        """Note a model's longest prompt, which the run would look at first."""
        call = max(calls, key=lambda call: call.request.n_prompt_tokens)
        n_prompt = call.request.n_prompt_tokens
        if row.name not in self.longest or self.longest[row.name].prompt < n_prompt:
            name = f"the longest prompt, of {call.request.case_id},"
            shorter = partial(self.run.shorter_answer, operation, call, n_whole=None)
            most = operation.sampling.max_tokens
            self.longest[row.name] = Need(row, n_prompt, most, name, shorter)

    def _questions(self) -> Iterator[tuple[AnyOperation, list[Question], dict[str, int]]]:
        """Yield each context's cases by operation, with the tokens of their prefix if known."""
        of_context: dict[str, list[Case]] = {}
        for case in self.build.cases:
            of_context.setdefault(case.context_id or "", []).append(case)
        contexts = self.build.contexts([context_id for context_id in of_context if context_id])
        texts = ((row.context_id, row.text, row.n_tokens, row.encoding) for row in contexts)
        for context_id, text, n_tokens, encoding in (("", "", 0, ""), *texts):
            by_operation: dict[str, tuple[AnyOperation, list[Question]]] = {}
            for shown, case in product(self.run.shown, of_context.get(context_id, ())):
                operation = self.run.operation_of(case, shown)
                question = Question(case.case_id, operation.inputs.of(case, text), case.case_id)
                by_operation.setdefault(operation.name, (operation, []))[1].append(question)
            for operation, questions in by_operation.values():
                known: dict[str, int] = {}
                head = fill(operation.template, asdict(questions[0].inputs)).prefix
                if text and text in head and encoding == DEFAULT_ENCODING:  # counted already
                    before, _, after = head.partition(text)
                    known[prefix_id_of(head)] = count_tokens_around(before, text, n_tokens, after)
                yield operation, questions, known

    # --- judge

    def judging(self) -> Iterator[Counted]:
        """Yield what each model that judges is asked: all answers, a share again, perhaps attacks.

        A judge's prompts are exact if the answers are. Its replies cause no further calls.
        """
        for judge in self.run.judges:
            if judge.model is None:
                continue
            yield from self._attacks(judge, judge.model)
            for occasion in occasions(self.run, judge):
                missing = []
                for models in judged_together(self.lake, self.run, judge):
                    plan = partial(plan_judgements, self.lake, self.run, judge, models, occasion)
                    is_answered = all(model in self.answers for model in models)
                    commit = finished(self.lake, self.settings, plan) if is_answered else None
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
        plan = partial(plan_attack_verdicts, self.lake, self.run, judge)
        commit = finished(self.lake, self.settings, plan)
        if commit is not None:
            yield from self._done("judge", commit)
            return
        engine = self.engine(model)
        list(attacks(engine, judge.name))
        for operation, calls in engine.sums.items():
            yield "judge", operation, model, calls, COUNTED

    def _judge(
        self, judge: NamedJudge, model: str, missing: Sequence[tuple[str, ...]], occasion: int
    ) -> Iterator[Counted]:
        """Yield the judging of some models' answers, by operation."""
        models = dict.fromkeys(chain.from_iterable(missing))
        is_there = all(model in self.answers for model in models)
        cases = {
            case.case_id: case
            for case in self.build.cases
            if (is_there or case.case_id in self.sample)
            and is_judged_on(occasion, self.settings, case.case_id)
        }
        answered = self._answered(judge, models, cases, occasion)
        engine = self.engine(model)
        names = {tuple(map(name_of, models)) for models in missing}
        units = [unit for unit in units_of(judge.judge.unit, answered) if unit.models in names]
        list(judge.judge.run(units, engine, self.run.options))
        scale = (
            self.scale
            if is_there
            else self.scale * len(self.build.cases) / max(1, len(self.sample))
        )
        longest = max(operation.sampling.max_tokens for operation in self.run.suite.answers)
        n_quoted = 0 if is_there else 1 if judge.judge.unit == "answer" else 2
        for operation, calls in engine.sums.items():
            calls.more_prompt = (calls.requests - calls.answered) * n_quoted * longest
            yield "judge", operation, model, calls * scale, COUNTED if is_there else _IMITATED

    def _answered(
        self, judge: NamedJudge, models: Collection[str], cases: Mapping[str, Case], occasion: int
    ) -> list[Answered]:
        """Give the models' answers to some cases as a judge reads them."""
        pairs = self.build.pairs
        of_contexts = {pairs[case.qa_pair_id].context_id for case in cases.values()}
        contexts = self.build.contexts(of_contexts) if judge.judge.reads_contexts else ()
        texts = {context.context_id: context.text for context in contexts}
        return [
            Answered(
                case=cases[case_id],
                pair=pairs[cases[case_id].qa_pair_id],
                context=texts.get(pairs[cases[case_id].qa_pair_id].context_id, ""),
                request=request,
                response=response,
                judge=judge.name,
                occasion=occasion,
            )
            for model in models
            for case_id, (request, response) in self._answers_of(model, cases).items()
            if case_id in cases and (not occasion or response.status == "ok")
        ]

    def _answers_of(self, model: str, cases: Collection[str]) -> Answers:
        """Return a model's answers: from the lake if it has given them."""
        if model not in self.answers:
            return self.imitated[model]
        commit = self.answers[model]
        requests = self.lake.read(commit, Request, ("case_id", cases))
        ids = {request.request_id for request in requests}
        responses = self.lake.each(commit, Response, ("request_id", ids))
        of_request = {response.request_id: response for response in responses}
        return {
            request.case_id or "": (request, of_request[request.request_id]) for request in requests
        }

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
        for need in (*needs, *self.longest.values()):
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
