"""The stream of a table: resumable, for each his own, one watcher however many look on."""

import asyncio
import http.client
import socket
import threading
import time
import warnings
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import OperationalError
from django.test import AsyncClient, Client

from sessions_app.web import events
from tests.house import PlayerAtTable, bet, make_house

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated()


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async_to_sync(story)()


async def open_stream(player: PlayerAtTable, last_event_id: str = "", **query: str) -> Any:
    client = AsyncClient()
    await client.aforce_login(player.game_session.player.user)
    headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
    return await client.get("/events", {"table": player.house.table.slug, **query}, headers=headers)


async def nobody_looks() -> None:
    """Wait until what closed streams left behind is gone."""
    async with asyncio.timeout(5):
        while events._watchers:
            await asyncio.sleep(0.02)


async def read(stream: Any, count: int) -> list[str]:
    """The next events of a stream, without heartbeats and settings."""
    found: list[str] = []
    async with asyncio.timeout(10):
        async for chunk in stream:
            text = chunk.decode()
            if text.startswith("id:"):
                found.append(text)
            if len(found) == count:
                break
    return found


def test_a_stream_resumes_after_the_last_event_it_had(maria: PlayerAtTable) -> None:
    maria.play(bet("red"))

    async def story() -> None:
        answer = await open_stream(maria, after="1")
        assert answer["Content-Type"].startswith("text/event-stream")
        assert answer["X-Accel-Buffering"] == "no"
        stream = aiter(answer)
        told = await read(stream, 3)
        assert [text.splitlines()[0] for text in told] == ["id: 2", "id: 3", "id: 4"]
        assert '"kind": "settled"' in told[-1]
        await stream.aclose()

    run(story)


def test_what_happens_is_told_at_once_and_only_to_whom_it_concerns(maria: PlayerAtTable) -> None:
    joao = maria.house.seated()

    async def story() -> None:
        hers = aiter(await open_stream(maria, after="2"))
        his = aiter(await open_stream(joao, after="2"))
        assert (await anext(hers)).startswith(b"retry")
        assert (await anext(his)).startswith(b"retry")
        next_hers = asyncio.create_task(read(hers, 3))
        next_his = asyncio.create_task(read(his, 1))
        await asyncio.sleep(0.6)
        assert [watcher.table_id for watcher in events._watchers.values()] == [maria.house.table.pk]
        assert len(next(iter(events._watchers.values())).readers) == 2
        await sync_to_async(maria.play)(bet("red"))
        assert [text.splitlines()[0] for text in await next_hers] == ["id: 3", "id: 4", "id: 5"]
        await asyncio.sleep(0.5)
        assert not next_his.done()
        await sync_to_async(joao.play)(bet("red"))
        assert '"kind": "closed"' in (await next_his)[0]
        await hers.aclose()
        await his.aclose()
        await nobody_looks()

    run(story)


def test_a_watcher_goes_with_its_last_reader(maria: PlayerAtTable) -> None:
    async def story() -> None:
        watcher = events.watcher_of(maria.house.table.pk)
        readers = [events.Reader(frozenset()) for _ in range(50)]
        for reader in readers:
            watcher.join(reader)
        await watcher.ready.wait()
        task = watcher.task
        for reader in readers:
            watcher.leave(reader)
        await asyncio.sleep(0)
        assert task is not None
        assert task.cancelled() or task.cancelling()
        assert watcher.task is None
        assert not watcher.readers
        assert not events._watchers

    run(story)


def test_a_browser_that_comes_back_goes_on_where_it_was(maria: PlayerAtTable) -> None:
    maria.play(bet("red"))

    async def story() -> None:
        # The header wins over the address, which still names where the page once began.
        stream = aiter(await open_stream(maria, after="0", last_event_id="3"))
        assert (await read(stream, 1))[0].startswith("id: 4\n")
        await stream.aclose()

    run(story)


