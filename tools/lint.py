"""Check everything that can be checked without running the system: `make lint`. One line for each check.

Each command is run as anyone may run it by hand; what it says is shown where it fails.
"""

import difflib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
PACKAGES = ("manage.py", "roulette_site", "wallets", "tables", "sessions_app")
DIFFERENCE_LINES = 40
OPENAPI = ROOT / "docs" / "openapi.yaml"
# The settings are checked as they are by default, whatever site is set up around here.
NOT_FOR_CHECKS = (
    "DATABASE_URL",
    "BROKER_URL",
    "CACHE_URL",
    "DEBUG",
    "DEMO_SITE",
    "DJANGO_SETTINGS_MODULE",
    "PERSONAL_DATA_KEY",
)


@dataclass(frozen=True)
class Result:
    """How a check went, and what it said."""

    passed: bool
    said: str = ""


class Checks:
    """All checks, with a folder of state of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {key: value for key, value in os.environ.items() if key not in NOT_FOR_CHECKS}
        self.environment["VAR_DIR"] = str(folder)

    def all(self) -> Sequence[tuple[str, Callable[[], Result]]]:
        """Every check by its name, the slow ones first."""
        return (
            ("mypy", lambda: self.program("mypy", *PACKAGES)),
            ("ruff check", lambda: self.program("ruff", "check", ".")),
            ("ruff format", lambda: self.program("ruff", "format", "--check", ".")),
            ("import-linter", lambda: self.program("lint-imports")),
            ("djlint check", lambda: self.program("djlint", "templates", "--check", "--quiet")),
            ("djlint lint", lambda: self.program("djlint", "templates", "--lint", "--quiet")),
            ("migrations", lambda: self.manage("makemigrations", "--check", "--dry-run")),
            ("OpenAPI", self.openapi),
            ("golden files", lambda: self.manage("golden", "--check")),
            ("traceability", lambda: self.run(sys.executable, "tools/traceability.py", "--check")),
        )

    def run(self, *command: str) -> Result:
        """Run a command at the root."""
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Result(done.returncode == 0, done.stdout)

    def program(self, name: str, *arguments: str) -> Result:
        """Run a program of the virtual environment."""
        return self.run(str(PROGRAMS / name), *arguments)

    def manage(self, *arguments: str) -> Result:
        """Run a management command."""
        return self.run(sys.executable, "manage.py", *arguments)

    def openapi(self) -> Result:
        """The schema has no fault, and docs/openapi.yaml is what the code makes today."""
        fresh = self.folder / "openapi.yaml"
        made = self.manage("spectacular", "--validate", "--fail-on-warn", "--file", str(fresh))
        if not made.passed:
            return made
        committed = OPENAPI.read_text().splitlines() if OPENAPI.exists() else []
        difference = list(
            difflib.unified_diff(
                committed, fresh.read_text().splitlines(), "docs/openapi.yaml", "the code", lineterm=""
            )
        )
        shown = [*difference[:DIFFERENCE_LINES], "If this is meant: make openapi."]
        return Result(not difference, "\n".join(shown))


def main() -> int:
    """Run all checks, two at a time, and return 1 if any failed."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="roulette-lint-") as folder, ThreadPoolExecutor(max_workers=2) as pool:
        running = [(name, pool.submit(check)) for name, check in Checks(Path(folder)).all()]
        failed = 0
        for name, future in running:
            result = future.result()
            failed += not result.passed
            print(f"{'ok' if result.passed else 'FAILED':8}{name}", flush=True)
            if not result.passed:
                print(result.said.rstrip(), flush=True)
    print(f"{failed or 'no'} check{'' if failed == 1 else 's'} failed in {time.monotonic() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
