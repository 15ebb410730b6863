"""A pytest plugin: counts what became of the tests, and under REQUIRE_ALL=1 lets no skip pass.

A test that skips where a server is missing is a kindness to who works on a train. On the machine that says whether the
code is good it would be a hole, so there a skipped or expected failure fails the whole run.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

# tools/run_tests.py names a file here, to add up its runs.
COUNTS_FILE = "TEST_COUNTS_FILE"


class Outcomes:
    """Counts each test once: as failed if anything of it failed, else as skipped, else as passed."""

    def __init__(self, *, require_all: bool, counts_file: str) -> None:
        self.require_all = require_all
        self.counts_file = counts_file
        self.kinds: dict[str, str] = {}
        self.reasons: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of a test's set-up, call or tear-down."""
        expected_failure = hasattr(report, "wasxfail")
        if report.failed:
            self._note(report.nodeid, "failed")
        elif report.skipped or expected_failure:
            reason = f"expected to fail: {report.wasxfail}" if expected_failure else _reason(report)
            self._note(report.nodeid, "skipped", reason)
        elif report.when == "call":
            self._note(report.nodeid, "passed")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a module that is skipped or broken as a whole."""
        if report.failed:
            self._note(report.nodeid, "failed")
        elif report.skipped:
            self._note(report.nodeid, "skipped", _reason(report))

    def _note(self, test: str, kind: str, reason: str = "") -> None:
        worst = ("passed", "skipped", "failed")
        self.kinds[test] = max(self.kinds.get(test, "passed"), kind, key=worst.index)
        if reason:
            self.reasons[test] = reason

    @property
    def skipped(self) -> list[str]:
        """The tests that were skipped."""
        return [test for test, kind in self.kinds.items() if kind == "skipped"]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> object:
        """Fail a run that skipped something though it may not, and leave the counts for the driver."""
        if self.require_all and self.skipped and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.counts_file:
            Path(self.counts_file).write_text(json.dumps(Counter(self.kinds.values())))
        return (yield)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which tests were skipped though none may be."""
        if self.require_all and self.skipped:
            terminalreporter.section("REQUIRE_ALL=1: nothing may be skipped", red=True)
            for test in self.skipped:
                terminalreporter.line(f"{test}: {self.reasons[test]}", red=True)


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    # pytest keeps where, which line and why of a skip as a tuple.
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_configure(config: pytest.Config) -> None:
    """Join in; tests/conftest.py calls this, and `-p tools.outcomes` does."""
    outcomes = Outcomes(require_all=os.environ.get("REQUIRE_ALL") == "1", counts_file=os.environ.get(COUNTS_FILE, ""))
    config.pluginmanager.register(outcomes, "outcomes")
