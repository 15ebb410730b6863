"""What `manage.py run` is made of: the folder of state, a free port, and the processes of the Procfile under honcho."""

import datetime as dt
import fcntl
import json
import os
import queue
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

from honcho.environ import parse_procfile
from honcho.manager import SYSTEM_PRINTER_NAME, Manager
from honcho.printer import Message, Printer

# honcho kills 5 s after the first process has ended; this is for the case that none does.
KILL_AFTER_SECONDS = 6.0
PORTS_TRIED = 100
HIGHEST_PORT = 65535
# How the names of all begin that a site makes in its folder of state.
MADE_HERE = ("roulette.sqlite3", "broker", "beat-schedule", "draw.", "run.", "worker.pid", "bots", "demo-mail")
README = """\
The state of this site on this machine: database, broker, keys. `make demo-reset` empties this folder.
"""


class StateInUse(Exception):
    """Another run holds the folder of state; the message says which, and how to end it."""


class NoPortFree(Exception):
    """Somebody listens at every port that was tried."""


class StateUnusable(Exception):
    """The folder cannot be made or written; the message says why."""


class StateNotOurs(Exception):
    """The folder holds files that no run has put there, so it is not emptied."""


class State:
    """The folder of state (VAR_DIR), held by one run alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.draw_key_file = folder / "draw.key"
        self.worker_pid_file = folder / "worker.pid"
        self._lock_file = folder / "run.lock"
        self._facts_file = folder / "run.json"
        self._readme = folder / "README.txt"
        self._unfinished = folder / "unfinished"
        self.lock_number = -1

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder if need be and hold it; raises StateInUse or StateUnusable.

        Children inherit the lock (`lock_number` of those that are not forked alone), so that processes left behind by
        a run that was killed still hold it.
        """
        try:
            lock = self._open_lock()
        except OSError as error:
            raise StateUnusable(f"{self.folder} cannot be used: {error.strerror}.") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StateInUse(_describe_holder(self._facts_file, self.folder)) from None
            self.lock_number = lock.fileno()
            self.note(pid=os.getpid())
            yield

    def _open_lock(self) -> IO[str]:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Any command may have been here first, and left an empty database.
        if not self._readme.exists() and all(path.name.startswith(MADE_HERE) for path in self.folder.iterdir()):
            self.folder.chmod(0o700)
            self._readme.write_text(README)
        return self._lock_file.open("a+")

    def is_held(self) -> bool:
        """Whether a run holds the folder now."""
        try:
            with self._lock_file.open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def note(self, **facts: Any) -> None:
        """Write down who holds the folder, for the next one who finds it held."""
        # Beside the lock, whose file cannot be replaced: who reads this meanwhile must not find it empty, cut or mixed.
        draft = self._facts_file.with_suffix(".draft")
        draft.write_text(json.dumps(facts))
        draft.replace(self._facts_file)

    def prepare(self) -> None:
        """Make the folders and keys that are not there yet."""
        for name in ("broker", "broker-control"):
            (self.folder / name).mkdir(exist_ok=True)
        if not self.draw_key_file.exists():
            draft = self.draw_key_file.with_suffix(".draft")
            draft.unlink(missing_ok=True)
            with open(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(os.urandom(32).hex())
            os.replace(draft, self.draw_key_file)

    def check_ours(self) -> None:
        """Raise StateNotOurs for a folder that was somebody else's before."""
        with suppress(OSError):
            foreign = [path for path in self.folder.iterdir() if not path.name.startswith(MADE_HERE)]
            if foreign and not self._readme.exists():
                raise StateNotOurs(f"{self.folder} was not made by this site: empty it by hand.")

    def empty(self) -> None:
        """Take away all state; raises StateNotOurs."""
        self.check_ours()
        for path in self.folder.iterdir():
            if path not in (self._lock_file, self._facts_file, self._readme):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Mark the state as unfinished while the body runs, so that one broken off in its middle is recognised."""
        self._unfinished.touch()
        yield
        self._unfinished.unlink()

    @property
    def broken_off(self) -> bool:
        """Whether an earlier run was stopped in the middle of making the state."""
        return self._unfinished.exists()


def _describe_holder(facts_file: Path, folder: Path) -> str:
    starting = f"The site is just being started in {folder}."
    try:
        facts = json.loads(facts_file.read_text())
    except FileNotFoundError:
        return starting
    pid, address = facts.get("pid"), facts.get("address")
    if _is_alive(pid):
        return f"The site runs already{f' at {address}' if address else ''} (process {pid}); Ctrl-C stops it there."
    left = [f"-{group}" for group in facts.get("groups", ())] + [str(one) for one in facts.get("readers", ())]
    alive = [one for one in left if _is_alive(int(one))]
    if not alive:
        # What is written down there is of a run that has ended.
        return starting
    return (
        f"A run that was killed has left processes behind, which still use {folder}. "
        f"End them with: kill -9 -- {' '.join(alive)}"
    )


def _is_alive(pid: int) -> bool:
    """Whether the process, or the group of a negative number, is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def find_free_port(wanted: int) -> int:
    """Return the first port from `wanted` on that nobody listens at."""
    last = min(wanted + PORTS_TRIED - 1, HIGHEST_PORT)
    for port in range(wanted, last + 1):
        with socket.socket() as probe:
            # As uvicorn binds: a port that is only cooling down from an earlier run is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise NoPortFree(f"No port from {wanted} to {last} is free.")


def environment_for_children(state: State, port: int) -> dict[str, str]:
    """The environment of every process of the demonstration, without the key of the draw."""
    environment = {
        **os.environ,
        # The programs of this virtual environment, whether it was activated or not.
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
        "PORT": str(port),
        "VAR_DIR": str(state.folder),
        "DEMO_SITE": "1",
        "NO_PROXY": "127.0.0.1",
        "PYTHONUNBUFFERED": "1",
        # Celery's advice to whoever is root, which a demonstration in a container always is, hides what is printed.
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }
    environment.pop("DRAW_KEY_FILE", None)
    return environment


def read_procfile(file: Path) -> Mapping[str, str]:
    """Return the command of each process by name."""
    processes: Mapping[str, str] = parse_procfile(file.read_text()).processes
    return processes


class Stop:
    """The handler of a signal that stops what is prepared before anything runs.

    It breaks off whatever is being done. But an exception that a signal raises while Python tidies up an object is
    printed and lost: so it is noted, too, and whoever does one thing after the other looks in between.
    """

    is_asked = False

    def __call__(self, number: int, frame: object) -> None:
        self.is_asked = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Raise KeyboardInterrupt if a stop was asked for."""
        if self.is_asked:
            raise KeyboardInterrupt


class Launcher(Manager):  # type: ignore[misc]
    """honcho's manager, with a word when the site answers, a limit to stopping, and the name of what ended first.

    honcho stops from within its signal handlers, and prints before it does. A handler that interrupts the print of a
    line can print nothing itself: the stop would be lost, and everything left running. Here a handler only puts the
    signal into a queue that is made to be used so, a thread does the rest, and no stop waits for its word to be read.
    """

    def __init__(self, state: State, address: str, announcement: Sequence[str]) -> None:
        super().__init__(printer=_Printer(sys.stdout))
        self.state = state
        self.address = address
        self.announcement = announcement
        self.ended_by_itself: list[str] = []
        self._stops_asked: queue.SimpleQueue[int] = queue.SimpleQueue()

    def _start(self) -> None:
        # honcho has set its own handlers just now. The hang-up is that of a terminal that is closed: without this it
        # would end us and leave the children, who have sessions of their own.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _frame: self._stops_asked.put(number))
        super()._start()
        # Only after honcho's forks: a thread must not be there when a process forks.
        threading.Thread(target=self._announce, daemon=True).start()
        threading.Thread(target=self._stop_when_asked, daemon=True).start()

    def _announce(self) -> None:
        while not (self._all_started() and _answers(self.address)):
            if self._terminating:
                return
            time.sleep(0.1)
        self.state.note(
            pid=os.getpid(),
            address=self.address,
            groups=[process["pid"] for process in self._processes.values()],
            readers=[process["process"].pid for process in self._processes.values()],
        )
        self._say("\n".join(self.announcement))

    def _say(self, text: str, name: str | None = None) -> None:
        """Have the loop print it: this does not wait until it has."""
        now = dt.datetime.now()  # noqa: DTZ005 - honcho's own clock
        self.events.put(Message("line", text, now, name, None))

    def _stop_when_asked(self) -> None:
        number = self._stops_asked.get()
        self._say(f"{signal.Signals(number).name} received\n", SYSTEM_PRINTER_NAME)
        # honcho cannot end a process that it has not been told the start of; it is told within milliseconds.
        while not self._all_started():
            time.sleep(0.01)
        self.terminate()

    def terminate(self) -> None:
        """Ask every process to end, and see to it that it does."""
        if not self._all_started():
            # Only honcho's own handler comes here, in the instant before ours takes its place.
            self._stops_asked.put(signal.SIGTERM)
            return
        if not self._terminating:
            self.ended_by_itself = [name for name, one in self._processes.items() if one.get("returncode") is not None]
            deadline = threading.Timer(KILL_AFTER_SECONDS, self.kill)
            deadline.daemon = True
            deadline.start()
        super().terminate()

    def _killall(self, force: bool = False) -> None:
        end = self._procmgr.kill if force else self._procmgr.terminate
        for name, process in self._processes.items():
            if process.get("returncode") is None:
                end(process["pid"])
                self._say(
                    f"{'SIGKILL' if force else 'SIGTERM'} sent to {name} (pid={process['pid']})\n", SYSTEM_PRINTER_NAME
                )


class _Printer(Printer):  # type: ignore[misc]
    """honcho's printer, which prints what belongs to no process as it is, and asks for a stop if nobody can read it.

    `make` keeps the hang-up of its terminal to itself, so a window that was closed may be noticed here alone.
    """

    gone = False

    def __init__(self, output: TextIO) -> None:
        super().__init__(output)
        # More than one thread prints, and a line is more than one write.
        self._one_at_a_time = threading.Lock()

    def write(self, message: Message) -> None:
        with self._one_at_a_time:
            try:
                if message.name is None:
                    print(message.data, file=self.output, flush=True)
                else:
                    super().write(message)
            except OSError:
                if not self.gone:
                    self.gone = True
                    os.kill(os.getpid(), signal.SIGTERM)


def _answers(address: str) -> bool:
    # Straight to this machine, whatever proxy the environment names.
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=5):
            return True
    except HTTPError as error:
        with error:
            return error.code < 500
    except OSError:
        return False
