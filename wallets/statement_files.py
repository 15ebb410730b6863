"""Statement files of providers: CSV, read strictly and whole. Pure.

A line is one payment as the provider sees it. A file with one fault is refused as a whole, with every fault named: what
was half read could be neither applied nor compared.
"""

import codecs
import csv
import datetime as dt
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .amounts import MOST_CENTS, InvalidAmount, parse_cents

COLUMNS = ("reference", "our_reference", "kind", "outcome", "amount", "unit", "booked_at")
MOST_BYTES = 20 * 1024 * 1024
MOST_FAULTS = 50
_REFERENCE = re.compile(r"[\x21-\x7e]{1,80}\Z")
_OURS = re.compile(r"[\x21-\x7e]{0,40}\Z")
_UNIT = re.compile(r"[A-Z]{3,4}\Z")
_KINDS, _OUTCOMES = ("deposit", "withdrawal"), ("paid", "refused")
# A cell that a spreadsheet would take for a formula is no reference of any provider.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class InvalidStatement(ValueError):
    """The file is no statement; `faults` names every line that is not as it ought to be."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True)
class StatementLine:
    """One payment of a statement."""

    reference: str
    our_reference: str
    kind: str
    outcome: str
    amount_cents: int
    unit: str
    booked_at: dt.datetime


def read_statement(data: bytes) -> Sequence[StatementLine]:
    """Read a statement file; raises InvalidStatement."""
    if len(data) > MOST_BYTES:
        raise InvalidStatement([f"the file is larger than {MOST_BYTES // 1024 // 1024} MB"])
    try:
        # Spreadsheets begin a file with a mark that says that it is UTF-8.
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidStatement(["the file is not UTF-8"]) from error
    if "\0" in text:
        raise InvalidStatement(["the file holds a NUL"])
    faults: list[str] = []
    lines = list(_lines(text, faults))
    if faults:
        raise InvalidStatement(faults[:MOST_FAULTS])
    return lines


def _lines(text: str, faults: list[str]) -> Iterator[StatementLine]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    seen: set[tuple[str, str]] = set()
    try:
        header = next(rows, [])
        if tuple(header) != COLUMNS:
            faults.append(f"line 1: the columns are {','.join(COLUMNS)}")
            return
        for row in rows:
            number = rows.line_num
            if len(row) != len(COLUMNS):
                faults.append(f"line {number}: {len(row)} cells instead of {len(COLUMNS)}")
                continue
            cells = dict(zip(COLUMNS, row, strict=True))
            wrong = list(_faults_of(cells))
            if (key := (cells["reference"], cells["outcome"])) in seen:
                wrong.append("reference stands in the file twice")
            seen.add(key)
            faults += [f"line {number}: {one}" for one in wrong]
            if not wrong:
                yield StatementLine(
                    reference=cells["reference"],
                    our_reference=cells["our_reference"],
                    kind=cells["kind"],
                    outcome=cells["outcome"],
                    amount_cents=parse_cents(cells["amount"]),
                    unit=cells["unit"],
                    booked_at=dt.datetime.fromisoformat(cells["booked_at"]),
                )
    except csv.Error as error:
        faults.append(f"line {rows.line_num}: {error}")


def _faults_of(cells: dict[str, str]) -> Iterator[str]:
    if not _REFERENCE.match(cells["reference"]) or cells["reference"].startswith(_FORMULA):
        yield "reference is none"
    if not _OURS.match(cells["our_reference"]):
        yield "our_reference is none"
    if cells["kind"] not in _KINDS:
        yield f"kind is {' or '.join(_KINDS)}"
    if cells["outcome"] not in _OUTCOMES:
        yield f"outcome is {' or '.join(_OUTCOMES)}"
    if not _UNIT.match(cells["unit"]):
        yield "unit is three or four capital letters"
    try:
        cents = parse_cents(cells["amount"])
        if not cents:
            yield "amount is nothing"
        if cents > MOST_CENTS:
            yield "amount is more than any payment"
    except InvalidAmount:
        yield "amount is text such as 12.50"
    try:
        if dt.datetime.fromisoformat(cells["booked_at"]).tzinfo is None:
            yield "booked_at has no offset from UTC"
    except ValueError:
        yield "booked_at is an instant such as 2026-06-15T12:00:00+00:00"
