"""`manage.py verify`: clean after an evening, and for each of its checks a tampering that this check finds."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from roulette_site.common import guards
from roulette_site.common.verification import snapshot
from sessions_app.management.commands.verify import CHECKS
from tables.draws import draw_number
from tables.models import GameRound, RoundDraw
from tables.roulette.cloth import find_spot
from tests.conftest import _url_of_test_database
from tests.house import House, make_evening, make_house
from wallets.models import Account

pytestmark = pytest.mark.django_db(transaction=True)

ONE_BET = "(SELECT max(bet_id) FROM tables_betoutcome)"
ONE_ROUND = "(SELECT max(game_round_id) FROM tables_betoutcome)"

HOUSE = "(SELECT min(id) FROM wallets_account WHERE kind = 'house')"
SOMEBODY = "(SELECT max(id) FROM wallets_player)"
OTHER_WALLET = "(SELECT max(id) FROM wallets_account WHERE kind = 'wallet')"
OTHER_TABLE = "(SELECT max(id) FROM tables_table)"
TWICE = (
    "INSERT INTO tables_betoutcome (bet_id, game_round_id, revision, kind, returned_cents, payment_rank)"
    f" SELECT bet_id, game_round_id, 1, kind, returned_cents, payment_rank FROM tables_betoutcome WHERE bet_id = {ONE_BET}"
)

# What somebody with the database's own rights could do, check by check.
TAMPERINGS: dict[str, list[str]] = {
    "balances": ["UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'"],
    "units": ["UPDATE wallets_transfer SET unit = 'DEMO' WHERE reason = 'prize'"],
    "flows": ["UPDATE wallets_transfer SET reason = 'half_back' WHERE reason = 'prize'"],
    "in_play": ["UPDATE wallets_transfer SET amount_cents = amount_cents + 1 WHERE reason = 'stake_lost'"],
    "slips": ["UPDATE tables_bet SET stake_cents = stake_cents + 10"],
    "taken_back": ["UPDATE wallets_transfer SET amount_cents = amount_cents - 1 WHERE reason = 'bet_taken_back'"],
    "outcomes": [f"UPDATE tables_betoutcome SET returned_cents = returned_cents + 1 WHERE bet_id = {ONE_BET}"],
    "round_money": [f"UPDATE tables_roundtotals SET prize_cents = prize_cents + 1 WHERE game_round_id = {ONE_ROUND}"],
    "paid": ["UPDATE wallets_transfer SET amount_cents = amount_cents + 1 WHERE reason = 'prize'"],
    "draws": [
        "UPDATE tables_gameround SET winning_number = (winning_number + 1) % 37 WHERE winning_number IS NOT NULL"
    ],
    "bets_digests": ["UPDATE tables_bet SET spot = (spot + 1) % 161"],
    "rulebooks": ["UPDATE tables_gameround SET rulebook_digest = 'another'"],
    "round_numbers": ["UPDATE tables_gameround SET number = number + 1000 WHERE state = 'unused'"],
    "events": ["UPDATE tables_roundevent SET sequence = sequence + 1000 WHERE kind = 'unused'"],
    "game_sessions": ["UPDATE sessions_app_gamesession SET ended_at = NULL, end_basis = NULL"],
    "void_refunds": ["UPDATE wallets_transfer SET reason = 'void_refund' WHERE reason = 'stake_returned'"],
    "seats": ["DELETE FROM sessions_app_realitycheck", "DELETE FROM sessions_app_gamesession"],
    "corrections": [
        "INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, actor, corrects_id, created_at)"
        " SELECT credit_id, debit_id, amount_cents + 1, unit, 'correction', 'x', id, created_at FROM wallets_transfer"
        " WHERE reason = 'prize'"
    ],
    "player_days": ["UPDATE wallets_playerday SET staked_cents = staked_cents + 1"],
    "standing": ["UPDATE wallets_player SET kyc_state = 'pending'"],
    "player_limits": [
        "INSERT INTO wallets_limit (player_id, side, kind, period, value, actor, second_actor, reason, set_at)"
        f" SELECT id, 'player', 'loss', 'day', {value}, 'player:' || id, '', '', created_at FROM wallets_player"
        for value in (1000, 2000)
    ],
    "gates": ["UPDATE wallets_account SET loss_day_limit_cents = 1 WHERE kind = 'wallet'"],
    "receivables": [
        "UPDATE wallets_transfer SET debit_id = credit_id, credit_id = debit_id WHERE reason = 'receivable'",
    ],
    "cash_requests": ["UPDATE wallets_cashrequest SET amount_cents = amount_cents + 1 WHERE state = 'confirmed'"],
    "pending": ["UPDATE wallets_cashrequest SET amount_cents = amount_cents + 1 WHERE state = 'requested'"],
    "notices": ["UPDATE wallets_providernotice SET suspended_id = NULL"],
    "snapshots": ["UPDATE wallets_accountsnapshot SET balance_cents = balance_cents + 1"],
    "placed": ["UPDATE tables_slip SET placed_at = '2031-01-01 00:00:00+00:00'"],
    "limits": ["UPDATE tables_gameround SET minimum_cents = 1"],
    "calls": ["UPDATE tables_slipcall SET unit_cents = unit_cents + 10"],
    "round_states": ["UPDATE tables_gameround SET bets_digest = NULL"],
    "audit_edits": ["UPDATE common_auditentry SET reason = 'another'"],
    "audit_gaps": ["DELETE FROM common_auditseal WHERE sequence = 2"],
    "audit_forks": ["UPDATE common_auditseal SET previous_hash = 'one for all'"],
    "audit_sealed": [
        "UPDATE common_auditentry SET recorded_at = '2001-01-01 00:00:00+00:00'",
        "DELETE FROM common_auditseal WHERE sequence = (SELECT max(sequence) FROM common_auditseal)",
    ],
    "row_changes": ["UPDATE common_rowchange SET act_key = 'of no act' WHERE table_name = 'wallets_player'"],
    "published": ["UPDATE tables_publishedrules SET html = replace(html, '35 to 1', '36 to 1')"],
}


@pytest.fixture
def evening() -> House:
    """An evening at one table, beside a table and a player that had nothing to do with it."""
    house = make_evening()
    make_house().player()
    return house


@pytest.fixture
def tamper() -> Iterator[Callable[[str], None]]:
    """Change rows as only the owner of the database can: with the guards out of the way, and back afterwards."""

    def run(*statements: str) -> None:
        with transaction.atomic():
            guards.uninstall(connection)
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                    assert cursor.rowcount, f"nothing to tamper with: {statement}"
            guards.install(connection)

    yield run  # type: ignore[misc]
    guards.install(connection)


def said(*checks: str) -> str:
    out = StringIO()
    status = 0
    try:
        call_command("verify", *checks, stdout=out)
    except CommandError as error:
        status = error.returncode
    return f"{out.getvalue()}{'NOT CLEAN' if status == 1 else ''}"


def test_an_honest_evening_is_clean(evening: House) -> None:
    text = said()
    assert "NOT CLEAN" not in text
    for check in CHECKS:
        assert f"ok      {check.name}" in text


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampering_is_found_by_its_check(evening: House, tamper: Callable[..., None], name: str) -> None:
    tamper(*TAMPERINGS[name])
    text = said(name)
    assert f"DIFFERS {name}" in text
    assert "NOT CLEAN" in text
    assert "NOT CLEAN" in said()


def test_a_guard_that_was_dropped_is_found(evening: House) -> None:
    with connection.cursor() as cursor:
        table = " ON wallets_transfer" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER wallets_transfer_no_update{table}")
    assert "DIFFERS guards" in said("guards")
    guards.install(connection)
    assert "NOT CLEAN" not in said()


@pytest.mark.parametrize(("wager", "option"), [("split_dozen", "split_dozens"), ("split_column", "split_columns")])
def test_a_bet_that_the_rules_do_not_take_is_found(
    evening: House, tamper: Callable[..., None], wager: str, option: str
) -> None:
    tamper(f"UPDATE tables_bet SET spot = {find_spot(wager, [1, 2]).index}")
    assert "its rules do not take this bet" not in said("limits")
    tamper(f"UPDATE tables_specificrules SET {option}_offered = false")
    assert "its rules do not take this bet" in said("limits")


def test_a_trigger_of_somebody_elses_is_found(evening: House) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("CREATE TRIGGER gift AFTER INSERT ON tables_bet EXECUTE FUNCTION tables_bet_refuse()")
        else:
            cursor.execute("CREATE TRIGGER gift AFTER INSERT ON tables_bet BEGIN SELECT 1; END")
    text = said("guards")
    assert "DIFFERS guards" in text
    assert "the trigger gift was laid by somebody else" in text
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER gift" + " ON tables_bet" * (connection.vendor == "postgresql"))


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("draws", "UPDATE tables_rounddraw SET seed_hex = '00'"),
        ("draws", "UPDATE tables_roundseed SET commitment = 'another'"),
        ("outcomes", "DELETE FROM tables_betoutcome"),
        ("outcomes", "UPDATE tables_betoutcome SET kind = 'half'"),
        ("round_money", "DELETE FROM tables_roundtotals"),
        ("rulebooks", "UPDATE tables_gameround SET rulebook_edition = '2027-01-01'"),
        ("cash_requests", "UPDATE wallets_cashrequest SET state = 'sent' WHERE state = 'requested'"),
        ("cash_requests", "UPDATE wallets_cashrequest SET returned_id = NULL WHERE state = 'refused'"),
        ("cash_requests", "UPDATE wallets_transfer SET amount_cents = amount_cents + 1 WHERE reason = 'withdrawal'"),
        ("cash_requests", "UPDATE wallets_cashstep SET to_state = 'held' WHERE to_state = 'paid'"),
        ("notices", "UPDATE wallets_finding SET notice_id = NULL"),
        ("snapshots", "UPDATE wallets_accountsnapshot SET last_transfer_id = last_transfer_id - 1"),
        ("snapshots", f"DELETE FROM wallets_accountsnapshot WHERE account_id = {HOUSE}"),
        (
            "corrections",
            "UPDATE wallets_transfer SET amount_cents = 1 WHERE id IN (SELECT corrects_id FROM wallets_transfer)",
        ),
        ("slips", "UPDATE wallets_transfer SET seat_ref = seat_ref + 1 WHERE reason = 'stake'"),
        ("slips", "UPDATE wallets_transfer SET round_ref = round_ref + 1 WHERE reason = 'stake'"),
        ("taken_back", f"UPDATE wallets_transfer SET debit_id = {HOUSE} WHERE reason = 'bet_taken_back'"),
        ("taken_back", f"UPDATE wallets_transfer SET credit_id = {HOUSE} WHERE reason = 'bet_taken_back'"),
        ("taken_back", "UPDATE wallets_transfer SET round_ref = round_ref + 1 WHERE reason = 'bet_taken_back'"),
        ("taken_back", "UPDATE tables_slipwithdrawal SET taken_back_at = '2031-01-01 00:00:00+00:00'"),
        ("round_money", "UPDATE tables_roundtotals SET staked_cents = staked_cents + 1, lost_cents = lost_cents + 1"),
        *[
            ("round_money", f"UPDATE tables_roundtotals SET {name} = {name} + 1, lost_cents = lost_cents - 1")
            for name in ("stake_returned_cents", "half_back_cents")
        ],
        ("round_money", "UPDATE tables_roundtotals SET unit = 'DEMO'"),
        ("units", f"UPDATE wallets_transfer SET debit_id = {OTHER_WALLET} WHERE reason = 'prize'"),
        ("placed", f"UPDATE tables_seat SET table_id = {OTHER_TABLE}"),
        ("placed", f"UPDATE tables_seat SET player_id = {SOMEBODY}"),
        ("placed", "UPDATE tables_gameround SET seat_id = NULL, closed_at = opened_at WHERE state = 'settled'"),
        ("placed", f"UPDATE tables_bet SET account_id = {HOUSE}"),
        ("placed", "UPDATE wallets_transfer SET created_at = '2031-01-01 00:00:00+00:00' WHERE reason = 'stake'"),
        ("limits", "UPDATE tables_specificrules SET stake_step_cents = 1000"),
        ("limits", "UPDATE tables_specificrules SET total_limit_cents = 1"),
        ("limits", "UPDATE tables_specificrules SET status = 'draft'"),
        ("calls", "UPDATE tables_specificrules SET call_bets = '[]'"),
        ("outcomes", TWICE),
        ("outcomes", "UPDATE tables_betoutcome SET revision = 1"),
        ("draws", "UPDATE tables_rounddraw SET seed_hex = upper(seed_hex)"),
        ("draws", "UPDATE tables_rounddraw SET revealed_at = '2001-01-01 00:00:00+00:00'"),
        ("draws", "UPDATE tables_roundseed SET algorithm = 'dice'"),
        *[
            (
                "round_states",
                f"UPDATE tables_gameround SET {name} = '2001-01-01 00:00:00+00:00' WHERE {name} IS NOT NULL",
            )
            for name in ("opened_at", "closed_at", "drawn_at", "settled_at")
        ],
        ("round_states", f"UPDATE tables_roundevent SET table_id = {OTHER_TABLE} WHERE kind = 'drawn'"),
        ("round_states", "UPDATE tables_roundevent SET kind = 'closed' WHERE kind = 'settled'"),
        ("published", "UPDATE tables_publishedrules SET sha256 = 'another'"),
        ("round_money", "UPDATE tables_roundtotals SET bets = bets + 1"),
        ("outcomes", "UPDATE tables_betoutcome SET payment_rank = payment_rank + 1"),
        ("limits", "UPDATE tables_gameround SET minimum_cents = 1000"),
        ("calls", "UPDATE tables_bet SET call_ordinal = 7 WHERE call_ordinal IS NOT NULL"),
        ("calls", "UPDATE tables_bet SET call_ordinal = NULL"),
        ("placed", "UPDATE tables_slip SET placed_at = '2001-01-01 00:00:00+00:00'"),
        ("placed", "UPDATE tables_seat SET account_id = (SELECT min(in_play_id) FROM tables_table)"),
        ("round_states", "UPDATE tables_gameround SET state = 'betting' WHERE state = 'unused'"),
        ("round_states", "UPDATE tables_gameround SET settled_at = NULL"),
        ("round_states", "UPDATE tables_roundevent SET kind = 'closed' WHERE kind = 'drawn'"),
        ("round_states", "UPDATE tables_specificrules SET rulebook_edition = '2027-01-01'"),
        ("game_sessions", "UPDATE sessions_app_gamesession SET started_at = '2001-01-01 00:00:00+00:00'"),
        ("rulebooks", "UPDATE tables_gameround SET rulebook_code = 'nobody'"),
        ("outcomes", "UPDATE tables_gameround SET rulebook_code = 'nobody'"),
        ("player_days", "DELETE FROM wallets_playerday"),
        ("player_days", "UPDATE wallets_transfer SET player_day = NULL WHERE reason = 'prize'"),
        ("player_days", "UPDATE wallets_playerday SET day = '2026-06-14'"),
        ("player_days", "UPDATE wallets_playerday SET returned_cents = 0"),
        ("player_days", "UPDATE wallets_playerday SET deposited_cents = deposited_cents + 1"),
        ("standing", "DELETE FROM wallets_standingchange"),
        ("standing", "UPDATE wallets_standingchange SET before = 'rejected'"),
        ("standing", "UPDATE wallets_player SET standing = 'suspended'"),
        ("standing", "UPDATE wallets_player SET is_restricted = true"),
        ("gates", "UPDATE wallets_account SET barred = 'suspended' WHERE kind = 'wallet'"),
        ("gates", "UPDATE wallets_account SET excluded_until = '2031-01-01 00:00:00+00:00' WHERE kind = 'wallet'"),
    ],
)
def test_other_ways_to_the_same_end_are_found_too(
    evening: House, tamper: Callable[..., None], name: str, statement: str
) -> None:
    tamper(statement)
    assert f"DIFFERS {name}" in said(name)


def test_another_text_of_the_player_than_was_drawn_with_is_found(evening: House, tamper: Callable[..., None]) -> None:
    drawn = GameRound.objects.get(winning_number__isnull=False)
    seed = bytes.fromhex(RoundDraw.objects.get(pk=drawn.pk).seed_hex)
    # One text in 37 leads to the number all the same, and then the number is right.
    text = next(
        f"not the one {n}"
        for n in range(1000)
        if draw_number(seed, evening.table.slug, drawn.number, f"not the one {n}") != drawn.winning_number
    )
    tamper(f"UPDATE tables_gameround SET client_seed = '{text}' WHERE id = {drawn.pk}")
    assert "DIFFERS draws" in said("draws")


def test_a_round_that_is_made_void_hides_no_forged_prize(evening: House, tamper: Callable[..., None]) -> None:
    settled = GameRound.objects.get(state="settled")
    tamper(f"UPDATE tables_gameround SET state = 'void', winning_number = NULL WHERE id = {settled.pk}")
    text = said()
    for name in ("outcomes", "round_money", "void_refunds", "round_states"):
        assert f"DIFFERS {name} " in text, name


def test_a_check_that_breaks_off_says_so_and_the_others_go_on(evening: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM no_such_table")
        yield "never"

    first, second, *others = CHECKS
    checks = (first, dataclasses.replace(second, find=broken), *others)
    monkeypatch.setattr("sessions_app.management.commands.verify.CHECKS", checks)
    text = said()
    assert f"DIFFERS {second.name}" in text
    assert "the check broke off: " in text
    assert text.count("\nok ") == len(others)


def test_every_check_has_a_tampering() -> None:
    assert {check.name for check in CHECKS} == {*TAMPERINGS, "guards"}


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(CommandError, match="no check nonsense"):
        call_command("verify", "nonsense")


def test_it_reads_one_snapshot_and_blocks_nobody(evening: House) -> None:
    other = connection.copy()
    try:
        with snapshot():
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM wallets_player")
                (before,) = cursor.fetchone()
            with other.cursor() as cursor:
                cursor.execute("UPDATE wallets_user SET full_name = 'written meanwhile'")
                assert cursor.rowcount
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM wallets_user WHERE full_name = 'written meanwhile'")
                assert cursor.fetchone() == (0,)
        assert before
    finally:
        other.close()


def test_rows_written_while_a_check_reads_neither_wait_nor_count(evening: House, tamper: Callable[..., None]) -> None:
    tamper("UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'")
    wallets = Account.objects.filter(kind="wallet").count()
    check = next(check for check in CHECKS if check.name == "balances")
    other = connection.copy()
    try:
        with snapshot():
            found = check.find()
            first = next(found)
            with other.cursor() as cursor:
                cursor.execute("UPDATE wallets_account SET balance_cents = balance_cents - 1 WHERE kind = 'wallet'")
                assert cursor.rowcount == wallets
            assert len({first, *found}) == wallets
        assert "NOT CLEAN" not in said("balances")
    finally:
        other.close()


def test_the_command_ends_with_status_1_where_the_books_are_wrong(evening: House, tamper: Callable[..., None]) -> None:
    def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "verify", *arguments],
            cwd=settings.BASE_DIR,
            env={**os.environ, "DATABASE_URL": _url_of_test_database()},
            capture_output=True,
            text=True,
        )

    clean = verify()
    assert (clean.returncode, clean.stderr) == (0, "")
    assert clean.stdout.endswith("The books are right.\n")
    tamper("UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'")
    wrong = verify()
    assert wrong.returncode == 1
    assert "DIFFERS balances" in wrong.stdout
    assert wrong.stdout.count("DIFFERS") == 1
    assert wrong.stderr.strip() == "CommandError: Checks that found differences: 1."
    assert "the balance is" in wrong.stdout
    assert verify("draws", "flows").returncode == 0
    assert verify("nonsense").returncode == 1
