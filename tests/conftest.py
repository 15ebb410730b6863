"""What every test stands on: where it runs, the servers it may ask for, and a site and a worker that are real.

`make test` runs everything twice, on SQLite and on PostgreSQL (tools/run_tests.py). pytest alone runs once, on what
DATABASE_URL names, else on SQLite.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import kombu.pools
import pytest
import uvicorn
from django.conf import settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.cache import cache
from django.db import connection, connections
from django.test import TransactionTestCase

from roulette_site import celery_app
from tools import outcomes

from . import servers
from .emptying import Laid

ROOT = Path(__file__).resolve().parents[1]
# What lets a test look at the database; of a test without any of them one run is enough.
DATABASE_FIXTURES = frozenset({"db", "transactional_db"})
# What gives a broker's URL for as long as one has it; the one of files lies below VAR_DIR.
BROKERS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "files": lambda: nullcontext("fsatomic://"),
    "redis": servers.empty_redis,
    "rabbitmq": servers.unused_amqp,
}
START_SECONDS = 30
STOP_SECONDS = 20

# On a busy machine a deadline finds nothing but the machine. `make long` looks further.
hypothesis.settings.register_profile("usual", deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=10_000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def pytest_configure(config: pytest.Config) -> None:
    """Keep off the state of the site that runs here, and count what becomes of the tests."""
    if settings.VAR_DIR == settings.BASE_DIR / "var":
        folder = tempfile.TemporaryDirectory(prefix="roulette-tests-")
        config.add_cleanup(folder.cleanup)
        _move_state_to(Path(folder.name))
    # Nothing is collected for tests; the finders serve static files.
    config.addinivalue_line("filterwarnings", "ignore:No directory at:UserWarning")
    outcomes.pytest_configure(config)


def _move_state_to(folder: Path) -> None:
    """Do what VAR_DIR does, for a pytest that was called without it.

    pytest-django reads the settings before any conftest is loaded, so the variable would come too late here.
    """
    old, new = str(settings.VAR_DIR), str(folder)
    os.environ["VAR_DIR"] = new
    settings.VAR_DIR = folder
    for options in (settings.DATABASES["default"].get("TEST", {}), settings.CELERY_BROKER_TRANSPORT_OPTIONS):
        for name, value in options.items():
            if isinstance(value, str):
                options[name] = value.replace(old, new)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread what is left to another process, where all tests are run; what is named is looked up."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS or not collection_path.is_dir():
        return None
    inside = collection_path.relative_to(ROOT / "tests").parts
    return None if not inside or _is_wanted(inside[0]) else True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this database is not for, and put browser tests last.

    Tests are left out, not skipped: each of them runs on the other database, and a skip means that one did not run.
    """
    folders = {item: item.path.relative_to(ROOT / "tests").parts[0] for item in items}
    unsuitable = [item for item in items if not (_is_wanted(folders[item]) and _suits(item, connection.vendor))]
    if unsuitable:
        config.hook.pytest_deselected(items=unsuitable)
    left = [item for item in items if item not in set(unsuitable)]
    # Playwright leaves an event loop in this thread, in which Django lets nothing touch the database (see below).
    items[:] = sorted(left, key=lambda item: item.get_closest_marker("browser") is not None)


def _is_wanted(folder: str) -> bool:
    """Whether this process runs the tests of a folder; TEST_FOLDERS names those that tools/run_tests.py leaves to it."""
    named = os.environ.get("TEST_FOLDERS", "")
    return not named or folder in named.split(",")


def _suits(item: pytest.Item, vendor: str) -> bool:
    if vendor == "sqlite":
        return item.get_closest_marker("postgresql") is None
    if item.get_closest_marker("sqlite") is not None:
        return False
    return not DATABASE_FIXTURES.isdisjoint(item.fixturenames) or any(
        map(item.get_closest_marker, ("postgresql", "django_db"))
    )


@contextmanager
def _present(server: AbstractContextManager[str]) -> Iterator[str]:
    """Give what the test needs. Where that is missing the test is skipped, or under REQUIRE_ALL=1 fails."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(server)
        except servers.ServerMissing as missing:
            if os.environ.get("REQUIRE_ALL") == "1":
                pytest.fail(f"REQUIRE_ALL=1: {missing}", pytrace=False)
            pytest.skip(str(missing))
        yield found


_laid = Laid()


def _empty_tables(_: TransactionTestCase) -> None:
    _laid.restore()


TransactionTestCase._fixture_teardown = _empty_tables


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Make the database, and note what stands in it before the first test; nobody is left on it when it is dropped."""
    with django_db_blocker.unblock():
        _laid.note()
    yield
    with django_db_blocker.unblock():
        _end_other_connections()


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Begin with an empty cache: rates of the test before would count in this one."""
    cache.clear()


@dataclass
class Worker:
    """A real worker in a process of its own, on the test's database."""

    process: subprocess.Popen[bytes]
    log_file: Path
    broker_url: str

    @property
    def log(self) -> str:
        """What it has said."""
        return self.log_file.read_text()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Ask it to end, and see to it that it does."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()


