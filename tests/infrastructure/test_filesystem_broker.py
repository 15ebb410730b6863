"""The broker without a server: many processes write, read and bind at once; nothing is lost and nothing comes twice."""

import multiprocessing
import os
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from kombu import Connection, Exchange, Queue
from kombu.exceptions import ChannelError
from kombu.transport import filesystem

from roulette_site.common import filesystem_broker

PRODUCERS = CONSUMERS = 3
MESSAGES_EACH = 200
# Fresh interpreters: a fork would carry pytest's own threads and locks along.
processes = multiprocessing.get_context("spawn")


def connect(folder):
    filesystem_broker.register()
    return Connection(
        "fsatomic://",
        transport_options={
            "data_folder_in": f"{folder}/messages",
            "data_folder_out": f"{folder}/messages",
            "control_folder": f"{folder}/control",
            "polling_interval": 0.01,
        },
    )


def produce(folder, producer, start):
    with connect(folder) as connection, connection.SimpleQueue("load") as queue:
        start.wait()
        for number in range(MESSAGES_EACH):
            # Long enough that a half-written one would be seen.
            queue.put({"id": f"{producer}:{number}", "filling": "x" * 5000})


def consume(folder, stop, results):
    got = []
    with connect(folder) as connection, connection.SimpleQueue("load") as queue:
        while True:
            # Looked at before the queue: what was published before the stop is then certainly seen after it.
            last_look = stop.is_set()
            try:
                message = queue.get(block=False)
            except queue.Empty:
                if last_look:
                    break
                time.sleep(0.002)
                continue
            got.append(message.payload["id"])
            message.ack()
    results.put(got)


def bind(folder, number, start):
    with connect(folder) as connection:
        start.wait()
        Queue(f"queue-{number}", Exchange("shared"), routing_key=str(number)).bind(connection.channel()).declare()


def read_bindings(folder, start, stop, results):
    with connect(folder) as connection:
        channel = connection.channel()
        start.wait()
        reads = 0
        while not stop.is_set():
            channel.get_table("shared")
            reads += 1
    results.put(reads)


def run(*started):
    for process in started:
        process.start()
    return started


def join(group):
    for process in group:
        process.join(60)
        assert process.exitcode == 0


def test_many_processes_lose_no_message_and_get_none_twice(tmp_path):
    start, stop, results = processes.Event(), processes.Event(), processes.Queue()
    consumers = run(*(processes.Process(target=consume, args=(tmp_path, stop, results)) for _ in range(CONSUMERS)))
    producers = run(*(processes.Process(target=produce, args=(tmp_path, number, start)) for number in range(PRODUCERS)))
    start.set()
    join(producers)
    stop.set()
    got = Counter(one for _ in consumers for one in results.get(timeout=60))
    join(consumers)
    assert got == Counter(f"{producer}:{n}" for producer in range(PRODUCERS) for n in range(MESSAGES_EACH))
    assert os.listdir(tmp_path / "messages") == []


def test_processes_that_bind_at_once_keep_each_others_bindings(tmp_path):
    start, stop, results = processes.Event(), processes.Event(), processes.Queue()
    reader = run(processes.Process(target=read_bindings, args=(tmp_path, start, stop, results)))
    binders = run(*(processes.Process(target=bind, args=(tmp_path, number, start)) for number in range(6)))
    start.set()
    join(binders)
    stop.set()
    assert results.get(timeout=60) > 0
    join(reader)
    with connect(tmp_path) as connection:
        bound = {binding.queue for binding in connection.channel().get_table("shared")}
    assert bound == {f"queue-{number}" for number in range(6)}


def test_of_two_readers_of_one_message_one_gets_it(tmp_path, monkeypatch):
    with connect(tmp_path) as connection:
        first, second = connection.channel(), connection.channel()
        first._put("load", {"n": 1})
        listing = os.listdir(tmp_path / "messages")
        # Both have seen the message before either claims it.
        monkeypatch.setattr("os.listdir", lambda folder: listing)
        assert first._get("load") == {"n": 1}
        with pytest.raises(filesystem_broker.Empty):
            second._get("load")


def test_messages_come_oldest_first_and_by_queue(tmp_path):
    with connect(tmp_path) as connection:
        channel = connection.channel()
        for queue, number in (("rounds", 1), ("background", 2), ("rounds", 3)):
            channel._put(queue, number)
        assert channel._size("rounds") == 2
        assert [channel._get("rounds"), channel._get("rounds"), channel._get("background")] == [1, 3, 2]


def test_half_written_and_claimed_files_are_no_messages(tmp_path):
    with connect(tmp_path) as connection:
        channel = connection.channel()
        folder = Path(channel.data_folder_in)
        (folder / ".1_a.load.msg.0.draft").write_text("{")
        (folder / ".1_b.load.msg.claimed").write_text("{}")
        assert channel._size("load") == 0
        with pytest.raises(filesystem_broker.Empty):
            channel._get("load")


def test_folders_are_made_when_missing_and_when_taken_away(tmp_path):
    with connect(tmp_path / "not" / "yet") as connection:
        channel = connection.channel()
        with pytest.raises(filesystem_broker.Empty):
            channel._get("load")
        shutil.rmtree(tmp_path / "not")
        channel._queue_bind("shared", "", "", "load")
        channel._put("load", 1)
        assert channel._get("load") == 1


def test_deleting_a_queue_takes_its_messages_and_its_binding_alone(tmp_path):
    with connect(tmp_path) as connection:
        channel = connection.channel()
        for queue in ("gone", "kept"):
            channel._queue_bind("shared", queue, "", queue)
            channel._put(queue, queue)
        channel._delete("gone", "shared", "gone", "")
        assert [binding.queue for binding in channel.get_table("shared")] == ["kept"]
        assert (channel._size("gone"), channel._size("kept")) == (0, 1)


def test_waiting_lasts_as_long_as_it_was_asked_for_but_not_in_a_worker_that_was_told_to_stop(tmp_path, monkeypatch):
    with connect(tmp_path) as connection, connection.SimpleQueue("load"):
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            connection.drain_events(timeout=0.5)
        assert time.monotonic() - began >= 0.5
        monkeypatch.setattr("celery.worker.state.should_stop", 0)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            connection.drain_events(timeout=30)
        assert time.monotonic() - began < 10


def test_names_that_lead_out_of_the_folder_are_refused(tmp_path):
    with connect(tmp_path) as connection, pytest.raises(ChannelError):
        connection.channel()._queue_bind("../elsewhere", "", "", "load")


def test_a_reader_can_meet_an_empty_message_of_kombus_own_transport_but_not_of_this_one(tmp_path, monkeypatch):
    with Connection("filesystem://", transport_options={"data_folder_in": str(tmp_path)}) as connection:
        channel = connection.channel()
        assert isinstance(channel, filesystem.Channel)
        # As kombu's `_put` leaves it between its open() and its write().
        (tmp_path / "1_a.load.msg").touch()
        with pytest.raises(ValueError, match="Expecting value"):
            channel._get("load")

    seen = []

    def look_before_the_rename(draft, file):
        seen.append((channel._size("load"), Path(draft).read_text()))
        rename(draft, file)

    rename = os.replace
    monkeypatch.setattr("os.replace", look_before_the_rename)
    with connect(tmp_path) as connection:
        channel = connection.channel()
        channel._put("load", "whole")
        assert seen == [(0, '"whole"')]
        assert channel._get("load") == "whole"
