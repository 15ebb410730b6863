"""A Celery broker that needs no server: kombu's filesystem transport, made safe for many processes at once.

kombu creates a message under its final name and then writes it, so that a reader can meet an empty file and lose the
message; it rewrites the table of an exchange in place, so that a reader can meet half of it and two writers can each
undo what the other wrote. Here everything appears by rename, which is atomic within one folder: a message is written
beside its place and renamed into it, a reader claims it by renaming it away, a table is replaced whole.

A worker that is killed loses what it had already read. No round rests on that: deadlines stand in the database, and
the sweep moves on whatever is overdue (docs/decisions).
"""

import fcntl
import math
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from celery.worker import state as worker_state
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

LOOK_UP_SECONDS = 0.2

Binding = filesystem.exchange_queue_t


class Channel(filesystem.Channel):
    """A channel over folders that are made when they are missing.

    kombu's options `data_folder_in`, `data_folder_out` and `control_folder` hold; `store_processed` is not offered.
    """

    # kombu has these as cached properties or plain ones; here each use makes the folder, since `make demo-reset` may
    # take it away from under a process that goes on.
    @property
    def data_folder_in(self) -> str:
        """Where messages are read from."""
        return str(_made(self.transport_options.get("data_folder_in", "data_in")))

    @property
    def data_folder_out(self) -> str:
        """Where messages are written to."""
        return str(_made(self.transport_options.get("data_folder_out", "data_out")))

    @property
    def control_folder(self) -> Path:
        """Where the table of each exchange stands."""
        return _made(self.transport_options.get("control_folder", "control"))

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as kombu's own
        """Put `payload` on `queue`; names sort by the wall clock, which goes on across restarts of the machine."""
        folder = Path(self.data_folder_out)
        _appear(folder / f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg", payload)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Take the oldest message of `queue`; raises Empty."""
        folder = Path(self.data_folder_in)
        wanted = f"{queue}.msg"
        for name in sorted(name for name in os.listdir(folder) if name.partition(".")[2] == wanted):
            claimed = folder / f".{name}.claimed"
            try:
                # Of all that try, one rename succeeds: that reader has the message, and no other.
                os.rename(folder / name, claimed)
            except FileNotFoundError:
                continue
            payload = claimed.read_bytes()
            claimed.unlink()
            return loads(payload.decode())
        raise Empty

    def get_table(self, exchange: str) -> list[Any]:
        """Return the bindings of `exchange`."""
        try:
            text = self._table_file(exchange).read_text()
        except FileNotFoundError:
            return []
        return [Binding(*row) for row in loads(text)]

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None) -> None:
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._changing(exchange) as table:
            if binding not in table:
                table.insert(0, binding)

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._changing(exchange) as table:
            if binding in table:
                table.remove(binding)

    def _table_file(self, exchange: str) -> Path:
        """The file of the table; raises ChannelError for a name that leads out of the folder."""
        file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]  # newer than the stubs
        return file

    @contextmanager
    def _changing(self, exchange: str) -> Iterator[list[Any]]:
        """Give the table of `exchange` to be changed by this process alone, and put the changed one in its place."""
        file = self._table_file(exchange)
        # The lock has a file of its own: one on the table itself would stay with the file that was replaced.
        with file.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = self.get_table(exchange)
            table = list(before)
            yield table
            if table != before:
                _appear(file, table)


class Transport(filesystem.Transport):
    """The transport behind BROKER_URL=fsatomic://."""

    Channel = Channel

    @property
    def default_connection_params(self) -> dict[str, Any]:
        """None: there is no host, and kombu need not warn that none is named."""
        return {}

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Wait for a message, at most `timeout` seconds, and not at all in a worker that was told to stop.

        Celery's loop waits for two seconds, twice, before it ends; the launcher and systemd are less patient.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = math.inf if until is None else until - time.monotonic()
            try:
                super().drain_events(connection, timeout=max(0.0, min(left, LOOK_UP_SECONDS)))
                return
            except TimeoutError:
                if left <= LOOK_UP_SECONDS or worker_state.should_stop is not None:
                    raise


def register() -> None:
    """Make the URL scheme `fsatomic` known to kombu."""
    TRANSPORT_ALIASES["fsatomic"] = f"{__name__}:Transport"


def _made(folder: str | Path) -> Path:
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    return path


def _appear(file: Path, content: Any) -> None:
    """Let `file` appear with all of its content at once, in place of what stood there."""
    draft = file.with_name(f".{file.name}.{uuid.uuid4().hex}.draft")
    draft.write_bytes(dumps(content).encode())
    os.replace(draft, file)
