"""Keep one process alive that may be killed at any moment: `python -m roulette_site.common.launch_supervisor`.

honcho, which `manage.py run` starts everything under, stops everything as soon as one process ends. That is right for
one that fails, and wrong for a worker that was killed: the system's promise is that it recovers. So this stands between
the two. A child that a signal ended is started again; one that ended by itself takes its status up to honcho.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

# Of a child that dies as soon as it starts, trying on for ever would hide the fault.
MOST_RESTARTS = 5
RESTARTS_WITHIN_SECONDS = 60.0


class Supervisor:
    """Runs `command`, with the child's process id in `pid_file`, until it ends by itself or this process is told to."""

    def __init__(self, command: Sequence[str], pid_file: Path) -> None:
        self.command = command
        self.pid_file = pid_file
        self.stopping = False
        self.child: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Return the status to end with: that of the child, 0 after a stop that was asked for."""
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        restarted_at: list[float] = []
        try:
            while True:
                status = self._run_once()
                if self.stopping:
                    return 0
                if status >= 0:
                    say(f"{self.command[0]} ended with status {status}.")
                    return status
                name = signal.Signals(-status).name
                now = time.monotonic()
                restarted_at = [at for at in restarted_at if now - at < RESTARTS_WITHIN_SECONDS] + [now]
                if len(restarted_at) > MOST_RESTARTS:
                    say(f"{self.command[0]} was ended by {name} {len(restarted_at)} times in a minute; giving up.")
                    return 1
                say(f"{self.command[0]} was ended by {name}; it is started again.")
        finally:
            self.pid_file.unlink(missing_ok=True)

    def _run_once(self) -> int:
        # A stop that arrives while the child is being made would find nobody to pass it on to, hence held until it is.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        try:
            if self.stopping:
                return 0
            self.child = subprocess.Popen(  # noqa: S603 - the command is the Procfile's
                self.command, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ())
            )
            draft = self.pid_file.with_suffix(".draft")
            draft.write_text(f"{self.child.pid}\n")
            os.replace(draft, self.pid_file)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
        return self.child.wait()

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        self.stopping = True
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()


def say(sentence: str) -> None:
    """Print a line at once, through the pipe to honcho."""
    print(sentence, flush=True)


def main(arguments: Sequence[str]) -> int:
    """Supervise the command that stands after `--`."""
    parser = argparse.ArgumentParser(prog="launch_supervisor", description=__doc__)
    parser.add_argument("--pid-file", type=Path, required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    return Supervisor(options.command, options.pid_file).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
