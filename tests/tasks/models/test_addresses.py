"""Passwords in addresses are cut from texts that people see."""

from __future__ import annotations

import pytest

from tasks.models.addresses import shown


@pytest.mark.parametrize(
    ("text", "is_shown_as"),
    [
        ("http://plantedpw@host", "http://host"),
        ("user:plantedpw@host:3128", "host:3128"),
        ('to URL: "http://user:plantedpw@host:9/b?x=1"; is it right?',
         'to URL: "http://host:9/b?x=1"; is it right?'),
        ("InvalidURL: user:plantedpw@host:9.", "InvalidURL: host:9."),
        ('URL: "http://socks5://user:plantedpw@host:9"', 'URL: "http://host:9"'),
        ("http://user:planted pw@host/a", "http://host/a"),
        ("http://user:planted/pw@host/a", "http://host/a"),
        ("user:planted/p@w@host", "host"),
        ("Custom endpoint `https://user:planted#pw@host` was",
         "Custom endpoint `https://host` was"),
        ("http://a:plantedpw@b and http://c:plantedpw@d", "http://b and http://d"),
    ],
)  # fmt: skip
def test_cuts_what_may_be_a_password(text: str, is_shown_as: str) -> None:
    assert shown(text) == is_shown_as


@pytest.mark.parametrize(
    "text",
    ["http://host:4200/api", "HTTP 503 of https://host/a/b?c=d#e, 7 times", "no address", ""],
)
def test_keeps_the_rest(text: str) -> None:
    assert shown(text) == text
