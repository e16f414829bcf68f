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
    BudgetCheck,
    Calls,
    Line,
    added_up,
    check_budget,
)
from tasks.results.estimate.counting import (
    NOT_SENT,
    Counting,
    Rules,
    of_typical_length,
    replies_of,
)
from tasks.results.estimate.trial_build import TrialBuild
from tasks.suites.shared.judging import Answered, units_of
from tasks.suites.suite import AnyOperation
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens_around

Answers = dict[str, tuple[Request, Response]]  # by case_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """All lines of a run, in order, with notes for the reader.

    `budget` compares them with the run's budget, if it has one and every price is known.
    """

    lines: tuple[Line, ...]
    budget: BudgetCheck | None
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
    lines = added_up((*counting.building(), *counting.answering(), *counting.judging()))
    has_budget = settings.budget is not None and is_priced
    budget = check_budget(lines, settings.budget or 0.0) if has_budget else None
    return Estimate(lines=lines, budget=budget, notes=tuple(counting.notes()))


class _Estimating:
    """One estimate under way."""

    def __init__(self, run: ResolvedRun) -> None:
        self.run, self.settings, self.suite = run, run.settings, run.suite
        self.lake = Lake(run.settings.lake).as_of_now()
        self.cache = None if run.settings.fresh else kept_cache(run.settings.lake)
        self.images = images_of(run, draws=False)
        self.rules = Rules(run.settings, run.suite.operations)
        self.build = TrialBuild(self.lake, run, partial(self.engine, self.rules))
        self.steps = [step.name for step in run.build if Case in step.writes]
        self.cases: list[Case] = []
        self.sample: set[str] = set()  # case_ids of the filings whose answers are imitated
        self.answers: dict[str, Commit] = {}  # model -> its answers to all cases
        self.imitated: dict[str, Answers] = {}  # model -> answers of the sample
        # longest prompts of models under test, by model and operation
        self.needs: dict[tuple[str, str], Need] = {}
        self.most = 1.0  # how many cases there are at most for each one
        self.is_guessed = False  # whether imitated answers are not all real ones
        self.unplayed: set[str] = set()  # operations whose answers no rule imitates

    def model(self, option: str) -> Model:
        """Return the model that an option names."""
        return find_model(option, self.settings.models_file)

    def engine(self, rules: Rules | None, option: str) -> Counting:
        """Make an engine that counts what a model is asked."""
        find = None if self.cache is None else self.cache.find
        return Counting(self.model(option), find, rules, self.build.weights)

    # --- build

    def building(self) -> Iterator[Line]:
        """Lines of each step's operations, role by role."""
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
                if commit is None:
                    engine = self.build.engines[step.name][option]
                    calls = engine.calls(operation) * self.build.scale_of([step.name])
                    basis = self._basis(step.name)
                else:
                    n = done[operation, name_of(option)]
                    calls, basis = Calls(requests=n, answered=n), COUNTED
                if calls.requests:
                    yield calls.line("build", operation, self.model(option), basis)

    def _basis(self, *steps: str) -> str:
        if self.build.is_exact(*steps):
            return COUNTED
        return predicted(self.build.n_sampled, self.build.n_filings)

    # --- infer

    def answering(self) -> Iterator[Line]:
        """Lines of the models under test."""
        self.cases = self.build.cases()
        self.most = 1.0 if self.build.is_built else self.build.most_cases()
        for option in self.settings.model:
            plan = partial(plan_responses, self.lake, self.run, option)
            commit = finished(self.lake, self.settings, plan) if self.build.is_built else None
            if commit is not None:
                self.answers[option] = commit
        engines = {
            option: self.engine(self.rules, option)
            for option in self.settings.model
            if option not in self.answers
        }
        if engines:
            self._answer(engines)
        is_built = self.build.is_built
        basis = COUNTED if is_built else self._basis(*self.steps)
        scale = 1.0 if is_built else self.build.scale_of(self.steps)
        for option in self.settings.model:
            done = requests_of(self.answers[option]) if option in self.answers else Counter()
            lines = []
            for operation in self.run.answers(self.run.shown_to(option)):
                n = done[operation.name, name_of(option)]
                calls = Calls(requests=n, answered=n)
                if option in engines:
                    calls = engines[option].calls(operation.name) * scale
                model = self.model(option)
                lines.append(calls.line("infer", operation.name, model, basis, self.most))
            yield from [line for line in lines if line.requests] or lines[:1]

    def _answer(self, engines: Mapping[str, Counting]) -> None:
        """Count each model's calls; imitate answers to the sample if a model will judge them."""
        if any(judge.model is not None for judge in self.run.judges):
            self.sample = self.build.sampled_cases()
        tell(f"Counting the calls of {', '.join(map(name_of, engines))} ...")
        self.imitated = {option: {} for option in engines}
        asked = {option: self.run.answers(self.run.shown_to(option)) for option in engines}
        for operation, questions, known in self._questions():
            for option, engine in engines.items():
                if operation not in asked[option]:
                    continue
                calls = render(
                    operation, engine.model, questions, engine.identity, known, self.images
                )
                row = self.model(option)
                if self.run.cuts and operation.cuts:
                    calls = cut_to_fit(operation, row, questions, calls, engine.identity)
                self._note_longest(operation, row, calls)
                calls = [limit_answer(call, row) for call in calls]
                played = [call for call in calls if call.request.case_id in self.sample]
                engine.count([call for call in calls if call.request.case_id not in self.sample])
                replies = asyncio.run(replies_of(engine, played)) if played else {}
                for call in played:
                    request = call.request
                    reply = replies[request.request_id]
                    if reply.error_type == NOT_SENT:
                        reply = of_typical_length(call)
                        self.unplayed.add(operation.name)
                    self.imitated[option][request.case_id or ""] = (request, reply)
        self.is_guessed = any(engine.n_guessed for engine in engines.values())

    def _note_longest(self, operation: AnyOperation, row: Model, calls: Sequence[Call]) -> None:
        """Note the longest prompt of an operation, which the run would look at first."""
        call = max(calls, key=lambda call: call.request.n_prompt_tokens)
        n_prompt, case_id = call.request.n_prompt_tokens, call.request.case_id
        known = self.needs.get((row.name, operation.name))
        if known is not None and known.prompt >= n_prompt:
            return

        def shorter(most: int) -> str:
            (case,) = (each for each in self.cases if each.case_id == case_id)
            built_from = [self.build.pairs[case.qa_pair_id].context_id]
            n_whole = next((each.n_tokens for each in self.build.contexts(built_from)), None)
            return self.run.shorter_answer(operation, call, most, n_whole)

        name = f"the longest prompt, of {case_id},"
        most = operation.sampling.max_tokens
        self.needs[row.name, operation.name] = Need(row, n_prompt, most, name, shorter)

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
                if (
                    text and text in head and encoding == DEFAULT_ENCODING
                ):  # its tokens are counted already
                    before, _, after = head.partition(text)
                    known[prefix_id_of(head)] = count_tokens_around(before, text, n_tokens, after)
                yield operation, questions, known

    # --- judge

    def judging(self) -> Iterator[Line]:
        """Yield lines of each model that judges: all answers, a share of them again, and attacks.

        A judge's prompts are exact if the answers are. Its replies cause no further calls.
        """
        for judge in self.run.judges:
            if judge.model is None:
                continue
            calls = self._attacks(judge, judge.model)
            basis = COUNTED
            for occasion in occasions(self.run, judge):
                left = []
                for models in judged_together(self.lake, self.run, judge):
                    plan = partial(plan_judgements, self.lake, self.run, judge, models, occasion)
                    is_answered = all(model in self.answers for model in models)
                    commit = finished(self.lake, self.settings, plan) if is_answered else None
                    if commit is None:
                        left.append(models)
                    else:
                        _add_done(calls, commit)
                if left:
                    basis = self._judge(judge, judge.model, left, occasion, calls)
            for operation, found in calls.items():
                if found.requests:
                    model = self.model(judge.model)
                    yield found.line("judge", operation, model, basis, self.most)

    def _attacks(self, judge: NamedJudge, model: str) -> dict[str, Calls]:
        """Count the standing attacks on a judge, by operation."""
        calls = {operation.name: Calls() for operation in judge.judge.asks}
        attacks = judge.judge.attacks
        if attacks is None:
            return calls
        plan = partial(plan_attack_verdicts, self.lake, self.run, judge)
        commit = finished(self.lake, self.settings, plan)
        if commit is not None:
            _add_done(calls, commit)
            return calls
        engine = self.engine(None, model)
        list(attacks(engine, judge.name))
        return {operation: engine.calls(operation) for operation in calls}

    def _judge(
        self,
        judge: NamedJudge,
        model: str,
        left: Sequence[tuple[str, ...]],
        occasion: int,
        calls: dict[str, Calls],
    ) -> str:
        """Add the judging of some models' answers to the calls; return what it is counted from."""
        models = dict.fromkeys(chain.from_iterable(left))
        is_there = all(model in self.answers for model in models)
        wanted = {
            case.case_id: case
            for case in self.cases
            if (is_there or case.case_id in self.sample)
            and is_judged_on(occasion, self.settings, case.case_id)
        }
        pairs = self.build.pairs
        of_contexts = {pairs[case.qa_pair_id].context_id for case in wanted.values()}
        read = self.build.contexts(of_contexts) if judge.judge.reads_contexts else ()
        texts = {context.context_id: context.text for context in read}
        answered = [
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
        for operation in calls:
            found = engine.calls(operation)
            found.more_prompt = (found.requests - found.answered) * n_quoted * longest
            calls[operation] += found * scale
        if is_there or (self.build.is_exact(*self.steps) and not self.is_guessed):
            return COUNTED
        return predicted(self.build.n_sampled, self.build.n_filings)

    def _answers_of(self, model: str, wanted: Collection[str]) -> Answers:
        """Return a model's answers: from the lake if it has given them."""
        if model not in self.answers:
            return self.imitated[model]
        commit = self.answers[model]
        requests = self.lake.read(commit, Request, ("case_id", wanted))
        of_request = {
            response.request_id: response
            for response in self.lake.each(
                commit, Response, ("request_id", {request.request_id for request in requests})
            )
        }
        return {
            request.case_id or "": (request, of_request[request.request_id]) for request in requests
        }

    # --- notes

    def notes(self) -> Iterator[str]:
        """Say what a reader has to know beside the figures."""
        yield from self.build.notes
        for step, engines in self.build.engines.items():
            for option, engine in engines.items():
                if engine.n_unread:
                    yield (
                        f"{engine.n_unread:,} of {engine.n_guessed:,} replies that rules gave "
                        f"instead of {name_of(option)} in step {step} could not be used: if a "
                        "model's can, more calls follow"
                    )
        for operation in sorted(self.unplayed):
            yield f"no rule plays {operation}: judges are counted as if answers had a usual length"
        if "images" in self.run.shown:
            yield (
                "tokens of images are an estimate, by OpenAI's rule for gpt-4o: 85 for a page and "
                "170 for each 512 x 512 px of it; before pages are drawn, their size is a guess"
            )
        needs = model_needs(self.run)
        too_long: dict[str, DoesNotFit] = {}
        for need in [*needs, *sorted(self.needs.values(), key=lambda need: -need.prompt)]:
            try:
                check_layouts([need])
            except DoesNotFit as refused:
                too_long.setdefault(need.model.name, refused)
        for wrong in too_long.values():
            yield f"the run would be refused: {wrong}"
        models = {need.model.name: need.model for need in needs}.values()
        refusals: dict[str, UnreachableModel] = {}
        for model in models:
            try:
                check_reachable(model)
            except UnreachableModel as refused:
                refusals[model.name] = refused
            if costs_unknown(model):
                yield (
                    f"{model.name}: its price is not known and not in the totals; --budget needs "
                    "it in a models file"
                )
        if refusals:
            first, *others = refusals
            more = f" (so would, each for its own key or server: {', '.join(others)})"
            yield f"the run would be refused: {refusals[first]}{more if others else ''}"


def predicted(n_sampled: int, n_filings: int) -> str:
    """Say from how many filings a line is predicted."""
    return f"predicted from {n_sampled:,} of {n_filings:,} filings"


def requests_of(commit: Commit) -> Counter[tuple[str, str]]:
    """Count a finished step's requests by operation and model; primers aside."""
    found: Counter[tuple[str, str]] = Counter()
    for part in commit.parts_of("requests"):
        keys = dict(part.keys)
        if keys["operation"] != PRIME:
            found[keys["operation"], keys["model"]] += part.n_rows
    return found


def _add_done(calls: dict[str, Calls], commit: Commit) -> None:
    """Add what a finished step has asked to the calls of its operations, all of it answered."""
    for (operation, _), n in requests_of(commit).items():
        calls[operation] = calls.get(operation, Calls()) + Calls(requests=n, answered=n)
