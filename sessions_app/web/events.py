"""Server-sent events of a table: one watcher per table and process looks at the database, however many look on.

An event says that something happened, never what it means for a player: pages then read their own state. It is served
by the ASGI process; a page whose stream fails asks again every few seconds.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.asgi import ASGIRequest
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from tables.models import RoundEvent, Seat, Table

LOOK_EVERY_SECONDS = 0.25
HEARTBEAT_SECONDS = 15.0
# A database that does not answer is not asked four times a second.
LOOK_AFTER_FAILURE_SECONDS = 2.0
# A reader that does not read is let go; its browser comes back and resumes.
LONGEST_QUEUE = 200
CATCH_UP_AT_MOST = 100

logger = logging.getLogger(__name__)
_Read = TypeVar("_Read")
# Watchers outlive the request that started them, and with it the thread that Django gives a request: they have one of
# their own, with one connection, for all tables of the process.
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="events")


@dataclass(frozen=True)
class Told:
    """An event as it goes over the wire."""

    sequence: int
    kind: str
    round_number: int
    seat_id: int | None

    def as_text(self) -> str:
        """The event in the stream's own form; its id is the table's sequence."""
        data = json.dumps({"round": self.round_number, "kind": self.kind})
        return f"id: {self.sequence}\nevent: round\ndata: {data}\n\n"


@dataclass(eq=False)
class Reader:
    """One open stream: its queue, and whose events it may see beside everyone's."""

    seat_ids: frozenset[int]
    queue: "asyncio.Queue[Told | None]" = field(default_factory=lambda: asyncio.Queue(LONGEST_QUEUE))

    def sees(self, told: Told) -> bool:
        return told.seat_id is None or told.seat_id in self.seat_ids

    def end(self) -> None:
        """Let it go with nothing more to read; its browser comes back and resumes."""
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


class Watcher:
    """Looks at one table's events while somebody reads, and hands each on."""

    def __init__(self, table_id: int) -> None:
        self.table_id = table_id
        self.readers: set[Reader] = set()
        self.task: asyncio.Task[None] | None = None
        # Set once the watcher knows where it begins: what a reader reads after that leaves no gap.
        self.ready = asyncio.Event()

    def join(self, reader: Reader) -> None:
        """Begin to hand events to the reader."""
        self.readers.add(reader)
        if self.task is None or self.task.done():
            self.ready.clear()
            self.task = asyncio.create_task(self._look())

    def leave(self, reader: Reader) -> None:
        """Stop; with the last reader the watcher goes too."""
        self.readers.discard(reader)
        if not self.readers and self.task is not None:
            self.task.cancel()
            self.task = None
            _forget(self)

    async def _look(self) -> None:
        seen: int | None = None
        while True:
            try:
                if seen is None:
                    seen = await _read(partial(last_sequence, self.table_id))
                    self.ready.set()
                for told in await _read(partial(events_after, self.table_id, seen)):
                    seen = told.sequence
                    for reader in list(self.readers):
                        if reader.sees(told):
                            self._hand(reader, told)
            except DatabaseError:
                # Whoever reads goes on waiting: what happened meanwhile is told when the database is back.
                logger.warning("events of table %s cannot be read", self.table_id, exc_info=True)
                await asyncio.sleep(LOOK_AFTER_FAILURE_SECONDS)
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    def _hand(self, reader: Reader, told: Told) -> None:
        try:
            reader.queue.put_nowait(told)
        except asyncio.QueueFull:
            self.readers.discard(reader)
            reader.end()


# One event loop a process in production; tests run several in one process, hence the loop beside the table.
_watchers: dict[tuple[asyncio.AbstractEventLoop, int], Watcher] = {}


def watcher_of(table_id: int) -> Watcher:
    """The process's watcher of the table."""
    key = (asyncio.get_running_loop(), table_id)
    if key not in _watchers:
        _watchers[key] = Watcher(table_id)
    return _watchers[key]


