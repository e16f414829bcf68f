"""Objects in memory, slow and faulty to order: an object store as its users see it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tasks.lake.objects import LakeError, NoSuchObject, StoredObject

T = TypeVar("T")

# What becomes of a request: it is carried out, fails, or is carried out and seems to have failed.
Fault = Callable[[str, str], str | None]  # (method, key) -> None, "fails", "seems to fail"


@dataclass(eq=False)
class ObjectsInMemory:
    """A store that several threads, standing for machines, may use."""

    latency_s: float = 0.0
    fault: Fault = lambda method, key: None
    url: str = "s3://memory/lake"
    here: Path = Path("nowhere")
    at_once: int = 16
    contents: dict[str, bytes] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)  # by method
    _versions: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, key: str) -> bytes:
        return self.read_versioned(key)[0]

    def read_versioned(self, key: str) -> tuple[bytes, str]:
        def done() -> tuple[bytes, str]:
            if key not in self.contents:
                raise NoSuchObject(self.url, key)
            return self.contents[key], str(self._versions[key])

        return self._request("read", key, done)

    def put(self, key: str, data: bytes) -> None:
        self._request("put", key, lambda: self._write(key, data))

    def create(self, key: str, data: bytes) -> bool:
        return self._request(
            "create", key, lambda: key not in self.contents and self._write(key, data)
        )

    def replace(self, key: str, data: bytes, version: str) -> bool:
        def done() -> bool:
            is_so = key in self.contents and str(self._versions[key]) == version
            return is_so and self._write(key, data)

        return self._request("replace", key, done)

    def exists(self, key: str) -> bool:
        return self._request("exists", key, lambda: key in self.contents)

    def list(self, folder: str) -> Iterator[StoredObject]:
        found = self._request("list", folder, lambda: sorted(self.contents))
        below = f"{folder}/" if folder else ""
        return iter(StoredObject(key, 0.0) for key in found if key.startswith(below))

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._request("delete", key, lambda key=key: self.contents.pop(key, None))  # type: ignore[misc]

    def make_ready(self) -> None:
        """It is."""

    def _request(self, method: str, key: str, done: Callable[[], T]) -> T:
        time.sleep(self.latency_s)
        with self._lock:
            self.requests[method] += 1
            fault = self.fault(method, key)
            if fault == "fails":
                raise LakeError(f"503 for {method} of {key}")
            result = done()
            if fault == "seems to fail":
                raise LakeError(f"500 for {method} of {key}")
            return result

    def _write(self, key: str, data: bytes) -> bool:
        self.contents[key] = data
        self._versions[key] += 1
        return True
