"""The images of a lake: pages drawn from HTML, once for each HTML, and read when they are sent."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Any

import orjson

from tasks.core.ids import canonical_json, sha256_hex
from tasks.inference.images.chromium import HEIGHT, VERSION, WIDTH, Chromium, find_chromium
from tasks.lake.objects import NoSuchObject, Objects

_FOLDER = "_images"
# A guess at the height of pages that are not drawn: a row and a line in px, characters of a line.
_ROW, _LINE, _LINE_CHARS = 25, 20, 190
_NO_TEXT = re.compile("<style.*?</style>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Image:
    """One image of a prompt; its bytes are read when it is sent."""

    digest: str  # 32 hexadecimal digits of its content's SHA-256; names its file and its mark
    n_tokens: int  # by `image_tokens`
    read: Callable[[], bytes] = field(compare=False, repr=False)

    @property
    def part(self) -> dict[str, Any]:
        """The image as a part of a message, as OpenAI's chat completions have it."""
        data = base64.b64encode(self.read()).decode()
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


class Images(AbstractContextManager["Images"]):
    """The images of one lake; use it as a context, which ends the browser.

    Args:
        draws: whether to draw and store what is missing; else it is one image of guessed tokens.
    """

    def __init__(self, objects: Objects, draws: bool = True) -> None:
        self.objects = objects
        self.draws = draws
        self._browser: Chromium | None = None
        self._of_last: tuple[str, tuple[Image, ...]] = ("", ())  # questions of a context follow

    def __exit__(self, *raised: object) -> None:
        if self._browser is not None:
            self._browser.close()
            self._browser = None

    def of(self, html: str) -> tuple[Image, ...]:
        """Return the pages of an HTML document; draw and store them the first time.

        Raises:
            NoChromium, CannotDraw: they are not stored, and cannot be drawn.
        """
        key = sha256_hex(canonical_json([VERSION, WIDTH, HEIGHT, html]))
        if key != self._of_last[0]:
            self._of_last = key, self._look_up(f"{_FOLDER}/{key}.json", html)
        return self._of_last[1]

    def _look_up(self, key: str, html: str) -> tuple[Image, ...]:
        try:
            return self._listed(self.objects.read(key))
        except NoSuchObject:
            if not self.draws:
                return (Image("not drawn", _guessed_tokens(html), bytes),)
        if self._browser is None:
            self._browser = Chromium(find_chromium())
        pages = []
        for data in self._browser.draw(html):
            digest = hashlib.sha256(data).hexdigest()[:32]
            self.objects.put(_file(digest), data)
            height = int.from_bytes(data[20:24], "big")  # of PNG's first chunk
            pages.append({"digest": digest, "width": WIDTH, "height": height})
        # another run may have drawn it meanwhile, by another Chromium: the first one counts
        self.objects.create(key, orjson.dumps({"pages": pages}))
        return self._listed(self.objects.read(key))

    def _listed(self, listing: bytes) -> tuple[Image, ...]:
        return tuple(
            Image(
                page["digest"],
                image_tokens(page["width"], page["height"]),
                partial(self._read, page["digest"]),
            )
            for page in orjson.loads(listing)["pages"]
        )

    def _read(self, digest: str) -> bytes:
        return self.objects.file(_file(digest)).read_bytes()


def marks_of(images: Sequence[Image]) -> str:
    """Return the lines that stand for images in a prompt's text, with their content's hashes."""
    return "\n".join(
        f"[Image {number}: {image.digest}]" for number, image in enumerate(images, start=1)
    )


def image_tokens(width: int, height: int) -> int:
    """Estimate an image's tokens as OpenAI counts them: 85, and 170 for each tile of 512 px."""
    return 85 + 170 * ceil(width / 512) * ceil(height / 512)


def _guessed_tokens(html: str) -> int:
    """Guess the tokens of pages from the number of rows and the length of text."""
    n_chars = len(_NO_TEXT.sub("", html))  # cells wrap, so the text of tables counts, too
    height = _ROW * html.count("<tr>") + _LINE * ceil(n_chars / _LINE_CHARS)
    n_full, rest = divmod(height, HEIGHT)
    return n_full * image_tokens(WIDTH, HEIGHT) + (image_tokens(WIDTH, rest) if rest else 0)


def _file(digest: str) -> str:
    return f"{_FOLDER}/{digest}.png"
