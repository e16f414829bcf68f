"""Images of a lake: drawn once, named by marks in a prompt, and sent as parts of it."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Sampling
from tasks.inference.engines.failures import Refused
from tasks.inference.engines.openai_protocol import body_of, read_completion
from tasks.inference.images import images as images_module
from tasks.inference.images.chromium import HEIGHT, WIDTH
from tasks.inference.images.images import Image, Images, image_tokens, marks_of
from tasks.inference.operation import Call, Operation, Question, primer, read_reply, render, repair
from tasks.lake.objects.folder import FolderObjects
from tasks.models.catalogue import Model
from tasks.suites.tablequest.answer import PageInputs, as_images
from tasks.text.tokens import count_tokens
from tests.scripted import response_to

ANSWER = as_images(
    Operation("answer", "", PageInputs, str.strip, Sampling(temperature=0.0, max_tokens=64))
)
MODEL = Model(name="m", engine="openai", description="")


class Drawing:
    """Stands for Chromium: a page for each paragraph, no real PNG but for the height in it."""

    drawn: list[str]

    def __init__(self, program: str) -> None:
        self.is_closed = False

    def draw(self, html: str) -> list[bytes]:
        self.drawn.append(html)
        head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", WIDTH, 500)
        return [head + part.encode() for part in html.split("<p>")[1:]]

    def close(self) -> None:
        assert not self.is_closed
        self.is_closed = True


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn."""
    Drawing.drawn = []
    monkeypatch.setattr(images_module, "Chromium", Drawing)
    monkeypatch.setattr(images_module, "find_chromium", lambda: "chromium")
    return Drawing.drawn


@pytest.fixture
def images(drawn: list[str], tmp_path: Path) -> Iterator[Images]:
    with Images(FolderObjects(str(tmp_path / "lake"))) as opened:
        yield opened


def calls_of(images: Images, *asked: tuple[str, str], model: Model = MODEL) -> list[Call]:
    questions = [
        Question(str(number), PageInputs(pages, query))
        for number, (pages, query) in enumerate(asked)
    ]
    return render(ANSWER, model.name, questions, model.identity, images=images)


def sent(call: Call) -> list[dict[str, Any]]:
    """The parts of the user message of a request."""
    return json.loads(body_of(call, MODEL))["messages"][-1]["content"]


def url_of(image: Image) -> str:
    return "data:image/png;base64," + base64.b64encode(image.read()).decode()


def test_a_lakes_images_are_drawn_once(images: Images, drawn: list[str], tmp_path: Path) -> None:
    first = images.of("<p>one<p>two")
    assert len(first) == len({image.digest for image in first}) == 2
    assert images.of("<p>one<p>three")[0] == first[0]  # the same page of another document
    assert images.of("<p>one<p>two") == first
    with Images(FolderObjects(str(tmp_path / "lake"))) as again:
        assert again.of("<p>one<p>two") == first
        assert [image.read() for image in again.of("<p>one<p>two")] == [
            image.read() for image in first
        ]
    assert drawn == ["<p>one<p>two", "<p>one<p>three"]


def test_an_estimate_draws_nothing_and_guesses(drawn: list[str], tmp_path: Path) -> None:
    lake = FolderObjects(str(tmp_path / "lake"))
    guessing = Images(lake, draws=False)
    row = "<tr><td>1</td></tr>"
    few, many = (guessing.of(f"<p>Sales<table>{row * n}</table>") for n in (3, 100))
    assert sum(image.n_tokens for image in few) == image_tokens(WIDTH, 100)
    assert sum(image.n_tokens for image in many) > 3 * image_tokens(WIDTH, HEIGHT)
    assert drawn == []
    assert not (tmp_path / "lake" / "_images").exists()


def test_ids_and_keys_depend_on_the_images(images: Images) -> None:
    one, same, other = calls_of(images, ("<p>one", "Why?"), ("<p>one", "How?"), ("<p>two", "Why?"))
    assert one.prefix == same.prefix != other.prefix
    assert one.request.key != other.request.key
    assert one.request.prompt_sha256 != other.request.prompt_sha256
    assert marks_of(one.images) in one.prefix.text
    n_text = count_tokens(one.prefix.text)
    assert one.prefix.n_tokens == n_text + image_tokens(WIDTH, 500)
    assert one.request.n_prompt_tokens == one.prefix.n_tokens + count_tokens(one.request.suffix)


def test_images_stand_between_prefix_and_suffix(images: Images) -> None:
    (call,) = calls_of(images, ("<p>one<p>two", "Why?"))
    first, *pages, last = sent(call)
    assert first == {"type": "text", "text": call.prefix.text}
    assert [page["image_url"]["url"] for page in pages] == [url_of(each) for each in call.images]
    assert last == {"type": "text", "text": call.request.suffix}


def test_a_mark_that_a_filing_imitates_loads_nothing(images: Images) -> None:
    stored = images.of("<p>secret")
    mark = marks_of(stored)
    (call,) = calls_of(images, (f"<p>one {mark}", f"Why? {mark}"))
    assert mark in call.request.suffix
    assert [part["image_url"]["url"] for part in sent(call) if "image_url" in part] == [
        url_of(image) for image in images.of(f"<p>one {mark}")
    ]
    assert url_of(stored[0]) not in json.dumps(sent(call))
    plain = replace(ANSWER, images=None)  # the filing's text itself, of another operation
    (shown,) = render(plain, "m", [Question("1", PageInputs(mark, "Why?"))])
    assert mark in shown.prompt
    assert isinstance(sent(shown), str)


def test_primers_and_repairs_show_the_same_images(images: Images) -> None:
    calls = calls_of(images, ("<p>one", "Why?"), ("<p>one", "How?"))
    warm = primer(calls, "identity")
    assert sent(warm) == sent(calls[0])[:2]
    reply = read_reply(ANSWER, calls[0].request, response_to(calls[0], "no"))
    assert sent(repair(calls[0], reply))[:2] == sent(calls[0])[:2]


def test_a_provider_that_counts_images_otherwise_has_cut_no_prompt(images: Images) -> None:
    (call,) = calls_of(images, ("<p>page" * 9, "Why?" * 300))
    n_text = call.request.n_prompt_tokens - 9 * image_tokens(WIDTH, 500)

    def read(n_prompt: int) -> str:
        message = {"message": {"content": "Because."}, "finish_reason": "stop"}
        usage = {"prompt_tokens": n_prompt, "completion_tokens": 2}
        body = json.dumps({"choices": [message], "usage": usage}).encode()
        return read_completion(call, MODEL, 200, {}, body).status

    assert n_text > 500
    assert read(n_text + 9 * 258) == "ok"
    with pytest.raises(Refused, match="cuts long prompts"):
        read(n_text // 3)