StartWorker = Callable[..., Worker]


@pytest.fixture
def worker(transactional_db: None, tmp_path: Path) -> Iterator[StartWorker]:
    """Start workers, as `real_workers` says."""
    with real_workers(tmp_path) as start:
        yield start


@contextmanager
def real_workers(folder: Path) -> Iterator[StartWorker]:
    """Start workers: `worker("redis")` returns one that is ready, and lets this process send to that broker.

    The broker is "files", "redis" or "rabbitmq", one in each test. The worker has the draw key of tests/house.py;
    `queues` and `draw_key` give it others. All are killed at the end, and only then is the broker given back: a worker
    that lived on would declare its queues again, under the eyes of the next test that wants them unused.
    """
    from .house import DRAW_KEY

    started: list[Worker] = []
    with ExitStack() as stack:

        def start(broker: str = "files", *, queues: str = "rounds,background", draw_key: bytes = DRAW_KEY) -> Worker:
            if started:
                broker_url = started[0].broker_url
            else:
                broker_url = stack.enter_context(_present(BROKERS[broker]()))
                stack.enter_context(_app_at(broker_url))
            key_file = folder / "draw.key"
            key_file.write_text(draw_key.hex())
            one = _start_worker(
                queues=queues,
                log_file=folder / f"worker-{len(started)}.log",
                broker_url=broker_url,
                DRAW_KEY_FILE=str(key_file),
            )
            # What it was doing matters to nobody any more, and over AMQP a worker takes up to ten seconds to stop.
            stack.callback(one.kill)
            started.append(one)
            _wait_until_ready(one)
            return one

        yield start


def _start_worker(*, queues: str, log_file: Path, broker_url: str, **environment: str) -> Worker:
    options = ["-P", "threads", "-c", "4", "-Q", queues, "--loglevel", "INFO"]
    quiet = ["--without-mingle", "--without-gossip", "--without-heartbeat"]
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "roulette_site", "worker", *options, *quiet],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": _url_of_test_database(), "BROKER_URL": broker_url, **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return Worker(process, log_file, broker_url)


def _url_of_test_database() -> str:
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def _wait_until_ready(worker: Worker) -> None:
    deadline = time.monotonic() + START_SECONDS
    while " ready." not in worker.log:
        if worker.process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"The worker did not start:\n{worker.log}", pytrace=False)
        time.sleep(0.05)


@contextmanager
def _app_at(broker_url: str) -> Iterator[None]:
    """Let this process's Celery application send to another broker."""
    options: dict[str, Any] = {}
    if broker_url.startswith("fsatomic:"):
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        # What a test before left in its queues is not for this one.
        for folder in (options["data_folder_in"], options["control_folder"]):
            shutil.rmtree(folder, ignore_errors=True)
    before = {name: celery_app.conf[name] for name in ("broker_url", "broker_transport_options")}

    def set_broker(**values: Any) -> None:
        # kombu and Celery both keep pools; without them the next message connects to the broker that is named then.
        kombu.pools.reset()
        celery_app._after_fork()
        celery_app.conf.update(values)

    set_broker(broker_url=broker_url, broker_transport_options=options)
    try:
        yield
    finally:
        set_broker(**before)


@pytest.fixture
def live_site(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the site, served by uvicorn as in production; pytest-django's own server cannot stream events."""
    from roulette_site.asgi import application

    # Each request has a thread of its own here, and what it connected must not outlive the test.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(
            ASGIStaticFilesHandler(application),
            lifespan="off",
            log_level="warning",
            timeout_graceful_shutdown=1,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            assert thread.is_alive(), "the site did not start"
            assert time.monotonic() < deadline, "the site did not start in time"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS)
        listening.close()
        _end_other_connections()


def _end_other_connections() -> None:
    """End what the site's threads have left connected: PostgreSQL drops no database that somebody uses."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(scope="session")
def chromium() -> Iterator[str]:
    """The path of a Chromium."""
    with _present(_chromium()) as path:
        yield path


@contextmanager
def _chromium() -> Iterator[str]:
    yield servers.find_chromium()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    """Let pytest-playwright start the machine's own Chromium, which tells nobody of it."""
    # Playwright's loop runs in this thread from here on, and Django would refuse every query beside it. Browser tests
    # come last, so that no other test loses that check of asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    quiet = ["background-networking", "component-update", "sync", "default-apps"]
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": [*sandbox, "--disable-gpu", "--disable-quic", "--no-first-run", *(f"--disable-{one}" for one in quiet)],
    }
