"""Read models' replies: JSON by the schema first, else one plain form.

`answer_of` removes thoughts. `read_value` reads the value that a reply
gives a key. A reply that gives none, or several, is a `ParseError`, so the model is asked once
more. Only operations that build or judge read so: what a model under test writes is the
measurement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tasks.text.json_replies import objects

Value = TypeVar("Value")


class ParseError(ValueError):
    """A reply that cannot be read; its one sentence ends up in `rejects` or `unscored_reason`."""


EMPTY = "the reply is empty"
ONLY_THOUGHTS = "the reply has thoughts and no answer"

# --- what surrounds an answer ----------------------------------------------------------------

# Marks that open and close thoughts. A block begins the text or a line, so a quoted mark opens
# none; if not closed, it goes on.
_TAG = r"(?:\w+[:_])?(?:think|thinking|thoughts?)"
_MARKS = (
    (rf"[<\[]{_TAG}[>\]]", rf"[<\[]/{_TAG}[>\]]"),
    ("<reasoning>", "</reasoning>"),
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|channel>thought\b", r"<channel\|>"),  # Gemma
    (  # Command
        r"<\|START_THINKING\|>",
        r"(?:<\|END_THINKING\|>\s*<\|START_RESPONSE\|>|<\|(?:END_THINKING|START_RESPONSE)\|>)",
    ),
    (  # gpt-oss
        r"<\|channel\|>analysis<\|message\|>",
        r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>",
    ),
)
_CLOSINGS = "|".join(closing for _, closing in _MARKS if closing != "</reasoning>")  # XML ends so
_THOUGHTS = [
    re.compile(pattern, re.DOTALL | re.IGNORECASE | re.MULTILINE)
    for pattern in (
        *(rf"(?:\A\s*|^[ \t]*){opens}(?P<text>.*?)(?:{closes}|\Z)" for opens, closes in _MARKS),
        # some servers open the block in the prompt
        rf"\A(?P<text>.*(?:^[ \t]*|[^\w\s`\"']))(?:{_CLOSINGS})",
        # gpt-oss on a server that drops special tokens
        r"\A\s*(?-i:analysis)(?P<text>.*?)(?-i:assistantfinal)",
        r"(?:<\|\w+\|>\s*)+\Z(?P<text>)",  # left at the end by such a server
    )
]
_MAY_HAVE_THOUGHTS = re.compile(r"think|thought|reasoning|<\|\w|assistantfinal", re.IGNORECASE)
_SPECIAL_TOKEN = re.compile(r"<\|\w+\|>(?:assistant\b)?|</s>|<eos>|<(?:start|end)_of_turn>")


def split_thoughts(text: str) -> tuple[str, str | None]:
    """Split a text into the answer and the thoughts that the server left in it, if any."""
    if not _MAY_HAVE_THOUGHTS.search(text):
        return text, None
    thoughts: list[str] = []
    rest = text
    for pattern in _THOUGHTS:
        thoughts += [match["text"].strip() for match in pattern.finditer(rest)]
        rest = pattern.sub("", rest)
    return (rest.strip(), "\n\n".join(filter(None, thoughts)) or None) if thoughts else (text, None)


def answer_of(reply: str) -> str:
    """Return a reply's answer: no thoughts, and nothing behind a special token.

    Raises:
        ParseError: nothing is left.
    """
    text, thoughts = split_thoughts(reply)
    text = next(filter(str.strip, _SPECIAL_TOKEN.split(text)), "")
    if not text.strip():
        raise ParseError(EMPTY if thoughts is None else ONLY_THOUGHTS)
    return text.strip()


# --- values ----------------------------------------------------------------------------------

_OPENING = " \t\r\n*_`\"'“([{"
_CLOSING = " \t\r\n*_`\"'”)]}.,;!"


def read_value(reply: str, key: str, options: Mapping[str, Value]) -> Value:
    """Read which of some options a reply gives a key.

    It stands in a JSON object, or else ends a line `key: option`.

    Args:
        options: compared whatever their case, and what stands between words.

    Raises:
        ParseError: the reply gives none of them, or different ones.
    """
    known = {_words(option): value for option, value in options.items()}
    values = [item[key] for item in objects(reply) if key in item] or _on_lines(reply, key)
    different = {*map(_words, values)}
    readings = [*{known[item] for item in different if item in known}]
    if len(readings) == 1 and different <= known.keys():
        return readings[0]
    if len(different) == 1:
        raise ParseError(f"the {key} is none of {', '.join(options)}")
    raise ParseError(f"the reply gives {'more than one' if different else 'no'} {key}")


def read_text(reply: str, key: str) -> str:
    """Read the one text that a reply gives a key, in one line; see `read_value`."""
    values = [item[key] for item in objects(reply) if key in item] or _on_lines(reply, key)
    different = {" ".join(str(value).split()).strip('"“”') for value in values}
    if len(different) != 1:
        raise ParseError(f"the reply gives {'more than one' if different else 'no'} {key}")
    (text,) = different
    if not any(map(str.isalnum, text)):
        raise ParseError(f"the {key} of the reply is empty")
    return text


def key_of_value(name: str) -> re.Pattern[str]:
    """Return the pattern by which any text gives a key a value: what judges are shown has none."""
    return re.compile(rf"(?i)(?<![^\W_])({name})(?=[\"'“”*`\s]*[:=])")


def _on_lines(reply: str, key: str) -> list[str]:
    """Return what follows a key on its line, as in broken JSON whose last key it is."""
    line = rf"{key_of_value(key).pattern}[\"'“”*`\s]*[:=](.*)$"
    return [match[2] for match in re.finditer(line, reply, re.MULTILINE)]


def _words(value: Any) -> str:
    """Return a value's words in small letters, without marks around them; `4.0` is `4`."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).lstrip(_OPENING).rstrip(_CLOSING).casefold()
    return re.sub(r"[\s_\\-]+", " ", text)


def read_rating(reply: str, lowest: int, highest: int, key: str = "rating") -> int:
    """Read a rating on a scale of whole numbers; see `read_value`."""
    return read_value(reply, key, {str(rating): rating for rating in range(lowest, highest + 1)})


def read_choice(reply: str, key: str, options: Sequence[str]) -> str:
    """Read which of some words a reply gives a key; see `read_value`."""
    return read_value(reply, key, {option: option for option in options})
