"""Read models' replies as a careful person would: one reader for all operations.

`answer_of` removes what surrounds an answer: thoughts, repeated instructions, continued examples.
`read_rating`, `read_option`, `read_number`, `read_line` and `objects` find a value in what is left.
A reply that can be read in two ways is a `ParseError`, never a guess: it is asked for once more.

Only operations that build or judge read so. What a model under test writes is the measurement.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from tasks.inference import prompts
from tasks.text.json_replies import json_values

Value = TypeVar("Value")


class ParseError(ValueError):
    """A reply that cannot be read; its one sentence ends up in `rejects` or `unscored_reason`."""


EMPTY = "the reply is empty"
ONLY_THOUGHTS = "the reply has thoughts and no answer"
WITHDRAWN = "the reply withdraws a part of itself and marks nothing as final"

# --- what surrounds an answer ----------------------------------------------------------------

_THOUGHTS = (
    # a block that is not closed goes on to the end
    re.compile(
        r"[<\[](?P<tag>think|thinking|thought)[>\]](?P<text>.*?)(?:[<\[]/(?P=tag)[>\]]|\Z)",
        re.DOTALL | re.IGNORECASE,
    ),
    # some servers open the block in the prompt
    re.compile(r"\A(?P<text>.*)[<\[]/(?:think|thinking|thought)[>\]]", re.DOTALL | re.IGNORECASE),
    re.compile(r"\A(?P<text>.*)<\|channel\|>final<\|message\|>", re.DOTALL),
)
_SPECIAL_TOKEN = re.compile(r"<\|\w+\|>(?:assistant\b)?|</s>|<eos>|<(?:start|end)_of_turn>")
_MARK = re.compile(r"^\[([^\[\]{}\n]+)\]$", re.MULTILINE)
_STATES_VERDICT = re.compile(
    r"^[^\w\n]*(?:rating|score|verdict)\b.*$", re.MULTILINE | re.IGNORECASE
)
# A line of the prompt this long is no answer of its own; `Rating: [[3]]` is one.
_LONGEST_ANSWER_IN_PROMPT = 20


def split_thoughts(text: str) -> tuple[str, str | None]:
    """Split a text into the answer and the thoughts that the server left in it, if any."""
    thoughts: list[str] = []
    rest = text
    for pattern in _THOUGHTS:
        thoughts += [found["text"].strip() for found in pattern.finditer(rest)]
        rest = pattern.sub("", rest)
    return (rest.strip(), "\n\n".join(filter(None, thoughts)) or None) if thoughts else (text, None)


def answer_of(reply: str, template: str, suffix: str = "") -> str:
    """Return a reply's answer without what surrounds it.

    Special tokens end it, and so does a line that begins the prompt's next example. Lines that
    repeat the template are no answer, and neither is a verdict that stands in the prompt's suffix.

    Raises:
        ParseError: nothing is left.
    """
    text, thoughts = split_thoughts(reply)
    pieces = [piece for piece in _SPECIAL_TOKEN.split(text) if piece.strip()]
    # if the prompt has such tokens, the reply may quote them
    text = "\n".join(pieces if _SPECIAL_TOKEN.search(suffix) else pieces[:1])
    for beginning in _next_example(template).finditer(text):
        if text[: beginning.start()].strip():
            text = text[: beginning.start()]
            break
    for repeated in _lines_of(template):
        text = repeated.sub("", text)
    quoted = {_squashed(line) for line in suffix.splitlines()}
    text = _STATES_VERDICT.sub(
        lambda line: "" if _squashed(line[0]) in quoted else line[0], text
    ).strip()
    if not text:
        raise ParseError(EMPTY if thoughts is None else ONLY_THOUGHTS)
    return text


@cache
def _lines_of(template: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of a template's long lines, whatever their whitespace."""
    lines = (line.strip() for line in prompts.read_template(template).splitlines())
    return tuple(
        re.compile(r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", line))))
        for line in lines
        if len(line) > _LONGEST_ANSWER_IN_PROMPT and "{{" not in line
    )


@cache
def _next_example(template: str) -> re.Pattern[str]:
    """Return the pattern of how a template's suffix begins, or one of its marks."""
    text = prompts.read_template(template)
    marks = _MARK.findall(text + "\n" + prompts.read_template("repair"))
    beginnings = [
        rf"\[{re.escape(mark)}(?: [0-9a-f]{{16}})?\]"
        for mark in marks
        if "end of" not in mark.lower()
    ]
    suffix = text.partition("\n=====\n")[2].strip()
    label = suffix.partition("\n")[0].partition("{{")[0].strip()
    if len(label) > 4:
        beginnings.append(re.escape(label))
    return re.compile(rf"^[ \t]*(?:{'|'.join(beginnings)})", re.MULTILINE)


def _squashed(line: str) -> str:
    return "".join(re.findall(r"\w", line.casefold()))


# --- drafts ----------------------------------------------------------------------------------

_FINAL = r"(?:final|overall|revised|corrected|updated)"
_WITHDRAWAL = re.compile(
    r"(?:^|[.!?:)\]}>*]\s+)[ \t*_>\"-]{0,9}"
    r"(?:actually|wait|hmm+|scratch that|on (?:second thoughts?|reflection))\b"
    r"|\blet me (?:re(?!peat|mind|fer)\w+|correct|fix|start over|try again)\b",
    re.IGNORECASE | re.MULTILINE,
)
_FINAL_HEAD = re.compile(
    rf"(?:^|[.!?]\s)[^\w\n]{{0,20}}(?:(?:here is|here's|the|my)\s+)*{_FINAL}\b[^\n:]{{0,40}}:",
    re.IGNORECASE | re.MULTILINE,
)
_JSON_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def settled(text: str, content: re.Pattern[str] = _JSON_TEXT) -> str:
    """Return the part of a text that counts, if the text withdraws another part.

    Args:
        content: what a model writes about something else, such as texts in JSON.

    Raises:
        ParseError: nothing is marked as final.
    """
    outside = content.sub(lambda found: " " * len(found[0]), text)
    if not (withdrawal := _WITHDRAWAL.search(outside)):
        return text
    if not re.search(r"[{<]", text[: withdrawal.start()]):  # nothing was said before
        return text[withdrawal.end() :]
    if heads := [*_FINAL_HEAD.finditer(outside, withdrawal.start())]:
        return text[heads[-1].end() :]
    raise ParseError(WITHDRAWN)


# --- JSON ------------------------------------------------------------------------------------

_MENDED = (
    (re.compile(r"(?<=[{\[,:：])(\s*)[“”„]|[“”](?=\s*[:：,}\]])"), r'\1"'),
    (re.compile(r'"(\s*)：'), r'"\1:'),
    (re.compile(r'(?<=["\]}])(\s*)，'), r"\1,"),
    (re.compile(r",(\s*[}\]])"), r"\1"),
)
_LONGEST_LITERAL = 50_000


def objects(text: str, *, inner: bool = True) -> list[dict[str, Any]]:
    """List a text's JSON objects with keys in lower case, outer ones first.

    Read are JSON lines, arrays and objects, in fences and between talk. If a text is cut off, the
    objects in it that are whole are listed. Wrong quotation marks and commas are mended.

    Args:
        inner: whether to list objects in objects, too.
    """
    for attempt in (_strict, _mended, _literals):
        if found := [
            {str(key).strip().casefold(): value for key, value in each.items()}
            for each in _walked(attempt(text), inner)
        ]:
            return found
    return []


def _strict(text: str) -> list[Any]:
    return list(json_values(text))


def _mended(text: str) -> list[Any]:
    for wrong, right in _MENDED:
        text = wrong.sub(right, text)
    return list(json_values(text))


def _literals(text: str) -> list[Any]:
    """Read dictionaries as Python writes them."""
    inside = text[text.find("{") : text.rfind("}") + 1]
    found = []
    for piece in dict.fromkeys((inside, *inside.splitlines())):
        if piece.startswith("{") and len(piece) <= _LONGEST_LITERAL:
            try:
                found.append(ast.literal_eval(piece.rstrip(", ")))
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if piece is inside:
                break
    return found


def _walked(values: list[Any], inner: bool) -> Iterator[dict[Any, Any]]:
    waiting = list(values)
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield value
        if isinstance(value, list):
            waiting[:0] = value
        elif isinstance(value, dict) and inner:
            waiting[:0] = list(value.values())


# --- verdicts --------------------------------------------------------------------------------

_BRACKETS = str.maketrans("【】﹇﹈", "[][]")
_BRACKETED = re.compile(r"\[\[\s*([^\[\]]*?)\s*\]\]")
_NEAR = 300  # characters of a line that say what a verdict in it means
_JSON_VALUE = re.compile(r':\s*"((?:[^"\\\n]|\\.)*)"(?=\s*[,}])')
_LINE_OF_JSON = re.compile(r"^[ \t]*[\[{].*", re.MULTILINE | re.DOTALL)
_ECHOED = r"\b(?:such as|e\.g\.|for example|for instance|form(?:at)?|like)\W*"
_HEDGED = re.compile(
    r"\b(?:if|unless|whether|might|depend\w*|were)\b[^.!?]*\Z"
    r"|(?:\b(?:than|below|above|no)\s+(?:an?\s+|the\s+)?"
    r"|(?:\b(?:not|never)|n't)\s+(?:(?!(?:and|but|so|thus|hence|therefore)\b)\w+\s+){0,5})\W*\Z",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|cannot|never|none|neither|nor|if|unless|whether|might|may|could|depend\w*)\b|n't\b",
    re.IGNORECASE,
)
_QUALIFIED = rf"(?:(?:my|the|so|thus|therefore|hence|(?P<final>{_FINAL}))[\s,]+)*"


