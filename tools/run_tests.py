"""Run all tests on SQLite and, side by side, on a real PostgreSQL: `make test`. Arguments are passed on to pytest.

Several processes share the tests by their folders (RUNS): one on each of the two has those that drive a browser, a
whole site or a broker and mostly wait; the rest is one more on SQLite, and two on PostgreSQL, where it takes longer.

Each run has a folder of state and a database of its own, so that runs side by side, and whatever else uses the same
servers, are left alone. With REQUIRE_ALL=1 a skipped test fails the run (tools/outcomes.py).
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import servers  # noqa: E402
from tools import outcomes  # noqa: E402

KINDS = ("passed", "failed", "skipped")
WAITING = frozenset({"browser", "brokers", "infrastructure"})
DOORS = frozenset({"api", "races", "stories", "tables", "web"})
FOLDERS = frozenset(path.parent.name for path in (ROOT / "tests").glob("*/test_*.py"))
RUNS = (
    ("SQLite", "rest", FOLDERS - WAITING),
    ("PostgreSQL", "rest", FOLDERS - WAITING - DOORS),
    ("PostgreSQL", "doors", DOORS),
    ("SQLite", "waiting", WAITING),
    ("PostgreSQL", "waiting", WAITING),
)
PASSED, NOTHING_COLLECTED = 0, 5
# What the surroundings may have set for a site that runs here, and what would make a test look at that site.
NOT_FOR_TESTS = (
    "DATABASE_URL",
    "BROKER_URL",
    "CACHE_URL",
    "DRAW_KEY_FILE",
    "DEBUG",
    "DEMO_SITE",
    "SECRET_KEY",
    "PERSONAL_DATA_KEY",
    # Each of the many processes that tests start would compile the whole site anew.
    "PYTHONDONTWRITEBYTECODE",
)


@dataclass
class Run:
    """One pytest process; what it says goes to the terminal, or to `said`."""

    name: str
    process: "subprocess.Popen[bytes]"
    counts_file: Path
    said: Path | None = None

    def finish(self) -> tuple[int, Counter[str]]:
        """Wait for its end and return its status and its counts."""
        status = self.process.wait()
        if self.said is not None:
            print(self.said.read_text(errors="replace"), flush=True)
        if self.counts_file.exists():
            return status, Counter(json.loads(self.counts_file.read_text()))
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        print(f"pytest on {self.name} {how} and has counted nothing.", flush=True)
        # Also a status of 0 is none without a count.
        return status or 1, Counter()

    def stop(self) -> None:
        """End it, if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


def start_pytest(
    name: str,
    folders: Iterable[str],
    arguments: Sequence[str],
    folder: Path,
    database_url: str = "",
    *,
    is_quiet: bool = False,
) -> Run:
    """Start pytest for these folders of tests, its state in `folder`, on SQLite or on the database named.

    If it is quiet, `finish` prints what it says.
    """
    heading = f"\n===== {name} ====="
    state = folder / name.lower().replace(", ", "-")
    state.mkdir()
    counts_file = state / "counts.json"
    environment = {key: value for key, value in os.environ.items() if key not in NOT_FOR_TESTS} | {
        "DJANGO_SETTINGS_MODULE": "roulette_site.settings.test",
        "VAR_DIR": str(state),
        outcomes.COUNTS_FILE: str(counts_file),
        "TEST_FOLDERS": ",".join(sorted(folders)),
    }
    if database_url:
        environment["DATABASE_URL"] = database_url
    command = [sys.executable, "-m", "pytest", *arguments]
    if not is_quiet:
        print(heading, flush=True)
        return Run(name, subprocess.Popen(command, cwd=ROOT, env=environment), counts_file)
    said = state.with_suffix(".txt")
    with said.open("w") as output:
        print(heading, file=output, flush=True)
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    return Run(name, process, counts_file, said)


def main(arguments: Sequence[str]) -> int:
    """Run all side by side, say how it went in one line, and return the status to end with.

    Each has a folder and a database of its own, and takes turns with the others where there is one of something.
    """
    # As by Ctrl-C: what was started is then stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    statuses: list[int] = []
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="roulette-tests-") as temporary, ExitStack() as stack:
        folder = Path(temporary)
        server = stack.enter_context(servers.postgresql_server())
        runs: list[Run] = []
        for kind, part, folders in RUNS:
            url = ""
            if kind == "PostgreSQL":
                url = stack.enter_context(servers.own_database(server, f"roulette_{os.getpid()}_{part}"))
            name = f"{kind}, {part}"
            runs.append(start_pytest(name, folders, arguments, folder, url, is_quiet=bool(runs)))
            stack.callback(runs[-1].stop)
        for run in runs:
            status, counted = run.finish()
            statuses.append(status)
            counts.update(counted)

    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    print(f"\n{summary} in {time.monotonic() - began:.0f} s, on SQLite and PostgreSQL", flush=True)
    # Some may have nothing to do, such as those on PostgreSQL for a test of the engine; not all.
    failed = [status for status in statuses if status not in (PASSED, NOTHING_COLLECTED)]
    return failed[0] if failed else min(statuses)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Broken off.")
