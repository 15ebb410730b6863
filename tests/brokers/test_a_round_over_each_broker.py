"""A round from launch to payment by a real worker, over each broker; and what a killed worker leaves behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from roulette_site import celery_app
from sessions_app.services.game_sessions import start_game_session
from tables.models import GameRound, PublishedRules, RoundState, RulesStatus
from tables.services.advance import sweep
from tables.services.rules import approve_rules
from tests.conftest import BROKERS, _url_of_test_database
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, make_house

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]
PATIENCE_SECONDS = 30


def wait_for(what: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.mark.parametrize("broker", BROKERS)
def test_over_each_broker(house: House, worker: Callable[..., Any], broker: str) -> None:
    worker(broker)
    house.now = timezone.now()
    player = PlayerAtTable(house, start_game_session(table=house.table, player=house.player(), at=timezone.now()))
    rounds = GameRound.objects.filter(seat=player.seat)
    # The worker opens the first round, draws and pays it once it is launched, and opens the next.
    wait_for(lambda: rounds.filter(state=RoundState.BETTING).exists())
    player.place(bet("red"), bet("black"))
    launched = player.launch()
    wait_for(lambda: rounds.filter(pk=launched.pk, state=RoundState.SETTLED).exists())
    wait_for(lambda: rounds.filter(state=RoundState.BETTING, number__gt=launched.number).exists())
    call_command("verify")


@pytest.mark.article("pt:p3", "pt:p4")
def test_approved_rules_are_published_by_a_worker(house: House, worker: Callable[..., Any]) -> None:
    worker(queues="background")
    rules = house.table.rules
    rules.pk, rules.version, rules.status, rules.created_at = None, 2, RulesStatus.DRAFT, timezone.now()
    rules.save()
    address = reverse("rules-version", args=[rules.rulebook_code, 2])
    assert Client().get(address).status_code == 404
    approve_rules(rules=rules, reference="TEST-2", in_force_from=timezone.now(), at=timezone.now())
    wait_for(lambda: PublishedRules.objects.filter(rules=rules).exists())
    assert "TEST-2" in Client().get(address).content.decode()


def test_the_sweep_takes_over_from_a_worker_that_was_killed(house: House, worker: Callable[..., Any]) -> None:
    running = worker()
    house.now = timezone.now()
    player = PlayerAtTable(house, start_game_session(table=house.table, player=house.player(), at=timezone.now()))
    rounds = GameRound.objects.filter(seat=player.seat)
    wait_for(lambda: rounds.filter(state=RoundState.BETTING).exists())
    running.kill()
    player.place(bet("red"), bet("black"))
    launched = player.launch()
    assert rounds.get(pk=launched.pk).state == RoundState.CLOSED
    # What beat has workers do every second; the task that the launch sent went with the worker.
    sweep(key=DRAW_KEY, now=timezone.now)
    assert rounds.get(pk=launched.pk).state == RoundState.SETTLED
    call_command("verify")


@pytest.fixture
def beat(transactional_db: None, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Start a real beat on the test's database: `beat(broker_url)`."""
    started: list[subprocess.Popen[bytes]] = []

    def start(broker_url: str) -> None:
        files = ["--pidfile=", "--schedule", str(tmp_path / "beat-schedule"), "--logfile", str(tmp_path / "beat.log")]
        command = [sys.executable, "-m", "celery", "--quiet", "-A", "roulette_site", "beat", *files]
        surroundings = {**os.environ, "DATABASE_URL": _url_of_test_database(), "BROKER_URL": broker_url}
        started.append(subprocess.Popen(command, cwd=settings.BASE_DIR, env=surroundings))

    yield start
    for process in started:
        process.kill()
        process.wait()


def lose_messages() -> None:
    """Throw away what waits for the workers, for as long as a broker may take to give back what the dead one held."""
    with celery_app.connection_for_write() as connection:
        for _ in range(20):
            connection.default_channel.queue_purge("rounds")
            time.sleep(0.05)


@pytest.mark.parametrize("broker", BROKERS)
def test_beat_has_a_round_drawn_whose_worker_was_killed_after_the_launch(
    house: House,
    worker: Callable[..., Any],
    beat: Callable[[str], None],
    broker: str,
) -> None:
    running = worker(broker)
    house.now = timezone.now()
    player = PlayerAtTable(house, start_game_session(table=house.table, player=house.player(), at=timezone.now()))
    rounds = GameRound.objects.filter(seat=player.seat)
    wait_for(lambda: rounds.filter(state=RoundState.BETTING).exists())
    player.place(bet("red"), bet("black"))
    # A worker that hangs, takes nothing up, and dies; and what the launch sent is lost, on whatever broker.
    running.process.send_signal(signal.SIGSTOP)
    launched = player.launch()
    running.kill()
    lose_messages()
    assert rounds.get(pk=launched.pk).state == RoundState.CLOSED
    worker(broker)
    assert rounds.get(pk=launched.pk).state == RoundState.CLOSED
    beat(running.broker_url)
    wait_for(lambda: rounds.filter(pk=launched.pk, state=RoundState.SETTLED).exists())
    wait_for(lambda: rounds.filter(state=RoundState.BETTING, number__gt=launched.number).exists())
    call_command("verify")
