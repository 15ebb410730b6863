"""The golden tables: what stands in docs/golden is what the engine says, and what the law says."""

from pathlib import Path

import pytest

from tables.management.commands.golden import FOLDER, SIGNS, golden_table
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks
from tests.roulette import second_derivation as law

RULEBOOKS = pytest.mark.parametrize("rulebook", all_rulebooks(), ids=lambda rulebook: rulebook.code)


@RULEBOOKS
def test_the_golden_table_is_what_the_engine_says(rulebook: Rulebook) -> None:
    assert (Path(FOLDER) / f"{rulebook.code}.txt").read_text() == golden_table(rulebook)


@RULEBOOKS
def test_the_golden_table_is_what_the_law_says(rulebook: Rulebook) -> None:
    lines = (Path(FOLDER) / f"{rulebook.code}.txt").read_text().splitlines()[-161:]
    spots = {
        f"{wager.replace('_', ' ')} {'-'.join(map(str, on))}".strip(): numbers
        for (wager, on), numbers in law.spots().items()
    }
    read = {}
    for line in lines:
        name, back, maximum, _, signs = line[:34].strip(), *line[34:].split()
        read[name] = (back, maximum, signs)
    assert read == {
        name: (
            f"{(200 + law.prize(len(numbers), 200)) / 100:.2f}",
            f"{law.MAXIMA[rulebook.code][len(numbers)]}x",
            "".join(SIGNS[law.outcome(rulebook.code, numbers, number, 200)[0]] for number in range(37)),
        )
        for name, numbers in spots.items()
    }
