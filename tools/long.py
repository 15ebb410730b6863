"""What takes too long for every change: `make long`. It leaves its dated result in docs/evidence/.

Each step's last line is what it found; the whole output goes to the terminal alone, since it names this machine.
"""

import datetime as dt
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EVIDENCE = ROOT / "docs" / "evidence"
STEPS: Mapping[str, tuple[list[str], dict[str, str]]] = {
    "Every constant of the engine changed in turn; the tests must notice each": (["tools/mutate_engine.py"], {}),
    "Property tests with 10,000 examples each, on SQLite and PostgreSQL": (
        ["tools/run_tests.py", "-m", "hypothesis"],
        {"HYPOTHESIS_PROFILE": "long"},
    ),
    "The two weeks of the demonstration, on SQLite and PostgreSQL": (
        ["tools/run_tests.py", "tests/sessions_app/test_demo.py"],
        {"HYPOTHESIS_PROFILE": "long"},
    ),
    "100,000 lines of one bet through the settle command": (["benchmarks/settle_lines.py"], {}),
}


def run(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a step, show what it says, and return its status and its last line."""
    last = ""
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode, last


def main() -> int:
    """Run every step, write the evidence, and return the first status that is not 0."""
    now = dt.datetime.now(dt.UTC)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    lines = [
        f"make long, {now:%Y-%m-%d %H:%M} UTC",
        f"commit {commit.stdout.strip() or 'unknown'}, Python {platform.python_version()}, {os.cpu_count()} cores",
    ]
    statuses = []
    for title, (command, environment) in STEPS.items():
        print(f"\n{title}", flush=True)
        began = time.monotonic()
        status, said = run(command, environment)
        statuses.append(status)
        lines += ["", f"{title}:", f"  {said}", f"  status {status}, {time.monotonic() - began:.0f} s"]
    EVIDENCE.mkdir(exist_ok=True)
    file = EVIDENCE / f"{now:%Y-%m-%d}-long.txt"
    file.write_text("\n".join(lines) + "\n")
    print(f"\nWritten to {file.relative_to(ROOT)}.")
    return next((status for status in statuses if status), 0)


if __name__ == "__main__":
    sys.exit(main())
