"""Run all tests, first on SQLite, then on a real PostgreSQL: `make test`. Arguments are passed on to pytest.

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
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import servers  # noqa: E402
from tools import outcomes  # noqa: E402

KINDS = ("passed", "failed", "skipped")
PASSED, INTERRUPTED, NOTHING_COLLECTED = 0, 2, 5
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
)


def run_pytest(name: str, arguments: Sequence[str], folder: Path, database_url: str = "") -> tuple[int, Counter[str]]:
    """Run pytest once, on SQLite or on the database named, and return its status and its counts."""
    print(f"\n===== {name} =====", flush=True)
    state = folder / name.lower()
    state.mkdir()
    counts_file = state / "counts.json"
    environment = {key: value for key, value in os.environ.items() if key not in NOT_FOR_TESTS} | {
        "DJANGO_SETTINGS_MODULE": "roulette_site.settings.test",
        "VAR_DIR": str(state),
        outcomes.COUNTS_FILE: str(counts_file),
    }
    if database_url:
        environment["DATABASE_URL"] = database_url
    status = subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=environment)
    if counts_file.exists():
        return status, Counter(json.loads(counts_file.read_text()))
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    print(f"pytest {how} and has counted nothing.", flush=True)
    # Also a status of 0 is none without a count.
    return status or 1, Counter()


def main(arguments: Sequence[str]) -> int:
    """Run both, say how it went in one line, and return the status to end with."""
    # As by Ctrl-C: what was started is then stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    statuses: list[int] = []
    counts: Counter[str] = Counter()

    def note(run: tuple[int, Counter[str]]) -> None:
        statuses.append(run[0])
        counts.update(run[1])

    with tempfile.TemporaryDirectory(prefix="roulette-tests-") as temporary:
        folder = Path(temporary)
        note(run_pytest("SQLite", arguments, folder))
        if statuses != [INTERRUPTED]:
            with servers.postgresql(f"roulette_{os.getpid()}") as database_url:
                note(run_pytest("PostgreSQL", arguments, folder, database_url))

    summary = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    print(f"\n{summary} in {time.monotonic() - began:.0f} s, on SQLite and PostgreSQL", flush=True)
    # One run may have nothing to do, such as that on PostgreSQL for a test of the engine; not both.
    failed = [status for status in statuses if status not in (PASSED, NOTHING_COLLECTED)]
    return failed[0] if failed else min(statuses)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Broken off.")
