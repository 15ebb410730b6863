"""A register that is delivered as a file, read anew whenever it was put in place anew."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from .interface import Answer, RegisterState, Reply, Subject
from .list_file import MOST_BYTES, RegisterList, UnreadableList, read_list

# Somebody is copying into it, or puts one after the other in place.
TRIES = 3


class FileIsChanging(OSError):
    """The file was written to, or replaced, while it was read: what was read may be neither."""


@dataclass(frozen=True)
class _Edition:
    """A list as it was read, the digest of its bytes, and the marks by which a file is known to be still that one."""

    marks: tuple[int, ...]
    digest: str
    found: RegisterList


class FileRegister:
    """A list of excluded people in a file (list_file.py). A missing or unreadable file knows nothing of anybody.

    Who replaces it writes another file beside it and renames that: then each answer comes from one whole list.
    """

    code = "file"
    title = "Register in a file"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._edition: _Edition | None = None

    def ask(self, subject: Subject) -> Reply:
        """Look the person up: by his document, or by name and birth date; either is enough to be listed.

        Two documents of one person differ, so that another number beside the same name and birth date frees nobody.
        """
        try:
            edition = self._read()
        except (OSError, UnreadableList) as error:
            return Reply(Answer.UNKNOWN, why=_said(error))
        found = edition.found
        is_listed = subject.document_key in found.documents or (
            subject.birth_date is not None and (subject.name_key, subject.birth_date) in found.names
        )
        answer = Answer.LISTED if is_listed else Answer.NOT_LISTED
        return Reply(answer, edition=edition.digest, is_whole=not found.broken)

    def state(self) -> RegisterState:
        """Say what the file holds, and which of its lines are none."""
        try:
            edition = self._read()
        except (OSError, UnreadableList) as error:
            return RegisterState(is_ready=False, why=_said(error))
        return RegisterState(
            is_ready=True, edition=edition.digest, entries=edition.found.entries, faults=edition.found.faults
        )

    def _read(self) -> _Edition:
        """The list as the file has it now; raises OSError, UnreadableList."""
        with self._lock:
            if self._edition is None or self._edition.marks != _marks(os.stat(self.path)):
                # Also where reading fails: an old list is no answer.
                self._edition = None
                marks, data = _read_still(self.path)
                found = read_list(data, is_json=self.path.suffix in (".jsonl", ".ndjson"))
                self._edition = _Edition(marks, hashlib.sha256(data).hexdigest(), found)
            return self._edition


def _read_still(path: Path) -> tuple[tuple[int, ...], bytes]:
    """The whole file, which stood still meanwhile, and its marks; raises OSError."""
    for _ in range(TRIES):
        with open(path, "rb") as file:
            before = _marks(os.fstat(file.fileno()))
            data = file.read(MOST_BYTES + 1)
            after = _marks(os.fstat(file.fileno()))
        if before == after == _marks(os.stat(path)):
            return after, data
    raise FileIsChanging("the file changes while it is read")


def _marks(stat: os.stat_result) -> tuple[int, ...]:
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _said(error: Exception) -> str:
    """Why there is no answer, without the path: staff see it on a page."""
    if isinstance(error, FileNotFoundError):
        return "there is no file"
    if isinstance(error, OSError) and not isinstance(error, FileIsChanging):
        return "the file cannot be opened"
    return str(error)