@dataclass(frozen=True, slots=True)
class _Verdict:
    """One verdict that a reply mentions.

    It is labelled if its line begins with a label, and plain if nothing follows it there.
    """

    value: str
    is_final: bool = False
    is_labelled: bool = False
    is_plain: bool = False
    is_asserted: bool = True


def read_verdict(
    reply: str,
    value: str,
    convert: Callable[[str], Value],
    *,
    noun: str,
    labels: str,
    keys: str = "(?!)",
    said: str = "(?!)",
) -> Value:
    """Read the one verdict that a reply states.

    It stands in double brackets, else in JSON, else after a label, else alone, else in a sentence.
    If a reply states several, the last counts if it is called final, or if only it stands on a
    labelled line of its own.

    Args:
        value: pattern of a verdict.
        convert: reads a verdict; may raise `ParseError`.
        noun: name of the verdict in errors.
        labels: pattern of the words before a verdict, also as JSON keys.
        keys: pattern of further keys.
        said: pattern of a sentence that states the group `value`.

    Raises:
        ParseError: there is no verdict, or it is not clear which counts.
    """
    text = unicodedata.normalize("NFKC", reply.replace("’", "'").translate(_BRACKETS))
    text = re.sub(r"\\boxed\{([^{}]*)\}", r"[[\1]]", text)
    text = re.sub(r"[*`“”„]|^[ \t]*```.*$", lambda mark: '"' if mark[0] in "“”„" else "", text)
    text = re.sub(r'\A\s*"+(.*?)"+\s*\Z', r"\1", text, flags=re.DOTALL)
    for find in (_in_brackets, _in_json, _on_lines, _in_sentence):
        if verdicts := find(text, value, f"{labels}|{keys}" if find is _in_json else labels, said):
            return convert(_counting(verdicts, noun).casefold())
        if find is _in_brackets and _BRACKETED.search(_JSON_VALUE.sub(": ", text)):
            break
    raise ParseError(f"the reply has no {noun} that was asked for")


