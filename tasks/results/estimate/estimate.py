"""What a run, or the rest of one, would ask, and what that would cost. Nothing is sent, nothing is written.

What the lake holds as this run would make it is counted; so is what follows from it without asking a
model. What depends on answers that nobody has given is predicted from the planning figures of the suite.
Every line says which. Calls whose answers are in the lake or in its ledger are free and only counted.

`estimate` counts what the lake holds already and predicts the rest from the suite's planning figures; `rehearsal` renders
the calls that can be rendered, `preview` looks at filings that have not been ingested, `call_costs` and `gpu_time`
turn tokens into dollars and modelled GPU-hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from tasks.core.rows import Case, Request, Response
from tasks.core.settings import MODEL_SETTINGS, RunSettings
from tasks.inference.cache.response_cache import kept_cache
from tasks.inference.operation import PRIME, Question, ledger_key, prefix_id_of, render
from tasks.inference.prompts import fill, inputs_of
from tasks.lake.lake import Commit, Lake
from tasks.models.catalogue import Model, UnreachableModel, check_reachable, costs_unknown, find_model
from tasks.models.gpu_memory import DoesNotFit, check_layouts
from tasks.pipeline.plan import (
    check_options,
    is_judged_on,
    occasions,
    plan_attack_verdicts,
    plan_judgements,
    plan_responses,
)
from tasks.pipeline.preflight import check_dataset, model_needs
from tasks.pipeline.steps import finished
from tasks.results.estimate.budget import BudgetCheck, check_budget
from tasks.results.estimate.call_costs import RULES, Calls, Line
from tasks.results.estimate.preview import preview
from tasks.results.estimate.rehearsal import Asked, Find, Rehearsal, stand_in
from tasks.suites.build_inputs import Shown
from tasks.suites.failsafeqa.questions.dialogue import default_examples
from tasks.suites.planning_contract import Plan
from tasks.suites.registry import load_suite
from tasks.suites.shared.judging import Answered
from tasks.text.tokens import count_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Every line of a run, in the order in which it would come, and what a reader has to know beside them.

    `budget` holds them against the run's budget, where it has one and every price is known.
    """

    lines: tuple[Line, ...]
    budget: BudgetCheck | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Prompt:
    """One prompt to a model under test: its hash, its context and the tokens of its two parts."""

    sha256: str
    context_id: str | None
    n_prefix: int
    n_suffix: int


def estimate(run: RunSettings) -> Estimate:
    """What a run would ask and cost, less what is there already.

    Raises:
        UnknownModel, UnknownSuite, WrongSettings, DatasetError, LakeError: as the run itself.
    """
    check_options(run)
    check_dataset(run)
    is_priced = not any(costs_unknown(need.model) for need in model_needs(run))
    counting = _Estimating(run)
    lines = (*counting.building(), *counting.answering(), *counting.judging())
    budget = check_budget(lines, run.budget) if run.budget is not None and is_priced else None
    return Estimate(lines=lines, budget=budget, notes=tuple(counting.notes()))


