"""Asking a server one thing over HTTP, with a time limit; whatever it does ends in a reply or a sentence."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

TIMEOUT_S = 3.0
# What is said of itself is short; a server that sends without end is not listened to.
_MOST_BYTES = 1_000_000


class NoAnswer(Exception):
    """A server did not answer, or not over HTTP; the message says how, never with what it was asked."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer, whatever its status."""

    status: int
    date: str | None  # by the server's clock
    body: bytes

    def json(self) -> Any:
        """The body.

        Raises:
            NoAnswer: it is not JSON.
        """
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise NoAnswer("answers, but not in JSON: something else listens there") from error


class _Staying(HTTPRedirectHandler):
    """Goes nowhere else: a key is for the server that it was set for."""

    def redirect_request(self, *_: object) -> None:
        """Follow no redirection; its status is the answer."""


def ask(url: str, *, headers: Mapping[str, str] | None = None, body: Any = None) -> Reply:
    """GET, or POST where there is a body.

    Raises:
        NoAnswer: there is no answer within the time limit, or none that is HTTP.
    """
    data = None if body is None else json.dumps(body).encode()
    try:
        request = Request(url, data, {"Content-Type": "application/json", **(headers or {})})
        with build_opener(_Staying).open(request, timeout=TIMEOUT_S) as reply:
            return Reply(reply.status, reply.headers["Date"], reply.read(_MOST_BYTES))
    except HTTPError as error:
        with error:
            return Reply(error.code, error.headers["Date"], b"")
    except TimeoutError as error:
        raise NoAnswer(f"does not answer within {TIMEOUT_S:g} s") from error
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise NoAnswer(f"does not answer within {TIMEOUT_S:g} s") from error
        raise NoAnswer(f"cannot be reached: {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(f"breaks off, or speaks no HTTP ({type(error).__name__})") from error