def _counting(verdicts: list[_Verdict], noun: str) -> str:
    last = verdicts[-1]
    if len({verdict.value.casefold() for verdict in verdicts}) > 1:
        rivals = {verdict.value for verdict in verdicts if verdict.is_labelled}
        if not last.is_final and not (last.is_plain and rivals == {last.value}):
            raise ParseError(f"the reply has different {noun}s and marks none as final")
    elif not any(verdict.is_asserted for verdict in verdicts):
        raise ParseError(f"the reply mentions a {noun} and does not state it")
    return last.value


def _in_brackets(text: str, value: str, labels: str, _: str) -> list[_Verdict]:
    verdicts = []
    text = _JSON_VALUE.sub(": ", text)
    for found in _BRACKETED.finditer(text):
        before = text[max(0, found.start() - _NEAR) : found.start()].rpartition("\n")[2]
        after = text[found.end() : found.end() + _NEAR].partition("\n")[0]
        label = rf"(?:{labels})\W*(?:is\W+)?"
        is_labelled = re.search(rf"\b{label}\Z", before, re.IGNORECASE)
        is_quoted = re.search(rf'"\W*(?:{label})?\Z', before, re.IGNORECASE) and '"' in after[:2]
        is_echo = re.search(rf"{_ECHOED}(?:{label})?\Z", before, re.IGNORECASE)
        inside = re.fullmatch(
            rf"(?:(?:{labels})\W+)?({value})\W*", found[1], re.IGNORECASE | re.DOTALL
        )
        if is_quoted or is_echo or not inside:
            continue
        head = re.search(rf"\b{_FINAL}\b[\w\s]*\W*\Z", before, re.IGNORECASE)
        alone = re.fullmatch(rf"[^\w\n]*{_QUALIFIED}{label}", before, re.IGNORECASE)
        verdicts.append(
            _Verdict(
                inside[1],
                is_final=head is not None,
                is_labelled=alone is not None,
                is_plain=alone is not None and not re.search(r"\w", after),
                is_asserted=is_labelled is not None or not _HEDGED.search(before),
            )
        )
    return verdicts


