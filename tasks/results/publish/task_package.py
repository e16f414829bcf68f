"""A package of Inspect tasks: cases with the prompts that models were asked, and their judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.core.errors import WrongUsage
from tasks.core.tables import to_record
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.results.publish.answers import Asked, ModelAnswers
from tasks.results.publish.rows import write_rows

PACKAGE = "tenkbench_tasks"
_FILES = (
    "README.md",
    "pyproject.toml",
    f"src/{PACKAGE}/__init__.py",
    f"src/{PACKAGE}/{PACKAGE}.py",
)
_COLUMNS = ("id", "system", "prompt", "target", "variant", "cluster", "operation", "about")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTask:
    """One suite as a task.

    Attributes:
        judge: the suite's default judge, which `judging.judge_answer` is.
        is_played: whether a model may play it; tenkbench's rules do if none is named.
        sampling: of all its prompts; without what is left to the server.
        own_prompts: the sentence of `own_prompts_note`.
    """

    name: str
    title: str
    description: str
    n_cases: int
    judge: str
    is_played: bool
    sampling: Mapping[str, Any]
    own_prompts: str


class TaskPackage:
    """The prompts of each suite, collected from what models were asked."""

    def __init__(self) -> None:
        self._suites: dict[str, ModelAnswers] = {}  # the first model's
        self._prompts: dict[str, dict[str, Asked]] = {}  # by suite and case_id

    def add(self, answers: ModelAnswers) -> None:
        """Take a model's prompts, but none that was cut for its window or shows images."""
        suite = answers.suite
        self._suites.setdefault(suite.name, answers)
        prompts = self._prompts.setdefault(suite.name, {})
        by_images = suite.image_answer and suite.image_answer.name
        for answer in answers.answers:
            request = answer.asked.request
            if request.n_cut_tokens is None and request.operation != by_images:
                prompts.setdefault(answer.asked.case.case_id, answer.asked)

    def write(self, folder: Path, release: str) -> list[SuiteTask]:
        """Write the package; return its tasks."""
        tasks = []
        for name, prompts in self._prompts.items():
            if prompts:
                _write_cases(folder / "src" / PACKAGE / "data" / f"{name}.parquet", prompts)
                tasks.append(_task(self._suites[name], prompts.values()))
        _render(folder, release, tasks)
        return tasks


def _write_cases(target: Path, prompts: Mapping[str, Asked]) -> None:
    import pyarrow as pa

    # `case` and `pair` are the rows that the judge reads, as JSON
    schema = pa.schema([(name, pa.string()) for name in (*_COLUMNS, "case", "pair")])
    write_rows(target, schema, map(case_record, prompts.values()))


def case_record(asked: Asked) -> dict[str, Any]:
    """Return the row of a case, with all that a tool needs to ask it and to have it judged."""
    case, filing = asked.case, asked.filing
    return {
        "id": case.case_id,
        "system": asked.prefix.system or "",
        "prompt": asked.prompt,
        "target": case.target,
        "variant": case.variant,
        # answers about one filing are alike: standard errors are by filing
        "cluster": filing.filing.filing_id if filing else case.qa_pair_id,
        "operation": asked.request.operation,
        "about": json.dumps(asked.about, sort_keys=True),
        "case": json.dumps(to_record(case), sort_keys=True),
        "pair": json.dumps(to_record(asked.pair), sort_keys=True),
    }


def _task(answers: ModelAnswers, prompts: Iterable[Asked]) -> SuiteTask:
    suite, requests = answers.suite, [asked.request for asked in prompts]
    most: Counter[str] = Counter()  # a window may have limited some answers of an operation
    for request in requests:
        most[request.operation] = max(most[request.operation], request.sampling.max_tokens)
    samplings = {
        replace(request.sampling, max_tokens=most[request.operation]) for request in requests
    }
    if len(samplings) > 1:
        raise WrongUsage(
            f"Cases of {suite.name} are asked with different sampling, and a task of other tools "
            f"has one: {samplings}. Export a release whose cases share it."
        )
    judge = resolve(RunSettings(suite=suite.name)).judges[0]
    return SuiteTask(
        name=suite.name,
        title=suite.title,
        description=suite.description,
        n_cases=len(requests),
        judge=judge.name,
        is_played=judge.model is not None,
        sampling={k: v for k, v in asdict(samplings.pop()).items() if v is not None},
        own_prompts=answers.own_prompts,
    )


def _render(folder: Path, release: str, tasks: Sequence[SuiteTask]) -> None:
    environment = Environment(
        loader=PackageLoader("tasks.results.publish", "inspect_tasks"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python, TOML and Markdown
    )
    for name in _FILES:
        template = environment.get_template(f"{Path(name).name}.jinja")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = template.render(release=release, tasks=tasks, version=version("tenkbench"))
        (folder / name).write_text(text, encoding="utf-8")
