"""Tasks for other tools: cases with the prompts that models were asked, and who judges answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.core.errors import WrongUsage
from tasks.core.tables import to_record
from tasks.lake.lake import LakeError
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.results.publish.answers import Asked, ModelAnswers
from tasks.results.publish.rows import write_rows
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = ("id", "system", "prompt", "target", "variant", "cluster", "operation", "about")


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


class Prompts:
    """The prompts of each suite, collected from what models were asked."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[Suite, str, dict[str, Asked]]] = {}

    def add(self, answers: ModelAnswers) -> None:
        """Take a model's prompts, but none that was cut for its window or shows images."""
        suite = answers.suite
        by_images = suite.image_answer and suite.image_answer.name
        *_, found = self._asked.setdefault(suite.name, (suite, answers.own_prompts, {}))
        for each in answers.answers:
            request = each.asked.request
            if request.n_cut_tokens is None and request.operation != by_images:
                found.setdefault(each.asked.case.case_id, each.asked)

    def write(self, folder: Path) -> list[SuiteTask]:
        """Write each suite's cases to FOLDER/SUITE.parquet; return the tasks."""
        tasks = []
        for suite, own_prompts, by_case in self._asked.values():
            asked = list(by_case.values())
            if asked:
                write_rows(folder / f"{suite.name}.parquet", _schema(), map(_row, asked))
                tasks.append(_task(suite, asked, own_prompts))
        return tasks


def _schema() -> pa.Schema:
    import pyarrow as pa

    # `case` and `pair` are the rows that the judge reads, as JSON
    return pa.schema([(name, pa.string()) for name in (*_TEXTS, "case", "pair")])


def _row(asked: Asked) -> dict[str, Any]:
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


def _task(suite: Suite, asked: Iterable[Asked], own_prompts: str) -> SuiteTask:
    asked = list(asked)
    most: Counter[str] = Counter()  # a window may have limited some answers of an operation
    for each in asked:
        name = each.request.operation
        most[name] = max(most[name], each.request.sampling.max_tokens)
    samplings = {
        replace(each.request.sampling, max_tokens=most[each.request.operation]) for each in asked
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
        n_cases=len(asked),
        judge=judge.name,
        is_played=judge.model is not None,
        sampling={k: v for k, v in asdict(samplings.pop()).items() if v is not None},
        own_prompts=own_prompts,
    )


def render_folder(
    templates: str,
    folder: Path,
    release: str,
    tasks: Sequence[SuiteTask],
    names: Iterable[str],
    **given: str,
) -> None:
    """Render templates of this room into a folder.

    Args:
        names: paths below the folder; a template has the last part of one and `.jinja`.
        given: what else templates name.
    """
    environment = Environment(
        loader=PackageLoader("tasks.results.publish", templates),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python, TOML and YAML
    )
    for name in names:
        template = environment.get_template(f"{Path(name).name}.jinja")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = template.render(release=release, tasks=tasks, version=version("tenkbench"), **given)
        (folder / name).write_text(text, encoding="utf-8")


def check_empty(folder: Path) -> None:
    """Refuse a folder that holds anything.

    Raises:
        LakeError: it does, or it is a file.
    """
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise LakeError(f"'{folder}' is not empty. Name a new folder.")
