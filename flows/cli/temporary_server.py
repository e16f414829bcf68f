"""Serve Prefect's API on a free port during one command.

`flows/cli/prefect_session.py` starts this program in a separate interpreter; it imports nothing
from this project. Runs go to Prefect's usual database (`~/.prefect/prefect.db` by default), so a
later `prefect server start` shows them. It prints its port once it answers. Its standard input
closes however the command ends; it then saves its data and exits.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import threading

_GOODBYE_S = 5  # to wait at the end for connections that the command left open


def is_wanted() -> bool:
    """Tell whether Prefect's settings name no server and allow a temporary one.

    Settings come from the environment, the active profile, `prefect.toml`, ... Imports Prefect.
    """
    from prefect.settings import get_current_settings

    settings = get_current_settings()
    return not settings.api.url and settings.server.ephemeral.enabled


def serve() -> None:
    """Serve until standard input ends."""
    # Imports stay in memory; collecting garbage meanwhile takes a fifth of the start.
    gc.disable()
    if not is_wanted():
        return
    import uvicorn
    from prefect import settings
    from prefect.server.api.server import create_app

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            gc.freeze()
            gc.enable()
            print(port, flush=True)
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads the pipe any more

    # sends no usage statistics, unless the user has switched them on
    with (
        settings.temporary_settings(
            set_defaults={settings.PREFECT_SERVER_ANALYTICS_ENABLED: False}
        ),
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        port = listener.getsockname()[1]
        app = create_app(ephemeral=True)
        config = uvicorn.Config(
            app, log_level="error", lifespan="on", timeout_graceful_shutdown=_GOODBYE_S
        )
        server = Server(config)

        def end_with_the_command() -> None:
            sys.stdin.read()
            server.should_exit = True

        threading.Thread(target=end_with_the_command, daemon=True).start()
        server.run(sockets=[listener])


if __name__ == "__main__":
    serve()
