"""Read models' replies as a careful person would: one reader for all operations.

`answer_of` removes what surrounds an answer: thoughts, repeated instructions, continued examples.
`read_rating`, `read_option` and `read_number` find a value in what is left. A value that a reply
only mentions does not count, nor does one that a line of the prompt states. A reply with two
readings is a `ParseError`, so the model is asked once more.

Only operations that build or judge read so. What a model under test writes is the measurement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from tasks.inference import prompts
from tasks.text.json_replies import outermost_values

Value = TypeVar("Value")


class ParseError(ValueError):
    """A reply that cannot be read; its one sentence ends up in `rejects` or `unscored_reason`."""


EMPTY = "the reply is empty"
ONLY_THOUGHTS = "the reply has thoughts and no answer"
ONLY_REPEATS = "the reply only repeats its instructions"
WITHDRAWN = "the reply withdraws a part of itself and marks nothing as final"

# --- what surrounds an answer ----------------------------------------------------------------

# Marks that open and close thoughts. A block begins the text or a line, so a quoted mark opens
# none; if not closed, it goes on. It may hold another one.
_TAG = r"(?:\w+[:_])?(?:think|thinking|thoughts?)"
_MARKS = (
    (rf"[<\[]{_TAG}(?:\s[^<>\[\]\n]*)?[>\]]", rf"[<\[]/{_TAG}[>\]]"),
    ("<reasoning>", "</reasoning>"),
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|channel>thought\b", r"<channel\|>"),  # Gemma
    (  # Command
        r"<\|START_THINKING\|>",
        r"(?:<\|END_THINKING\|>\s*<\|START_RESPONSE\|>|<\|(?:END_THINKING|START_RESPONSE)\|>)",
    ),
    (  # gpt-oss
        r"<\|channel\|>analysis<\|message\|>",
        r"(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>",
    ),
)
_CLOSINGS = "|".join(closing for _, closing in _MARKS if closing != "</reasoning>")  # XML ends so
_THOUGHTS = [
    re.compile(pattern, re.DOTALL | re.IGNORECASE | re.MULTILINE)
    for pattern in (
        *(
            rf"(?:\A\s*|^[ \t]*){opens}(?P<text>"
            rf"(?:(?:(?!{opens}|{closes}).)*+{opens}(?:(?!{closes}).)*+{closes}"
            rf"(?=(?:(?!{opens}|{closes}).)*+{closes}))?+.*?)"
            rf"(?:{closes}|\Z)"
            for opens, closes in _MARKS
        ),
        # some servers open the block in the prompt
        rf"\A(?P<text>.*(?:^[ \t]*|[^\w\s`\"']))(?:{_CLOSINGS})",
        # gpt-oss on a server that drops special tokens
        r"\A\s*(?-i:analysis)(?P<text>.*?)(?-i:assistantfinal)",
        r"(?:<\|\w+\|>\s*)+\Z(?P<text>)",  # left at the end by such a server
    )
]
_MAY_HAVE_THOUGHTS = re.compile(r"think|thought|reasoning|<\|\w|assistantfinal", re.IGNORECASE)
_SPECIAL_TOKEN = re.compile(r"<\|\w+\|>(?:assistant\b)?|</s>|<eos>|<(?:start|end)_of_turn>")
# A line of the prompt this long is no answer of its own; `Rating: [[3]]` is one.
_LONGEST_ANSWER_IN_PROMPT = 20
_BRACKETS = str.maketrans("【】﹇﹈", "[][]")


def split_thoughts(text: str) -> tuple[str, str | None]:
    """Split a text into the answer and the thoughts that the server left in it, if any."""
    if not _MAY_HAVE_THOUGHTS.search(text):
        return text, None
    thoughts: list[str] = []
    rest = text
    for pattern in _THOUGHTS:
        thoughts += [found["text"].strip() for found in pattern.finditer(rest)]
        rest = pattern.sub("", rest)
    return (rest.strip(), "\n\n".join(filter(None, thoughts)) or None) if thoughts else (text, None)


_FIRST_TAG = re.compile(r"\s*([<\[◁]\|?[^\W\d][\w:.-]{1,30}\|?[>\]▷])")


def first_tag(text: str) -> str | None:
    """Return the tag that a text begins with, such as `<plan>`, or None."""
    tag = _FIRST_TAG.match(text)
    return tag and tag[1]


def answer_of(
    reply: str,
    template: str,
    suffix: str = "",
    *,
    is_verdict: bool = False,
    verdict_key: str | None = None,
) -> str:
    """Return a reply's answer without what surrounds it.

    Special tokens end it, and so does a line that begins the prompt's next example. Lines that
    repeat the template are no answer.

    Args:
        is_verdict: whether lines that repeat the suffix are quotes. `[[n]]` is never one, since no
            input of a prompt holds double brackets.
        verdict_key: a key that no input of a prompt holds. No line of a reply with it is dropped:
            a list may have words of the prompt.

    Raises:
        ParseError: nothing is left.
    """
    text, thoughts = split_thoughts(reply)
    pieces = [piece for piece in _SPECIAL_TOKEN.split(text) if piece.strip()]
    # if the prompt has such tokens, the reply may quote them
    text = "\n".join(pieces if _SPECIAL_TOKEN.search(suffix) else pieces[:1])
    template, repair = map(prompts.read_template, (template, "repair"))
    for beginning in _next_example(template, repair).finditer(text):
        before = text[: beginning.start()].strip(" \t\n*")
        if before and not before.endswith(":"):
            text = before
            break
    own = text
    for repeated in _lines_of(template):
        own = repeated.sub("", own)
    if not own.strip():
        nothing = EMPTY if thoughts is None else ONLY_THOUGHTS
        raise ParseError(ONLY_REPEATS if text.strip() else nothing)
    text = own
    is_object = text.lstrip().startswith("{")  # what it quotes stands in its texts
    if is_verdict and not is_object and not (verdict_key and verdict_key in text.casefold()):
        text = _without_quotes(text, suffix)
    return text.strip()


def _without_quotes(text: str, suffix: str) -> str:
    """Drop the lines that a prompt's suffix holds; a single word must be a whole line there."""
    quoted, lines = f" {_words(suffix)} ", {_words(line) for line in suffix.splitlines()}
    kept = []
    for line in text.splitlines():
        words = _words(line)
        is_quote = words and (f" {words} " in quoted if " " in words else words in lines)
        if not is_quote or "[[" in unicodedata.normalize("NFKC", line.translate(_BRACKETS)):
            kept.append(line)
    return "\n".join(kept)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def without_repair(suffix: str) -> str:
    """Return a request's suffix without the reply that a repair shows."""
    mark = re.escape(prompts.marks_in(prompts.read_template("repair"))[0])
    marks = re.finditer(rf"^\[{mark}(?: [0-9a-f]{{16}})?\]$", suffix, re.MULTILINE)
    return suffix[: [*marks][-1].start()]


