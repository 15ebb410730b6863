"""docs/glossary.md: one line a word, alphabetic, and no word laid in the law's mouth."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAW = ROOT / "docs/law"


def words():
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return rows[1:]


def law(*names):
    return " ".join(" ".join((LAW / name).read_text(encoding="utf-8").split()) for name in names).casefold()


def test_each_word_has_one_line_with_a_meaning():
    names = [word for word, *_ in words()]
    assert len(names) == len({name.casefold() for name in names})
    assert all(len(row) == 4 and row[1].endswith(".") for row in words())


def test_the_words_stand_in_alphabetic_order():
    names = [word.casefold() for word, *_ in words()]
    assert names == sorted(names)


def test_the_terms_of_the_law_stand_in_the_law():
    regulation = law("pt-807-2015.txt")
    decree = law("fr-roulette-francaise.txt", "fr-roulette-anglaise.txt")
    for word, _, portuguese, french in words():
        for term in re.findall(r'"([^"]+)"', portuguese):
            assert term.casefold() in regulation, f"{word}: {term}"
        for term in filter(None, french.split(", ")):
            assert term.casefold() in decree, f"{word}: {term}"


def test_the_words_of_the_design_are_there():
    listed = " ".join(word for word, *_ in words()).casefold()
    for word in (
        "Account", "bank", "Bet", "BetOutcome", "breach", "CallBet", "client seed", "Cloth", "commitment", "correction",
        "digest", "edition", "event", "freed", "GameRound", "GameSession", "gaming day", "GGR", "half back", "hold %",
        "house", "in play", "launch", "live bet", "maximum", "minimum", "net", "Opening", "Pocket", "prison", "prize",
        "proof", "returned", "reveal", "RoundTotals", "Rulebook", "Seat", "seed", "Sitting", "Slip", "SpecificRules",
        "Spot", "stake", "stake step", "sweep", "taken back", "Transfer", "Wheel",
    ):  # fmt: skip
        assert word.casefold() in listed, word