def test_more_events_than_are_read_at_once_are_all_told(maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CATCH_UP_AT_MOST", 2)
    maria.play(bet("red"))
    maria.play(bet("red"))

    async def story() -> None:
        stream = aiter(await open_stream(maria, after="0"))
        told = await read(stream, 9)
        assert [text.splitlines()[0] for text in told] == [f"id: {n}" for n in range(1, 10)]
        await stream.aclose()

    run(story)


def test_however_many_look_on_one_asks_the_database(maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = events.events_after

    def counted(table_id: int, sequence: int) -> list[events.Told]:
        asked.append(sequence)
        return real(table_id, sequence)

    async def story() -> None:
        watcher = events.watcher_of(maria.house.table.pk)
        readers = [events.Reader(frozenset({maria.seat.pk})) for _ in range(200)]
        for reader in readers:
            watcher.join(reader)
        await watcher.ready.wait()
        monkeypatch.setattr(events, "events_after", counted)
        await asyncio.sleep(1.1)
        assert 2 <= len(asked) <= 6
        await sync_to_async(maria.place)(bet("red"))
        await sync_to_async(maria.launch)()
        for reader in readers:
            async with asyncio.timeout(5):
                told = await reader.queue.get()
            assert told is not None
            assert told.kind == "closed"
            watcher.leave(reader)

    run(story)


def test_a_database_that_fails_for_a_while_ends_no_stream(
    maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LOOK_AFTER_FAILURE_SECONDS", 0.05)
    real = events.events_after
    failures = iter([True, True, False])

    def failing(table_id: int, sequence: int) -> list[events.Told]:
        if next(failures, False):
            raise OperationalError("a test")
        return real(table_id, sequence)

    async def story() -> None:
        stream = aiter(await open_stream(maria, after="1"))
        assert (await anext(stream)).startswith(b"retry")
        coming = asyncio.create_task(read(stream, 1))
        await asyncio.sleep(0.3)
        monkeypatch.setattr(events, "events_after", failing)
        await sync_to_async(maria.place)(bet("red"))
        await sync_to_async(maria.launch)()
        assert (await coming)[0].startswith("id: 2\n")
        await stream.aclose()

    run(story)


def test_a_quiet_table_shows_a_sign_of_life(maria: PlayerAtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)

    async def story() -> None:
        stream = aiter(await open_stream(maria))
        assert (await anext(stream)).startswith(b"retry")
        assert (await anext(stream)) == b": still here\n\n"
        await stream.aclose()
        await nobody_looks()

    run(story)


def test_a_process_without_streams_says_so_and_holds_nothing(maria: PlayerAtTable) -> None:
    client = Client()
    client.force_login(maria.game_session.player.user)
    assert client.get("/events", {"table": maria.house.table.slug}).status_code == 503


def test_a_reader_that_does_not_read_is_let_go(maria: PlayerAtTable) -> None:
    async def story() -> None:
        watcher = events.Watcher(maria.house.table.pk)
        reader = events.Reader(frozenset())
        watcher.readers.add(reader)
        for sequence in range(events.LONGEST_QUEUE + 1):
            watcher._hand(reader, events.Told(sequence, "betting", 1, None))
        assert reader not in watcher.readers
        assert await reader.queue.get() is None

    run(story)


def test_nobody_listens_without_logging_in_or_to_no_table(maria: PlayerAtTable) -> None:
    async def story() -> None:
        assert (await AsyncClient().get("/events", {"table": maria.house.table.slug})).status_code == 401
        client = AsyncClient()
        await client.aforce_login(maria.game_session.player.user)
        assert (await client.get("/events", {"table": "no-such-table"})).status_code == 404
        assert (await client.get("/events")).status_code == 404

    run(story)


@pytest.mark.django_db(transaction=True)
def test_readers_who_hang_up_leave_nothing_behind(maria: PlayerAtTable, live_site: str) -> None:
    client = Client()
    client.force_login(maria.game_session.player.user)
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    address = urlsplit(live_site)
    calls = [http.client.HTTPConnection(str(address.hostname), address.port, timeout=10) for _ in range(20)]
    for call in calls:
        call.request("GET", f"/events?table={maria.house.table.slug}&after=0", headers={"Cookie": cookie})
        answer = call.getresponse()
        assert answer.status == 200
        assert answer.readline().startswith(b"retry")
    assert [len(watcher.readers) for watcher in events._watchers.values()] == [20]
    threads = threading.active_count()
    for call in calls:
        call.sock.shutdown(socket.SHUT_RDWR)
        call.close()
    deadline = time.monotonic() + 5
    # Hanging up is work too: a thread that does it may still run for a moment.
    while (events._watchers or threading.active_count() > threads) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not events._watchers
    assert threading.active_count() <= threads


def test_the_streams_end_when_the_server_stops(maria: PlayerAtTable) -> None:
    async def story() -> None:
        stream = await open_stream(maria)
        parts = aiter(stream)
        assert (await anext(parts)).startswith(b"retry:")
        waiting = asyncio.ensure_future(anext(parts))
        await asyncio.sleep(0.5)
        events.end_streams()
        async with asyncio.timeout(2):
            with pytest.raises(StopAsyncIteration):
                await waiting
        await nobody_looks()

    run(story)


def test_static_files_are_served_without_a_warning(settings: Any) -> None:
    async def story() -> None:
        client = AsyncClient()
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*must consume synchronous iterators")
            answer = await client.get("/static/css/base.css")
            body = b"".join([part async for part in answer]) if answer.streaming else answer.content
        assert (answer.status_code, answer["Content-Type"]) == (200, 'text/css; charset="utf-8"')
        assert body == (settings.BASE_DIR / "static/css/base.css").read_bytes()
        assert int(answer["Content-Length"]) == len(body)
        part = await client.get("/static/css/base.css", headers={"Range": "bytes=2-5"})
        assert (part.status_code, part.content) == (206, body[2:6])
        none = await client.head("/static/css/base.css")
        assert (none.content, none["Content-Length"]) == (b"", str(len(body)))

    settings.WHITENOISE_USE_FINDERS = True
    run(story)
