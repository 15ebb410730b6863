"""REQUIRE_ALL=1: a run in which anything was skipped, or failed as expected, fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.run_tests import RUNS

ROOT = Path(__file__).resolve().parents[2]

SKIPPED = {
    "by the test": "import pytest\ndef test_one(): pytest.skip('no server')\n",
    "by a mark": "import pytest\n@pytest.mark.skip(reason='no server')\ndef test_one(): pass\n",
    "by a fixture": (
        "import pytest\n@pytest.fixture\ndef server(): pytest.skip('no server')\ndef test_one(server): pass\n"
    ),
    "by its module": "import pytest\npytest.skip('no server', allow_module_level=True)\n",
    "as an expected failure": "import pytest\n@pytest.mark.xfail(reason='no server')\ndef test_one(): assert False\n",
    "as an expected failure that passes": (
        "import pytest\n@pytest.mark.xfail(reason='no server')\ndef test_one(): pass\n"
    ),
}


@pytest.fixture
def run(tmp_path):
    def run_tests(text, *, require_all):
        (tmp_path / "test_sample.py").write_text(text)
        counts = tmp_path / "counts.json"
        environment = {
            **os.environ,
            "REQUIRE_ALL": "1" if require_all else "",
            "TEST_COUNTS_FILE": str(counts),
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        command = [sys.executable, "-m", "pytest", "-p", "tools.outcomes", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "-c", "/dev/null", "--rootdir", str(tmp_path), str(tmp_path)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, json.loads(counts.read_text()), done.stdout

    return run_tests


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED)
def test_what_is_skipped_fails_the_run(run, text):
    status, counts, output = run(text, require_all=True)
    assert (status, counts) == (1, {"skipped": 1})
    assert "nothing may be skipped" in output
    assert "no server" in output


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED)
def test_what_is_skipped_is_told_apart_from_what_passed(run, text):
    status, counts, _ = run(text + "def test_other(): pass\n", require_all=False)
    assert status in (0, 5)
    assert counts["skipped"] == 1
    assert "failed" not in counts


def test_a_run_without_skips_passes(run):
    assert run("def test_one(): pass\n", require_all=True)[:2] == (0, {"passed": 1})


def test_a_test_that_fails_in_its_tear_down_counts_once(run):
    text = "import pytest\n@pytest.fixture\ndef broken():\n yield\n assert False\ndef test_one(broken): pass\n"
    assert run(text, require_all=False)[:2] == (1, {"failed": 1})


def test_a_module_that_does_not_load_counts_as_failed(run):
    status, counts, _ = run("import nowhere_to_be_found\n", require_all=False)
    assert (status, counts) == (2, {"failed": 1})


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_each_folder_of_tests_is_left_to_one_process_on_each_database(kind):
    shared = [folder for name, _, folders in RUNS if name == kind for folder in folders]
    tests = ROOT / "tests"
    assert sorted(shared) == sorted({path.relative_to(tests).parts[0] for path in tests.rglob("test_*.py")})
