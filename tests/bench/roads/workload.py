"""The prompts that every contender sends: 100 kB each, no two alike, in files that all read.

A context is paragraphs of the packaged sample filings, shuffled anew for each, with the answer
operation's instructions around it. `cases.jsonl` has what our road renders (context and query) and
`cases.index.json` has where each line stands and how many tokens its prefix has, as the lake's
tables do; `prompts.jsonl` has the same prompts rendered, for those who do not render.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tasks.core.ids import stable_rng
from tasks.core.rows import Reject
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.samples import sample_folder
from tasks.inference.operation import Question, render
from tasks.inference.prompts import fill
from tasks.suites.failsafeqa.answer import OPERATION
from tasks.suites.shared.contexts import ContextInputs

PROMPT_BYTES = 100_000
MAX_TOKENS = OPERATION.sampling.max_tokens


@dataclass(frozen=True, slots=True)
class Workload:
    """A folder of prompts."""

    folder: Path
    n_prompts: int

    @property
    def cases(self) -> Path:
        return self.folder / "cases.jsonl"

    @property
    def index(self) -> Path:
        return self.folder / "cases.index.json"

    @property
    def prompts(self) -> Path:
        return self.folder / "prompts.jsonl"


def make_workload(folder: Path, n_prompts: int, *, rendered: bool) -> Workload:
    """Write the files; `rendered` with the prompts as the others need them."""
    folder.mkdir(parents=True)
    made = Workload(folder, n_prompts)
    paragraphs = _paragraphs()
    index = []
    position = 0
    with made.cases.open("wb") as cases, made.prompts.open("wb") as prompts:
        for number in range(n_prompts):
            subject_id, inputs, n_tokens = _case(number, paragraphs)
            # the count comes with the text, as it does from the lake: nothing is counted twice
            (call,) = render(
                OPERATION, "any", [Question(subject_id, inputs)], prefix_tokens=_Counted(n_tokens)
            )
            record = {"id": subject_id, "context": inputs.context, "query": inputs.query}
            line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
            cases.write(line)
            index.append([position, len(line), call.prefix.prefix_id, n_tokens])
            position += len(line)
            if rendered:
                told = {"id": subject_id, "prompt": call.prompt, "target": ""}
                prompts.write(json.dumps(told, ensure_ascii=False).encode() + b"\n")
    made.index.write_text(json.dumps(index))
    return made


class _Counted(dict[str, int]):
    """Gives every prefix the one count that it was made with."""

    def __init__(self, n_tokens: int) -> None:
        super().__init__()
        self.n_tokens = n_tokens

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> int:
        return self.n_tokens


def _paragraphs() -> list[tuple[str, int, int]]:
    """(text, bytes, tokens) of every paragraph of the sample filings."""
    found = []
    for file in sorted(sample_folder().iterdir()):
        if file.suffix not in (".htm", ".txt"):
            continue
        filing = read_filing(
            FilingSource(uri=file.name, data=file.read_bytes(), encoding="cl100k_base")
        )
        assert not isinstance(filing, Reject)
        for paragraph in filing.document.paragraphs:
            text = filing.document.text[paragraph.start_char : paragraph.end_char]
            found.append((text, len(text.encode()), paragraph.n_tokens))
    return found


def _case(number: int, paragraphs: list[tuple[str, int, int]]) -> tuple[str, ContextInputs, int]:
    """Make a case with a prompt of `PROMPT_BYTES`, to a letter; tokens are its paragraphs' sum."""
    subject_id = f"case-{number:06d}"
    query = f"What did the company say of matter {number}?"
    frame = fill(OPERATION.template, {"context": "", "query": query})
    room = PROMPT_BYTES - len((frame.prefix + frame.suffix).encode())
    rng = stable_rng(17, "bench road", subject_id)
    taken, n_bytes, n_tokens = [], 0, 0
    while n_bytes < room:
        text, its_bytes, its_tokens = paragraphs[int(rng.random() * len(paragraphs))]
        taken.append(text)
        n_bytes += its_bytes + 2
        n_tokens += its_tokens
    context = "\n\n".join(taken).encode()[:room].decode(errors="ignore")
    return subject_id, ContextInputs(context=context, query=query), n_tokens
