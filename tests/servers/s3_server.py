"""A local S3: moto's server as a process of its own, for the time of a test.

with s3_server() as endpoint:    # http://127.0.0.1:PORT, for AWS_ENDPOINT_URL
    ...

As a script it prints `listening on ENDPOINT` when it is ready. It listens on 127.0.0.1 only and
keeps everything in memory. A stand-in: of what S3 promises, it keeps what moto keeps (conditional
writes, multipart uploads, paged listings). It checks no credentials, and it answers one request at
a time, because moto looks at a condition and writes in two steps.
"""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

App = Callable[[dict[str, Any], Any], Iterable[bytes]]

# Any client must set these; `AWS_EC2_METADATA_DISABLED` stops boto3 asking for a machine's role.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def s3_server() -> Iterator[str]:
    """A server that runs while the block does; gives its endpoint.

    Raises:
        RuntimeError: it ended without saying where it listens; its own words are on stderr.
    """
    with started([sys.executable, str(Path(__file__))]) as endpoint:
        yield endpoint


@contextmanager
def started(command: list[str]) -> Iterator[str]:
    """Run a program that says `listening on ENDPOINT`; it ends with the block or its input."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"{' '.join(command)} did not start: {line}")
        yield line.removeprefix("listening on ").strip()
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def _one_at_a_time(app: App) -> App:
    lock = threading.Lock()

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))
        with lock:
            return list(app(environ, start_response))

    return answer


def main() -> None:
    """Serve until the process is ended, or whoever started it has died, which ends its input."""
    from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    class Handler(MotoRequestHandler):
        protocol_version = "HTTP/1.1"  # connections stay open, as with S3

        def log_request(self, *args: Any) -> None:
            """Not one line per request."""

    app = _one_at_a_time(create_backend_app("s3"))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
    print(f"listening on http://127.0.0.1:{server.port}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
