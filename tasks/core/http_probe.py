"""One HTTP request with a time limit, which ends in a reply or in a `NoAnswer`."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

TIMEOUT_S = 3.0
_MOST_BYTES = 1_000_000  # status replies are short; read no more of an endless one


class NoAnswer(Exception):
    """No HTTP reply came; the message says why and never repeats the request."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A server's answer, whatever its status."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Parse the body."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            problem = "answers, but not in JSON: another program may listen there"
            if self.body.lstrip()[:1] == b"<":
                problem = "sends an HTML page: its address is wrong, or it wants you to sign in"
            raise NoAnswer(problem) from error


class _Staying(HTTPRedirectHandler):
    """Handler that follows no redirection: a key is for one server only."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirection: return its status as the reply."""


def ask(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    method: str | None = None,
) -> HttpReply:
    """Send a request: without a method, GET, or POST if there is a body."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    try:
        request = Request(url, data, sent, method=method)
        with build_opener(_Staying).open(request, timeout=TIMEOUT_S) as reply:
            return HttpReply(reply.status, reply.read(_MOST_BYTES))
    except HTTPError as error:
        with error:
            return HttpReply(error.code, b"")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(_why(error)) from error


def _why(error: Exception) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"does not answer within {TIMEOUT_S:g} s"
    if isinstance(error, URLError):
        return f"cannot be reached: {reason}"
    return f"breaks the connection or does not speak HTTP ({type(error).__name__})"
