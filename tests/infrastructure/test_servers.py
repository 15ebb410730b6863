"""What the tests do where a server is missing: start their own PostgreSQL, skip and say why, or fail in CI."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests import servers
from tests.conftest import _present

NOBODY = "127.0.0.1:9"


@pytest.fixture(autouse=True)
def _nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEST_DATABASE_URL", "TEST_REDIS_URL", "TEST_AMQP_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(servers, "LOCAL_POSTGRESQL", f"postgresql://postgres@{NOBODY}/")
    monkeypatch.setattr(servers, "LOCAL_REDIS", f"redis://{NOBODY}")
    monkeypatch.setattr(servers, "LOCAL_AMQP", f"amqp://guest:guest@{NOBODY}//")


# In a process of its own, as the runner of the tests has it: what the package leaves for the end is said there.
OWN = f"""
import sys
from urllib.parse import urlsplit
import psycopg
from tests import servers
servers.LOCAL_POSTGRESQL = "postgresql://postgres@{NOBODY}/"
with servers.postgresql("of_nobody") as url:
    assert urlsplit(url).path == "/of_nobody", url
    server = urlsplit(url)._replace(path="/postgres").geturl()
    with psycopg.connect(server) as connection:
        print("version", connection.info.server_version)
try:
    psycopg.connect(server, connect_timeout=2)
except psycopg.OperationalError:
    print("gone")
"""


def test_without_a_postgresql_one_is_started_and_gone_at_the_end() -> None:
    ran = subprocess.run([sys.executable, "-c", OWN], cwd=servers.ROOT, capture_output=True, text=True, check=True)
    version, gone = ran.stdout.splitlines()
    assert int(version.removeprefix("version ")) >= 14_00_00
    assert gone == "gone"


def test_without_the_other_servers_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(servers.ServerMissing, match=r"no Redis at redis://127\.0\.0\.1:9 \(TEST_REDIS_URL"):
        servers.empty_redis().__enter__()
    with pytest.raises(servers.ServerMissing, match=r"no RabbitMQ at amqp://.*TEST_AMQP_URL"):
        servers.unused_amqp().__enter__()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(servers.ServerMissing, match=r"no Chromium \(Debian: apt-get install chromium\)"):
        servers.find_chromium()


def test_a_server_that_was_named_and_does_not_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_REDIS_URL", f"redis://{NOBODY}")
    monkeypatch.setenv("TEST_AMQP_URL", f"amqp://guest:guest@{NOBODY}//")
    for server in (servers.empty_redis(), servers.unused_amqp()):
        with pytest.raises(Exception, match="refused") as failed:
            server.__enter__()
        assert not isinstance(failed.value, servers.ServerMissing)


@contextmanager
def _missing() -> Iterator[str]:
    raise servers.ServerMissing("no such server")
    yield ""


def test_a_test_without_its_server_is_skipped_and_in_ci_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no such server"):
        _present(_missing()).__enter__()
    monkeypatch.setenv("REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="REQUIRE_ALL=1: no such server"):
        _present(_missing()).__enter__()
