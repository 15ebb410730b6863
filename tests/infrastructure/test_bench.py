"""How `make bench` compares: each subject with the anchors around it, and the median of the pairs."""

import pytest

from benchmarks.pairs import measure


def rates(name, values, calls):
    left = iter(values)

    def rate(seconds):
        calls.append((name, seconds))
        return next(left)

    return rate


def test_anchor_and_subject_run_in_turn_and_the_median_counts():
    calls = []
    result = measure(
        name="a subject", goal=0.5, pairs=3, seconds=2.0,
        anchor=rates("anchor", [1, 100, 300, 100, 100], calls),
        subject=rates("subject", [1, 100, 100, 90], calls),
    )  # fmt: skip
    # A short run of each first, which counts for nothing.
    assert calls == [("anchor", 1.0), ("subject", 1.0), ("anchor", 2.0)] + [("subject", 2.0), ("anchor", 2.0)] * 3
    assert (result.lowest, result.median, result.highest) == (0.5, 0.5, 0.9)
    assert (result.anchor_rate, result.subject_rate, result.met) == (100, 100, True)
    assert result.as_json()["met"] is True
    assert result.as_text().startswith("ok    a subject: 0.50 of the anchor (0.50 to 0.90, goal 0.50)")


@pytest.mark.parametrize(("rate", "met"), [(49, False), (50, True)])
def test_a_goal_is_reached_or_not(rate, met):
    result = measure(name="x", goal=0.5, pairs=1, seconds=1.0, anchor=lambda seconds: 100, subject=lambda seconds: rate)
    assert result.met is met
    assert result.as_text().startswith("ok   " if met else "BELOW")
