#!/usr/bin/env python3
"""Change each constant of the engine in turn, and see that the engine's tests notice every one.

Usage: python tools/mutate_engine.py [MODULE ...]      (the stem of a file; default: every module of tables/roulette)

Each number, text and truth value that carries meaning is changed alone, in memory, in a process of its own that runs
tests/roulette and stops at the first failure. Prints what survived. The exit status is 1 if anything did, and 2 if the
tests do not pass on the engine as it is, since then they would "notice" everything.
"""

import argparse
import ast
import importlib.util
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "tables" / "roulette"
TESTS = ROOT / "tests" / "roulette"
# The files that notice most come first, so that most mutants die within the first second.
FIRST = ("test_second_derivation.py", "test_golden.py")
# A changed constant can make a loop endless; that is noticed too.
MOST_SECONDS = 120
WORKERS = os.cpu_count() or 1
# Arguments that change no result: the size of a cache, the layout of an object in memory, a check of lengths that the
# code itself fixes.
WITHOUT_MEANING = frozenset({"maxsize", "slots", "strict"})


@dataclass(frozen=True)
class Mutant:
    """One changed constant."""

    file: Path
    line: int
    column: int
    before: str
    after: str
    code: CodeType

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}:{self.column + 1}: {self.before} -> {self.after}"

    @property
    def module(self) -> str:
        """The dotted name of the module that the change is in."""
        parts = self.file.relative_to(ROOT).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Every change of one constant of the module, compiled."""
    tree = ast.parse(file.read_bytes())
    passed_over = set(_without_meaning(tree))
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in passed_over]:
        before = node.value
        for after in _changes(before):
            node.value = after
            code = compile(tree, str(file), "exec", dont_inherit=True)
            yield Mutant(file, node.lineno, node.col_offset, repr(before), repr(after), code)
        node.value = before


def _changes(value: object) -> Sequence[bool | int | float | str]:
    match value:
        case bool():
            return (not value,)
        case int() | float():
            return (value + 1,)
        case str() if value:
            return (value + "x",)
    return ()


def _without_meaning(tree: ast.AST) -> Iterator[ast.AST]:
    """Constants that only people and type checkers read, or that change no result."""
    for node in ast.walk(tree):
        match node:
            # Docstrings; messages of errors; the words of text that is put together.
            case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.JoinedStr():
                yield from ast.walk(node)
            case ast.AnnAssign(annotation=hint) | ast.arg(annotation=hint) | ast.FunctionDef(returns=hint) if hint:
                yield from ast.walk(hint)
            case ast.keyword(arg=name) if name in WITHOUT_MEANING:
                yield from ast.walk(node)


class _Injector:
    """Finds one module, and gives it other code than its file has."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.mutant.module:
            return None
        folder = [str(self.mutant.file.parent)] if self.mutant.file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            name,
            self.mutant.file,
            loader=self,  # type: ignore[arg-type]
            submodule_search_locations=folder,
        )

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.mutant.code, module.__dict__)  # noqa: S102


def start(mutant: Mutant | None) -> int:
    """Start the engine's tests on the engine with the change, or as it is; the id of the process that runs them.

    Its exit status is 0 if every test passed.
    """
    process = os.fork()
    if process:
        return process
    # From here on this is the child, which must end by itself whatever happens.
    status = 1
    try:
        signal.alarm(MOST_SECONDS)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, sys.stdout.fileno())
        os.dup2(silence, sys.stderr.fileno())
        if mutant is not None:
            sys.meta_path.insert(0, _Injector(mutant))
        status = _run_tests()
    finally:
        os._exit(status)


def _run_tests() -> int:
    import pytest

    files = [str(TESTS / name) for name in FIRST] + [
        str(file) for file in sorted(TESTS.glob("test_*.py")) if file.name not in FIRST
    ]
    # The engine needs no database, site or browser, and each mutant would have to start them. So there is no conftest,
    # there are few plugins, and an empty configuration stands in for the project's.
    alone = ["--noconftest", "-p", "no:django", "-p", "no:playwright", "-p", "no:cacheprovider"]
    return int(pytest.main(["-x", "-q", "-c", os.devnull, f"--rootdir={ROOT}", *alone, *files]))


def _prepare() -> None:
    """Load what the children share; nothing of the engine, so that each of them loads it with its own change."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.dont_write_bytecode = True
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roulette_site.settings.test")
    import django.core.management
    import hypothesis
    import pytest  # noqa: F401

    assert django.core.management is not None
    hypothesis.settings.register_profile(
        "mutants", max_examples=25, derandomize=True, deadline=None, database=None, print_blob=False
    )
    hypothesis.settings.load_profile("mutants")
    assert not any(name.startswith("tables.") for name in sys.modules), "the engine is loaded too early"


def main() -> int:
    """Try every mutant of the named modules; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    names = parser.parse_args().modules
    _prepare()
    if os.waitpid(start(None), 0)[1]:
        print("tests/roulette does not pass on the engine as it is: run pytest on it.", file=sys.stderr)
        return 2
    files = [file for file in sorted(ENGINE.rglob("*.py")) if not names or file.stem in names]
    waiting = [mutant for file in files for mutant in mutants_of(file)][::-1]
    tried = len(waiting)
    running: dict[int, Mutant] = {}
    survivors = []
    while waiting or running:
        while waiting and len(running) < WORKERS:
            mutant = waiting.pop()
            running[start(mutant)] = mutant
        process, status = os.wait()
        mutant = running.pop(process)
        if status == 0:
            survivors.append(mutant)
            print(f"survived: {mutant}", flush=True)
    print(f"{tried} constants changed, {tried - len(survivors)} noticed, {len(survivors)} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
