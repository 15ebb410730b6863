"""Rulebooks are values: they check themselves, editions stand beside each other, a fourth one is one file."""

import ast
import dataclasses
import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tables.roulette
from tables.roulette import rulebooks
from tables.roulette.cloth import SpotType, find_spot
from tables.roulette.rulebook import CODE_LETTERS, HALF_BACK_AT_ZERO, Prize, RulebookInvalid, ZeroRule
from tables.roulette.rulebooks import UnknownRulebook, all_rulebooks, find_rulebook, pt_online
from tables.roulette.settlement import returned_cents, spot_results

FOLDER = Path(tables.roulette.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("roulette_site", "wallets", "tables", "sessions_app", "templates", "static")
TEXTS = {".py", ".html", ".js", ".css", ".svg", ".txt", ".json"}


@pytest.fixture
def folder_of_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second folder whose files are rulebooks too."""
    monkeypatch.setattr(rulebooks, "__path__", [*rulebooks.__path__, str(tmp_path)])
    rulebooks._known.cache_clear()
    yield tmp_path
    rulebooks._known.cache_clear()
    for name in [name for name in sys.modules if name.startswith("tables.roulette.rulebooks.extra_")]:
        del sys.modules[name]


AMENDED = """
import dataclasses, datetime as dt
from tables.roulette.cloth import SpotType
from tables.roulette.rulebooks.pt_online import RULEBOOK
RULEBOOKS = (dataclasses.replace(RULEBOOK, edition=dt.date(2027, 1, 1), maxima={**RULEBOOK.maxima, SpotType.LINE: 200}),)
"""


def test_an_edition_of_2027_stands_beside_the_old_one(folder_of_more: Path) -> None:
    old = find_rulebook("pt-online", dt.date(2015, 11, 26))
    digest = old.digest
    (folder_of_more / "extra_pt_2027.py").write_text(AMENDED)
    rulebooks._known.cache_clear()
    line = find_spot("line", [1, 2, 3, 4, 5, 6])
    assert find_rulebook("pt-online").edition == dt.date(2027, 1, 1)
    assert find_rulebook("pt-online").maximum_cents(line, 100) == 20000
    # A round of 2026 names its edition, and is settled and verified by it.
    assert find_rulebook("pt-online", dt.date(2015, 11, 26)) is old
    assert old.maximum_cents(line, 100) == 18000
    assert old.digest == digest != find_rulebook("pt-online").digest


def test_a_fourth_rulebook_is_one_file(folder_of_more: Path) -> None:
    (folder_of_more / "extra_fourth.py").write_text(
        AMENDED.replace("edition=dt.date(2027, 1, 1)", "code='mt-online', edition=dt.date(2030, 1, 1)")
    )
    rulebooks._known.cache_clear()
    assert [rulebook.code for rulebook in all_rulebooks()] == ["fr-anglaise", "fr-francaise", "mt-online", "pt-online"]
    result = spot_results(find_rulebook("mt-online"), 17)[17]
    assert returned_cents(result, 100) == 3600


def test_two_files_of_one_edition_are_refused(folder_of_more: Path) -> None:
    (folder_of_more / "extra_twice.py").write_text(AMENDED.replace("2027, 1, 1", "2015, 11, 26"))
    rulebooks._known.cache_clear()
    with pytest.raises(RulebookInvalid):
        all_rulebooks()


PT = pt_online.RULEBOOK


@pytest.mark.parametrize(
    "wrong",
    [
        {"prizes": {**PT.prizes, SpotType.CORNER: Prize(9)}},
        {"prizes": {**PT.prizes, SpotType.SPLIT_DOZEN: Prize(1)}},
        {"prizes": {wager: prize for wager, prize in PT.prizes.items() if wager != SpotType.RED}},
        {"maxima": {**PT.maxima, SpotType.LINE: 0}},
        {"maxima": {wager: most for wager, most in PT.maxima.items() if wager != SpotType.LINE}},
        {"payment_order": PT.payment_order[1:]},
        {"payment_order": (*PT.payment_order, SpotType.RED)},
        {"call_bets": ("jeu_zero",)},
        {"lawful_sources": ()},
        {"lawful_sources": ("guessed",)},
        {"lawful_sources": ("drawn", "drawn")},
        {"call_bets": ("tiers", "voisins", "tiers")},
        {"options": ("stake_step", "free_drinks")},
        {"options": ("stake_step", "stake_step")},
        *[
            {"zero_rule": ZeroRule(*rule)}
            for rule in (("thirds", 1, 3), ("half", 3, 2), ("half", 1, 3), ("lost", 1), ("zero_choice", 1))
        ],
        *[{"code": code} for code in ("", "PT", "pt_online", "pt-", "-pt", "pt--x", "pt/online", "1pt", "x" * 21, 5)],
        *[{name: said} for name in ("title", "act", "article", "publication", "in_force") for said in (" ", None, 5)],
        *[{"edition": edition} for edition in (None, "2015-11-26", dt.datetime(2015, 11, 26))],
        *[{"maxima": {**PT.maxima, SpotType.LINE: most}} for most in (180.5, True, "180")],
        *[{"prizes": {**PT.prizes, SpotType.CORNER: Prize(*ratio)}} for ratio in ((-8, -1), (16, 2), (8.0,), (True,))],
        {"options": tuple(option for option in PT.options if option != "call_bets")},
    ],
)
def test_a_rulebook_that_contradicts_itself_is_not_built(wrong: dict[str, object]) -> None:
    with pytest.raises(RulebookInvalid):
        dataclasses.replace(PT, **wrong)  # type: ignore[arg-type]


def test_a_code_fills_its_column_and_no_more() -> None:
    assert dataclasses.replace(PT, code="x" * CODE_LETTERS).code == "x" * 20


def test_what_was_given_as_a_list_or_dictionary_is_frozen() -> None:
    options, maxima = list(PT.options), dict(PT.maxima)
    built = dataclasses.replace(
        PT, options=options, maxima=maxima, payment_order=list(PT.payment_order), lawful_sources=["drawn"]
    )  # type: ignore[arg-type]
    options.append("free drinks")
    maxima[SpotType.LINE] = 1
    assert built.digest == PT.digest
    assert built.options == PT.options
    assert all(type(getattr(built, name)) is tuple for name in ("options", "payment_order", "lawful_sources"))


@pytest.mark.parametrize(
    "changed",
    [
        {"edition": dt.date(2027, 1, 1)}, {"title": "x"}, {"act": "x"}, {"article": "x"}, {"publication": "x"},
        {"in_force": "x"}, {"lawful_sources": ("dealt",)}, {"maxima": {**PT.maxima, SpotType.LINE: 181}},
        {"zero_rule": HALF_BACK_AT_ZERO}, {"call_bets": ("voisins",)}, {"options": ("call_bets",)},
        {"payment_order": PT.payment_order[::-1]}, {"code": "xx"},
    ],
)  # fmt: skip
def test_the_digest_covers_all_that_a_rulebook_says(changed: dict[str, object]) -> None:
    assert dataclasses.replace(PT, **changed).digest != PT.digest  # type: ignore[arg-type]


def test_digests_are_for_ever() -> None:
    # Stored with every round: a value of an edition in use is never edited, an amendment is a new edition.
    assert {rulebook.code: rulebook.digest[:16] for rulebook in all_rulebooks()} == {
        "fr-anglaise": "29dee8e1eb5d3064",
        "fr-francaise": "ae482d28d1503352",
        "pt-online": "70222e3a55b5dc91",
    }


def test_a_rulebook_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        PT.code = "xx"  # type: ignore[misc]
    with pytest.raises(TypeError):
        PT.maxima[SpotType.LINE] = 1  # type: ignore[index]


@pytest.mark.parametrize(("code", "edition"), [("pt", None), ("", None), ("pt-online", dt.date(2016, 1, 1))])
def test_an_unknown_rulebook_is_named(code: str, edition: dt.date | None) -> None:
    with pytest.raises(UnknownRulebook):
        find_rulebook(code, edition)


def test_the_engine_imports_the_standard_library_and_itself_alone() -> None:
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names or name.startswith("tables.roulette"), f"{file.name}: {name}"


def test_no_code_of_a_rulebook_stands_outside_its_own_file() -> None:
    codes = [rulebook.code for rulebook in all_rulebooks()]
    # The demonstration has to name the rulebooks that its tables play by.
    allowed = {*(ROOT / "tables" / "roulette" / "rulebooks").glob("*.py"), ROOT / "sessions_app" / "demo" / "seed.py"}
    files = {file for folder in PACKAGES for file in (ROOT / folder).rglob("*") if file.suffix in TEXTS} - allowed
    assert {file.relative_to(ROOT).parts[0] for file in files} == set(PACKAGES)
    found = [(str(file.relative_to(ROOT)), code) for file in files for code in codes if code in file.read_text()]
    assert found == []
