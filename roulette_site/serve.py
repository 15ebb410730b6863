"""The ASGI server: `python -m roulette_site.serve`. uvicorn, which ends the open streams when it is asked to stop.

By itself uvicorn waits for every stream until its patience is over, cancels it, and reports that as an error.
"""

import argparse
import signal
import socket
import sys
from types import FrameType

import uvicorn

# The first, since it sets the site up, and the streams need its models.
from roulette_site.asgi import application
from sessions_app.web.events import end_streams

GRACEFUL_SHUTDOWN_SECONDS = 3


class Server(uvicorn.Server):
    """uvicorn's server, with an end for those who read events."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and at a second Ctrl-C at once. uvicorn would raise the signal again when all is done, as a failure."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams first: what is left to wait for are pages that are being made."""
        end_streams()
        await super().shutdown(sockets)


def main() -> int:
    """Serve until a signal comes; returns the status to end with."""
    parser = argparse.ArgumentParser(prog="roulette_site.serve", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--forwarded-allow-ips", help="proxies that say who asks, or *")
    parser.add_argument("--no-access-log", action="store_true")
    asked = parser.parse_args()
    server = Server(
        uvicorn.Config(
            application,
            host=asked.host,
            port=asked.port,
            log_level="warning",
            access_log=not asked.no_access_log,
            forwarded_allow_ips=asked.forwarded_allow_ips,
            timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_SECONDS,
        )
    )
    server.run()
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
