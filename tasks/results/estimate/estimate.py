"""Calls and cost of a run, or of the rest of one. Nothing is sent or written.

Finished steps are counted. The others run in memory, on a sample of the filings, with engines that
count: a reply in the response cache is free, and a rule gives all other replies.
"""

from __future__ import annotations

import asyncio
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
from tasks.models.gpu_memory import DoesNotFit, Need, check_layouts
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
from tasks.results.estimate.call_costs import (
    COUNTED,
    Calls,
    Line,
    Stage,
)
from tasks.results.estimate.counting import (
    NOT_SENT,
    Counting,
    Rules,
    of_typical_length,
    replies_of,
)
from tasks.results.estimate.trial_build import TrialBuild
from tasks.suites.judge import Answered, units_of
from tasks.suites.suite import AnyOperation
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens_around

Answers = dict[str, tuple[Request, Response]]  # by case_id
Counted = tuple[Stage, str, str, Calls, str]  # stage, operation, model's option, calls, basis


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
        self.rules = Rules(run.settings, run.suite.operations)
        self.build = TrialBuild(self.lake, run, partial(self.engine, self.rules))
        self.steps = [step.name for step in run.build if Case in step.writes]
        self.cases: list[Case] = []
        self.sample: set[str] = set()  # case_ids of the filings whose answers are imitated
        self.answers: dict[str, Commit] = {}  # model -> its answers to all cases
        self.imitated: dict[str, Answers] = {}  # model -> answers of the sample
        self.longest: dict[str, Need] = {}  # model -> its longest prompt
        self.is_guessed = False  # whether imitated answers are not all real ones
        self.unplayed: set[str] = set()  # operations whose answers no rule imitates

    def engine(self, rules: Rules | None, option: str) -> Counting:
        """Make an engine that counts what a model is asked."""
        find = None if self.cache is None else self.cache.find
        return Counting(find_model(option, self.settings.models_file), find, rules)

    def lines(self) -> Iterator[Line]:
        """Yield a line for each operation that a model is asked, in the run's order."""
        sums: dict[tuple[Stage, str, str], tuple[Calls, str]] = {}
        for stage, operation, option, calls, basis in chain(
            self.building(), self.answering(), self.judging()
        ):
            before, _ = sums.get((stage, operation, option), (Calls(), ""))
            sums[stage, operation, option] = (before + calls, basis)
        for (stage, operation, option), (calls, basis) in sums.items():
            if calls.requests or stage == "infer":
                model = find_model(option, self.settings.models_file)
                yield calls.line(stage, operation, model, basis)

    # --- build

    def building(self) -> Iterator[Counted]:
        """Yield what each step asks, role by role."""
        for step in self.run.build:
            commit = self.build.commits.get(step.name)
            done = Counter[tuple[str, str]]() if commit is None else requests_of(commit)
            if commit is None:
                self.build.rows(step.name)
            asked = dict.fromkeys(
                (option, operation.name)
                for role, operations in step.asks.items()
                for option in self.run.roles[role]
                for operation in operations
            )
            for option, operation in asked:
                if commit is not None:
                    yield "build", operation, option, _answered(done, operation, option), COUNTED
                else:
                    engine = self.build.engines[step.name][option]
                    calls = engine.calls(operation) * self.build.scale_of([step.name])
                    yield "build", operation, option, calls, self._basis(step.name)

    def _basis(self, *steps: str) -> str:
        return COUNTED if self.build.is_exact(*steps) else self._predicted()

    def _predicted(self) -> str:
        return f"predicted from {self.build.n_sampled:,} of {self.build.n_filings:,} filings"

    # --- infer

    def answering(self) -> Iterator[Counted]:
        """Yield what the models under test are asked."""
        self.cases = self.build.cases()
        for option in self.settings.model:
            plan = partial(plan_responses, self.lake, self.run, option)
            commit = finished(self.lake, self.settings, plan) if self.build.is_built else None
            if commit is not None:
                self.answers[option] = commit
        asked = [option for option in self.settings.model if option not in self.answers]
        engines = {option: self.engine(self.rules, option) for option in asked}
        if engines:
            self._answer(engines)
        is_built = self.build.is_built
        basis = COUNTED if is_built else self._basis(*self.steps)
        scale = 1.0 if is_built else self.build.scale_of(self.steps)
        for option in self.settings.model:
            done = requests_of(self.answers[option]) if option in self.answers else Counter()
            found = {
                operation.name: engines[option].calls(operation.name) * scale
                if option in engines
                else _answered(done, operation.name, option)
                for operation in self.run.answers(self.run.shown_to(option))
            }
            some = {name: calls for name, calls in found.items() if calls.requests}
            for name, calls in (some or dict([*found.items()][:1])).items():
                yield "infer", name, option, calls, basis

    def _answer(self, engines: Mapping[str, Counting]) -> None:
        """Count each model's calls; imitate answers to the sample if a model will judge them."""
        if any(judge.model is not None for judge in self.run.judges):
            self.sample = self.build.sampled_cases()
        tell(f"Counting the calls of {', '.join(map(name_of, engines))} ...")
        self.imitated = {option: {} for option in engines}
        asked = {option: self.run.answers(self.run.shown_to(option)) for option in engines}
        images = images_of(self.run, draws=False)
        for operation, questions, known in self._questions():
            for option, engine in engines.items():
                if operation in asked[option]:
                    calls = render(
                        operation, engine.model, questions, engine.identity, known, images
                    )
                    if self.run.cuts and operation.cuts:
                        calls = cut_to_fit(operation, engine.row, questions, calls, engine.identity)
                    self._note_longest(operation, engine.row, calls)
                    self._imitate(option, engine, [limit_answer(c, engine.row) for c in calls])
        self.is_guessed = any(engine.n_guessed for engine in engines.values())

    def _imitate(self, option: str, engine: Counting, calls: Sequence[Call]) -> None:
        """Count calls, and keep answers to those of the sample."""
        played = [call for call in calls if call.request.case_id in self.sample]
        engine.count([call for call in calls if call.request.case_id not in self.sample])
        replies = asyncio.run(replies_of(engine, played)) if played else {}
        for call in played:
            request = call.request
            reply = replies[request.request_id]
            if reply.error_type == NOT_SENT:
                reply = of_typical_length(call)
                self.unplayed.add(request.operation)
            self.imitated[option][request.case_id or ""] = (request, reply)

    def _note_longest(self, operation: AnyOperation, row: Model, calls: Sequence[Call]) -> None:
        """Note a model's longest prompt, which the run would look at first."""
        call = max(calls, key=lambda call: call.request.n_prompt_tokens)
        n_prompt = call.request.n_prompt_tokens
        known = self.longest.get(row.name)
        if known is None or known.prompt < n_prompt:
            name = f"the longest prompt, of {call.request.case_id},"
            shorter = partial(self.run.shorter_answer, operation, call, n_whole=None)
            most = operation.sampling.max_tokens
            self.longest[row.name] = Need(row, n_prompt, most, name, shorter)

    def _questions(self) -> Iterator[tuple[AnyOperation, list[Question], dict[str, int]]]:
        """Yield each context's cases by operation, with the tokens of their prefix if known."""
        of_context: dict[str, list[Case]] = {}
        for case in self.cases:
            of_context.setdefault(case.context_id or "", []).append(case)
        contexts = self.build.contexts([context_id for context_id in of_context if context_id])
        texts = ((each.context_id, each.text, each.n_tokens, each.encoding) for each in contexts)
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
                left = []
                for models in judged_together(self.lake, self.run, judge):
                    plan = partial(plan_judgements, self.lake, self.run, judge, models, occasion)
                    is_answered = all(model in self.answers for model in models)
                    commit = finished(self.lake, self.settings, plan) if is_answered else None
                    if commit is None:
                        left.append(models)
                    else:
                        yield from _done(judge.model, commit)
                if left:
                    yield from self._judge(judge, judge.model, left, occasion)

    def _attacks(self, judge: NamedJudge, model: str) -> Iterator[Counted]:
        """Yield the standing attacks on a judge, by operation."""
        attacks = judge.judge.attacks
        if attacks is None or not self.settings.attacks:
            return
        plan = partial(plan_attack_verdicts, self.lake, self.run, judge)
        commit = finished(self.lake, self.settings, plan)
        if commit is not None:
            yield from _done(model, commit)
            return
        engine = self.engine(None, model)
        list(attacks(engine, judge.name))
        for operation in judge.judge.asks:
            yield "judge", operation.name, model, engine.calls(operation.name), COUNTED

    def _judge(
        self, judge: NamedJudge, model: str, left: Sequence[tuple[str, ...]], occasion: int
    ) -> Iterator[Counted]:
        """Yield the judging of some models' answers, by operation."""
        models = dict.fromkeys(chain.from_iterable(left))
        is_there = all(model in self.answers for model in models)
        wanted = {
            case.case_id: case
            for case in self.cases
            if (is_there or case.case_id in self.sample)
            and is_judged_on(occasion, self.settings, case.case_id)
        }
        answered = self._answered(judge, models, wanted, occasion)
        engine = self.engine(None, model)
        named = {tuple(map(name_of, models)) for models in left}
        units = [each for each in units_of(judge.judge.unit, answered) if each.models in named]
        list(judge.judge.run(units, engine, self.run.options))
        if self.build.is_built:
            scale = 1.0 if is_there else len(self.cases) / max(1, len(self.sample))
        else:
            scale = self.build.scale_of(self.steps)
        longest = max(each.sampling.max_tokens for each in self.run.suite.answers)
        n_quoted = 0 if is_there else 1 if judge.judge.unit == "answer" else 2
        is_exact = is_there or (self.build.is_exact(*self.steps) and not self.is_guessed)
        for operation in judge.judge.asks:
            calls = engine.calls(operation.name)
            calls.more_prompt = (calls.requests - calls.answered) * n_quoted * longest
            basis = COUNTED if is_exact else self._predicted()
            yield "judge", operation.name, model, calls * scale, basis

    def _answered(
        self, judge: NamedJudge, models: Collection[str], wanted: Mapping[str, Case], occasion: int
    ) -> list[Answered]:
        """Give the models' answers to some cases as a judge reads them."""
        pairs = self.build.pairs
        of_contexts = {pairs[case.qa_pair_id].context_id for case in wanted.values()}
        read = self.build.contexts(of_contexts) if judge.judge.reads_contexts else ()
        texts = {context.context_id: context.text for context in read}
        return [
            Answered(
                case=wanted[case_id],
                pair=pairs[wanted[case_id].qa_pair_id],
                context=texts.get(pairs[wanted[case_id].qa_pair_id].context_id, ""),
                request=request,
                response=response,
                judge=judge.name,
                occasion=occasion,
            )
            for model in models
            for case_id, (request, response) in self._answers_of(model, wanted).items()
            if case_id in wanted and (not occasion or response.status == "ok")
        ]

    def _answers_of(self, model: str, wanted: Collection[str]) -> Answers:
        """Return a model's answers: from the lake if it has given them."""
        if model not in self.answers:
            return self.imitated[model]
        commit = self.answers[model]
        requests = self.lake.read(commit, Request, ("case_id", wanted))
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
        for operation in sorted(self.unplayed):
            yield f"no rule plays {operation}: judges are counted as if answers had a usual length"
        if "images" in self.run.shown:
            yield (
                "tokens of images are an estimate, by OpenAI's rule for gpt-4o: 85 for a page and "
                "170 for each 512 x 512 px of it; before pages are drawn, their size is a guess"
            )
        needs = model_needs(self.run)
        refusals: dict[str, str] = {}
        for need in (*needs, *self.longest.values()):
            try:
                check_layouts([need])
                check_reachable(need.model)
            except (DoesNotFit, UnreachableModel) as refused:
                refusals.setdefault(need.model.name, str(refused))
        yield from (f"the run would be refused: {reason}" for reason in refusals.values())
        for name in dict.fromkeys(need.model.name for need in needs if costs_unknown(need.model)):
            yield (
                f"{name}: its price is not known and not in the totals; --budget needs it in a "
                "models file"
            )


def requests_of(commit: Commit) -> Counter[tuple[str, str]]:
    """Count a finished step's requests by operation and model; primers aside."""
    counts: Counter[tuple[str, str]] = Counter()
    for part in commit.parts_of("requests"):
        keys = dict(part.keys)
        if keys["operation"] != PRIME:
            counts[keys["operation"], keys["model"]] += part.n_rows
    return counts


def _answered(done: Counter[tuple[str, str]], operation: str, option: str) -> Calls:
    n = done[operation, name_of(option)]
    return Calls(requests=n, answered=n)


def _done(model: str, commit: Commit) -> Iterator[Counted]:
    """Yield what a finished step has asked, all of it answered."""
    for (operation, _), n in requests_of(commit).items():
        yield "judge", operation, model, Calls(requests=n, answered=n), COUNTED
