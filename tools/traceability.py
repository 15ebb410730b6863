"""Make docs/rules-traceability.md: each rule of the legal texts, where it is met, and the tests that show it.

Three sources, none of them imported or run:

- docs/rules-ids.txt     the permanent ids, with the first words of each rule;
- docs/rules-places.toml what no mark can tell: the module where a rule is met, what brings a rule that is still to
                         come, who vouches for a rule that no software can keep;
- tests/**/*.py          the marks `@pytest.mark.article("pt:12a", ...)` on functions, classes, modules and parameters.

    python tools/traceability.py            writes the page
    python tools/traceability.py --check    exits 1 if the page on disk is another
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

IDS_FILE = "docs/rules-ids.txt"
PLACES_FILE = "docs/rules-places.toml"
PAGE_FILE = "docs/rules-traceability.md"

MET = "met"
TO_COME = "to come"
OUTSIDE = "outside software"
STATUSES = (MET, TO_COME, OUTSIDE)

TEXTS = {
    "pt": "Portugal: Regulation 807/2015 (law/pt-807-2015.txt)",
    "fr-francaise": "France: roulette française (law/fr-roulette-francaise.txt)",
    "fr-anglaise": "France: roulette anglaise, articles 57-10 to 57-12 (law/fr-roulette-anglaise.txt)",
}


class TraceabilityError(Exception):
    """What is wrong in the ids, the places or the marks: every fault, one a line."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = list(faults)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True)
class Place:
    """What docs/rules-places.toml says of one rule."""

    where: tuple[str, ...] = ()
    to_come: str = ""
    outside: str = ""
    note: str = ""


@dataclass(frozen=True)
class Mark:
    """One id of one mark: the node of pytest's that it stands on, whether that is run, and the line of the mark."""

    rule: str
    node: str
    is_run: bool
    at: str


@dataclass(frozen=True)
class Row:
    rule: str
    text: str
    status: str
    detail: str
    place: Place
    tests: tuple[str, ...]


# The ids


