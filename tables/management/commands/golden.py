"""`manage.py golden`: write the golden tables, what every number makes of every spot, for a lawyer to check."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.roulette.cloth import SPOTS, Spot
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks
from tables.roulette.settlement import SpotResult, returned_cents, spot_results
from tables.roulette.wheel import WHEEL
from wallets.amounts import format_cents

FOLDER = Path(settings.BASE_DIR) / "docs" / "golden"
# One sign a result, so that 37 of them stand in a line.
SIGNS = {"won": "W", "lost": ".", "half": "h", "zero_choice": "c"}
# An even stake, of which every prize is a whole number of cents.
STAKE_CENTS = 200


class Command(BaseCommand):
    help = "Write docs/golden/: for each rulebook what every number makes of every spot."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whether to compare instead."""
        parser.add_argument("--check", action="store_true", help="compare with what stands, and fail on a difference")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the tables, or compare them."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        differing = []
        for rulebook in all_rulebooks():
            file = FOLDER / f"{rulebook.code}.txt"
            text = golden_table(rulebook)
            if not options["check"]:
                file.write_text(text)
            elif not file.exists() or file.read_text() != text:
                differing.append(file.name)
        if differing:
            raise CommandError(f"Not what the engine says now: {', '.join(differing)}. Run make golden, read the diff.")


def golden_table(rulebook: Rulebook) -> str:
    """Write a rulebook's table: a line for each spot, a sign for each number, and what a winning stake gets back."""
    return "\n".join([*_head(rulebook), *(_line(rulebook, spot) for spot in SPOTS)]) + "\n"


def _head(rulebook: Rulebook) -> Iterator[str]:
    yield f"{rulebook.title}: {rulebook.code}, edition {rulebook.edition}"
    yield f"{rulebook.act}. {rulebook.article}. {rulebook.publication}."
    yield f"Digest of all that it says, as every round keeps it: {rulebook.digest}"
    yield ""
    yield f"For each spot: what a stake of {format_cents(STAKE_CENTS)} gets back where it wins (stake and prize), its"
    yield "maximum as a multiple of the table's minimum, its place in the order of payment, and what each number makes"
    yield "of it:"
    yield "W won, . lost, h half goes back, c the player chooses between half back and prison."
    yield ""
    numbers = sorted(WHEEL)
    indent = " " * 66
    yield indent + "".join(str(number // 10) if number >= 10 else " " for number in numbers)
    yield f"{'spot':34}{'gets back':>12}{'maximum':>10}{'paid':>6}    " + "".join(str(n % 10) for n in numbers)


def _line(rulebook: Rulebook, spot: Spot) -> str:
    results: list[SpotResult] = [spot_results(rulebook, number)[spot.index] for number in sorted(WHEEL)]
    back = {format_cents(returned_cents(result, STAKE_CENTS)) for result in results if result.kind == "won"}
    signs = "".join(SIGNS[result.kind] for result in results)
    return (
        f"{spot!s:34}{' '.join(sorted(back)):>12}{rulebook.maxima[spot.type]:>9}x{rulebook.payment_rank(spot) + 1:>6}"
        f"    {signs}"
    )