def _forget(watcher: Watcher) -> None:
    for key in [key for key, known in _watchers.items() if known is watcher]:
        del _watchers[key]
    if not _watchers:
        # Nobody looks any more, so nothing keeps the connection busy or the database waiting for it.
        _thread.submit(connection.close)


def end_streams() -> None:
    """End every open stream of this process: the server stops. Needs the loop's own thread."""
    for watcher in list(_watchers.values()):
        for reader in list(watcher.readers):
            reader.end()


class EventStream(StreamingHttpResponse):
    """A response whose stream ends with it: Django's own leaves the generator behind it to the garbage collector."""

    def __init__(self, parts: AsyncGenerator[str, None]) -> None:
        super().__init__(parts, content_type="text/event-stream; charset=utf-8")
        self.parts = parts
        self["Cache-Control"] = "no-store"
        # A proxy that gathers answers before it sends them on would hold events back.
        self["X-Accel-Buffering"] = "no"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self.parts) as parts:
            async for part in parts:
                yield self.make_bytes(part)


@require_GET
async def events(request: HttpRequest) -> HttpResponseBase:
    """The stream of ?table=<slug>: everyone's events and the player's own. Resumes after Last-Event-ID or ?after=."""
    if not isinstance(request, ASGIRequest):
        # Under WSGI a stream would hold its worker for ever. The page asks for its state instead.
        return HttpResponse("Streams are served by the ASGI process.", status=503, content_type="text/plain")
    user = await request.auser()
    if isinstance(user, AnonymousUser):
        return HttpResponse(status=401)
    table = await Table.objects.filter(slug=request.GET.get("table", "")).afirst()
    if table is None:
        return HttpResponse(status=404)
    seat_ids = [
        pk async for pk in Seat.objects.filter(table=table, player__user_id=user.pk).values_list("pk", flat=True)
    ]
    return EventStream(stream(table.pk, frozenset(seat_ids), _after(request)))


def _after(request: HttpRequest) -> int | None:
    text = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


async def stream(table_id: int, seat_ids: frozenset[int], after: int | None) -> AsyncGenerator[str, None]:
    """The stream itself: what was missed, then what happens, with a sign of life where nothing does."""
    reader = Reader(seat_ids)
    watcher = watcher_of(table_id)
    # Joined before the catch-up is read: an event between the two comes twice at most, and is passed over below.
    watcher.join(reader)
    try:
        yield "retry: 2000\n\n"
        await watcher.ready.wait()
        latest = await _read(partial(last_sequence, table_id))
        # Nothing can be missed of what has not happened: whoever names a later event begins with the latest.
        last = latest if after is None else min(after, latest)
        missed = await _read(partial(events_after, table_id, last))
        while missed:
            for told in missed:
                last = told.sequence
                if reader.sees(told):
                    yield told.as_text()
            missed = await _read(partial(events_after, table_id, last)) if len(missed) == CATCH_UP_AT_MOST else []
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    next_told = await reader.queue.get()
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if next_told is None:
                return
            if next_told.sequence > last:
                last = next_told.sequence
                yield next_told.as_text()
    finally:
        watcher.leave(reader)


async def _read(query: Callable[[], _Read]) -> _Read:
    """Run a query in the watchers' thread."""

    def run() -> _Read:
        close_old_connections()
        try:
            return query()
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(_thread, run)


def last_sequence(table_id: int) -> int:
    """The sequence of the table's latest event."""
    return Table.objects.values_list("last_event_sequence", flat=True).get(pk=table_id)


def events_after(table_id: int, sequence: int) -> list[Told]:
    """The next events after one, as many as are read at once."""
    rows = (
        RoundEvent.objects.filter(table_id=table_id, sequence__gt=sequence)
        .order_by("sequence")
        .values_list("sequence", "kind", "game_round__number", "seat_id")[:CATCH_UP_AT_MOST]
    )
    return [Told(*row) for row in rows]
