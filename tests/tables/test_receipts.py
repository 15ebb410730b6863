"""The receipt of a round, and the program that recomputes the round from it alone."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tables.draws import draw_number
from tables.models import GameRound
from tables.selectors.receipts import receipt_of
from tests.api.caller import Caller, make_key
from tests.api.problems import problem
from tests.house import House, PlayerAtTable, bet, make_house
from tests.web.pages import client_of
from wallets.models import Scope

pytestmark = pytest.mark.django_db
PROGRAM = Path(__file__).resolve().parents[2] / "docs" / "verify_round.py"
Receipt = dict[str, Any]


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> PlayerAtTable:
    return house.seated()


@pytest.fixture
def played(maria: PlayerAtTable) -> GameRound:
    return maria.play(bet("red", stake="2.00"), bet("straight", 17, stake="1.00"), bet("dozen", 2, stake="1.00"))


@pytest.fixture
def rulebook() -> dict[str, Any]:
    said: dict[str, Any] = json.loads(Client().get("/api/v1/rulebooks/pt-online").content)
    return said


@pytest.fixture
def receipt(played: GameRound, maria: PlayerAtTable) -> Receipt:
    return downloaded(played, maria)


def downloaded(game_round: GameRound, player: PlayerAtTable) -> Receipt:
    """As the player's browser gets it."""
    answer = client_of(player.seat.player).get(f"/account/rounds/{game_round.pk}/receipt.json")
    assert answer["Content-Disposition"] == f'attachment; filename="{game_round.table.slug}-{game_round.number}.json"'
    said: Receipt = json.loads(answer.content)
    return said


def verify(folder: Path, receipt: Any, rulebook: Any) -> tuple[int, str]:
    """Run the program as a stranger does: without the site, its packages and its folder."""
    names = []
    for name, said in (("receipt.json", receipt), ("rulebook.json", rulebook)):
        (folder / name).write_text(json.dumps(said))
        names.append(name)
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), *names], cwd=folder, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr


def test_a_round_is_recomputed_from_its_receipt_alone(receipt: Receipt, rulebook: Any, tmp_path: Path) -> None:
    status, said = verify(tmp_path, receipt, rulebook)
    assert (status, "WRONG" in said) == (0, False), said
    assert "3 of 3 bets are opened: 4.00 staked" in said
    assert said.endswith("All of it holds.\n")


def opened(receipt: Receipt) -> Receipt:
    first: Receipt = receipt["bets"][0]
    return first


def _other_seed(receipt: Receipt) -> None:
    receipt["draw"]["seed"] = "0" * 64


def _other_commitment(receipt: Receipt) -> None:
    receipt["draw"]["commitment"] = "0" * 64


def _other_number(receipt: Receipt) -> None:
    receipt["draw"]["winning_number"] = (receipt["draw"]["winning_number"] + 1) % 37


def _other_text_of_the_player(receipt: Receipt) -> None:
    receipt["draw"]["client_seed"] = "another"


def _other_round(receipt: Receipt) -> None:
    receipt["round"]["number"] += 1


def _changed_stake(receipt: Receipt) -> None:
    opened(receipt)["stake"] = "5.00"


def _changed_spot(receipt: Receipt) -> None:
    opened(receipt).update(spot=34, type="straight", numbers=[34])


def _dropped_bet(receipt: Receipt) -> None:
    receipt["bets"].pop()


def _added_bet(receipt: Receipt) -> None:
    receipt["bets"].append({"digest": "0" * 64})


def _bets_in_another_order(receipt: Receipt) -> None:
    receipt["bets"].reverse()


def _smaller_prize(receipt: Receipt) -> None:
    opened(receipt)["returned"] = "0.01"


def _another_outcome(receipt: Receipt) -> None:
    opened(receipt)["outcome"] = "half"


def _other_edition(receipt: Receipt) -> None:
    receipt["rules"]["edition"] = "2027-01-01"


FORGERIES: dict[Callable[[Receipt], None], str] = {
    _other_seed: "the seed is the one that was committed to",
    _other_commitment: "the seed is the one that was committed to",
    _other_number: "the number is",
    _other_text_of_the_player: "the number is",
    _other_round: "the number is",
    _changed_stake: "as it was sealed",
    _changed_spot: "as it was sealed",
    _dropped_bet: "the bets are those that were sealed at closing",
    _added_bet: "the bets are those that were sealed at closing",
    _bets_in_another_order: "the bets are those that were sealed at closing",
    _smaller_prize: "came back",
    _another_outcome: "came back",
    _other_edition: "the code and the edition",
}


