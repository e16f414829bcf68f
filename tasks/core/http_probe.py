"""One HTTP request with a time limit, which ends in a reply or in a `NoAnswer`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

TIMEOUT_S = 3.0


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


def ask(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    method: str | None = None,
) -> HttpReply:
    """Send a request: without a method, GET, or POST if there is a body.

    Follows no redirection: a key is for one server only.
    """
    sent = method or ("GET" if body is None else "POST")
    try:
        reply = httpx.request(sent, url, headers=headers, json=body, timeout=TIMEOUT_S)
    except httpx.TimeoutException as error:
        raise NoAnswer(f"does not answer within {TIMEOUT_S:g} s") from error
    except (httpx.NetworkError, ImportError) as error:  # a SOCKS proxy needs a package
        raise NoAnswer(f"cannot be reached: {error}") from error
    # shown without the error's words, which may hold a part of a password
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        problem = f"breaks the connection or does not speak HTTP ({type(error).__name__})"
        raise NoAnswer(problem) from error
    return HttpReply(reply.status_code, reply.content)
