"""Pairs of an anchor and a subject, run in turn: anchor, subject, anchor, ...

Absolute numbers mean little on a shared machine. The ratio of a subject to the mean of the anchors just before and just
after it moves far less, and the median of five pairs or more is what a goal is held against.
"""

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass

Rate = Callable[[float], float]


@dataclass(frozen=True)
class Result:
    """What a subject did beside its anchor; rates are acts a second."""

    name: str
    goal: float
    pairs: int
    seconds: float
    anchor_rate: float
    subject_rate: float
    median: float
    lowest: float
    highest: float

    @property
    def met(self) -> bool:
        """Whether the median ratio reaches the goal."""
        return self.median >= self.goal

    def as_text(self) -> str:
        """A line for people."""
        verdict = "ok   " if self.met else "BELOW"
        return (
            f"{verdict} {self.name}: {self.median:.2f} of the anchor ({self.lowest:.2f} to {self.highest:.2f},"
            f" goal {self.goal:.2f}); {self.subject_rate:,.0f}/s beside {self.anchor_rate:,.0f}/s,"
            f" {self.pairs} pairs of {self.seconds:g} s"
        )

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        return asdict(self) | {"met": self.met}


def measure(*, name: str, goal: float, anchor: Rate, subject: Rate, pairs: int, seconds: float) -> Result:
    """Run anchor and subject in turn and compare each subject with the anchors around it."""
    anchor(min(seconds, 1.0))
    subject(min(seconds, 1.0))
    anchors, subjects = [anchor(seconds)], []
    for _ in range(pairs):
        subjects.append(subject(seconds))
        anchors.append(anchor(seconds))
    ratios = [rate * 2 / (before + after) for rate, before, after in zip(subjects, anchors, anchors[1:], strict=False)]
    return Result(
        name=name,
        goal=goal,
        pairs=pairs,
        seconds=seconds,
        anchor_rate=statistics.median(anchors),
        subject_rate=statistics.median(subjects),
        median=statistics.median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
    )
