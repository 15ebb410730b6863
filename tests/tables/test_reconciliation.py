"""Rounds in the nightly reconciling: a round whose money is not that of its bets is a finding, once."""

import datetime as dt

import pytest
from django.db import connection

from tables.models import BetOutcome, GameRound
from tests.house import House, PlayerAtTable, bet, make_house
from tests.sessions_app.tampering import run_tampering
from wallets.models import Finding
from wallets.services.reconciliation import reconcile

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria() -> PlayerAtTable:
    """Two rounds of which something won, and a slip taken back between."""
    maria = make_house().seated()
    for _ in range(2):
        maria.play(bet("red", stake="2.00"), bet("black", stake="2.00"), bet("straight", 0, stake="1.00"))
        maria.open_round()
    maria.place(bet("odd"))
    return maria


def tamper(*statements: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Nobody alters a table that deferred constraints still look at.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    run_tampering(*statements)


def look(house: House) -> list[tuple[str, int | None, str]]:
    found = reconcile(actor="t", at=house.at())
    return [(one.kind, one.amount_cents, one.unit) for one in found]


def test_rounds_that_agree_are_no_finding(maria: PlayerAtTable) -> None:
    assert look(maria.house) == []


def test_more_staked_in_the_ledger_than_on_the_cloth(maria: PlayerAtTable) -> None:
    first = GameRound.objects.filter(state="settled").order_by("id")[0]
    tamper(
        f"UPDATE wallets_transfer SET amount_cents = amount_cents + 7 WHERE reason = 'stake' AND round_ref = {first.pk}"
    )
    (found,) = [one for one in look(maria.house) if one[0] != "balance"]
    assert found == ("round_stakes", 7, "EUR")
    assert str(first.pk) in Finding.objects.get(kind="round_stakes").detail
    assert look(maria.house) == []


def test_a_result_that_was_not_paid_so(maria: PlayerAtTable) -> None:
    outcome = BetOutcome.objects.filter(returned_cents__gt=0).order_by("id")[0]
    tamper(f"UPDATE tables_betoutcome SET returned_cents = returned_cents + 3 WHERE id = {outcome.pk}")
    assert look(maria.house) == [("round_returns", -3, "EUR")]
    assert f"Round {outcome.game_round_id} (settled)" in Finding.objects.get().detail


def test_a_bet_that_is_gone_and_a_payment_for_a_round_without_result(maria: PlayerAtTable) -> None:
    betting = GameRound.objects.get(state="betting")
    tamper(
        f"UPDATE wallets_transfer SET round_ref = {betting.pk} WHERE reason = 'stake_returned'",
        f"DELETE FROM tables_bet WHERE game_round_id = {betting.pk}",
    )
    kinds = [kind for kind, _, _ in look(maria.house)]
    # Two rounds that did not pay what their results say, and one that paid without any, for bets that are not there.
    assert sorted(kinds) == ["round_returns", "round_returns", "round_returns", "round_stakes"]


def test_rounds_of_long_ago_are_left_to_verify(maria: PlayerAtTable) -> None:
    tamper("UPDATE tables_betoutcome SET returned_cents = returned_cents + 3")
    maria.house.now += dt.timedelta(days=9)
    assert look(maria.house) == []