@cache
def _lines_of(template: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of the long lines of a template's text, whatever their whitespace."""
    lines = (line.strip() for line in template.splitlines())
    return tuple(
        re.compile(r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", line))))
        for line in lines
        if len(line) > _LONGEST_ANSWER_IN_PROMPT and "{{" not in line
    )


@cache
def _next_example(template: str, repair: str) -> re.Pattern[str]:
    """Return the pattern of how the suffix of a template's text begins, or one of its marks."""
    marks = prompts.marks_in(template + "\n" + repair)
    beginnings = [
        rf"\[{re.escape(mark)}(?: [0-9a-f]{{16}})?\]"
        for mark in marks
        if "end of" not in mark.lower()
    ]
    line = template.partition("\n=====\n")[2].strip().partition("\n")[0]
    label, place, _ = line.partition("{{")
    if len(label) > 4:
        beginnings.append(re.escape(label.strip()) + ("" if place else r"[ \t]*$"))
    return re.compile(rf"^[ \t]*(?:{'|'.join(beginnings)})", re.MULTILINE)


# --- drafts ----------------------------------------------------------------------------------

FINAL = r"(?:final|overall|revised|corrected|updated)"
WITHDRAWAL = re.compile(
    r"(?:^|[.!?:)\]}>*]\s+)[ \t*_>\"-]{0,9}"
    r"(?:actually|wait|hmm+|scratch that|on (?:second thoughts?|reflection))\b"
    r"|\blet me (?:re(?!peat|mind|fer)\w+|correct|fix|start over|try again)\b",
    re.IGNORECASE | re.MULTILINE,
)
FINAL_HEAD = re.compile(
    rf"(?:^|[.!?]\s)[^\w\n]{{0,20}}(?:(?:here is|here's|the|my)\s+)*{FINAL}\b[^\n:]{{0,40}}:",
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
    if not (withdrawal := WITHDRAWAL.search(outside)):
        return text
    before = slice(withdrawal.start())
    if outside[before] == text[before] and not re.search(r"[{<]", text[before]):
        # nothing was said before
        return text[withdrawal.end() :]
    if heads := [*FINAL_HEAD.finditer(outside, withdrawal.start())]:
        return text[heads[-1].end() :]
    raise ParseError(WITHDRAWN)


# --- verdicts --------------------------------------------------------------------------------

_BRACKETED = re.compile(r"\[\[([^\[\]]*)\]\]")
_BOXED = re.compile(r"^[\s$*]*\\boxed\{([^{}]*)\}[\s$*.]*\Z", re.MULTILINE)
_NEAR = 300  # characters of a line that say what a verdict in it means
_JSON_VALUE = re.compile(r':\s*"((?:[^"\\\n]|\\.)*)"(?=\s*[,}])')
_MARKUP = re.compile(r"[*`]|__|^[ \t]*(?:>|```).*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])[\"*_)]*\s+|(?<=。)")
_COURTESY = re.compile(r"\s*(?:I hope|Let me know|Feel free|Would you|If you)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|might|could|would|depend\w*"
    r"|such as|e\.g|example|instance|format|like)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|cannot|never|no|nor|neither|than|below|above|at (?:most|least)|between)\b|n't\b",
    re.IGNORECASE,
)
_HEDGE = r"(?:or|but|if|unless|except|though|and|to|maybe|perhaps|arguably|yes|no|not)\b"
_I_CHOOSE = r"I (?:choose|pick|select|rate|give|score|assign|award)"
_REASON = r"(?:because|since|as)\b"
_QUALIFIED = rf"(?:(?:my|the|so|thus|therefore|hence|best|(?P<final>{FINAL}))[\s,]+)*"
_STARTS = r"(?:^[^\w\n\"']*|[.!?][)\"]?[ \t]+)"
_IS = (
    r"\s*(?:\([^()\n]*\)|\[[^\[\]\n]*\])?"
    r"(?:\s*[:=>]\s*|\s+(?:[–—-]|[-–]?>|→)\s+|\s+is:?\s+)"
)
_OPENS, _CLOSES = r"[\[({<\"#]{0,2}", r"[\])}>\"]{0,2}"
# the line ends, and the next one does not continue its sentence
_ENDS = r"(?=[.!。]?[ \t]*(?:$(?!\s*(?-i:[a-z]))|</))"
_DASH = rf"(?=[ \t]+[–—-]+[ \t]+(?!{_HEDGE})[^\W\d]+[^\w\n]+\w)"
_TAIL = (
    rf"(?:{_ENDS}|{_DASH}|(?![^\w\n]*[^\W\d]+[^\w\n]*$)"  # one word may name a criterion
    rf"(?=[.;!:]\s+(?!{_HEDGE}|\d)|,\s+(?!\d)(?![^.!?\n]*\b(?:but|if|unless|except|or)\b)"
    rf"|[ \t]*\((?!{_HEDGE})[^()\n]*\w\W+\w[^()\n]*\)[^\w\n]*$|,?\s+{_REASON}))"
)


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
    is_word: bool = False,
) -> Value:
    """Read the one verdict that a reply states.

    Looked for in turn: double brackets, JSON, a label, a line of its own, a sentence.
    If a reply states several, the last counts if it is called final, or if only it stands on a
    labelled line of its own. What follows a verdict must not change it: no unit, no condition.

    Args:
        value: pattern of a verdict.
        convert: reads a verdict; may raise `ParseError`.
        noun: name of the verdict in errors.
        labels: pattern of the words before a verdict, also as JSON keys.
        keys: pattern of further keys.
        said: pattern of a sentence that states the group `value`.
        is_word: whether a verdict is a word, which may begin a sentence.

    Raises:
        ParseError: there is no verdict, or it is not clear which counts.
    """
    text = unicodedata.normalize("NFKC", reply.replace("’", "'").translate(_BRACKETS)).strip('" \n')
    text = _BOXED.sub(r"[[\1]]", text)
    verdicts = _in_brackets(text, value, labels, keys)
    if not verdicts and "[[" not in _JSON_VALUE.sub(": ", text):
        text = _MARKUP.sub("", text)
        verdicts = (
            _in_json(text, value, f"{labels}|{keys}", is_word=is_word)
            or _on_lines(text, value, labels)
            or _alone(text, value, is_word=is_word)
            or _in_sentences(text, value, said)
        )
    if not verdicts:
        raise ParseError(f"the reply has no {noun} that was asked for")
    return convert(_counting(verdicts, noun).casefold())


def _counting(verdicts: list[_Verdict], noun: str) -> str:
    last = verdicts[-1]
    if len({verdict.value.casefold() for verdict in verdicts}) > 1:
        rivals = {verdict.value for verdict in verdicts if verdict.is_labelled}
        if not last.is_final and not (last.is_plain and rivals == {last.value}):
            raise ParseError(f"the reply has different {noun}s and marks none as final")
    elif not any(verdict.is_asserted for verdict in verdicts):
        raise ParseError(f"the reply mentions a {noun} and does not state it")
    return last.value


def _in_brackets(text: str, value: str, labels: str, keys: str) -> list[_Verdict]:
    verdicts = []
    text = _JSON_VALUE.sub(": ", text)
    found = [*_BRACKETED.finditer(text)]
    for each in found:
        before = text[max(0, each.start() - _NEAR) : each.start()].rpartition("\n")[2]
        before = re.sub(rf"\b(?:{keys})\s*\Z", "", _SENTENCE.split(before)[-1], flags=re.IGNORECASE)
        after = text[each.end() : each.end() + _NEAR].partition("\n")[0]
        inside = re.fullmatch(
            rf"[\s*_\"'(]*(?:(?:{labels})\W+)?({value})[\s*_\"'.!)]*", each[1], re.IGNORECASE
        )
        is_quoted = re.search(rf'"\W*(?:(?:{labels})\W*)?\Z', before, re.IGNORECASE)
        if not inside or (is_quoted and '"' in after[:2]):
            continue
        label = re.fullmatch(
            rf"[^\w\n]*{_QUALIFIED}(?:{labels})(?:\s*\([^()]*\))?\W*(?:is\W+)?",
            before,
            re.IGNORECASE,
        )
        begins = label or not re.search(r"\w", before)
        verdicts.append(
            _Verdict(
                inside[1],
                is_final=bool(re.search(rf"\b{FINAL}\b[\w\s]*\W*\Z", before, re.IGNORECASE)),
                is_labelled=label is not None,
                is_plain=label is not None and not re.search(r"\w", after),
                is_asserted=_is_asserted(before, after, begins=bool(begins))
                and (len(found) == 1 or bool(begins)),
            )
        )
    return verdicts


def _is_asserted(before: str, after: str, *, begins: bool) -> bool:
    """Tell whether a sentence states the verdict in it, not only mentions it."""
    if re.match(rf"[^\w?]*(?:\?|{_HEDGE})", after, re.IGNORECASE):
        return False
    if begins:
        return not re.match(rf"\s*(?!{_REASON}|out of\b)(?-i:[a-z])", after, re.IGNORECASE)
    ends = rf"[^\w\n?]*$|[\"*_)]*[.!]\s|,?\s*{_REASON}"
    before = re.sub(r"\bI(?:'d| would)(?! have)\b", "I", before)
    if _CONDITION.search(before) or not re.match(ends, after, re.IGNORECASE):
        return False
    apart = r"(?:[:;→–—>=]|\b(?:so|thus|hence|therefore),?)[\s*_(]*\Z"
    if re.search(apart, before, re.IGNORECASE):
        return True
    chosen = rf"\b(?:is|{_I_CHOOSE}\b.*)(?: an?| the)?[\s*_(]*\Z"
    return bool(re.search(chosen, before, re.IGNORECASE)) and not _DENIED.search(before)


def _in_json(text: str, value: str, keys: str, *, is_word: bool) -> list[_Verdict]:
    """Read the keys of the outermost objects that begin or end a text."""
    if not (start := re.search(r"^[ \t]*[\[{]", text, re.MULTILINE)):
        return []
    before, inside = text[: start.start()], text[start.start() :]
    after = inside[inside.rfind("}") + 1 :]
    if re.search(r"\w", before) and re.search(r"\w", after) and not _COURTESY.match(after):
        return []
    verdicts, stated = [], set()
    for outer in outermost_values(inside):
        each = outer[0] if isinstance(outer, list) and len(outer) == 1 else outer
        while (
            isinstance(each, dict)
            and len(each) == 1
            and isinstance(next(iter(each.values())), dict)
        ):
            (each,) = each.values()
        for key, content in each.items() if isinstance(each, dict) else ():
            is_named = re.fullmatch(rf"(?:{FINAL}[ _]*)?(?:{keys})", str(key), re.IGNORECASE)
            said = str(content).strip(" []")
            if (is_named or is_word) and re.fullmatch(value, said, re.IGNORECASE):
                is_final = re.match(FINAL, str(key), re.IGNORECASE) is not None
                verdicts.append(_Verdict(said, is_final=is_final, is_asserted=bool(is_named)))
                stated.add(repr(each))
    return verdicts if len(stated) < 2 or len({each.value for each in verdicts}) > 1 else []


def _on_lines(text: str, value: str, labels: str) -> list[_Verdict]:
    line = re.compile(
        rf"{_STARTS}{_QUALIFIED}(?:{labels})(?:{_IS}{_OPENS}(?P<value>{value}){_CLOSES}{_TAIL}"
        rf"|\s+{_OPENS}(?P<bare>{value}){_CLOSES}{_ENDS})(?P<rest>.*)$",
        re.IGNORECASE | re.MULTILINE,
    )
    return [
        _Verdict(
            found["value"] or found["bare"],
            is_final=found["final"] is not None,
            is_labelled=True,
            is_plain=not re.search(r"\w", found["rest"]),
        )
        for found in line.finditer(text)
    ]


def _alone(text: str, value: str, *, is_word: bool) -> list[_Verdict]:
    """Read a first or last line that holds nothing else, unless it is one of a list."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    begins = re.compile(rf"[\s#(\[\"]*(?P<value>{value})(?!\w)", re.IGNORECASE)
    if sum(begins.match(line) is not None for line in lines) != 1:
        return []
    ends = _TAIL if is_word else f"(?:{_ENDS}|{_DASH})"
    if found := re.match(rf"{begins.pattern}{_CLOSES}{ends}", text, re.IGNORECASE | re.MULTILINE):
        return [_Verdict(found["value"])]
    last = re.fullmatch(rf"{begins.pattern}[\])}}\".!]*", lines[-1], re.IGNORECASE)
    is_heading = lines[-2:-1] and re.search(r"[^\W\d]\Z|:\Z", lines[-2])
    return [_Verdict(last["value"])] if last and not is_heading else []


def _in_sentences(text: str, value: str, said: str) -> list[_Verdict]:
    verdicts = []
    for sentence in _SENTENCE.split(text):
        found = re.match(said, sentence, re.IGNORECASE)
        if found and not re.search(rf"{_CONDITION.pattern}|\bbut\b", sentence):
            stated = re.search(value, found[0], re.IGNORECASE)
            verdicts += [_Verdict(stated[0])] if stated else []
    return verdicts


RATING_LABELS = "rating|score|verdict|grade|overall"
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_GRADE = (
    rf"(?:-?[0-9]+(?:[.,][0-9]+)?|\b(?:{'|'.join(_NUMBERS)})\b)"
    r"(?:\s*(?:/|out\s+of|of)\s*(?:[0-9]+|five|six|ten)\b)?"
)


def read_rating(reply: str, lowest: int, highest: int, *, labels: str = RATING_LABELS) -> int:
    """Read a rating on a scale of whole numbers.

    Args:
        labels: pattern of the words before it.

    Raises:
        ParseError: there is none, there are several, or it is not on this scale. A rating that
            names another scale, as 4/5 if the scale ends at 6, is not converted.
    """

    def convert(said: str) -> int:
        number, *scale = (
            _NUMBERS.index(each) if each in _NUMBERS else float(each.replace(",", "."))
            for each in re.split(r"\s*(?:/|out\s+of|of)\s*", said.strip())
        )
        if scale and scale[0] != highest:
            raise ParseError(f"the rating is on another scale than {lowest} to {highest}")
        if number != int(number):
            raise ParseError("the rating is not a whole number")
        if not lowest <= number <= highest:
            raise ParseError(f"the rating is not between {lowest} and {highest}")
        return int(number)

    return read_verdict(reply, _GRADE, convert, noun="rating", labels=labels)


def read_number(reply: str, things: str) -> int:
    """Read the number of the one thing that a reply chooses; `things` is a pattern of its names.

    Raises:
        ParseError: there is none, there are several, or it is not positive.
    """

    def convert(said: str) -> int:
        if not (number := int(re.sub(r"\D", "", said))):
            raise ParseError("the number is not positive")
        return number

    value = rf"(?:(?:{things}|number)\s*)?#?\[?[0-9]{{1,2}}(?!\w)"
    best = r"(?:best|clearest|strongest|most (?:specific|self-?contained|standalone|complete))"
    return read_verdict(
        reply,
        value,
        convert,
        noun="number",
        labels="choice|answer|selection|number|verdict|decision|result",
        keys=things,
        said=rf"\W*(?:(?:the )?{value}\]? (?:is|stands|works|is the|stands the) {best}\b(?!.*\?)"
        rf"|{_I_CHOOSE} {value}\]?[.!]?\Z|\[[0-9]{{1,2}}\] (?:USER|ASSISTANT):)",
    )


def read_option(reply: str, options: Mapping[str, Value]) -> Value:
    """Read which of some options a reply chooses; keys are patterns in lower case.

    Raises:
        ParseError: it chooses none, or several.
    """

    def convert(said: str) -> Value:
        return next(of for option, of in options.items() if re.fullmatch(option, said.strip()))

    return read_verdict(
        reply,
        rf"(?:{'|'.join(options)})\b",
        convert,
        noun="verdict",
        labels="verdict|decision|answer|conclusion|judge?ment|result",
        is_word=True,
    )