class _Estimating:
    """One estimate under way."""

    def __init__(self, run: RunSettings) -> None:
        self.run = run
        self.lake = Lake(run.lake).as_of_now()
        self.suite = load_suite(run.suite)
        self.plan = self.suite.plan
        self.preview = preview(self.lake, run, self.suite, self.plan)
        self.journal = None if run.fresh else kept_cache(run.lake)

    def model(self, option: str) -> Model:
        return find_model(option, self.run.models_file)

    def find(self, model: Model) -> Find:
        """Where a model's answers are looked up; rules' answers are not kept."""
        if self.journal is None or model.engine == RULES:
            return lambda keys: {}
        return self.journal.find

    # --- build

    def building(self) -> Iterator[Line]:
        """The generator's and the citer's operations, in the order of the plan."""
        if not self.preview.is_generated:
            return
        done = {part: requests_by_operation(commit) for part, commit in self.preview.done.items()}
        rehearsed: dict[tuple[str, str], Asked] = {}
        for engine in self._rehearsals():
            rehearsed |= {(engine.model, operation): asked for operation, asked in engine.asked.items()}
        cites = "cite_json" if self.run.citation_format == "json" else "cite_longcite"
        for operation, plan in self.plan.build.items():
            if operation.startswith("cite_") and operation != cites:
                continue
            part = plan.part or "qa_pairs"
            asked = dict.fromkeys(self.suite.models(self.run, plan.asked))
            for model in map(self.model, asked):
                if part in done:
                    n = done[part].get(operation, 0) // len(asked)
                    yield Calls(requests=n, answered=n).line("build", operation, model, "counted")
                else:
                    calls = _less(self._planned(operation, plan), rehearsed.get((model.name, operation)))
                    yield calls.line("build", operation, model, "predicted")

    def _planned(self, operation: str, plan: Plan) -> Calls:
        pairs = self.preview.n_ordered if plan.per == "ordered" else self.preview.n_pairs
        requests = plan.calls * pairs
        head, tail = self._around(operation)
        suffix = max(plan.suffix, tail)
        prefixes, tokens = self.preview.n_contexts, float(self.preview.context_tokens)
        if plan.shows == "nothing":
            prefixes, tokens = min(1, prefixes), 0.0
        elif plan.shows == "tagged context":
            tokens *= self.plan.tags_growth
        asked = min(1.0, requests / max(1, prefixes))  # share of contexts that anything is asked about
        return Calls(
            requests=requests,
            prompt=requests * (head + tokens / max(1, prefixes) + suffix),
            unique=asked * (prefixes * head + tokens) + requests * suffix,
            output=requests * plan.reply,
            most_output=requests * self.suite.operations[operation].sampling.max_tokens,
        )

    def _around(self, operation: str) -> tuple[int, int]:
        """Tokens of an operation's instructions before and after the divider, with nothing but examples filled in."""
        template = self.suite.operations[operation].template
        inputs = dict.fromkeys(inputs_of(template), "")
        if "examples" in inputs:
            inputs["examples"] = self._examples() or default_examples()
        empty = fill(template, inputs)
        return count_tokens(empty.prefix), count_tokens(empty.suffix)

    def _examples(self) -> str | None:
        return None if self.run.examples is None else Path(self.run.examples).read_text(encoding="utf-8")

    def _rehearsals(self) -> Iterator[Rehearsal]:
        """What building would ask now, beside what the ledger answers of it; nothing where no answers are kept."""
        if self.journal is None:
            return
        if "qa_pairs" not in self.preview.done:
            settings = [name for name in MODEL_SETTINGS if name in self.suite.steps["qa_pairs"].settings]
            engines = {
                setting: [
                    Rehearsal(model, self.find(model))
                    for model in map(self.model, self.suite.models(self.run, setting))
                ]
                for setting in settings
            }
            shown = Shown(
                contexts=list(self.preview.clean()),
                documents=self.preview.documents,
                engines=engines,
                run=self.run,
            )
            list(self.suite.write(shown))
            yield from chain.from_iterable(engines.values())
            return
        for plan in self.plan.build.values():
            if plan.part is None or plan.part in self.preview.done or self.preview.material is None:
                continue
            generator = self.model(self.run.generator)
            engine = Rehearsal(generator, self.find(generator))
            perturb = self.suite.perturbations[plan.part]
            list(perturb(self.preview.baselines, self.preview.material(engine)))
            yield engine

    # --- infer

    def answering(self) -> Iterator[Line]:
        """The models under test."""
        name = self.suite.answer.name
        asked = None if self.preview.cases is None else list(self._asked(self.preview.cases))
        for option in self.run.model:
            model = self.model(option)
            commit = self._answers(option)
            if commit is not None:
                n = requests_by_operation(commit)[name]
                yield Calls(requests=n, answered=n).line("infer", name, model, "counted")
            elif asked is None:
                yield self._predicted_answers().line("infer", name, model, "predicted")
            else:
                yield self._to_answer(asked, model).line("infer", name, model, "counted")

    def _answers(self, option: str) -> Commit | None:
        """The step that holds a model's answers to all cases; none where the lake holds other cases."""
        if not self.preview.is_in_lake:
            return None
        return finished(self.lake, self.run, lambda: plan_responses(self.lake, self.run, option))

    def _predicted_answers(self) -> Calls:
        """Each pair in each variant: with the scanned context, with none, and with the clean one in all others."""
        head, _ = self._around(self.suite.answer.name)
        variants = ("baseline", *self.suite.perturbations)
        n_clean = sum(variant not in ("ocr", "missing_context") for variant in variants)
        growth = self.plan.ocr_growth if "ocr" in variants else 0.0
        n_contexts, tokens = self.preview.n_contexts, self.preview.context_tokens
        requests = self.preview.n_pairs * len(variants)
        suffixes = requests * self.plan.query
        contexts = self.preview.n_pairs * tokens / max(1, n_contexts) * (n_clean + growth)
        asked = min(1.0, self.preview.n_pairs / max(1, n_contexts))  # share of contexts that have a pair
        prefixes = asked * n_contexts * (2 if growth else 1) + ("missing_context" in variants)
        return Calls(
            requests=requests,
            prompt=contexts + requests * head + suffixes,
            unique=asked * tokens * (1 + growth) + prefixes * head + suffixes,
            output=requests * self.plan.answer,
            most_output=requests * self.suite.answer.sampling.max_tokens,
        )

    def _asked(self, cases: Sequence[Case]) -> Iterator[_Prompt]:
        """The prompts that all models are sent, but for the model's own part of their keys."""
        answer = self.suite.answer
        head, _ = self._around(answer.name)
        of_context: dict[str | None, list[Case]] = {}
        for case in cases:
            of_context.setdefault(case.context_id, []).append(case)
        for context_id, text in self._texts(of_context):
            same = of_context[context_id]
            questions = [Question(case.case_id, self.suite.answer_inputs(case, text)) for case in same]
            n_prefix = head + (0 if context_id is None else self.preview.tokens_of[context_id])
            prefix = fill(answer.template, asdict(questions[0].inputs)).prefix
            known = {prefix_id_of(prefix): n_prefix}
            for call in render(answer, "any", questions, prefix_tokens=known):
                n_suffix = call.request.n_prompt_tokens - n_prefix
                yield _Prompt(call.request.prompt_sha256, context_id, n_prefix, n_suffix)

    def _texts(self, wanted: Iterable[str | None]) -> Iterator[tuple[str | None, str]]:
        """Contexts with their texts; without them where no answers are kept: only keys need them."""
        if self.journal is None:
            yield from ((context_id, "") for context_id in wanted)
            return
        left = set(wanted)
        if None in left:
            yield None, ""
        for context in chain(self.preview.clean(), self.preview.scanned()):
            if context.context_id in left:
                left.remove(context.context_id)
                yield context.context_id, context.text

    def _to_answer(self, asked: Sequence[_Prompt], model: Model) -> Calls:
        answer = self.suite.answer
        key_of = {
            prompt: ledger_key(model.identity, answer.sampling, answer.schema, prompt.sha256) or ""
            for prompt in asked
        }
        kept = self.find(model)(list(key_of.values()))
        left = [prompt for prompt in asked if key_of[prompt] not in kept]
        prefixes = {prompt.context_id: prompt.n_prefix for prompt in left}
        suffixes = sum(prompt.n_suffix for prompt in left)
        return Calls(
            requests=len(asked),
            answered=len(asked) - len(left),
            prompt=suffixes + sum(prompt.n_prefix for prompt in left),
            unique=suffixes + sum(prefixes.values()),
            output=len(left) * self.plan.answer,
            most_output=len(left) * answer.sampling.max_tokens,
        )

    # --- judge

    def judging(self) -> Iterator[Line]:
        """Each judge's operations: answers of all models in one wave, a part of them again, and the attacks.

        In a wave, answers to one question share their prompt's prefix.
        """
        for option in self._model_judges():
            judge = self.model(option)
            on_attacks = self._attacks(option, judge)
            calls = {operation: on_attacks.get(operation, Calls()) for operation in self.plan.judged}
            is_counted = True
            for occasion in occasions(self.run):
                left = self._left_to_judge(option, occasion, calls)
                is_counted &= None not in left
                if self.preview.cases is None:
                    to_judge = self._predicted_verdicts(len(left), occasion)
                else:
                    to_judge = self._to_judge(self.preview.cases, left, judge, occasion)
                for operation in calls:
                    calls[operation] += to_judge.get(operation, Calls())
            for operation, all_calls in calls.items():
                yield all_calls.line("judge", operation, judge, "counted" if is_counted else "predicted")

    def _model_judges(self) -> list[str]:
        """The judges that are asked anything: not the suite's own rules."""
        judges = dict.fromkeys(self.suite.judges(self.run))
        return [judge for judge in judges if judge not in self.suite.own_judges]

    def _left_to_judge(self, judge: str, occasion: int, calls: dict[str, Calls]) -> list[Commit | None]:
        """The answers that a judge has still to rate, None where a model has not given them; adds to the calls what it has rated."""
        left: list[Commit | None] = []
        for option in self.run.model:
            answers = self._answers(option)
            plan = partial(plan_judgements, self.lake, self.run, judge, option, occasion)
            commit = None if answers is None else finished(self.lake, self.run, plan)
            if commit is None:
                left.append(answers)
            else:
                _add_finished(calls, commit)
        return left

    def _attacks(self, option: str, judge: Model) -> dict[str, Calls]:
        """The standing attacks on a judge."""
        commit = finished(self.lake, self.run, partial(plan_attack_verdicts, self.lake, self.run, option))
        calls = {operation: Calls() for operation in self.plan.judged}
        if commit is not None:
            _add_finished(calls, commit)
            return calls
        if self.suite.attacks is None:
            return calls
        rehearsal = Rehearsal(judge, self.find(judge))
        list(self.suite.attacks(rehearsal))
        return {operation: self._verdicts(asked) for operation, asked in rehearsal.asked.items()}

    def _verdicts(self, asked: Asked) -> Calls:
        """What a rehearsed judge would be asked and might say."""
        return Calls(
            requests=asked.n_answered + asked.n_open,
            answered=asked.n_answered,
            prompt=asked.prompt,
            unique=asked.unique,
            output=asked.n_open * self.plan.verdict,
            most_output=asked.most_output,
        )

    def _to_judge(
        self, cases: Sequence[Case], answers: Sequence[Commit | None], judge: Model, occasion: int
    ) -> dict[str, Calls]:
        """The wave over models whose answers are there, and those whose answers are not: each of theirs is typical."""
        known, unknown = Rehearsal(judge, self.find(judge)), Rehearsal(judge, lambda keys: {})
        case_of = {case.case_id: case for case in cases if is_judged_on(occasion, self.run, case.case_id)}
        pair_of = {pair.qa_pair_id: pair for pair in self.preview.pairs}

        def answered(request: Request, response: Response) -> Answered:
            case = case_of[request.case_id or ""]
            pair = pair_of[case.qa_pair_id]
            return Answered(case=case, pair=pair, request=request, response=response, occasion=occasion)

        assert self.suite.judge is not None  # a model judges
        there = [commit for commit in answers if commit is not None]
        found = [found for commit in there for found in self._read(commit) if found[0].case_id in case_of]
        list(self.suite.judge([answered(*each) for each in found], known))
        n_unknown = len(answers) - len(there)
        if n_unknown:  # one model with empty answers stands for them
            list(self.suite.judge([answered(*each) for each in self._empty(list(case_of.values()))], unknown))
        calls = {}
        for operation in {**known.asked, **unknown.asked}:
            ours, theirs = known.asked.get(operation, Asked()), unknown.asked.get(operation, Asked())
            n_theirs = theirs.n_open * n_unknown
            suffixes = ours.suffixes + theirs.suffixes * n_unknown + n_theirs * self.plan.answer
            prefixes = {**ours.prefixes, **theirs.prefixes}
            calls[operation] = Calls(
                requests=ours.n_answered + ours.n_open + n_theirs,
                answered=ours.n_answered,
                prompt=ours.prompt + theirs.prompt * n_unknown + n_theirs * self.plan.answer,
                unique=suffixes + sum(prefixes.values()),
                output=(ours.n_open + n_theirs) * self.plan.verdict,
                most_output=ours.most_output + theirs.most_output * n_unknown,
            )
        return calls

    def _read(self, answers: Commit) -> Iterator[tuple[Request, Response]]:
        responses = {response.request_id: response for response in self.lake.each(answers, Response)}
        for request in self.lake.each(answers, Request):
            if request.operation == self.suite.answer.name:
                yield request, responses[request.request_id]

    def _empty(self, cases: Sequence[Case]) -> Iterator[tuple[Request, Response]]:
        questions = [
            Question(case.case_id, self.suite.answer_inputs(case, ""), case.case_id) for case in cases
        ]
        for call in render(self.suite.answer, "any", questions):
            yield call.request, stand_in(call, "")

    def _predicted_verdicts(self, n_models: int, occasion: int) -> dict[str, Calls]:
        calls = {}
        share = self.run.judge_repeats if occasion else 1.0
        for operation, (n_cases, head, tail) in self.plan.judged.items():
            requests = share * self.preview.n_pairs * n_cases * n_models
            suffixes = requests * (tail + self.plan.answer)
            calls[operation] = Calls(
                requests=requests,
                prompt=requests * head + suffixes,
                # a pair's head is read again if one of its cases is drawn
                unique=min(1, n_models) * self.preview.n_pairs * (1 - (1 - share) ** n_cases) * head
                + suffixes,
                output=requests * self.plan.verdict,
                most_output=requests * self.suite.operations[operation].sampling.max_tokens,
            )
        return calls

    # --- notes

    def notes(self) -> Iterator[str]:
        """What a reader has to know beside the figures."""
        yield from self.preview.notes
        needs = model_needs(self.run)
        for need in needs:
            try:
                check_layouts([need])
            except DoesNotFit as refused:
                yield f"the run would be refused: {refused}"
        models = {need.model.name: need.model for need in needs}.values()
        refusals: dict[str, UnreachableModel] = {}
        for model in models:
            try:
                check_reachable(model)
            except UnreachableModel as refused:
                refusals[model.name] = refused
            if costs_unknown(model):
                without = "" if self.run.budget is None else "; no --budget can be kept without it"
                yield f"{model.name}: its price is not known and not in the totals{without}; give it in a models file"
        if thinking := [model.name for model in models if model.thinks]:
            yield f"these think in their answers, which are taken to be as long as they may be: {', '.join(thinking)}"
        if refusals:
            first, *others = refusals
            more = f" (for keys or servers of their own, so would: {', '.join(others)})" if others else ""
            yield f"the run would be refused: {refusals[first]}{more}"


def requests_by_operation(commit: Commit) -> dict[str, int]:
    """How many requests of each operation a finished step has; primers aside."""
    found: dict[str, int] = {}
    for part in commit.parts_of("requests"):
        operation = dict(part.keys)["operation"]
        if operation != PRIME:
            found[operation] = found.get(operation, 0) + part.n_rows
    return found


def _add_finished(calls: dict[str, Calls], commit: Commit) -> None:
    """Count what a finished step has asked, all of it answered, to the calls of its operations."""
    done = requests_by_operation(commit)
    for operation in calls:
        calls[operation] += Calls(requests=done.get(operation, 0), answered=done.get(operation, 0))


def _less(calls: Calls, asked: Asked | None) -> Calls:
    """Predicted calls less those that the ledger has answers to; at least those that are known to be open."""
    if asked is None or not calls.requests:
        return calls
    remaining = max(calls.requests - asked.n_answered, asked.n_open)
    share = remaining / calls.requests
    return Calls(
        requests=remaining + asked.n_answered,
        answered=asked.n_answered,
        prompt=calls.prompt * share,
        unique=calls.unique * min(1.0, share),
        output=calls.output * share,
        most_output=calls.most_output * share,
    )
