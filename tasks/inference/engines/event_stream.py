"""A streamed chat completion: server-sent events, put together as a plain reply."""

from __future__ import annotations

from typing import Any

import orjson

from tasks.inference.engines.failures import Lost, Refused
from tasks.inference.engines.openai_protocol import text_of

_DONE = b"[DONE]"


def begins_stream(body: bytes) -> bool:
    """Whether a body is an event stream; some servers send it as another type of content."""
    return body.lstrip().startswith((b"data:", b"event:", b"id:", b"retry:", b":"))


class EventStream:
    """A stream as far as it has come."""

    def __init__(self) -> None:
        self.is_over = False  # by [DONE] or an error: nothing that follows counts
        self._line = b""  # the last one, as far as it has come
        self._n_chars = 0  # of text and thoughts
        self._error: bytes | None = None  # what came in place of a chunk
        self._beside: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}  # the chunk's that ends the reply
        self._texts: list[str] = []
        self._thoughts: list[str] = []

    @property
    def size(self) -> int:
        """Characters that are held."""
        return self._n_chars + len(self._line)

    def feed(self, piece: bytes) -> bool:
        """Read what came; return whether a token was in it."""
        n_before = self._n_chars
        *lines, self._line = (self._line + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:") and not self.is_over:
                self._read(line[5:].strip())
        return self._n_chars > n_before

    def completion(self) -> bytes:
        """Return the body of the same reply, had it not been streamed.

        Raises:
            Lost: the stream was cut.
            Refused: it has no finish_reason, though [DONE]: gateways send that after what broke
                off, too. Such a server is asked without streaming.
        """
        if self._error is not None:
            return self._error
        if not self._choice and self.is_over:
            raise Refused("bad_request", "the stream has no finish_reason")
        if not self._choice:
            raise Lost("cut_reply", "the stream was cut before its finish_reason")
        message = {"content": "".join(self._texts), "reasoning": "".join(self._thoughts)}
        return orjson.dumps({**self._beside, "choices": [{**self._choice, "message": message}]})

    def _read(self, data: bytes) -> None:
        if data == _DONE:
            self.is_over = True
            return
        try:
            is_chunk = self._add(orjson.loads(data))
        except (ValueError, TypeError, AttributeError, KeyError, IndexError):
            is_chunk = False
        if not is_chunk:
            self._error, self.is_over = data, True

    def _add(self, chunk: dict[str, Any]) -> bool:
        """Add a chunk; return False if it is an error, or none."""
        choices, usage = chunk.get("choices"), chunk.get("usage")
        if chunk.get("error") or (choices is None and usage is None):
            return False
        if usage is not None:
            self._beside["usage"] = usage
        if not choices:
            return True
        choice = choices[0]
        delta = choice.get("delta") or {}
        text = text_of(delta)
        thought = delta.get("reasoning_content") or delta.get("reasoning") or ""
        self._texts.append(text)
        self._thoughts.append(thought)
        self._n_chars += len(text) + len(thought)
        if choice.get("finish_reason") or choice.get("error"):
            self._choice = choice
            self._beside["system_fingerprint"] = chunk.get("system_fingerprint")
        return True