def read_ids(root: Path) -> dict[str, str]:
    """This function will give each id with the first words of its rule, in the order of the file."""
    ids: dict[str, str] = {}
    faults = []
    for number, line in enumerate((root / IDS_FILE).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        rule, tab, words = line.partition("\t")
        if not tab or not words.strip():
            faults.append(f"{IDS_FILE}:{number}: not an id, a tab and the first words: {line}")
        elif rule in ids:
            faults.append(f"{IDS_FILE}:{number}: {rule} stands twice")
        elif rule.partition(":")[0] not in TEXTS:
            faults.append(f"{IDS_FILE}:{number}: {rule} is of no known text")
        else:
            ids[rule] = words
    if faults:
        raise TraceabilityError(faults)
    return ids


# The places


def read_places(root: Path, ids: dict[str, str]) -> dict[str, Place]:
    """This function will give the place of each id; every id has one, and every module in it exists.

    `rules` takes ids and ranges, "pt:14a-i .. pt:14a-ix, pt:14b", a range in the order of the ids file.
    """
    entries = tomllib.loads((root / PLACES_FILE).read_text(encoding="utf-8")).get("rule", [])
    places: dict[str, Place] = {}
    faults = []
    for number, entry in enumerate(entries, 1):
        name = f"{PLACES_FILE}: entry {number} ({entry.get('rules', 'names no rules')})"
        place = Place(
            where=tuple(entry.get("where", ())),
            to_come=entry.get("to_come", ""),
            outside=entry.get("outside", ""),
            note=entry.get("note", ""),
        )
        if unknown := set(entry) - {"rules", "where", "to_come", "outside", "note"}:
            faults.append(f"{name}: unknown key {', '.join(sorted(unknown))}")
        if place.outside and (place.where or place.to_come):
            faults.append(f"{name}: what is outside software has neither a module nor something to come")
        if not (place.where or place.to_come or place.outside):
            faults.append(f"{name}: says neither where, nor to_come, nor outside")
        faults += [f"{name}: {where} does not exist" for where in place.where if not place_exists(root, where)]
        for rule in expand(entry.get("rules", ""), list(ids)):
            if rule not in ids:
                faults.append(f"{name}: {rule} is no id of {IDS_FILE}")
            elif rule in places:
                faults.append(f"{name}: {rule} has a place already")
            places[rule] = place
    faults += [f"{PLACES_FILE}: {rule} has no place" for rule in ids if rule not in places]
    if faults:
        raise TraceabilityError(faults)
    return places


def expand(rules: str, order: list[str]) -> list[str]:
    """This function will write out the ranges of a list of ids; an end of a range that is unknown is given back."""
    expanded: list[str] = []
    for part in rules.split(","):
        first, _, last = (end.strip() for end in part.partition(".."))
        if not last:
            expanded.append(first)
        elif first in order and last in order and order.index(first) < order.index(last):
            expanded += order[order.index(first) : order.index(last) + 1]
        else:
            expanded.append(part.strip())
    return expanded


def place_exists(root: Path, where: str) -> bool:
    """This function will tell whether a place, a path or a dotted module, stands in the tree."""
    if "/" in where:
        return (root / where).exists()
    module = root.joinpath(*where.split("."))
    return module.with_suffix(".py").is_file() or (module / "__init__.py").is_file()


# The marks


def read_marks(root: Path) -> list[Mark]:
    """This function will find the marks of all test files by their syntax alone.

    A mark must stand on something that pytest collects, and its ids must be words that can be read without running
    the file: literals, or names of literals of the same module. What is skipped or expected to fail shows nothing.
    """
    marks: list[Mark] = []
    faults: list[str] = []
    for path in sorted((root / "tests").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "article" not in source:
            continue
        file = path.relative_to(root).as_posix()
        try:
            tree = ast.parse(source, file)
        except SyntaxError as error:
            faults.append(f"{file}:{error.lineno}: {error.msg}")
            continue
        reader = _MarkReader(file, tree)
        marks += reader.marks
        faults += reader.faults
    if faults:
        raise TraceabilityError(faults)
    return marks


@dataclass
class _MarkReader:
    file: str
    tree: ast.Module
    marks: list[Mark] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names: dict[str, ast.expr] = {}
        for statement in _statements(self.tree.body):
            for name, value in _assigned(statement):
                self.names[name] = value
        self.placed: set[ast.Call] = set()
        name = Path(self.file).name
        if name.startswith("test_") or name.endswith("_test.py"):
            self._read_body(self.tree.body, self.file, skipped=False)
        for call in self._article_calls(self.tree):
            if call not in self.placed:
                self.faults.append(f"{self._at(call)}: this mark stands on no test that pytest collects")

    def _read_body(self, body: list[ast.stmt], node: str, *, skipped: bool) -> bool:
        """Read the marks of a module or a class and of what stands in it; tell whether there is any test in it."""
        own = [value for statement in body for name, value in _assigned(statement) if name == "pytestmark"]
        skipped = skipped or any(_skips(expression) for expression in own)
        has_tests = False
        for statement in _statements(body):
            if not _is_test(statement):
                continue
            child = f"{node}::{statement.name}"
            child_skipped = skipped or any(_skips(decorator) for decorator in statement.decorator_list)
            if isinstance(statement, ast.ClassDef):
                found = self._read_body(statement.body, child, skipped=child_skipped)
            else:
                found = True
            if found:
                self._place(statement.decorator_list, child, skipped=child_skipped)
            has_tests = has_tests or found
        if has_tests:
            self._place(own, node, skipped=skipped)
        return has_tests

    def _place(self, expressions: Iterable[ast.expr], node: str, *, skipped: bool) -> None:
        for call in self._calls_reached(expressions):
            self.placed.add(call)
            self.marks += [Mark(rule, node, not skipped, self._at(call)) for rule in self._ids(call)]

    def _calls_reached(self, expressions: Iterable[ast.expr]) -> Iterator[ast.Call]:
        """The article marks in the expressions and in the module's own names that they use."""
        open_expressions = list(expressions)
        followed: set[str] = set()
        while open_expressions:
            expression = open_expressions.pop(0)
            yield from self._article_calls(expression)
            for part in ast.walk(expression):
                if isinstance(part, ast.Name) and part.id in self.names and part.id not in followed:
                    followed.add(part.id)
                    open_expressions.append(self.names[part.id])

    def _article_calls(self, tree: ast.AST) -> Iterator[ast.Call]:
        for part in ast.walk(tree):
            if isinstance(part, ast.Call):
                called = self.names.get(part.func.id) if isinstance(part.func, ast.Name) else part.func
                if called is not None and _marker(called) == "article":
                    yield part

    def _ids(self, call: ast.Call) -> list[str]:
        ids: list[str] = []
        for argument in call.args:
            starred = isinstance(argument, ast.Starred)
            expression = argument.value if isinstance(argument, ast.Starred) else argument
            if isinstance(expression, ast.Name):
                expression = self.names.get(expression.id, expression)
            try:
                value = ast.literal_eval(expression)
            except ValueError:
                value = None
            values = list(value) if starred and isinstance(value, (list, tuple, set)) else [value]
            if all(isinstance(rule, str) for rule in values):
                ids += values
            else:
                self.faults.append(f"{self._at(call)}: the ids of a mark must be literals")
        if call.keywords or not call.args:
            self.faults.append(f"{self._at(call)}: a mark takes one or more ids and nothing else")
        return ids

    def _at(self, call: ast.Call) -> str:
        return f"{self.file}:{call.lineno}"


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, those under an `if`, `try` or `with` too: pytest collects them like the others."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, []))


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


def _is_test(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return statement.name.startswith("test")
    if isinstance(statement, ast.ClassDef):
        bases = [ast.unparse(base) for base in statement.bases]
        return statement.name.startswith("Test") or any(base.endswith("TestCase") for base in bases)
    return False


def _marker(expression: ast.expr) -> str:
    """The name of the mark in `pytest.mark.<name>`, `mark.<name>` or a call of one; empty for anything else."""
    if isinstance(expression, ast.Call):
        expression = expression.func
    if isinstance(expression, ast.Attribute) and ast.unparse(expression.value) in ("pytest.mark", "mark"):
        return expression.attr
    return ""


def _skips(expression: ast.expr) -> bool:
    marks = expression.elts if isinstance(expression, (ast.List, ast.Tuple)) else [expression]
    return any(_marker(mark) in ("skip", "xfail") for mark in marks)


# The page


def make_rows(root: Path) -> list[Row]:
    """This function will make one row for each id; it raises TraceabilityError with every fault of the sources."""
    ids = read_ids(root)
    faults: list[str] = []
    places: dict[str, Place] = {}
    marks: list[Mark] = []
    try:
        places = read_places(root, ids)
    except TraceabilityError as error:
        faults += error.faults
    try:
        marks = read_marks(root)
    except TraceabilityError as error:
        faults += error.faults
    for mark in marks:
        if mark.rule not in ids:
            faults.append(f"{mark.at}: {mark.rule} is no id of {IDS_FILE}")
        elif places.get(mark.rule, Place()).outside:
            faults.append(f"{mark.at}: {mark.rule} is outside software by {PLACES_FILE}; say there where it is met")
    if faults:
        raise TraceabilityError(faults)

    rows = []
    for rule, text in ids.items():
        tests = tuple(sorted({mark.node for mark in marks if mark.rule == rule and mark.is_run}))
        status, detail = _status(places[rule], tests)
        rows.append(Row(rule, text, status, detail, places[rule], tests))
    return rows


def _status(place: Place, tests: tuple[str, ...]) -> tuple[str, str]:
    if place.outside:
        return OUTSIDE, place.outside
    if place.to_come:
        return TO_COME, place.to_come
    if not tests:
        return TO_COME, "a test that shows it"
    return MET, ""


def render(rows: list[Row]) -> str:
    """This function will give the text of the page."""
    lines = [
        "# The rules, where they are met, and the tests that show it",
        "",
        f"Made by `python tools/traceability.py` from [{IDS_FILE.removeprefix('docs/')}]"
        f"({IDS_FILE.removeprefix('docs/')}), [{PLACES_FILE.removeprefix('docs/')}]"
        f"({PLACES_FILE.removeprefix('docs/')}) and the tests' marks. It is never edited by hand.",
        "",
        "- **met**: a module keeps the rule and at least one test shows it.",
        "- **to come**: not kept yet, or not everywhere it binds; then the piece of work that brings it is named.",
        "  A module and tests may stand beside it already: they keep a part.",
        "- **outside software**: people, rooms or equipment keep it; then who vouches for it is named.",
        "",
        "| text | rules | met | to come | outside software |",
        "|---|---|---|---|---|",
    ]
    for code, title in TEXTS.items():
        counts = Counter(row.status for row in rows if _text_of(row) == code)
        numbers = " | ".join(str(counts[status]) for status in STATUSES)
        lines.append(f"| {title} | {counts.total()} | {numbers} |")
    for code, title in TEXTS.items():
        lines += ["", f"## {title}", "", "| id | text | status | where met | tests |", "|---|---|---|---|---|"]
        lines += [_row_line(row) for row in rows if _text_of(row) == code]
    return "\n".join(lines) + "\n"


def _text_of(row: Row) -> str:
    return row.rule.partition(":")[0]


def _row_line(row: Row) -> str:
    text = row.text if row.text.endswith((".", ";", ":", '"')) else f"{row.text} …"
    status = f"{row.status}: {row.detail}" if row.detail else row.status
    where = ", ".join(f"`{place}`" for place in row.place.where)
    if where and row.place.to_come:
        where = f"in part: {where}"
    where = "; ".join(part for part in (where, row.place.note) if part)
    tests = "<br>".join(f"`{test}`" for test in row.tests)
    cells = (cell.replace("|", "\\|") for cell in (row.rule, text, status, where, tests))
    return "| " + " | ".join(cells) + " |"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page on disk is another")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree to read")
    options = parser.parse_args(arguments)
    page = options.root / PAGE_FILE
    try:
        text = render(make_rows(options.root))
    except TraceabilityError as error:
        print(error, file=sys.stderr)
        return 1
    if options.check:
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            print(f"{PAGE_FILE} is out of date: run python tools/traceability.py", file=sys.stderr)
            return 1
        return 0
    page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
