"""Server-sent events of a table: one watcher per table and process looks at the database, however many look on.

An event says that something happened, never what it means for a player: pages then read their own state. It is served
by the ASGI process; a page whose stream fails asks again every few seconds.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from tables.models import RoundEvent, Seat, Table

LOOK_EVERY_SECONDS = 0.25
HEARTBEAT_SECONDS = 15.0
# A reader that does not read is let go; its browser comes back and resumes.
LONGEST_QUEUE = 200
CATCH_UP_AT_MOST = 100


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

    async def _look(self) -> None:
        seen = await _last_sequence(self.table_id)
        self.ready.set()
        while True:
            for told in await _events_after(self.table_id, seen):
                seen = told.sequence
                for reader in list(self.readers):
                    if reader.sees(told):
                        self._hand(reader, told)
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    def _hand(self, reader: Reader, told: Told) -> None:
        try:
            reader.queue.put_nowait(told)
        except asyncio.QueueFull:
            self.readers.discard(reader)
            while not reader.queue.empty():
                reader.queue.get_nowait()
            reader.queue.put_nowait(None)


# One event loop a process in production; tests run several in one process, hence the loop in the key.
_watchers: dict[tuple[int, int], Watcher] = {}


def watcher_of(table_id: int) -> Watcher:
    """The process's watcher of the table."""
    return _watchers.setdefault((id(asyncio.get_running_loop()), table_id), Watcher(table_id))


@require_GET
async def events(request: HttpRequest) -> HttpResponseBase:
    """The stream of ?table=<slug>: everyone's events and the player's own. Resumes after Last-Event-ID or ?after=."""
    user = await request.auser()
    if isinstance(user, AnonymousUser):
        return HttpResponse(status=401)
    table = await Table.objects.filter(slug=request.GET.get("table", "")).afirst()
    if table is None:
        return HttpResponse(status=404)
    seat_ids = [
        pk async for pk in Seat.objects.filter(table=table, player__user_id=user.pk).values_list("pk", flat=True)
    ]
    answer = StreamingHttpResponse(
        _stream(table.pk, frozenset(seat_ids), _after(request)), content_type="text/event-stream; charset=utf-8"
    )
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"
    return answer


def _after(request: HttpRequest) -> int | None:
    text = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


async def _stream(table_id: int, seat_ids: frozenset[int], after: int | None) -> AsyncIterator[str]:
    reader = Reader(seat_ids)
    watcher = watcher_of(table_id)
    # Joined before the catch-up is read: an event between the two comes twice at most, and is passed over below.
    watcher.join(reader)
    try:
        yield "retry: 2000\n\n"
        await watcher.ready.wait()
        last = await _last_sequence(table_id) if after is None else after
        for told in await _events_after(table_id, last):
            last = told.sequence
            if reader.sees(told):
                yield told.as_text()
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


@sync_to_async
def _last_sequence(table_id: int) -> int:
    return Table.objects.values_list("last_event_sequence", flat=True).get(pk=table_id)


@sync_to_async
def _events_after(table_id: int, sequence: int) -> list[Told]:
    rows = (
        RoundEvent.objects.filter(table_id=table_id, sequence__gt=sequence)
        .order_by("sequence")
        .values_list("sequence", "kind", "game_round__number", "seat_id")[:CATCH_UP_AT_MOST]
    )
    return [Told(*row) for row in rows]
