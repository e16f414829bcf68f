"""One HTTP request with a time limit, which ends in a reply or in a `NoAnswer`."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

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


def ask(url: str, *, headers: Mapping[str, str] | None = None, body: Any = None) -> HttpReply:
    """Send a GET request, or POST if there is a body; trust the system's certificates.

    Follows no redirection: a key is for one server only.
    """
    method = "GET" if body is None else "POST"
    headers = {"Accept-Encoding": "identity", **(headers or {})}
    trusted = ssl.create_default_context()
    content = b""
    try:
        with httpx.stream(
            method, url, headers=headers, json=body, timeout=TIMEOUT_S, verify=trusted
        ) as reply:
            for piece in reply.iter_raw():  # what is packed all the same stays packed
                content += piece
                if len(content) > _MOST_BYTES:
                    break
    except httpx.TimeoutException as error:
        raise NoAnswer(f"does not answer within {TIMEOUT_S:g} s") from error
    except (httpx.NetworkError, ImportError) as error:  # a SOCKS proxy needs a package
        raise NoAnswer(f"cannot be reached: {error}") from error
    # shown without the error's words, which may hold a part of a password
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        problem = f"breaks the connection or does not speak HTTP ({type(error).__name__})"
        raise NoAnswer(problem) from error
    return HttpReply(reply.status_code, content)
