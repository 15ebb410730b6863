"""The stream of a table: resumable, for each his own, one watcher however many look on."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient

from sessions_app.web import events
from tests.house import PlayerAtTable, bet, make_house

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def maria() -> PlayerAtTable:
    return make_house().seated()


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async_to_sync(story)()


async def open_stream(player: PlayerAtTable, **query: str) -> Any:
    client = AsyncClient()
    await client.aforce_login(player.game_session.player.user)
    return await client.get("/events", {"table": player.house.table.slug, **query})


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
        told = await read(aiter(answer.streaming_content), 3)
        assert [text.splitlines()[0] for text in told] == ["id: 2", "id: 3", "id: 4"]
        assert '"kind": "settled"' in told[-1]

    run(story)


def test_what_happens_is_told_at_once_and_only_to_whom_it_concerns(maria: PlayerAtTable) -> None:
    joao = maria.house.seated()

    async def story() -> None:
        hers = aiter((await open_stream(maria, after="2")).streaming_content)
        his = aiter((await open_stream(joao, after="2")).streaming_content)
        assert (await anext(hers)).startswith(b"retry")
        assert (await anext(his)).startswith(b"retry")
        next_hers = asyncio.create_task(read(hers, 3))
        next_his = asyncio.create_task(read(his, 1))
        await asyncio.sleep(0.6)
        assert len(events._watchers) >= 1
        await sync_to_async(maria.play)(bet("red"))
        assert [text.splitlines()[0] for text in await next_hers] == ["id: 3", "id: 4", "id: 5"]
        await asyncio.sleep(0.5)
        assert not next_his.done()
        await sync_to_async(joao.play)(bet("red"))
        assert '"kind": "closed"' in (await next_his)[0]

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

    run(story)


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
