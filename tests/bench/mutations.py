"""Change one operator or constant at a time, and count how often the mirrored tests notice.

`python -m tests.bench.mutations [--n 200] [--seed 43] [--part 0/1]` takes hours, so it is run by
hand. A mutation of `tasks/a/b.py` is tried with `tests/tasks/a/test_b.py`, then with the tests of
its folder, or of the nearest one above that has any. What survives may still be killed elsewhere.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("tasks", "flows", "deployments")
TIMEOUT_S = 600

OPPOSITES: dict[type, type] = {
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
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutation:
    """One node of a file, and the text that stands in its place."""

    file: str
    line: int
    before: str
    after: str
    start: int
    end: int

    def applied(self, text: str) -> str:
        """Return the file's text with the node changed; positions count bytes."""
        data = text.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


def mutations_of(file: Path) -> Iterator[Mutation]:
    """Yield every mutation of a file, in the order of its text."""
    text = file.read_bytes()
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    tree = ast.parse(text)
    idle = {id(node) for parent in ast.walk(tree) for node in idle_nodes(parent)}
    for node in ast.walk(tree):
        after = changed(node) if id(node) not in idle else None
        if after and isinstance(node, ast.expr):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            name = file.relative_to(ROOT).as_posix()
            yield Mutation(name, node.lineno, text[start:end].decode(), f"({after})", start, end)


def idle_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what changes nothing below a node: annotations, decorators, strings with holes."""
    parts: list[ast.AST | None] = []
    if isinstance(node, ast.AnnAssign | ast.arg):
        parts = [node.annotation]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        parts = [*node.decorator_list, getattr(node, "returns", None)]
    elif isinstance(node, ast.JoinedStr):
        parts = [node]
    for part in filter(None, parts):
        yield from ast.walk(part)


def changed(node: ast.AST) -> str | None:
    """Return the source of a changed expression, None if there is nothing to change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        ops = [OPPOSITES[type(node.ops[0])](), *node.ops[1:]]
        return ast.unparse(ast.Compare(node.left, ops, node.comparators))
    if isinstance(node, ast.BoolOp):
        return ast.unparse(ast.BoolOp(OPPOSITES[type(node.op)](), node.values))
    if isinstance(node, ast.BinOp) and type(node.op) in OPPOSITES:
        return ast.unparse(ast.BinOp(node.left, OPPOSITES[type(node.op)](), node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.unparse(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return repr(not node.value if isinstance(node.value, bool) else node.value + 1)
    return None


def drawn(n: int, seed: int) -> list[Mutation]:
    """Draw mutations from all rooms, each site at most once."""
    files = sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    sites = [mutation for file in files for mutation in mutations_of(file)]
    return random.Random(seed).sample(sites, n)


def tests_of(file: str) -> list[str]:
    """Return the tests that mirror a module: its own, then its folder's."""
    mirror = Path("tests", file)
    own = mirror.with_name(f"test_{mirror.name}")
    folder = next(place for place in mirror.parents if (ROOT / place).is_dir())
    tests = [own] if (ROOT / own).exists() else []
    return [str(test) for test in (*tests, folder)]


def killer_of(mutation: Mutation, copied: Path) -> str | None:
    """Return the first tests that fail in a copy of the project with the mutation, only then.

    Raises:
        SystemExit: tests fail without a mutation, too.
    """
    place = copied / mutation.file
    for test in tests_of(mutation.file):
        if not passes_unchanged(test, copied):
            raise SystemExit(f"without a mutation, too, these fail: {test}")
    text = place.read_text(encoding="utf-8")
    place.write_text(mutation.applied(text), encoding="utf-8")
    try:
        return next((test for test in tests_of(mutation.file) if not passes(test, copied)), None)
    finally:
        place.write_text(text, encoding="utf-8")


@cache
def passes_unchanged(test: str, copied: Path) -> bool:
    """Run tests in the copy as it is, once."""
    return passes(test, copied)


def passes(test: str, copied: Path) -> bool:
    """Run tests in the copy; a run without end fails."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PYTHONPATH": str(copied)}
    try:
        run = subprocess.run(
            command, cwd=copied, env=environment, capture_output=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return False
    return run.returncode in (0, 5)


def main() -> None:
    """Draw the mutations, try each, and print what became of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=43)
    parser.add_argument("--part", default="0/1", help="which share of them, such as 0/2")
    options = parser.parse_args()
    part, n_parts = map(int, options.part.split("/"))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder, "project")
        shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns(".venv", "__pycache__"))
        for mutation in drawn(options.n, options.seed)[part::n_parts]:
            killer = killer_of(mutation, copied)
            outcome = f"killed by {killer}" if killer else "SURVIVED"
            counts[outcome.split()[0]] += 1
            change = f"{mutation.before} -> {mutation.after}".replace("\n", " ")
            print(f"{mutation.file}:{mutation.line}: {change[:120]}: {outcome}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