@pytest.mark.sqlite
@pytest.mark.parametrize(("forge", "promise"), FORGERIES.items(), ids=[one.__name__ for one in FORGERIES])
def test_a_forged_receipt_is_found(
    played: GameRound, maria: PlayerAtTable, receipt: Receipt, rulebook: Any, tmp_path: Path, forge: Any, promise: str
) -> None:
    if forge in (_other_text_of_the_player, _other_round):
        # One number in 37 is the same by chance.
        forge = _until_another_number(forge, receipt)
    forged = copy.deepcopy(receipt)
    forge(forged)
    status, said = verify(tmp_path, forged, rulebook)
    wrong = [line for line in said.splitlines() if line.startswith("WRONG")]
    assert status == 1
    assert any(promise in line for line in wrong), said


def _until_another_number(forge: Callable[[Receipt], None], receipt: Receipt) -> Callable[[Receipt], None]:
    def forge_well(forged: Receipt) -> None:
        forge(forged)
        draw, played = forged["draw"], forged["round"]
        while (
            draw_number(bytes.fromhex(draw["seed"]), played["table"], played["number"], draw["client_seed"])
            == draw["winning_number"]
        ):
            draw["client_seed"] += "x"

    assert receipt["draw"]["seed"]
    return forge_well


@pytest.mark.parametrize("change", ["prizes", "zero", "spots"])
def test_another_rulebook_is_found(receipt: Receipt, rulebook: Any, tmp_path: Path, change: str) -> None:
    content = rulebook["content"]
    match change:
        case "prizes":
            content["prizes"]["straight"] = [36, 1]
        case "zero":
            content["zero"] = ["half", 1, 2]
        case _:
            content["spots"][0][2] = [1]
    status, said = verify(tmp_path, receipt, rulebook)
    assert (status, "WRONG  the rulebook is the one of the round" in said) == (1, True), said


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', "nonsense"])
def test_what_is_no_receipt_is_said_to_be_none(tmp_path: Path, rulebook: Any, text: str) -> None:
    (tmp_path / "receipt.json").write_text(text)
    (tmp_path / "rulebook.json").write_text(json.dumps(rulebook))
    run = subprocess.run(
        [sys.executable, "-I", str(PROGRAM), "receipt.json", "rulebook.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr.startswith("This cannot be read: "), run.stdout.count("Traceback")) == (
        2,
        True,
        0,
    )


def test_what_others_bet_stands_in_a_receipt_as_digests_alone(played: GameRound, maria: PlayerAtTable) -> None:
    whole = receipt_of(played.pk, account_ids=[maria.seat.account_id])
    hidden = receipt_of(played.pk)
    assert hidden["bets"] == [{"digest": one["digest"]} for one in whole["bets"]]
    assert len({one["salt"] for one in whole["bets"]}) == 1
    # The same bet of another slip has another digest.
    again = maria.play(bet("red", stake="2.00"))
    (other,) = receipt_of(again.pk, account_ids=[maria.seat.account_id])["bets"]
    assert other["salt"] != whole["bets"][0]["salt"]


def test_while_bets_are_open_nothing_of_them_is_told(maria: PlayerAtTable, rulebook: Any, tmp_path: Path) -> None:
    maria.place(bet("red"))
    said = downloaded(maria.game_round, maria)
    assert (said["bets"], said["bets_digest"], said["draw"]["seed"]) == ([], None, None)
    assert len(said["draw"]["commitment"]) == 64
    assert verify(tmp_path, said, rulebook)[0] == 0


def test_nobody_has_the_receipt_of_another(house: House, played: GameRound) -> None:
    address = f"/account/rounds/{played.pk}/receipt.json"
    assert client_of(house.player()).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_the_proof_through_rest(house: House, played: GameRound, maria: PlayerAtTable) -> None:
    reader, nobody = Caller(make_key(Scope.READ)), Caller(make_key(Scope.PLAY))
    handle = maria.seat.player.handle
    hidden, whole = (reader.get(f"rounds/{played.pk}/proof{query}") for query in ("", f"?player={handle}"))
    assert (hidden.status_code, whole.status_code) == (200, 200)
    assert [set(one) for one in hidden.json()["bets"]] == [{"digest"}] * 3
    assert [one["stake"] for one in whole.json()["bets"]] == ["2.00", "1.00", "1.00"]
    other = house.player().handle
    assert reader.get(f"rounds/{played.pk}/proof?player={other}").json() == hidden.json()
    for there_is_none in (0, 999_999, 2**63, 10**40):
        problem(reader.get(f"rounds/{there_is_none}/proof"), 404, "not_found")
    problem(reader.get(f"rounds/{played.pk}/proof?player=nobody"), 404, "not_found")
    problem(reader.get(f"rounds/{played.pk}/proof?x=1"), 400, "invalid_request")
    problem(nobody.get(f"rounds/{played.pk}/proof"), 403, "permission_denied")


def test_the_program_is_to_be_had_from_the_site() -> None:
    answer = Client().get("/rules/verify_round.py")
    assert answer.content == PROGRAM.read_bytes()
    assert answer["Content-Type"] == "text/x-python; charset=utf-8"
