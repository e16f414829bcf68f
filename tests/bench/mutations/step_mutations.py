"""Mutate the modules that make rows, and see whether the step digests notice.

`python -m tests.bench.mutations.step_mutations [--n 30] [--seed 13] [--only NUMBER ...]`
takes some twenty minutes, so it is run by hand.

Each mutation changes one comparison, operator or constant of a copy of the project. It is
noticed if a digest differs or a run ends in an error. Otherwise all rows must be equal, in
every column but those that are measured.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 600

# Suite -> patterns of the modules that make its rows; an asterisk is every suite's.
MODULES: dict[str, tuple[str, ...]] = {
    "*": (
        "tasks/build.py",
        "tasks/infer.py",
        "tasks/ingest.py",
        "tasks/judge.py",
        "tasks/filings/reader/*.py",
        "tasks/inference/operation.py",
        "tasks/inference/prompts/__init__.py",
        "tasks/quantities/*.py",
        "tasks/suites/judge.py",
        "tasks/suites/shared/*.py",
        "sql/staging/*.sql",
    ),
    **{
        suite: (
            f"tasks/suites/{suite}/**/*.py",
            f"tasks/baseline/{suite}*",
            f"tasks/baseline/{suite}/*.py",
            f"sql/{suite}/*.sql",
        )
        for suite in ("failsafeqa", "faith")
    },
}


# --- mutations -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutation:
    """One change of one file."""

    suite: str
    file: str
    line: int
    said: str
    text: str  # the whole file

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites whose rows it may change."""
        return ("failsafeqa", "faith") if self.suite == "*" else (self.suite,)


_COMPARED: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMBINED: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@cache
def sites(file: str) -> list[Callable[[], tuple[int, str, str]]]:
    """List what can be changed in a file: each makes (line, what changed, the file's new text)."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return _sql_sites(text) if file.endswith(".sql") else _python_sites(text)


_SQL = re.compile(r"--.*|(?<![\w.])\d+(?:\.\d+)?(?![\w.])| (?:<=|>=|!=|<|>|=|and|or|\+) ")
_SQL_CHANGED = {
    " <= ": " < ",
    " >= ": " > ",
    " < ": " <= ",
    " > ": " >= ",
    " = ": " != ",
    " != ": " = ",
}
_SQL_CHANGED |= {" and ": " or ", " or ": " and ", " + ": " - "}


def _sql_sites(text: str) -> list[Callable[[], tuple[int, str, str]]]:
    def made(found: re.Match[str]) -> Callable[[], tuple[int, str, str]]:
        new = _SQL_CHANGED.get(found[0]) or str(float(found[0]) + 1)
        said = f"{found[0].strip()} -> {new.strip()}"
        changed = text[: found.start()] + new + text[found.end() :]
        return lambda: (text.count("\n", 0, found.start()) + 1, said, changed)

    return [made(found) for found in _SQL.finditer(text) if not found[0].startswith("--")]


def _python_sites(text: str) -> list[Callable[[], tuple[int, str, str]]]:
    tree = ast.parse(text)
    names = {id(each) for node in ast.walk(tree) for each in _skipped(node)}
    found: list[Callable[[], tuple[int, str, str]]] = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in names and _changed(copy.copy(node)) is not None:
            found.append(lambda number=number: _mutated(tree, number))  # type: ignore[misc]
    return found


def _skipped(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below annotations and in `if TYPE_CHECKING`, which do nothing."""
    parts: list[ast.AST | None] = []
    if isinstance(node, ast.AnnAssign | ast.arg):
        parts = [node.annotation]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts = [node.returns]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "dataclass",
        "cache",
        "lru_cache",
        "task",
    ):
        parts = [node]
    for part in parts:
        if part is not None:
            yield from ast.walk(part)


def _mutated(tree: ast.Module, number: int) -> tuple[int, str, str]:
    changed = copy.deepcopy(tree)
    node = next(each for place, each in enumerate(ast.walk(changed)) if place == number)
    before = ast.unparse(node)
    _changed(node)
    line = getattr(node, "lineno", 0)
    return line, f"{before[:80]} -> {ast.unparse(node)[:80]}", ast.unparse(changed) + "\n"


