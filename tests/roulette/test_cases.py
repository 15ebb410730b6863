"""The cases with right answers: every case of the engine's kinds is put to the settle requests or to the engine."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tables.roulette.bets import Bet
from tables.roulette.call_bets import CallBet
from tables.roulette.cloth import SPOTS, find_spot
from tables.roulette.wheel import WHEEL, colour_of, neighbours_of
from tables.settle_requests import answer_text
from tests.cases.run_cases import KINDS, faults, request

FOLDER = Path(__file__).parent.parent / "cases"
FILES = {kind: json.loads((FOLDER / f"{kind}.json").read_text()) for kind in (*KINDS, "wheel")}
CASES = {kind: {case["id"]: case for case in cases} for kind, cases in FILES.items()}

# Which cases there are, typed: one that is left out of a file, or out of a test, is missed.
NUMBERS = {
    "settle": (
        "SET",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 034 036 038 039 041 043 045 046 "
        "048 050 052 053 055 057 059 060 062 064 066 067 069 071 073 074 076 078 080 081 083 085 087 088 090 092 094 "
        "095 097 099 101 102 104 106 108 109 111 113 115 116 118 120 122 123 125 127 129 130 132 134 136 137 139 141 "
        "143 144 146 148 150 151 153 155 157 158 160 162 164 165 167 169 171 172 174 176 178 179 181 183 185 186 188 "
        "190 192 193 195 197 199 200 202 204 205 206 207 208",
    ),
    "limits": (
        "LIM",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 034 036 038 039 041 043 045 046 "
        "048 050 052 053 055 057 059 060 062 064 066 067 069 071 073 074 076 078 080 081 083 085 087 088 090 092 094 "
        "095 097 099 101 102 104 106 108 109 111 113 115 116 118 120 122 123 125 127 129 130 132 134 136 137 139 141 "
        "143 144 146 148 149 150 152 153 155 157 159 160 162 164 166 167 169 170 172 174 175 177 178 179 180 181 182 "
        "183 184 185 186",
    ),
    "layout": (
        "LAY",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 034 036 038 039 041 043 045 046 "
        "048 050 052 053 055 057 059 060 062 064 066 067 069 071 073 074 076 078 080 081 083 085 087 088 090 092 094 "
        "095 097 099 101 102 104 106 108 109 110 111 113 115 117 118 120 122 124 125 126 128 130 132 133 134 136 138 "
        "140 141 143 145 147 148 150 152",
    ),
    "callbet": (
        "CAL",
        "001 003 004 006 008 010 011 012 013 015 017 019 020 022 024 026 027 029 031 033 034 036 038 040 041 043 045 "
        "047 048 050 051 052",
    ),
    "neighbours": (
        "NEI",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 034 036 038 039 041 043 045 046 "
        "048 050 052 053 054 056 058 060 061",
    ),
    "zero": (
        "ZER",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 034 035 036 037 038 039 041 043 "
        "044 046 048 050 051 053 055 057 058 060 062 064 065 067 069 071 072",
    ),
    "wheel": (
        "WHE",
        "001 003 004 006 008 010 011 013 015 017 018 020 022 024 025 027 029 031 032 033 035 037 039",
    ),
}
# Those that no settle request can put: they are asked of the engine itself.
ENUMERATIONS = (
    "LAY-141", "LAY-143", "LAY-145", "LAY-147", "LAY-148", "LAY-150", "LAY-152", "CAL-047", "CAL-050",
)  # fmt: skip
# What run_cases.faults, or the test of the kind, looks at.
LOOKED_AT = {
    "settle": {"per_bet", "staked", "returned", "net"},
    "limits": {"accept", "reason", "maximum"},
    "layout": {"valid", "type"},
    "callbet": {"accept", "reason", "bets", "numbers", "total", "returned", "net"},
    "neighbours": {"accept", "reason", "numbers", "units", "total", "returned", "net"},
    "zero": {"steps", "returned", "net"},
}

SETTLED = {
    "14": pytest.mark.article("pt:14"),
    "14a-i": pytest.mark.article("pt:14a-i"),
    "14a-ii": pytest.mark.article("pt:14a-ii"),
    "14a-iii": pytest.mark.article("pt:14a-iii"),
    "14a-iv": pytest.mark.article("pt:14a-iv"),
    "14a-v": pytest.mark.article("pt:14a-v"),
    "14a-vi": pytest.mark.article("pt:14a-vi"),
    "14a-vii": pytest.mark.article("pt:14a-vii"),
    "14a-viii": pytest.mark.article("pt:14a-viii"),
    "14a-ix": pytest.mark.article("pt:14a-ix"),
    "14b": pytest.mark.article("pt:14b"),
    "20": pytest.mark.article("pt:20"),
    "21": pytest.mark.article("pt:21"),
}
LIMITED = {
    "3b": pytest.mark.article("pt:3b"),
    "3c": pytest.mark.article("pt:3c"),
    "11": pytest.mark.article("pt:11"),
    "12": pytest.mark.article("pt:12"),
    "13": pytest.mark.article("pt:13"),
}
LAID_OUT = {
    "7a-i": pytest.mark.article("pt:7a-i"),
    "7a-ii": pytest.mark.article("pt:7a-ii"),
    "7a-iii": pytest.mark.article("pt:7a-iii"),
    "7a-iv": pytest.mark.article("pt:7a-iv"),
    "7a-v": pytest.mark.article("pt:7a-v"),
    "7a-vi": pytest.mark.article("pt:7a-vi"),
    "7a-vii": pytest.mark.article("pt:7a-vii"),
    "7a-viii": pytest.mark.article("pt:7a-viii"),
    "7a-ix": pytest.mark.article("pt:7a-ix"),
}
CALLED = {
    "8a": pytest.mark.article("pt:8a"),
    "8b": pytest.mark.article("pt:8b"),
    "8c": pytest.mark.article("pt:8c"),
    "8e": pytest.mark.article("pt:8e"),
    "15": pytest.mark.article("pt:15"),
}
NEIGHBOURS = {
    2: pytest.mark.article("pt:8d", "pt:8d-i"),
    4: pytest.mark.article("pt:8d", "pt:8d-ii"),
    6: pytest.mark.article("pt:8d", "pt:8d-iii"),
}
ON_THE_WHEEL = {
    "6a": pytest.mark.article("pt:6a"),
    "6b": pytest.mark.article("pt:6b"),
    "6c": pytest.mark.article("pt:6c"),
}


def ids_of(kind: str) -> list[str]:
    prefix, numbers = NUMBERS[kind]
    return [f"{prefix}-{number}" for number in numbers.split()]


def rules_of(case: dict[str, Any]) -> list[str]:
    """The Portuguese rules that the case is drawn from, as in "seed PT 807/2015 rules 8d, 15; B113"."""
    found = re.match(r"seed PT 807/2015 rules? ([^;]*)", case["source"])
    return re.findall(r"\d+[a-e]?(?:-[ivx]+)?", found[1]) if found else []


# Every case that a request puts, beside its request; tests/api puts some of them over HTTP.
ASKED = [
    (CASES[kind][case_id], request(CASES[kind][case_id]))
    for kind in KINDS
    for case_id in ids_of(kind)
    if case_id not in ENUMERATIONS
]


def asked(marks: dict[str, pytest.MarkDecorator], *kinds: str) -> list[Any]:
    """The cases of these kinds that a request puts, each marked with those of its rules that its answer shows."""
    return [
        pytest.param(
            kind, case_id, id=case_id, marks=[marks[rule] for rule in rules_of(CASES[kind][case_id]) if rule in marks]
        )
        for kind in kinds
        for case_id in ids_of(kind)
        if case_id not in ENUMERATIONS
    ]


def answer_to(kind: str, case_id: str) -> dict[str, Any]:
    """Put the case and find nothing wrong with its answer, which is returned."""
    case = CASES[kind][case_id]
    assert set(case["expect"]) <= LOOKED_AT[kind]
    put = request(case)
    assert put
    answer: dict[str, Any] = answer_text(json.dumps(put))
    assert faults(case, put, answer) == []
    return answer


@pytest.mark.parametrize(("kind", "case_id"), asked(SETTLED, "settle", "zero"))
def test_bets_return_what_the_case_says(kind: str, case_id: str) -> None:
    answer_to(kind, case_id)


@pytest.mark.parametrize(("kind", "case_id"), asked(LIMITED, "limits"))
def test_limits_are_those_of_the_case(kind: str, case_id: str) -> None:
    answer_to(kind, case_id)


@pytest.mark.parametrize(("kind", "case_id"), asked(LAID_OUT, "layout"))
def test_numbers_are_the_spot_that_the_case_says_or_none(kind: str, case_id: str) -> None:
    answer_to(kind, case_id)


@pytest.mark.parametrize(("kind", "case_id"), asked(CALLED, "callbet"))
def test_a_call_bet_is_what_the_case_says(kind: str, case_id: str) -> None:
    answer_to(kind, case_id)


@pytest.mark.parametrize(
    "case_id",
    [
        pytest.param(case_id, marks=NEIGHBOURS.get(CASES["neighbours"][case_id]["given"]["neighbours"], ()))
        for case_id in ids_of("neighbours")
    ],
)
def test_a_number_and_its_neighbours_are_those_of_the_case(case_id: str) -> None:
    expected = CASES["neighbours"][case_id]["expect"]
    answer = answer_to("neighbours", case_id)
    if "units" in expected:
        assert [bet["stake"] for bet in answer["bets"]] == ["1.00"] * expected["units"]


@pytest.mark.parametrize("case_id", ENUMERATIONS)
def test_enumeration(case_id: str) -> None:
    case = next(cases[case_id] for cases in CASES.values() if case_id in cases)
    assert not request(case)
    given, expected = case["given"], case["expect"]
    if "enumerate" in given and given["enumerate"] == "containing":
        counted = Counter(str(spot.type) for spot in SPOTS if given["number"] in spot.pockets)
        assert {wager: counted[wager] for wager in expected} == expected
    elif "enumerate" in given:
        assert sum(str(spot.type) == given["enumerate"] for spot in SPOTS) == expected["count"]
    elif "check" in given:
        assert given["check"] == "partition"
        series = [_numbers(name) for name in given["names"]]
        assert sorted(number for numbers in series for number in numbers) == expected["union"]
        assert sorted(n for n in range(37) if sum(n in numbers for numbers in series) > 1) == expected["overlap"]
    else:
        # All the money that he has is on the call: 9.00 on voisins. tests/tables/test_betting.py plays it at a table.
        assert (given, expected) == (
            {"name": "voisins", "unit": "1.00", "balance": "9.00"}, {"accept": True, "balance": "0.00"}
        )  # fmt: skip
        assert CallBet("voisins", 100).parts == (
            Bet(find_spot("street", [0, 2, 3]), 200),
            Bet(find_spot("split", [4, 7]), 100),
            Bet(find_spot("split", [12, 15]), 100),
            Bet(find_spot("split", [18, 21]), 100),
            Bet(find_spot("split", [19, 22]), 100),
            Bet(find_spot("corner", [25, 26, 28, 29]), 200),
            Bet(find_spot("split", [32, 35]), 100),
        )


def _numbers(name: str) -> set[int]:
    return {number for bet in CallBet(name, 100).parts for number in bet.spot.numbers}


@pytest.mark.parametrize(("kind", "case_id"), asked(ON_THE_WHEEL, "wheel"))
def test_wheel(kind: str, case_id: str) -> None:
    given, expected = CASES[kind][case_id]["given"], CASES[kind][case_id]["expect"]
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


def test_the_files_hold_the_cases_that_are_typed_here_and_no_other() -> None:
    assert {kind: [case["id"] for case in cases] for kind, cases in FILES.items()} == {
        kind: ids_of(kind) for kind in NUMBERS
    }


def test_every_mark_of_the_cases_stands_on_one() -> None:
    groups = {
        ("settle", "zero"): SETTLED,
        ("limits",): LIMITED,
        ("layout",): LAID_OUT,
        ("callbet",): CALLED,
        ("wheel",): ON_THE_WHEEL,
    }
    for kinds, marks in groups.items():
        assert set(marks) <= {rule for kind in kinds for case in FILES[kind] for rule in rules_of(case)}
    assert set(NEIGHBOURS) <= {case["given"]["neighbours"] for case in FILES["neighbours"]}