def _in_json(text: str, value: str, labels: str, _: str) -> list[_Verdict]:
    if not (start := _LINE_OF_JSON.search(text)):
        return []
    for inner in (False, True):
        verdicts = [
            _Verdict(said, is_final=re.match(_FINAL, key) is not None)
            for each in objects(start[0], inner=inner)
            for key, stated in each.items()
            if re.fullmatch(rf"(?:{_FINAL}[ _]*)?(?:{labels})", key)
            and re.fullmatch(value, said := str(stated).strip(" []"), re.IGNORECASE)
        ]
        if verdicts:
            return verdicts
    return []


def _on_lines(text: str, value: str, labels: str, _: str) -> list[_Verdict]:
    line = re.compile(
        # at the beginning of a line or sentence
        rf"(?:^[^\w\n]*|[.!?][)\"]?[ \t]+){_QUALIFIED}(?:{labels})"
        rf"\s*(?:\([^()\n]*\))?\s*(?:is\b|of\b)?[\s:=–—→>-]*\[?(?P<value>{value})"
        rf"(?!\w|%|[.,]\d)(?!\]?\s*(?:[-–—~/]\s*(?:{value})|\W*(?:to|or|and|maybe|perhaps)\b))"
        r"(?P<rest>.*)$",
        re.IGNORECASE | re.MULTILINE,
    )
    if verdicts := [
        _Verdict(
            found["value"],
            is_final=found["final"] is not None,
            is_labelled=True,
            is_plain=not re.search(r"\w", found["rest"]),
        )
        for found in line.finditer(text)
    ]:
        return verdicts
    alone = re.search(rf"(?:\A|\n)[\s#(]*\[?({value})\]?[.!)]*\s*\Z", text, re.IGNORECASE)
    return [_Verdict(alone[1])] if alone else []


