"""The file of a register: CSV, or JSON lines, read line by line. Pure.

A line that is none is named by its number and says nothing of what stands in it; the others are read all the same. What
is compared is what wallets/personal.py makes of names and numbers, so that signs, capitals and marks that turn the
direction of writing hide nobody.
"""

import csv
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wallets.personal import document_key, name_key

COLUMNS = ("document_number", "full_name", "birth_date")
MOST_BYTES = 200 * 1024 * 1024
LONGEST_LINE = 4000
MOST_FAULTS = 100


class UnreadableList(ValueError):
    """The file as a whole is no list, so that it answers nothing."""


@dataclass(frozen=True)
class RegisterList:
    """Whom a register names, by document and by name with birth date."""

    documents: frozenset[str]
    names: frozenset[tuple[str, dt.date]]
    entries: int
    faults: Sequence[str]
    broken: int


def read_list(data: bytes, *, is_json: bool) -> RegisterList:
    """Read a list of excluded people; raises UnreadableList.

    An empty file names nobody and is refused all the same: it is what a copy that was broken off leaves. A list of
    nobody is a header alone, or for JSON lines an empty line.
    """
    if not data:
        raise UnreadableList("the file is empty")
    if len(data) > MOST_BYTES:
        raise UnreadableList(f"the file is larger than {MOST_BYTES // 1024 // 1024} MB")
    documents, names, faults = set(), set(), list[str]()
    entries = broken = 0
    for number, found in _json_lines(data) if is_json else _csv_lines(data):
        try:
            document, name = _entry(found)
        except ValueError as error:
            broken += 1
            if len(faults) < MOST_FAULTS:
                faults.append(f"line {number}: {error}")
            continue
        entries += 1
        if document:
            documents.add(document)
        if name is not None:
            names.add(name)
    if broken and not entries:
        raise UnreadableList("no line of the file can be read")
    return RegisterList(frozenset(documents), frozenset(names), entries, tuple(faults), broken)


def _entry(found: Mapping[str, Any] | str) -> tuple[str, tuple[str, dt.date] | None]:
    """What a line names; raises ValueError with a sentence that repeats nothing of it."""
    if isinstance(found, str):
        raise ValueError(found)
    if any(not isinstance(value, str) for value in found.values()):
        raise ValueError("a value is no text")
    number, name, born = (found.get(column, "").strip() for column in COLUMNS)
    document = document_key(number)
    if number and not document:
        raise ValueError("document_number is none")
    if not document and not (name and born):
        raise ValueError("a document_number is needed, or full_name and birth_date")
    if not born:
        return document, None
    try:
        day = dt.date.fromisoformat(born)
    except ValueError:
        raise ValueError("birth_date is a day such as 1990-12-31") from None
    key = name_key(name)
    if not key:
        if name or not document:
            raise ValueError("full_name has no letter")
        return document, None
    return document, (key, day)


def _lines(data: bytes) -> Iterator[tuple[int, str | None]]:
    """The lines that are not empty, each with its number; None for what is no text."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        bare = line.removesuffix(b"\r")
        if not bare.strip():
            continue
        try:
            text = bare.decode("utf-8")
        except UnicodeDecodeError:
            yield number, None
            continue
        yield number, None if "\0" in text or len(text) > LONGEST_LINE else text


def _csv_lines(data: bytes) -> Iterator[tuple[int, Mapping[str, str] | str]]:
    """Each line by itself: a quote that is never closed swallows one line, and not the rest of the list."""
    lines = _lines(data)
    _, head = next(lines, (1, None))
    header = [] if head is None else _cells(head) or []
    known = [one for one in header if one in COLUMNS]
    if not known or len(set(header)) != len(header):
        raise UnreadableList(f"line 1: the columns are {','.join(COLUMNS)}, or some of them")
    for number, text in lines:
        if text is None:
            yield number, "it is no text in UTF-8"
            continue
        cells = _cells(text)
        if cells is None:
            yield number, "it is no line of a CSV file"
        elif len(cells) != len(header):
            yield number, f"{len(cells)} cells instead of {len(header)}"
        else:
            yield number, dict(zip(header, cells, strict=True))


def _cells(text: str) -> list[str] | None:
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error:
        return None


def _json_lines(data: bytes) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for number, text in _lines(data):
        if text is None:
            yield number, "it is no text in UTF-8"
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            yield number, "it is no JSON"
            continue
        if isinstance(found, dict):
            # Other keys may tell of the register what does not concern us.
            yield number, {column: found[column] for column in COLUMNS if found.get(column) is not None}
        else:
            yield number, "it is no JSON object"
