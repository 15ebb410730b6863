"""The settle command's answers, beside reading and writing the same JSON and nothing more."""

import json
import time
from collections.abc import Callable, Iterator

from .pairs import Result, measure

LINE = (
    b'{"rulebook":"pt-online","minimum":"1.00","bets":[{"type":"straight","on":[17],"stake":"2.00"}],"numbers":[5]}\n'
)
# Between two looks at the clock.
STRETCH = 200


def run(*, pairs: int, seconds: float) -> Iterator[Result]:
    """Measure in this process, without input and output; no database is read."""
    from tables.settle_requests import answer_text

    answer = answer_text(LINE)

    def json_alone() -> None:
        json.loads(LINE)
        json.dumps(answer)

    def settled() -> None:
        json.dumps(answer_text(LINE))

    yield measure(
        name="a settle request of one bet and one number, beside reading and writing the JSON alone",
        goal=0.12, anchor=lambda length: _rate(json_alone, length),
        subject=lambda length: _rate(settled, length), pairs=pairs, seconds=seconds,
    )  # fmt: skip


def _rate(act: Callable[[], None], seconds: float) -> float:
    began = time.process_time()
    done = 0
    while (taken := time.process_time() - began) < seconds:
        for _ in range(STRETCH):
            act()
        done += STRETCH
    return done / taken