def _in_sentence(text: str, value: str, labels: str, said: str) -> list[_Verdict]:
    verdicts = []
    for found in re.finditer(said, text, re.IGNORECASE | re.MULTILINE):
        start = max(text.rfind(end, 0, found.start()) for end in ("\n", ". ", "! ", "? ")) + 1
        sentence = text[start : found.end()] + re.split(r"[.!?\n]", text[found.end() :])[0]
        if found.start() and _DENIED.search(sentence.replace(found["value"], "")):
            return []
        verdicts.append(_Verdict(found["value"]))
    return verdicts if len({verdict.value for verdict in verdicts}) == 1 else []


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_GRADE = (
    rf"(?:-?[0-9]+(?:[.,][0-9]+)?|\b(?:{'|'.join(_WORDS)})\b)"
    r"(?:\s*(?:/|out\s+of|of)\s*(?:[0-9]+|five|six|ten))?"
)


def read_rating(reply: str, lowest: int, highest: int) -> int:
    """Read a rating on a scale of whole numbers.

    Raises:
        ParseError: there is none, there are several, or it is not on this scale. A rating that
            names another scale, as 4/5 if the scale ends at 6, is not converted.
    """

    def convert(said: str) -> int:
        number, *scale = (
            _WORDS.index(each) if each in _WORDS else float(each.replace(",", "."))
            for each in re.split(r"\s*(?:/|out\s+of|of)\s*", said.strip())
        )
        if scale and scale[0] != highest:
            raise ParseError(f"the rating is on another scale than {lowest} to {highest}")
        if number != int(number):
            raise ParseError("the rating is not a whole number")
        if not lowest <= number <= highest:
            raise ParseError(f"the rating is not between {lowest} and {highest}")
        return int(number)

    return read_verdict(
        reply,
        _GRADE,
        convert,
        noun="rating",
        labels="rating|score|verdict|grade|overall",
        said=r"\bI(?:'d|'ll| would| will)? (?:rate|give|score|assign|award)\b[^.\n0-9]*?"
        rf"(?P<value>{_GRADE})(?=[^0-9\n]*(?:[.!]\s|$))",
    )


def read_number(reply: str, things: str) -> int:
    """Read the number of the one thing that a reply chooses; `things` is a pattern of its names.

    Raises:
        ParseError: there is none, there are several, or it is not positive.
    """

    def convert(said: str) -> int:
        if not (number := int(said)):
            raise ParseError("the number is not positive")
        return number

    return read_verdict(
        reply,
        "[0-9]{1,9}",
        convert,
        noun="number",
        labels="choice|answer|selection|number|verdict|decision|result",
        keys=things,
        said=rf"(?:\b(?:{things})[\s:]*#?\[?|^\[|#)(?P<value>[0-9]{{1,9}})\b",
    )


def read_option(reply: str, options: Mapping[str, Value]) -> Value:
    """Read which of some options a reply chooses; keys are patterns in lower case.

    Raises:
        ParseError: it chooses none, or several.
    """
    value = rf"(?:{'|'.join(options)})\b"

    def convert(said: str) -> Value:
        return next(of for option, of in options.items() if re.fullmatch(option, said.strip()))

    return read_verdict(
        reply,
        value,
        convert,
        noun="verdict",
        labels="verdict|decision|answer|conclusion|judge?ment|result",
        said=rf"(?:\A\W*|\bis\s+)(?P<value>{value})(?=\s*(?:[.:;!–—-]|,(?!\s*but\b))|\W*\Z)",
    )


# --- one line of text ------------------------------------------------------------------------

