"""docs/rules-traceability.md against the tree: every rule a row, every test and module in it really there.

What the page says is read back from its text and looked up by this file's own means; how the generator itself behaves
is in test_generator.py.
"""

import ast
import re
from pathlib import Path

import pytest

from tools import traceability

ROOT = Path(__file__).resolve().parents[2]
CELLS = ("rule", "text", "status", "where", "tests")


@pytest.fixture(scope="module")
def rows():
    found = []
    for line in (ROOT / traceability.PAGE_FILE).read_text(encoding="utf-8").splitlines():
        if re.match(r"\| (pt|fr-francaise|fr-anglaise):", line):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            found.append(dict(zip(CELLS, (cell.strip() for cell in cells), strict=True)))
    return found


@pytest.fixture(scope="module")
def ids():
    return traceability.read_ids(ROOT)


def code_spans(cell):
    return re.findall(r"`([^`]+)`", cell)


def find_node(node):
    """Look a test up by its name, in the file's syntax; None if there is no such file, class or function."""
    file, *names = node.split("::")
    path = ROOT / file
    if not path.is_file():
        return None
    found = ast.parse(path.read_text(encoding="utf-8"))
    for name in names:
        inside = [
            part
            for part in ast.walk(found)
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and part.name == name
        ]
        if not inside:
            return None
        found = inside[0]
    return found


def test_every_id_has_one_row_and_every_row_an_id(rows, ids):
    assert [row["rule"] for row in rows] == list(ids)


def test_every_row_quotes_its_rule(rows, ids):
    for row in rows:
        assert row["text"].removesuffix(" …") == ids[row["rule"]]


def test_the_page_is_what_the_generator_makes_of_the_tree():
    """Also fails, with the generator's own words, on an unknown id in a mark or a module that does not exist."""
    made = traceability.render(traceability.make_rows(ROOT))
    on_disk = (ROOT / traceability.PAGE_FILE).read_text(encoding="utf-8")
    assert made == on_disk, "run python tools/traceability.py"


def test_every_row_says_met_to_come_or_who_vouches(rows):
    for row in rows:
        assert re.fullmatch(r"met|to come: \S.+|outside software: \S.+", row["status"]), row["rule"]


def test_what_is_met_names_a_module_and_a_test(rows):
    for row in rows:
        if row["status"] == "met":
            assert code_spans(row["where"]), row["rule"]
            assert code_spans(row["tests"]), row["rule"]


def test_every_test_that_a_row_names_exists(rows):
    for node in {node for row in rows for node in code_spans(row["tests"])}:
        assert find_node(node) is not None, f"{node} does not exist"


def test_every_place_that_a_row_names_exists_in_the_code_itself(rows):
    for place in {place for row in rows for place in code_spans(row["where"])}:
        assert (ROOT / place).exists(), f"{place} does not exist"
        assert place.split("/")[0] in {"tables", "wallets", "sessions_app", "roulette_site", "templates", "static"}, (
            place
        )


def test_every_mark_names_ids_that_exist_and_its_file_stands_in_their_rows(rows, ids):
    """The marks are read as plain text here, without the generator."""
    in_rows = {row["rule"]: row["tests"] for row in rows}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.is_relative_to(Path(__file__).parent):
            continue
        for mark in re.findall(r"mark\.article\(([^()]*)\)", path.read_text(encoding="utf-8")):
            for rule in re.findall(r"[\"']([^\"']+)[\"']", mark):
                assert rule in ids, f"{path}: {rule}"
                assert path.relative_to(ROOT).as_posix() in in_rows[rule], f"{path}: {rule}"
