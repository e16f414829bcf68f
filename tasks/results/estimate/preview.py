"""What a run's cases would be made of, as far as that can be known without asking a model.

Built steps are read from the lake; contexts that are not built are cut from the documents that are
there, or from a sample of the filings; pairs that are not built are a number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from tasks.core.rows import Case, Context, Document, QAPair, Reject
from tasks.core.settings import MODEL_SETTINGS, RunSettings, WrongSettings
from tasks.filings.edgar.manifest import kept_choice, raw
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.reading import Source, read_filing
from tasks.inference.operation import Engine
from tasks.lake.lake import Commit, Lake, Step
from tasks.models.catalogue import find_model
from tasks.pipeline.edgar import edgar_query
from tasks.pipeline.incremental import earlier_releases
from tasks.pipeline.plan import (
    found_files,
    plan_cases,
    plan_contexts,
    plan_dataset,
    plan_ingest,
    plan_qa_pairs,
)
from tasks.pipeline.steps import finished, is_finished
from tasks.results.estimate.rehearsal import Rehearsal
from tasks.suites.build_inputs import Ingested, Shown, by_document, documents_of, ingested
from tasks.suites.failsafeqa.perturbations.material import Material, material_of
from tasks.suites.faith.questions.masked import SMALLEST_PANEL
from tasks.suites.planning_contract import SuitePlan
from tasks.suites.suite import Suite

Thing = TypeVar("Thing")

# Bytes of filings that are read to learn how long their contexts are: two or three seconds.
_SAMPLE_BYTES = 32_000_000
# Contexts in which rules look for pairs: a second each.
_SAMPLE_CONTEXTS = 8


@dataclass(kw_only=True)
class Preview:
    """A run's contexts, pairs and cases: rows where they are known, numbers where not.

    is_generated    whether a generator writes the pairs; not where a published file brings them
    is_in_lake      whether `cases` are those of the lake: else its answers are to other cases
    n_contexts      contexts, clean ones
    context_tokens  their tokens in all
    n_ordered       pairs that are asked for
    n_pairs         pairs that are accepted
    pairs           their rows, where built
    cases           every case, where all are built
    tokens_of       context_id -> tokens, scanned contexts too, where built
    done            finished steps of building, by the part that they make (`qa_pairs`, `ocr`, ...)
    clean, scanned  contexts, read when asked for
    documents       ids -> these documents by id, read when asked for
    notes           what is predicted, and from what
    """

    is_generated: bool
    is_in_lake: bool
    n_contexts: int
    context_tokens: int
    n_ordered: int
    n_pairs: float
    pairs: Sequence[QAPair] = ()
    cases: Sequence[Case] | None = None
    baselines: Sequence[Case] = ()
    tokens_of: dict[str, int] = field(default_factory=dict)
    done: dict[str, Commit] = field(default_factory=dict)
    clean: Callable[[], Iterator[Context]] = field(default=lambda: iter(()))
    scanned: Callable[[], Iterator[Context]] = field(default=lambda: iter(()))
    documents: Callable[[Collection[str]], Mapping[str, Document]] = field(default=lambda _: {})
    material: Callable[[Engine], Material] | None = None
    notes: list[str] = field(default_factory=list)


def preview(lake: Lake, run: RunSettings, suite: Suite, plan: SuitePlan) -> Preview:
    """What a run would build, or has built.

    Raises:
        LakeError, WrongSettings: as the run itself.
    """
    if run.dataset is not None:
        return _of_dataset(lake, run, suite)
    ingest = _ingested(lake, run)
    if ingest is None and is_edgar(run.filings):
        earlier = earlier_releases(lake, run)
        choice = None if run.force else kept_choice(lake.objects, run.release, edgar_query(run), earlier)
        if choice is None or not choice.is_complete:
            return _of_nothing(run, suite, plan)
        return _of_files(
            run, suite, plan, [(url, partial(raw, lake.objects, sha256)) for url, sha256 in choice.downloaded]
        )
    if ingest is None:
        return _of_files(run, suite, plan, [(uri, path.read_bytes) for uri, path in found_files(run)])
    contexts = finished(lake, run, lambda: plan_contexts(lake, run))
    if contexts is None:
        return _of_documents(lake, run, suite, plan, ingest)
    return _of_contexts(lake, run, suite, plan, ingest, contexts)


def _ingested(lake: Lake, run: RunSettings) -> Commit | None:
    """The finished ingest; files are hashed only where there is one to compare with.

    Raises:
        MissingInput: the release's files would have to be read again, and none are named.
    """
    if lake.commit_of(Step(run.release, "ingest")) is None:
        return None
    planned = plan_ingest(lake, run)
    return planned.finished(lake) if is_finished(lake, planned, run) else None


def _of_dataset(lake: Lake, run: RunSettings, suite: Suite) -> Preview:
    commit = finished(lake, run, lambda: plan_dataset(lake, run)) if _ingested(lake, run) else None
    if commit is not None:
        pairs, cases = lake.read(commit, QAPair), lake.read(commit, Case)
        tokens_of = lake.read_pairs(commit, "contexts", "context_id", "n_tokens")
        every: Callable[[], Iterator[Context]] = lambda: lake.each(commit, Context)  # noqa: E731
    else:
        rows = suite.load_dataset(Path(str(run.dataset)), run)
        pairs, cases = rows.qa_pairs, rows.cases
        tokens_of = {context.context_id: context.n_tokens for context in rows.contexts}
        every = lambda: iter(rows.contexts)  # noqa: E731
    clean = {pair.context_id for pair in pairs}
    return Preview(
        is_generated=False,
        is_in_lake=commit is not None,
        n_contexts=len(clean),
        context_tokens=sum(tokens_of[context_id] for context_id in clean),
        n_ordered=len(pairs),
        n_pairs=len(pairs),
        pairs=pairs,
        cases=cases,
        tokens_of=tokens_of,
        clean=every,
    )


def _of_nothing(run: RunSettings, suite: Suite, plan: SuitePlan) -> Preview:
    """From planning figures alone: EDGAR has not been asked yet.

    Raises:
        WrongSettings: nobody says how many filings there will be.
    """
    n = min((size for size in (run.sample, run.limit) if size is not None), default=None)
    if n is None:
        raise WrongSettings(
            f"how many filings {run.filings} has is not known before they are chosen: say --sample or --limit, or run "
            "`tenkbench ingest` first"
        )
    longest = suite.longest_context(run)
    tokens = round(n * longest * plan.context)
    note = (
        f"nothing was asked of EDGAR yet: {n:,} filings are assumed, all of them usable, with contexts of "
        f"{plan.context:.0%} of {longest:,} tokens"
    )
    return _unwritten(run, suite, plan, n, tokens, [note])


def _of_files(
    run: RunSettings, suite: Suite, plan: SuitePlan, found: Sequence[tuple[str, Callable[[], bytes]]]
) -> Preview:
    """From a sample of the filings, spread evenly over all of them; each by its name and what reads it."""
    sample: list[Context] = []
    documents: dict[str, Document] = {}
    n_read, n_bytes = 0, 0
    for uri, read in _spread(found):
        parsed = read_filing(Source(uri=uri, data=read(), encoding=run.encoding))
        n_read += 1
        if not isinstance(parsed, Reject):
            n_bytes += parsed.filing.n_bytes
            tables = partial(by_document, parsed.tables)
            some = Ingested(documents=[parsed.document], tables=tables, run=run)
            sample += _contexts(suite, [some])
            documents[parsed.document.document_id] = parsed.document
        if n_bytes >= _SAMPLE_BYTES:
            break
    n_contexts = round(len(found) * len(sample) / n_read)
    tokens = round(len(found) * sum(context.n_tokens for context in sample) / n_read)
    note = f"contexts are predicted from {n_read:,} of {len(found):,} filings, read but not kept"
    unwritten = _unwritten(run, suite, plan, n_contexts, tokens, [note])
    searched = list(islice(_spread(sample), _SAMPLE_CONTEXTS))
    return _found_in(searched, documents, unwritten, run, suite, plan)


def _spread(things: Sequence[Thing]) -> Iterator[Thing]:
    """Every one once, the first ones far from each other: each step halves the gaps."""
    given: set[int] = set()
    step = len(things)
    while len(given) < len(things):
        for place in range(0, len(things), max(1, step)):
            if place not in given:
                given.add(place)
                yield things[place]
        step //= 2


def _of_documents(lake: Lake, run: RunSettings, suite: Suite, plan: SuitePlan, ingest: Commit) -> Preview:
    """Cut as the build would cut them."""

    def clean() -> Iterator[Context]:
        return _contexts(suite, ingested(lake, ingest, run))

    sizes = {context.context_id: context.n_tokens for context in clean()}
    found = _unwritten(run, suite, plan, len(sizes), sum(sizes.values()), [])
    found = replace(found, clean=clean, tokens_of=sizes, documents=partial(documents_of, lake, ingest))
    return _found_in_some(found, run, suite, plan)


def _of_contexts(
    lake: Lake, run: RunSettings, suite: Suite, plan: SuitePlan, ingest: Commit, contexts: Commit
) -> Preview:
    tokens_of = lake.read_pairs(contexts, "contexts", "context_id", "n_tokens")
    found = replace(
        _unwritten(run, suite, plan, len(tokens_of), sum(tokens_of.values()), []),
        tokens_of=tokens_of,
        clean=lambda: lake.each(contexts, Context),
        documents=partial(documents_of, lake, ingest),
    )
    written = finished(lake, run, lambda: plan_qa_pairs(lake, run))
    if written is None:
        return _found_in_some(found, run, suite, plan)
    pairs = lake.read(written, QAPair)
    cited = {pair.context_id for pair in pairs}
    done = {"qa_pairs": written}
    for part in ("baseline", *suite.perturbations):
        commit = finished(lake, run, lambda part=part: plan_cases(lake, run, part))  # type: ignore[misc]
        if commit is not None:
            done[part] = commit
    built = [done[part] for part in ("baseline", *suite.perturbations) if part in done]
    is_whole = len(built) == 1 + len(suite.perturbations)
    for commit in built:
        tokens_of |= lake.read_pairs(commit, "contexts", "context_id", "n_tokens")
    return replace(
        found,
        is_in_lake=is_whole,
        # contexts without a pair are not answered from
        n_contexts=len(cited),
        context_tokens=sum(tokens_of[context_id] for context_id in cited),
        n_pairs=len(pairs),
        pairs=pairs,
        cases=[case for commit in built for case in lake.each(commit, Case)] if is_whole else None,
        baselines=lake.read(done["baseline"], Case) if "baseline" in done else (),
        done=done,
        scanned=lambda: (context for commit in built for context in lake.each(commit, Context)),
        material=lambda engine: material_of(lake, run, ingest, contexts, pairs, engine),
    )


def _unwritten(
    run: RunSettings, suite: Suite, plan: SuitePlan, n_contexts: int, tokens: int, notes: list[str]
) -> Preview:
    most = suite.setting(run, "pairs")
    ordered = plan.pairs if most is None or plan.is_found else min(most, plan.pairs)
    accepted = ordered * plan.accepted
    if plan.is_found and most is not None:  # all that are found are put to models, and drawn from after that
        accepted = min(most, accepted)
    return Preview(
        is_generated=True,
        is_in_lake=False,
        n_contexts=n_contexts,
        context_tokens=tokens,
        n_ordered=round(n_contexts * ordered),
        n_pairs=n_contexts * accepted,
        notes=notes,
    )


def _found_in_some(found: Preview, run: RunSettings, suite: Suite, plan: SuitePlan) -> Preview:
    """`_found_in` some of the contexts that are there."""
    if not plan.is_found:
        return found
    wanted = set(islice(_spread(list(found.tokens_of)), _SAMPLE_CONTEXTS))
    sample = [context for context in found.clean() if context.context_id in wanted]
    documents = found.documents({of for context in sample for of in context.document_ids})
    return _found_in(sample, documents, found, run, suite, plan)


def _found_in(
    sample: Sequence[Context],
    documents: Mapping[str, Document],
    found: Preview,
    run: RunSettings,
    suite: Suite,
    plan: SuitePlan,
) -> Preview:
    """With as many pairs a context as rules find in a sample: those that models are asked about, and those kept without them."""
    if not (plan.is_found and sample):
        return found
    model = find_model(RunSettings().generator)
    settings = [name for name in MODEL_SETTINGS if name in suite.steps["qa_pairs"].settings]
    engines = {name: [Rehearsal(model, lambda keys: {}) for _ in range(SMALLEST_PANEL)] for name in settings}
    shown = Shown(contexts=sample, documents=lambda _: documents, engines=engines, run=run)
    n_pairs = sum(isinstance(row, QAPair) for row in suite.write(shown))
    asked = [asked.n_open for each in engines.values() for asked in each[0].asked.values()]
    share = found.n_contexts / len(sample)
    note = (
        f"pairs are predicted from those that rules find in {len(sample):,} of {found.n_contexts:,} contexts; what models "
        "alone vouch for would come on top"
    )
    return replace(
        found,
        n_ordered=round(share * max(asked, default=0)),
        n_pairs=share * n_pairs,
        notes=[*found.notes, note],
    )


def _contexts(suite: Suite, each: Iterable[Ingested]) -> Iterator[Context]:
    return (row for some in each for row in suite.contexts(some) if isinstance(row, Context))
