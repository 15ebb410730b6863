"""What tests/conftest.py gives: a worker that works on the test's database through each broker, and a site that serves.

Without this, a test that waits for a worker in vain could not tell whose fault it is.
"""

import json
import signal
import time
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from django.conf import settings
from django.db import connection

from roulette_site.common import guards
from tables.models import GameRound, RoundState
from tests.conftest import BROKERS, real_workers
from tests.house import DRAW_KEY, bet, make_house
from wallets.models import Transfer

PATIENCE_SECONDS = 15

pytestmark = pytest.mark.django_db(transaction=True)


def wait_until_settled(game_round):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if GameRound.objects.get(pk=game_round.pk).state == RoundState.SETTLED:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.servers
@pytest.mark.parametrize("broker", BROKERS)
def test_a_worker_settles_what_this_process_launches(broker, worker):
    seated = make_house().seated()
    running = worker(broker)
    seated.place(bet("red"))
    assert wait_until_settled(seated.launch()), running.log


@pytest.mark.servers
def test_a_broker_is_given_back_when_no_worker_is_left_on_it(tmp_path, monkeypatch):
    """A worker that lives on declares its queues again, and the next test finds them in use."""
    workers, ends = [], []

    @contextmanager
    def lent():
        yield "fsatomic://"
        ends.extend(one.process.poll() for one in workers)

    monkeypatch.setitem(BROKERS, "lent", lent)
    with real_workers(tmp_path) as worker:
        workers.extend((worker("lent"), worker("lent")))
    assert ends == [-signal.SIGKILL, -signal.SIGKILL]


@pytest.mark.servers
def test_a_worker_that_is_told_to_stop_does_so_at_once(worker):
    """honcho kills after five seconds, and a worker that is killed loses what it had taken from the broker."""
    running = worker()
    began = time.monotonic()
    running.stop()
    assert running.process.returncode == 0, running.log
    assert time.monotonic() - began < 4


@pytest.mark.servers
def test_a_killed_worker_is_gone_and_another_takes_over(worker):
    seated = make_house().seated()
    first = worker()
    first.kill()
    seated.place(bet("red"))
    launched = seated.launch()
    second = worker()
    assert first.process.returncode == -9
    assert wait_until_settled(launched), second.log


@pytest.mark.parametrize("turn", [1, 2])
def test_the_guards_stand_in_every_test_and_nothing_of_the_last_one_is_left(turn):
    assert guards.find_missing(connection) == []
    assert not Transfer.objects.exists()
    make_house().seated().place(bet("red"))
    assert Transfer.objects.exists()


def test_the_site_serves_pages_and_static_files(live_site):
    with pytest.raises(HTTPError) as missing:
        urlopen(f"{live_site}/there-is-no-such-page/")
    with missing.value as answer:
        assert answer.code == 404
    with urlopen(f"{live_site}/{settings.ADMIN_URL}login/") as page:
        assert page.status == 200
    with urlopen(f"{live_site}/static/admin/css/base.css") as style:
        assert style.status == 200


@pytest.mark.browser
def test_the_browser_sees_the_site(live_site, page):
    page.goto(f"{live_site}/{settings.ADMIN_URL}login/")
    assert page.locator("input[name=username]").count() == 1


def test_the_tests_have_a_state_of_their_own():
    assert settings.VAR_DIR != settings.BASE_DIR / "var"
    if connection.vendor == "sqlite":
        assert str(settings.VAR_DIR) in str(connection.settings_dict["NAME"])
    assert json.dumps(settings.CELERY_BROKER_TRANSPORT_OPTIONS).count(str(settings.BASE_DIR)) == 0
    assert len(DRAW_KEY) == 32
