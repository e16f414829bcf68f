"""Decode PNG without a library: what Chromium writes, which is 8 bits a channel, not interlaced."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def pixels_of(png: bytes) -> NDArray[np.uint8]:
    """Height x width x 3 (red, green, blue); checks the signature and each chunk's checksum."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, packed, head = 8, b"", b""
    while place < len(png):
        (size,) = struct.unpack_from(">I", png, place)
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        (checksum,) = struct.unpack_from(">I", png, place + 8 + size)
        assert checksum == zlib.crc32(kind + data)
        head = data if kind == b"IHDR" else head
        packed += data if kind == b"IDAT" else b""
        place += 12 + size
    width, height, bits, colour, *_, interlaced = struct.unpack(">IIBBBBB", head)
    n_channels = {2: 3, 6: 4}[colour]
    assert (bits, interlaced) == (8, 0)
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    shown = np.zeros((height, width, n_channels), np.uint8)
    above = np.zeros((width, n_channels), np.uint8)
    for place, row in enumerate(rows):
        above = shown[place] = _unfiltered(row[0], row[1:].reshape(width, n_channels), above)
    return shown[:, :, :3]


def _unfiltered(kind: int, row: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One row, from what its filter left of it and the row above."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row, axis=0, dtype=np.uint8)
    if kind == 2:
        return row + above
    columns = []
    for rests, uppers in zip(row.T.tolist(), above.T.tolist(), strict=True):
        left = corner = 0
        column = []
        for rest, upper in zip(rests, uppers, strict=True):
            if kind == 3:
                guess = (left + upper) // 2
            else:
                near = [
                    (abs(upper - corner), left),
                    (abs(left - corner), upper),
                    (abs(left + upper - 2 * corner), corner),
                ]
                guess = min(near, key=lambda pair: pair[0])[1]
            left, corner = (rest + guess) & 255, upper
            column.append(left)
        columns.append(column)
    return np.array(columns, np.uint8).T