def _changed(node: ast.AST) -> ast.AST | None:
    """Change a node in place; None if it is none to change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        node.ops = [_COMPARED[type(node.ops[0])](), *node.ops[1:]]
        return node
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _COMBINED:
        if isinstance(node, ast.BinOp) and any(
            isinstance(side, ast.Constant | ast.JoinedStr) and not _is_number(side)
            for side in (node.left, node.right)
        ):
            return None
        node.op = _COMBINED[type(node.op)]()
        return node
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            node.value = not node.value
            return node
        if _is_number(node):
            node.value = node.value + 1 if isinstance(node.value, int) else node.value * 1.5
            return node
    return None


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def drawn(n: int, seed: int) -> list[Mutation]:
    """Draw mutations over all modules, no two at one site."""
    chance = random.Random(seed)
    files = [
        (suite, str(file.relative_to(ROOT)))
        for suite, patterns in MODULES.items()
        for pattern in patterns
        for file in sorted(ROOT.glob(pattern))
        if file.suffix in (".py", ".sql")
    ]
    found: dict[tuple[str, int, str], Mutation] = {}
    while len(found) < n:
        suite, file = chance.choice(files)
        if sites(file):
            mutation = Mutation(suite, file, *chance.choice(sites(file))())
            found.setdefault((file, mutation.line, mutation.said), mutation)
    return [*found.values()]


# --- what becomes of them --------------------------------------------------------------------


def rows_of(suites: Sequence[str]) -> Iterator[dict[str, object]]:
    """Make every run's rows: what differs from the recorded digests, and a hash of all rows."""
    from dataclasses import replace

    from tasks.core.rows import Response
    from tasks.lake.lake import Lake
    from tasks.warehouse.raw_tables import row_types
    from tests import step_digests as recorded

    with recorded.ingested() as lake, recorded.players() as url:
        for suite in suites:
            for run in recorded.runs_of(suite):
                made = recorded.run_suite(suite, run, lake, url)
                before = recorded.read_recorded()[suite][run]
                found = recorded.differences(suite, run, before, recorded.steps_of(made))
                rows = []
                for commit in Lake(made.lake).commits(made.release):
                    for row_type in row_types().values():
                        for row in Lake(made.lake).read(commit, row_type):
                            is_response = isinstance(row, Response)
                            rows.append(
                                repr(
                                    replace(row, latency_ms=None, n_cached=None)
                                    if is_response
                                    else row
                                )
                            )
                exact = hashlib.sha256(
                    "\n".join(sorted(rows)).encode("utf-8", "surrogatepass")
                ).hexdigest()
                yield {
                    "run": f"{suite} {run}",
                    "differences": list(map(str, found)),
                    "exact": exact,
                }


def made_in(
    copied: Path, suites: Sequence[str], *, until_noticed: bool
) -> tuple[str | None, dict[str, str]]:
    """Run the suites in a copy of the project: the first fault noticed, and all rows' hashes."""
    command = [sys.executable, "-m", "tests.bench.mutations.step_mutations", "--rows", *suites]
    lakes = copied.with_name("lakes")
    lakes.mkdir()
    environment = {**os.environ, "TMPDIR": str(lakes)}
    exact: dict[str, str] = {}
    noticed: str | None = None
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            command,
            cwd=copied,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        )
        end = threading.Timer(TIMEOUT_S, _end, [process])
        end.start()
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                made = json.loads(line)
                exact[made["run"]] = made["exact"]
                if made["differences"]:
                    noticed = made["differences"][0]
                    if until_noticed:
                        _end(process)
                        break
        if process.wait() and noticed is None:
            said.seek(0)
            noticed = f"error: {(said.read().strip() or 'no word').splitlines()[-1]}"
        end.cancel()
        process.stdout.close()
        _end(process)
    shutil.rmtree(lakes)
    return noticed, exact


def _end(process: subprocess.Popen[str]) -> None:
    """End a process that we started in a session of its own, and the server that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def main() -> None:
    """Draw the mutations, try each, and print what became of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--n", type=int, default=30)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutations")
    parser.add_argument("--list", action="store_true", help="only list them")
    parser.add_argument("--rows", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rows:
        for made in rows_of(options.rows):
            print(json.dumps(made), flush=True)
        return
    mutations = drawn(options.n, options.seed)
    if options.list:
        for number, each in enumerate(mutations):
            print(f"{number:2} {each.suite}: {each.file}:{each.line}: {each.said}")
        return
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder, "project")
        for room in ("flows", "tasks", "sql", "deployments", "tests"):
            shutil.copytree(
                ROOT / room, copied / room, ignore=shutil.ignore_patterns("__pycache__")
            )
        noticed, before = made_in(copied, ("failsafeqa", "faith"), until_noticed=False)
        if noticed is not None:
            raise SystemExit(f"without a mutation, too: {noticed}")
        for number, each in enumerate(mutations):
            if options.only and number not in options.only:
                continue
            (copied / each.file).write_text(each.text, encoding="utf-8")
            noticed, exact = made_in(copied, each.suites, until_noticed=True)
            shutil.copy(ROOT / each.file, copied / each.file)
            is_equal = all(before[run] == hashed for run, hashed in exact.items())
            outcome = "noticed" if noticed else "all rows are equal" if is_equal else "MISSED"
            counts[outcome] += 1
            why = f" ({noticed[:150]})" if noticed else ""
            print(
                f"{number:2} {each.suite}: {each.file}:{each.line}: {each.said}: {outcome}{why}",
                flush=True,
            )
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.most_common()))
    if counts["MISSED"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