_OPENER = r"(?:sure|certainly|of course|absolutely|okay|ok|here(?:'s| is| are| you)|below is)\b"
_INTRO_WORDS = (
    rf"(?:(?:{_OPENER}|the|my|your|an?|{_FINAL}|rewritten|rephrased|reworded|standalone"
    r"|stand-alone|search|new|short|incomplete|everyday|layman's|in)\W+)*"
)
_INTRO = re.compile(rf"{_OPENER}.*[:.!]\Z|.*:\Z", re.IGNORECASE)
_OUTRO = re.compile(
    r"(?:i|i've|i'm|i'd|this|that|note|let me|please|feel free|hope|explanation|changes|reason"
    r"|here|it|we|the (?:re\w+ed|query|request|question)|\()(?:\W|\Z)",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\W*(?:n/?a|none|null|nil|not applicable|unknown)\W*", re.IGNORECASE)
_REFUSES = re.compile(
    rf"(?:i(?:'m| am)? (?:sorry|unable|afraid|not able|apolog\w+|cannot|can't|could not|couldn't"
    rf"|do not|don't|won't)|sorry|apologies|unfortunately|as an ai"
    rf"|no (?:query|question|request|changes?|rewriting)"
    rf"|{_OPENER})\b",
    re.IGNORECASE,
)
_QUOTES = {'""', "''", "“”", "‘’", "„“", "„”", "«»", "»«", "「」", "『』", "``"}


def read_line(reply: str, names: str) -> str:
    """Read the one line of text that a reply gives.

    It is tagged, or the value of a JSON key, or labelled, or the only line besides talk.

    Args:
        names: pattern of the text's names: in tags, as keys and in labels.

    Raises:
        ParseError: there is none or more than one, or the reply refuses.
    """
    reply = re.sub(r"^[ \t]*```.*$", "", reply, flags=re.MULTILINE).strip()
    tagged = [*re.finditer(rf"<({names})>(.*?)(?:</\1>|\Z)", reply, re.DOTALL | re.IGNORECASE)]
    if tagged:
        head = reply[: tagged[-1].start()].rpartition("\n")[2]
        found = [tag[2] for tag in tagged]
        return _clean(_only(found, is_final=bool(_FINAL_HEAD.match(head))))
    if reply.startswith(("{", "[")):
        keys = re.compile(rf"(?:\w+[_ ])*(?:{names})")
        texts = [value for each in objects(reply) for key, value in each.items()
                 if isinstance(value, str) and keys.fullmatch(key)]  # fmt: skip
        if not texts:
            raise ParseError("the reply is JSON without the text that was asked for")
        return _clean(_only(texts))
    lines = [
        re.sub(r"^[#>\s]+(?:[-•–]\s)?|^[-•–]\s|[*_]{2,}", "", line).strip()
        for line in reply.splitlines()
    ]
    lines = [line.replace("’", "'") if "’" in line[:12] else line for line in lines if line]
    label = re.compile(
        rf"(?P<head>{_OPENER}[^:]*|{_INTRO_WORDS}(?:{names}|\w*(?:rewritten|rephrased|shortened)|version|words))"
        r"(?: is)?\s*:\s*(?P<text>.+)",
        re.IGNORECASE,
    )
    labelled = [match for line in lines if (match := label.fullmatch(line))]
    if labelled:
        is_final = re.search(rf"\b{_FINAL}\b", labelled[-1]["head"], re.IGNORECASE)
        return _clean(_only([found["text"] for found in labelled], is_final=bool(is_final)))
    if any(_WITHDRAWAL.search(line) for line in lines[1:]):
        raise ParseError(WITHDRAWN)
    while len(lines) > 1 and _INTRO.fullmatch(lines[0]):
        lines.pop(0)
    while len(lines) > 1 and _OUTRO.match(lines[-1]):
        lines.pop()
    return _clean("\n".join(lines))


def _only(texts: list[str], *, is_final: bool = False) -> str:
    if len({text.strip() for text in texts}) > 1 and not is_final:
        raise ParseError("the reply gives several texts and marks none as final")
    return texts[-1]


def _clean(text: str) -> str:
    """Return one line without quotation marks around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise ParseError(EMPTY)
    if len(lines) > 1:
        raise ParseError("the reply has several lines, and none is marked as the text asked for")
    line = lines[0].strip("*` ")
    while len(line) > 1 and line[0] + line[-1] in _QUOTES:
        line = line[1:-1].strip()
    if _NOTHING.fullmatch(line) or not any(char.isalnum() for char in line):
        raise ParseError("the reply has no text: it is empty, or says that there is none")
    if _REFUSES.match(line.replace("’", "'")):
        raise ParseError("the reply refuses, or talks about what was asked for")
    if _WITHDRAWAL.search(line):
        raise ParseError(WITHDRAWN)
    return line
