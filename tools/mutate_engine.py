"""Change each constant of the engine in turn, and see that the tests notice every one.

Usage: python tools/mutate_engine.py [MODULE ...]      (default: every module of tables/roulette that holds constants)

Each number, text and truth value outside docstrings and messages is changed, one at a time, in a copy of the tree, and
the engine's tests are run on it. Prints the survivors and ends with status 1 if there is one.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "tables" / "roulette"
NEEDED = (
    "manage.py",
    "pyproject.toml",
    "roulette_site",
    "wallets",
    "tables",
    "sessions_app",
    "tests",
    "docs",
    "templates",
)
# What a constant means to nobody but a reader: the words of messages.
MESSAGES = ("InvalidSpot", "InvalidCall", "RulebookInvalid", "UnknownRulebook", "ValueError")
WORKERS = os.cpu_count() or 2


@dataclass(frozen=True)
class Mutant:
    """One constant, and what it is changed to."""

    file: Path
    line: int
    column: int
    end_column: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}:{self.column + 1}: {self.before} -> {self.after}"

    def source(self) -> str:
        """The module's text with the change."""
        lines = self.file.read_bytes().split(b"\n")
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.column] + self.after.encode() + line[self.end_column :]
        return b"\n".join(lines).decode()


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Every change of one constant of a module."""
    tree = ast.parse(file.read_text())
    passed_over = set(_without_meaning(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or node in passed_over or node.lineno != node.end_lineno:
            continue
        changed = _changed(node.value)
        if changed is None:
            continue
        text = ast.get_source_segment(file.read_text(), node) or ""
        if node.end_col_offset is not None:
            yield Mutant(file, node.lineno, node.col_offset, node.end_col_offset, text, changed)


def _changed(value: object) -> str | None:
    match value:
        case bool():
            return str(not value)
        case int():
            return str(value + 1)
        case float():
            return str(value + 1.0)
        case str() if value:
            return repr(value + "x")
    return None


def _without_meaning(tree: ast.AST) -> Iterator[ast.AST]:
    """Constants that only people read: docstrings, messages, parts of f-strings, names of types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Raise | ast.JoinedStr):
            yield from ast.walk(node)
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield from ast.walk(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield from ast.walk(node.returns)
        if isinstance(node, ast.FunctionDef):
            # lru_cache(maxsize=...) changes speed, not results.
            for decorator in node.decorator_list:
                yield from ast.walk(decorator)


def survives(mutant: Mutant, tree: Path) -> bool:
    """Run the engine's tests on a tree with the change; True if none noticed."""
    target = tree / mutant.file.relative_to(ROOT)
    original = target.read_text()
    target.write_text(mutant.source())
    environment = os.environ | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_PROFILE": "quick",
        "VAR_DIR": str(tree / "var"),
    }
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "tests/roulette", "-x", "-q", "-p", "no:cacheprovider"],
            cwd=tree,
            env=environment,
            capture_output=True,
            timeout=120,
        )
        return ran.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        target.write_text(original)


def main(names: list[str]) -> int:
    """Try every mutant of the named modules; the exit status."""
    files = [file for file in sorted(ENGINE.rglob("*.py")) if not names or file.stem in names]
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    with tempfile.TemporaryDirectory() as folder:
        trees = []
        for number in range(WORKERS):
            tree = Path(folder) / str(number)
            tree.mkdir()
            for needed in NEEDED:
                source = ROOT / needed
                (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / needed)
            trees.append(tree)
        with ThreadPoolExecutor(WORKERS) as pool:
            shares = [mutants[number::WORKERS] for number in range(WORKERS)]
            lived = list(
                pool.map(lambda pair: [m for m in pair[0] if survives(m, pair[1])], zip(shares, trees, strict=True))
            )
    survivors = [mutant for share in lived for mutant in share]
    for survivor in survivors:
        print(f"survived: {survivor}")
    print(f"{len(mutants)} constants changed, {len(mutants) - len(survivors)} noticed, {len(survivors)} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
