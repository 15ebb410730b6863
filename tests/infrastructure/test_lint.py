"""`make lint`: one line for each check, what a failed one says, and a status that tells."""

import pytest

from tools import lint
from tools.lint import Checks, Result


@pytest.fixture
def run(monkeypatch, capsys):
    def run_checks(**results):
        monkeypatch.setattr(Checks, "all", lambda self: [(name, lambda r=r: r) for name, r in results.items()])
        status = lint.main()
        return status, capsys.readouterr().out.splitlines()

    return run_checks


def test_each_check_has_one_line(run):
    status, said = run(mypy=Result(True, "never shown"), djlint=Result(True))
    assert status == 0
    assert said[:2] == ["ok      mypy", "ok      djlint"]
    assert said[2].startswith("no checks failed")


def test_a_failed_check_says_why_and_fails_the_whole(run):
    status, said = run(mypy=Result(False, "a type is wrong\n"), djlint=Result(True))
    assert status == 1
    assert said[:3] == ["FAILED  mypy", "a type is wrong", "ok      djlint"]
    assert said[3].startswith("1 check failed")


def test_a_description_of_the_api_that_is_out_of_date_is_shown_as_a_difference(monkeypatch, tmp_path):
    committed = tmp_path / "committed.yaml"
    committed.write_text("openapi: 3.0.3\npaths: {}\n")
    monkeypatch.setattr(lint, "OPENAPI", committed)
    checks = Checks(tmp_path)

    def make_schema(*arguments):
        (tmp_path / "openapi.yaml").write_text("openapi: 3.0.3\npaths: {new: {}}\n")
        return Result(True)

    monkeypatch.setattr(Checks, "manage", lambda self, *arguments: make_schema(*arguments))
    result = checks.openapi()
    assert not result.passed
    assert "-paths: {}\n+paths: {new: {}}" in result.said
    committed.write_text("openapi: 3.0.3\npaths: {new: {}}\n")
    assert checks.openapi().passed


def test_a_schema_that_cannot_be_made_fails(monkeypatch, tmp_path):
    monkeypatch.setattr(Checks, "manage", lambda self, *arguments: Result(False, "Warning: no serializer"))
    assert Checks(tmp_path).openapi() == Result(False, "Warning: no serializer")


def test_a_command_runs_apart_from_the_site_around_here(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")
    result = Checks(tmp_path).run("sh", "-c", 'echo "[$DATABASE_URL] $VAR_DIR"; exit 3')
    assert result == Result(False, f"[] {tmp_path}\n")
