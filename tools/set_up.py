#!/usr/bin/env python3
"""Make the virtual environment that every `make` target works in, and fill it with the locked packages.

    python3 tools/set_up.py run     what the system runs on (requirements.txt)
    python3 tools/set_up.py dev     and what tests and checks need besides (requirements-dev.txt)

A stamp holds the digest of the lock files that were installed, so that a second call is over at once. The environment
is made anew when it belongs to another Python or to another folder. What the machine lacks is said in one line, also
by a Python too old for this project: nothing here may be newer than Python 3.6.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
LOCKS = {"run": ["requirements.txt"], "dev": ["requirements.txt", "requirements-dev.txt"]}


class SetUpError(Exception):
    """What the machine lacks, in one sentence."""


def set_up(kind: str) -> None:
    """Bring the environment up to `kind`, "run" or "dev"; raises SetUpError."""
    check_python()
    # Two `make` at once: the second waits here, by a lock on the folder itself, and then finds everything done.
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        bring_up_to(kind)
    finally:
        os.close(lock)


def bring_up_to(kind: str) -> None:
    """Make and install what is not there."""
    if not is_usable(VENV):
        make_environment()
    if read(stamp_of(kind)) != digest_of(kind):
        install(kind)
        # "dev" holds all of "run", so that `make run` after `make test` has nothing to do.
        for done in ("run", "dev") if kind == "dev" else ("run",):
            with open(stamp_of(done), "w") as stamp:
                stamp.write(digest_of(done))


def check_python() -> None:
    """Raise SetUpError where this Python cannot run the system or make an environment."""
    if sys.version_info < OLDEST:
        raise SetUpError(
            "Python {}.{} or newer is needed, and {} is {}.{}; another one is named by: make PYTHON=...".format(
                *(*OLDEST, os.path.basename(sys.executable), *sys.version_info[:2])
            )
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise SetUpError(
            "Python's own venv module is not installed; on Debian and Ubuntu: apt-get install python3-venv"
        ) from None


def is_usable(environment: str) -> bool:
    """Whether the environment belongs to this Python and was made where it stands."""
    lines = read(os.path.join(environment, "pyvenv.cfg")).splitlines()
    settings = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    return (
        os.path.exists(os.path.join(environment, "bin", "python"))
        and settings.get("home") == os.path.dirname(base_executable())
        and settings.get("version", "").split(".")[:2] == [str(part) for part in sys.version_info[:2]]
        # The programs in it name this folder in their first line, so it cannot be moved.
        and os.path.realpath(settings.get("command", "").partition(" -m venv ")[2]) == os.path.realpath(environment)
    )


def base_executable() -> str:
    """The Python under this one, where this one belongs to a virtual environment itself."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def make_environment() -> None:
    """Make an empty environment in place of what stands there."""
    say("Making the virtual environment in .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    call([base_executable(), "-m", "venv", VENV], "The virtual environment could not be made.")


def install(kind: str) -> None:
    """Install the locked packages, each checked against its hash."""
    say("Installing packages; the first time this takes a minute or two")
    command = [os.path.join(VENV, "bin", "python"), "-m", "pip", "install", "-qq", "--no-input", "--require-hashes"]
    for lock in LOCKS[kind]:
        command += ["-r", os.path.join(ROOT, lock)]
    call(command, "The packages could not be installed: what pip says stands above.")


def call(command: "list[str]", otherwise: str) -> None:
    """Run a command; raises SetUpError with the sentence `otherwise`."""
    if subprocess.call(command, env=dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1"), cwd=ROOT) != 0:
        raise SetUpError(otherwise)


def stamp_of(kind: str) -> str:
    """The file that tells what was installed last."""
    return os.path.join(VENV, "installed-" + kind)


def digest_of(kind: str) -> str:
    """The digest of the lock files of `kind`."""
    return hashlib.sha256("".join(read(os.path.join(ROOT, lock)) for lock in LOCKS[kind]).encode()).hexdigest()


def read(file: str) -> str:
    """The text of a file, empty if there is none."""
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except OSError:
        return ""


def say(sentence: str) -> None:
    """Tell what is going on."""
    print(sentence, flush=True)


if __name__ == "__main__":
    try:
        set_up(sys.argv[1])
    except SetUpError as error:
        sys.exit(str(error))
