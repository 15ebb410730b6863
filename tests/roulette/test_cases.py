"""The cases with right answers: every case of the engine's kinds is put to the settle requests or to the engine."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tables.roulette.call_bets import CallBet
from tables.roulette.cloth import SPOTS
from tables.roulette.wheel import WHEEL, colour_of, neighbours_of
from tables.settle_requests import answer_text
from tests.cases.run_cases import KINDS, faults, request

FOLDER = Path(__file__).parent.parent / "cases"


def _cases(*kinds: str) -> list[dict[str, Any]]:
    return [case for kind in kinds for case in json.loads((FOLDER / f"{kind}.json").read_text())]


ENGINE_CASES = _cases(*KINDS)
ASKED = [(case, asked) for case in ENGINE_CASES if (asked := request(case))]
ENUMERATIONS = [case for case in ENGINE_CASES if not request(case)]


@pytest.mark.article(
    "pt:14", "pt:12", "pt:15", "pt:20", "pt:21", "pt:8d", "pt:8d-i", "pt:8d-ii", "pt:8d-iii", "pt:8e", "pt:11"
)
@pytest.mark.parametrize(("case", "asked"), ASKED, ids=[case["id"] for case, _ in ASKED])
def test_case(case: dict[str, Any], asked: dict[str, Any]) -> None:
    assert faults(case, asked, answer_text(json.dumps(asked))) == []


@pytest.mark.parametrize("case", ENUMERATIONS, ids=[case["id"] for case in ENUMERATIONS])
def test_enumeration(case: dict[str, Any]) -> None:
    given, expected = case["given"], case["expect"]
    if "enumerate" in given and given["enumerate"] == "containing":
        counted = Counter(str(spot.type) for spot in SPOTS if given["number"] in spot.pockets)
        assert {wager: counted[wager] for wager in expected} == expected
    elif "enumerate" in given:
        assert sum(str(spot.type) == given["enumerate"] for spot in SPOTS) == expected["count"]
    elif given.get("check") == "partition":
        series = [_numbers(name) for name in given["names"]]
        assert sorted(number for numbers in series for number in numbers) == expected["union"]
        assert sorted(n for n in range(37) if sum(n in numbers for numbers in series) > 1) == expected["overlap"]
    else:
        # Money of a call bet against a balance: tests/tables/test_betting.py plays these at a table.
        assert "balance" in given
        assert CallBet(given["name"], 100).parts


def _numbers(name: str) -> set[int]:
    return {number for bet in CallBet(name, 100).parts for number in bet.spot.numbers}


WHEEL_CASES = _cases("wheel")


@pytest.mark.article("pt:6a", "pt:6b", "pt:6c", "fr-francaise:1", "fr-francaise:4", "fr-anglaise:1")
@pytest.mark.parametrize("case", WHEEL_CASES, ids=[case["id"] for case in WHEEL_CASES])
def test_wheel(case: dict[str, Any]) -> None:
    given, expected = case["given"], case["expect"]
    if "colour_of" in given:
        assert colour_of(given["colour_of"]) == expected["colour"]
    else:
        assert wheel_answer(given) == expected


def wheel_answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the wheel says of a question that is not about a colour."""
    if "next_clockwise" in given:
        return {"number": neighbours_of(given["next_clockwise"], 1)[2]}
    if given.get("count") == "pockets":
        return {"value": len(set(WHEEL))}
    if "count" in given:
        return {"value": sum(colour_of(number) == given["count"] for number in WHEEL)}
    if given.get("check") == "alternation":
        colours = [colour_of(number) for number in WHEEL[1:]]
        return {"ok": colours[0] == "red" and all(a != b for a, b in pairwise(colours))}
    asked = {"rulebook": "pt-online", "bets": [{"type": "straight", "on": [0], "stake": "1.00"}]}
    return {"accept": answer_text(json.dumps(asked | {"numbers": [given["result"]]}))["accepted"]}


def test_every_case_of_the_engines_kinds_is_covered() -> None:
    covered = {case["id"] for case, _ in ASKED} | {case["id"] for case in ENUMERATIONS + WHEEL_CASES}
    assert covered == {case["id"] for case in _cases(*KINDS, "wheel")}
    assert len(WHEEL) == 37
