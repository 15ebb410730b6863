"""`make bench`: run every benchmark on databases of its own, and print the ratios as text and as JSON."""

import argparse
import base64
import json
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

PARTS = ("settling", "sqlite", "postgresql")


def main() -> int:
    """Run the parts in processes of their own, each with its database; 1 where a goal was not reached."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--json", type=Path, help="write the results to this file too")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        return _run_part(options.part, options.pairs, options.seconds)
    results: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="roulette-bench-") as folder:
        for part in [options.only] if options.only else PARTS:
            if part == "postgresql":
                results += _on_postgresql(Path(folder), options)
            else:
                results += _part(part, Path(folder), f"sqlite:///{folder}/{part}.sqlite3", options)
    print(json.dumps(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0 if all(one["met"] for one in results) else 1


def _on_postgresql(folder: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    import psycopg

    from tests import servers

    name = f"roulette_bench_{os.getpid()}"
    with servers.postgresql(name) as url:
        # Under this name the helper drops it at the end.
        own = urlsplit(url)._replace(path=f"/test_{name}").geturl()
        with psycopg.connect(urlsplit(url)._replace(path="/postgres").geturl(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f'CREATE DATABASE "test_{name}"')
        return _part("postgresql", folder, own, options)


def _part(name: str, folder: Path, url: str, options: argparse.Namespace) -> list[dict[str, object]]:
    answers = folder / f"{name}.jsonl"
    environment = os.environ | {
        "DATABASE_URL": url,
        "VAR_DIR": str(folder / name),
        "DJANGO_SETTINGS_MODULE": "roulette_site.settings",
        "BENCH_RESULTS": str(answers),
        "LOG_LEVEL": "WARNING",
        # As in production: with DEBUG on Django keeps every statement.
        "DEBUG": "0",
        "SECRET_KEY": secrets.token_hex(),
        "PERSONAL_DATA_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
    }
    command = [sys.executable, "-m", "benchmarks.run", "--part", name]
    command += ["--pairs", str(options.pairs), "--seconds", str(options.seconds)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)  # noqa: S603
    return [json.loads(line) for line in answers.read_text().splitlines()]


def _run_part(name: str, pairs: int, seconds: float) -> int:
    import django
    from django.core.management import call_command

    from benchmarks import postgresql, settling, sqlite

    django.setup()
    call_command("migrate", verbosity=0)
    part = {"settling": settling, "sqlite": sqlite, "postgresql": postgresql}[name]
    with Path(os.environ["BENCH_RESULTS"]).open("w") as answers:
        for result in part.run(pairs=pairs, seconds=seconds):
            print(result.as_text(), flush=True)
            answers.write(json.dumps(result.as_json()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
