"""Every check that runs no test: style, types, layers, templates, migrations, and generated files that must not drift.

Prints a line for each and, of those that fail, what they said; ends with status 1 if one failed.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
OPENAPI = ROOT / "docs" / "openapi.yaml"

CHECKS: dict[str, list[str]] = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy", "."],
    "layers": ["lint-imports"],
    "templates": ["djlint", "templates", "--check", "--quiet"],
    "markup": ["djlint", "templates", "--lint", "--quiet"],
    "migrations": ["python", "manage.py", "makemigrations", "--check", "--dry-run"],
    "deployment": ["python", "manage.py", "check", "--fail-level", "WARNING"],
    "golden tables": ["python", "manage.py", "golden", "--check"],
    "traceability": ["python", "tools/traceability.py", "--check"],
}


def run(command: list[str], state: str) -> tuple[bool, str]:
    """Run a command of the environment with its state in a folder of its own; whether it went well, what it said."""
    environment = os.environ | {"VAR_DIR": state, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    return ran.returncode == 0, ran.stdout + ran.stderr


def openapi_drift(state: str) -> tuple[bool, str]:
    """Whether docs/openapi.yaml is what the views say, without a warning."""
    fresh = Path(state) / "openapi.yaml"
    went_well, said = run(
        ["python", "manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", str(fresh)], state
    )
    if went_well and fresh.read_text() != OPENAPI.read_text():
        return False, "docs/openapi.yaml is not what the views say: run make openapi and read the diff."
    return went_well, said


def main() -> int:
    """Run every check; the exit status."""
    failed = 0
    with tempfile.TemporaryDirectory() as state:
        checks = {name: lambda command=command: run(command, state) for name, command in CHECKS.items()}
        checks["OpenAPI"] = lambda: openapi_drift(state)
        for name, check in checks.items():
            began = time.monotonic()
            went_well, said = check()
            print(f"{'ok' if went_well else 'FAILED':8}{name} ({time.monotonic() - began:.1f} s)", flush=True)
            if not went_well:
                failed += 1
                print(said, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
