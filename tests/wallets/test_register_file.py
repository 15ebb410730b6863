"""The file of a register: what it names, what of it is none, and what happens while somebody replaces it."""

import datetime as dt
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wallets.personal import document_key, name_key
from wallets.registers import Answer, FileRegister, Subject
from wallets.registers import file as file_module

BORN = dt.date(1990, 2, 3)
HEADER = "document_number,full_name,birth_date\n"


def person(number: str = "", name: str = "", born: dt.date | None = None) -> Subject:
    return Subject(document_key=document_key(number), name_key=name_key(name), birth_date=born)


@pytest.fixture
def register(tmp_path: Path) -> FileRegister:
    return FileRegister(tmp_path / "list.csv")


def test_a_person_is_listed_by_document_or_by_name_and_birth_date(register: FileRegister) -> None:
    register.path.write_text(HEADER + "AB 12-34,,\n,João d'Ávila,1990-02-03\n")
    for subject in (
        person("ab1234"),
        person("AB 12.34", "Somebody Else", BORN),
        person(name="JOAO D’AVILA", born=BORN),
        person("ZZ 9", "João d'Ávila", BORN),
    ):
        assert register.ask(subject).answer is Answer.LISTED
    for subject in (
        person("AB 12"),
        person(name="João d'Ávila", born=dt.date(1990, 2, 4)),
        person(name="João d'Ávila"),
    ):
        assert register.ask(subject).answer is Answer.NOT_LISTED


@pytest.mark.parametrize(
    "line", ["=AB1234,,", "\u202eAB1234\u202c,,", ",=Maria Lopes,1990-02-03", ",\u202eMaria\u202c LOPES,1990-02-03"]
)
def test_signs_and_marks_of_direction_hide_nobody(register: FileRegister, line: str) -> None:
    register.path.write_text(f"{HEADER}{line}\n", encoding="utf-8")
    assert register.ask(person("AB1234", "Maria Lopes", BORN)).answer is Answer.LISTED


def test_broken_lines_are_named_and_the_rest_is_read(register: FileRegister) -> None:
    lines = [
        b"AB1,,",
        b",Maria,",
        b",Maria,1990-02-30",
        b"...,,",
        b",=1+1,1990-02-03",
        b"a,b",
        b'"open,,',
        b"\xff\xfe,,",
        b"x" * 5000 + b",,",
        b"\0,,",
        b"",
        b"AB2,,",
    ]
    register.path.write_bytes(HEADER.encode() + b"\r\n".join(lines))
    state = register.state()
    assert [fault.split(":")[0] for fault in state.faults] == [f"line {n}" for n in range(3, 12)]
    assert (state.entries, state.is_ready) == (2, True)
    # What stands in a line is nobody's to read in a log.
    assert "Maria" not in " ".join(state.faults)
    for number in ("AB1", "AB2"):
        assert register.ask(person(number)).answer is Answer.LISTED
    reply = register.ask(person("AB3"))
    assert (reply.answer, reply.is_whole) == (Answer.NOT_LISTED, False)


def test_a_quote_that_is_never_closed_swallows_no_other_line(register: FileRegister) -> None:
    register.path.write_text(HEADER + '"AB1,,\nAB2,,\n')
    assert register.ask(person("AB2")).answer is Answer.LISTED


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"name,born\nx,y\n", b"\xff\xfe", b"document_number\n...\n", b"full_name,full_name\n"]
)
def test_a_file_that_is_no_list_answers_nothing(register: FileRegister, data: bytes) -> None:
    register.path.write_bytes(data)
    assert register.ask(person("AB1")).answer is Answer.UNKNOWN
    assert not register.state().is_ready


def test_a_missing_file_answers_nothing_and_one_that_comes_later_does(register: FileRegister) -> None:
    assert register.ask(person("AB1")).answer is Answer.UNKNOWN
    assert register.state().why == "there is no file"
    register.path.write_text(HEADER)
    assert register.ask(person("AB1")).answer is Answer.NOT_LISTED
    register.path.unlink()
    assert register.ask(person("AB1")).answer is Answer.UNKNOWN
    register.path.mkdir()
    assert register.ask(person("AB1")).answer is Answer.UNKNOWN


def test_json_lines_are_read_the_same_way(tmp_path: Path) -> None:
    register = FileRegister(tmp_path / "list.jsonl")
    lines: list[Any] = [
        json.dumps({"document_number": "AB1", "note": ["of the register's own"]}),
        json.dumps({"full_name": "Maria", "birth_date": "1990-02-03", "document_number": None}),
        json.dumps({"document_number": 12}),
        "[1]",
        "{",
        "null",
    ]
    register.path.write_text("\n".join(lines))
    assert [fault.split(":")[0] for fault in register.state().faults] == ["line 3", "line 4", "line 5", "line 6"]
    assert register.ask(person("ab1")).answer is Answer.LISTED
    assert register.ask(person(name="maria", born=BORN)).answer is Answer.LISTED


def test_a_new_file_is_read_anew_and_has_another_edition(register: FileRegister) -> None:
    register.path.write_text(HEADER + "AB1,,\n")
    first = register.ask(person("AB2"))
    new = register.path.with_suffix(".new")
    new.write_text(HEADER + "AB2,,\n")
    # The same size, and the same time to the nanosecond: another file all the same.
    stat = os.stat(register.path)
    os.utime(new, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    new.replace(register.path)
    second = register.ask(person("AB2"))
    assert (first.answer, second.answer) == (Answer.NOT_LISTED, Answer.LISTED)
    assert first.edition != second.edition


def during_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None], times: int) -> None:
    """Let `act` happen between the two looks at the file, so many times."""
    left = [times]
    marks = file_module._marks

    def looked(stat: os.stat_result) -> tuple[int, ...]:
        if left[0]:
            left[0] -= 1
            act()
        return marks(stat)

    monkeypatch.setattr(file_module, "_marks", looked)


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(
    register: FileRegister, monkeypatch: pytest.MonkeyPatch
) -> None:
    register.path.write_text(HEADER + "AB1,,\n")

    def replace() -> None:
        new = register.path.with_suffix(".new")
        new.write_text(HEADER + "AB2,,\n")
        new.replace(register.path)

    during_reading(monkeypatch, replace, times=2)
    assert register.ask(person("AB2")).answer is Answer.LISTED
    assert register.ask(person("AB1")).answer is Answer.NOT_LISTED


def test_a_file_that_does_not_stand_still_answers_nothing(
    register: FileRegister, monkeypatch: pytest.MonkeyPatch
) -> None:
    register.path.write_text(HEADER + "AB1,,\n")

    def grow() -> None:
        with register.path.open("a") as file:
            file.write("AB2,,\n")

    during_reading(monkeypatch, grow, times=100)
    assert register.ask(person("AB1")).why == "the file changes while it is read"


def test_a_subject_tells_nothing_of_the_person() -> None:
    assert repr(person("AB1", "Maria", BORN)) == "Subject()"
