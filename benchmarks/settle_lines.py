"""How long `manage.py settle --lines` takes for 100,000 lines of one bet, from its start to its end: `make long`.

The promise is ten seconds of one core. benchmarks/settling.py has the ratio, which says more about the code than about
the machine; this is what somebody waits for who puts a file through the command.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES = 100_000
RULEBOOKS = ("pt-online", "fr-francaise", "fr-anglaise")
GOAL_SECONDS = 10


def lines() -> Iterator[str]:
    """One straight bet a line; every number bet on meets others that win, under each rulebook."""
    for index in range(LINES):
        yield json.dumps({
            "rulebook": RULEBOOKS[index % len(RULEBOOKS)],
            "bets": [{"type": "straight", "on": [index % 37], "stake": "1.00"}],
            "numbers": [index * 7 % 37],
        })  # fmt: skip


def main() -> int:
    """Run the command on them and print its time on a processor, and its memory."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile() as answers:
        given.writelines(f"{line}\n" for line in lines())
        given.seek(0)
        subprocess.run(
            [sys.executable, "manage.py", "settle", "--lines"], cwd=ROOT, stdin=given, stdout=answers, check=True
        )
        answers.seek(0)
        answered = sum(b'"accepted": true' in line for line in answers)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss // 1024
    print(f"{answered:,} lines in {seconds:.1f} s of one core (goal {GOAL_SECONDS} s), {megabytes} MB at most")
    return 0 if answered == LINES else 1


if __name__ == "__main__":
    sys.exit(main())
