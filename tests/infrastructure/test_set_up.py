"""Setting up: anew where it must be, at once where nothing changed, and in one line what the machine lacks."""

import ast
import builtins
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import set_up

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with lock files, in which pip is only noted."""
    for lock in ("requirements.txt", "requirements-dev.txt"):
        (tmp_path / lock).write_text(f"# {lock}")
    monkeypatch.setattr(set_up, "ROOT", str(tmp_path))
    monkeypatch.setattr(set_up, "VENV", str(tmp_path / ".venv"))
    installed = []

    def call(command, otherwise):
        if "pip" in command:
            installed.append([Path(part).name for part in command if part.endswith(".txt")])
        else:
            bin_folder = tmp_path / ".venv" / "bin"
            bin_folder.mkdir(parents=True)
            (bin_folder / "python").symlink_to(sys.executable)
            version = ".".join(map(str, sys.version_info[:3]))
            (tmp_path / ".venv" / "pyvenv.cfg").write_text(
                f"home = {os.path.dirname(set_up.base_executable())}\n"
                f"version = {version}\ncommand = {command[0]} -m venv {command[3]}\n"
            )

    monkeypatch.setattr(set_up, "call", call)
    return tmp_path, installed


def test_it_installs_once_and_again_when_the_lock_changed(checkout):
    folder, installed = checkout
    for _ in range(2):
        set_up.set_up("run")
    assert installed == [["requirements.txt"]]
    (folder / "requirements.txt").write_text("# another")
    set_up.set_up("run")
    assert installed == [["requirements.txt"]] * 2


def test_what_tests_need_holds_what_the_system_runs_on(checkout):
    _, installed = checkout
    for kind in ("run", "dev", "run", "dev"):
        set_up.set_up(kind)
    assert installed == [["requirements.txt"], ["requirements.txt", "requirements-dev.txt"]]


def test_an_installation_that_failed_is_not_taken_for_done(checkout, monkeypatch):
    set_up.set_up("run")
    folder, installed = checkout
    (folder / "requirements.txt").write_text("# another")
    call = set_up.call

    def fail(command, otherwise):
        raise set_up.SetUpError(otherwise)

    monkeypatch.setattr(set_up, "call", fail)
    with pytest.raises(set_up.SetUpError, match="could not be installed"):
        set_up.set_up("run")
    monkeypatch.setattr(set_up, "call", call)
    set_up.set_up("run")
    assert len(installed) == 2


@pytest.mark.parametrize("setting", ["home = ", "version = ", "command = "])
def test_an_environment_of_another_python_or_folder_is_made_anew(checkout, setting):
    folder, installed = checkout
    set_up.set_up("run")
    file = folder / ".venv" / "pyvenv.cfg"
    file.write_text(file.read_text().replace(setting, f"{setting}/elsewhere/3.1 -m venv "))
    set_up.set_up("run")
    assert len(installed) == 2
    assert set_up.is_usable(set_up.VENV)


def test_an_environment_whose_python_is_gone_is_made_anew(checkout):
    folder, installed = checkout
    set_up.set_up("run")
    python = folder / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/usr/bin/python that was upgraded away")
    set_up.set_up("run")
    assert len(installed) == 2


def test_a_python_that_is_too_old_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 18))
    with pytest.raises(
        set_up.SetUpError, match=r"^Python 3\.11 or newer is needed, and \S+ is 3\.9; .*PYTHON="
    ) as told:
        set_up.check_python()
    assert "\n" not in str(told.value)


def test_an_old_python_can_read_the_script_that_tells_it():
    ast.parse((ROOT / "tools" / "set_up.py").read_text(), feature_version=(3, 6))


def test_a_python_without_venv_is_told_in_one_line(monkeypatch):
    real = builtins.__import__

    def without_ensurepip(name, *arguments):
        if name == "ensurepip":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without_ensurepip)
    with pytest.raises(set_up.SetUpError, match="apt-get install python3-venv") as told:
        set_up.check_python()
    assert "\n" not in str(told.value)


def test_make_tells_in_one_line_that_there_is_no_python():
    done = subprocess.run(
        ["make", "environment", "PYTHON=no-such-python"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "Python 3.11 or newer is needed, and there is no no-such-python."


def test_make_lists_every_target_that_is_for_people():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in listed.splitlines()}
    assert {"run", "test", "lint", "check", "golden", "openapi", "lock", "demo-reset", "plug", "long"} <= names
