"""For each check of `manage.py verify` a tampering that it finds.

One evening is played for all of them: each is undone, and so verify reads inside the test's own transaction.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from sessions_app.management.commands.verify import CHECKS
from tables.draws import draw_number
from tables.models import GameRound, PublishedRules, RoundDraw
from tables.roulette.cloth import find_spot
from tests.house import House, make_evening, make_house

from .tampering import run_tampering, said

pytestmark = pytest.mark.django_db

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

ENTRY = "actor, act, subject_kind, subject_id, before, after, reason, at, recorded_at, request_id, act_key"
NOTICE = (
    "provider, reference, outcome, kind, our_reference, request_id, amount_cents, unit, verdict, actor, received_at"
)


def without_check(table: str, check: str, statement: str) -> list[str]:
    """The statement with a CHECK of the table out of its way, as the database's owner can put it."""
    if connection.vendor == "sqlite":
        return ["PRAGMA ignore_check_constraints = ON", statement, "PRAGMA ignore_check_constraints = OFF"]
    return [f"ALTER TABLE {table} DROP CONSTRAINT {check}", statement]


# What somebody with the database's own rights could do, check by check.
TAMPERINGS: dict[str, list[str]] = {
    "balances": ["UPDATE wallets_account SET balance_cents = balance_cents + 1 WHERE kind = 'wallet'"],
    "accounts": without_check(
        "wallets_account",
        "account_balance_not_negative",
        "UPDATE wallets_account SET balance_cents = NULL WHERE kind = 'wallet'",
    ),
    "moved": [f"UPDATE wallets_transfer SET actor = 'player:' || {SOMEBODY} WHERE reason = 'stake'"],
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
    "times": [
        "UPDATE sessions_app_gamesession SET ended_at = NULL, end_basis = NULL",
        "UPDATE tables_seat SET reality_check_at = NULL",
    ],
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
    "registers": [
        "UPDATE wallets_registercheck SET answer = 'listed', by_name = true, good_until = '2031-01-01 00:00:00+00:00'"
    ],
    "restricted": ["UPDATE wallets_user SET is_staff = true"],
    "gates": ["UPDATE wallets_account SET loss_day_limit_cents = 1 WHERE kind = 'wallet'"],
    "receivables": [
        "UPDATE wallets_transfer SET debit_id = credit_id, credit_id = debit_id WHERE reason = 'receivable'",
    ],
    "cash_requests": ["UPDATE wallets_cashrequest SET amount_cents = amount_cents + 1 WHERE state = 'confirmed'"],
    "payouts": ["UPDATE wallets_cashrequest SET payout_to = 'XX00 **** 0000' WHERE payout_to <> ''"],
    "refunds": ["UPDATE wallets_cashrequest SET amount_cents = amount_cents + 1 WHERE refund_of_id IS NOT NULL"],
    "closed": ["UPDATE wallets_player SET standing = 'closed'"],
    "pending": ["UPDATE wallets_cashrequest SET amount_cents = amount_cents + 1 WHERE state = 'requested'"],
    "notices": ["UPDATE wallets_providernotice SET suspended_id = NULL"],
    "decided": ["DELETE FROM wallets_decidedtransfer"],
    "snapshots": ["UPDATE wallets_accountsnapshot SET balance_cents = balance_cents + 1"],
    "placed": ["UPDATE tables_slip SET placed_at = '2031-01-01 00:00:00+00:00'"],
    "limits": ["UPDATE tables_gameround SET minimum_cents = 1"],
    "deadlines": ["UPDATE tables_gameround SET closes_at = NULL WHERE state = 'settled'"],
    "calls": ["UPDATE tables_slipcall SET unit_cents = unit_cents + 10"],
    "round_states": ["UPDATE tables_gameround SET bets_digest = NULL"],
    "audit_edits": ["UPDATE common_auditentry SET reason = 'another'"],
    "audit_gaps": ["DELETE FROM common_auditseal WHERE sequence = 2"],
    "audit_forks": ["UPDATE common_auditseal SET previous_hash = 'one for all'"],
    "audit_copies": [
        f"INSERT INTO common_auditentry ({ENTRY}) SELECT {ENTRY} FROM common_auditentry WHERE act = 'rules_approved'"
    ],
    "audit_sealed": [
        "UPDATE common_auditentry SET recorded_at = '2001-01-01 00:00:00+00:00'",
        "DELETE FROM common_auditseal WHERE sequence = (SELECT max(sequence) FROM common_auditseal)",
    ],
    "books": ["UPDATE wallets_transfer SET actor = 'system' WHERE reason = 'stake'"],
    "book_chain": ["DELETE FROM common_bookseal WHERE sequence = 2"],
    # As old as no clock of a test.
    "books_waiting": ["UPDATE common_rowchange SET at = '1990-01-01 00:00:00+00:00'", "DELETE FROM common_bookseal"],
    "requests": ["UPDATE common_foureyesrequest SET maker = 'staff:3' WHERE state = 'open'"],
    "rights": [
        "UPDATE auth_permission SET codename = 'x_' || codename WHERE codename IN ('view_loginrecord', 'decide_cashrequest')",
        "UPDATE auth_permission SET codename = 'decide_cashrequest', content_type_id ="
        " (SELECT content_type_id FROM auth_permission WHERE codename = 'x_decide_cashrequest')"
        " WHERE codename = 'x_view_loginrecord'",
        "UPDATE auth_permission SET codename = 'view_loginrecord', content_type_id ="
        " (SELECT id FROM django_content_type WHERE model = 'loginrecord') WHERE codename = 'x_decide_cashrequest'",
    ],
    "row_changes": ["UPDATE common_rowchange SET act_key = 'of no act' WHERE table_name = 'wallets_player'"],
    "noted": [
        "INSERT INTO wallets_payoutaddress (player_id, iban_sealed, iban_hash, masked, set_at, erased_at)"
        " SELECT player_id, iban_sealed, iban_hash, masked, set_at, erased_at FROM wallets_payoutaddress",
    ],
    "approved": ["UPDATE tables_specificrules SET total_limit_cents = 1"],
    "published": ["UPDATE tables_publishedrules SET html = replace(html, '35 to 1', '36 to 1')"],
}


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[House]:
    """An evening at one table, beside a table and a player that had nothing to do with it."""
    with django_db_blocker.unblock(), transaction.atomic():
        house = make_evening()
        make_house().player()
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                # Nobody alters a table that deferred constraints still look at.
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        yield house
        transaction.set_rollback(True)


@pytest.fixture
def evening(played: House, db: None) -> House:
    return played


@pytest.fixture
def tamper(evening: House) -> Callable[..., None]:
    return run_tampering


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampering_is_found_by_its_check(evening: House, tamper: Callable[..., None], name: str) -> None:
    tamper(*TAMPERINGS[name])
    text = said(name)
    assert f"DIFFERS {name}" in text
    assert "NOT CLEAN" in text


@pytest.mark.parametrize(("wager", "option"), [("split_dozen", "split_dozens"), ("split_column", "split_columns")])
def test_a_bet_that_the_rules_do_not_take_is_found(
    evening: House, tamper: Callable[..., None], wager: str, option: str
) -> None:
    tamper(f"UPDATE tables_bet SET spot = {find_spot(wager, [1, 2]).index}")
    assert "its rules do not take this bet" not in said("limits")
    tamper(f"UPDATE tables_specificrules SET {option}_offered = false")
    assert "its rules do not take this bet" in said("limits")


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
        (
            "payouts",
            "UPDATE wallets_payoutaddress SET player_id = (SELECT max(id) FROM wallets_player)",
        ),
        (
            "payouts",
            "UPDATE wallets_cashrequest SET payout_address_id = NULL, payout_to = '' WHERE state = 'requested'",
        ),
        ("notices", "UPDATE wallets_finding SET notice_id = NULL"),
        ("decided", "UPDATE wallets_decidedtransfer SET cause = 'goodwill' WHERE cause <> ''"),
        ("decided", "UPDATE wallets_decidedtransfer SET releases_id = NULL WHERE cause = ''"),
        ("decided", "DELETE FROM wallets_decidedtransfer WHERE releases_id IS NOT NULL"),
        ("decided", "UPDATE wallets_transfer SET amount_cents = amount_cents + 1 WHERE reason = 'adjustment'"),
        ("decided", f"UPDATE wallets_transfer SET credit_id = {OTHER_WALLET} WHERE reason = 'adjustment'"),
        ("decided", "UPDATE common_foureyesrequest SET maker = 'staff:3' WHERE act = 'adjust_balance'"),
        ("decided", "UPDATE common_foureyesrequest SET act = 'another' WHERE act = 'adjust_balance'"),
        (
            "decided",
            "UPDATE wallets_decidedtransfer SET request_id = (SELECT min(request_id) FROM wallets_decidedtransfer)",
        ),
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
        *[
            ("book_chain", f"UPDATE common_bookseal SET {name} = {value} WHERE sequence = 2")
            for name, value in (
                ("kind", "'another'"),
                ("subject_id", "subject_id + 1000000"),
                ("digest", "'another'"),
                ("row_digest", "'another'"),
                ("previous_hash", "'another'"),
                ("hash", "'another'"),
                ("sequence", "sequence + 1000000"),
            )
        ],
        # What one row alone says.
        ("books", "UPDATE wallets_player SET handle = 'x' || handle"),
        ("books", "UPDATE wallets_player SET is_test = true"),
        ("books", "UPDATE wallets_person SET birth_date = '1991-03-04' WHERE birth_date IS NOT NULL"),
        ("books", "UPDATE wallets_payoutaddress SET masked = 'PT00 **** 0000' WHERE erased_at IS NULL"),
        (
            "books",
            "UPDATE wallets_payoutaddress SET iban_hash = 'x', iban_sealed = (SELECT max(iban_sealed) FROM"
            " wallets_payoutaddress WHERE erased_at IS NULL) WHERE erased_at IS NULL",
        ),
        ("books", "UPDATE tables_table SET minimum_cents = 10"),
        ("books", "UPDATE tables_slip SET body_hash = 'another'"),
        ("books", "UPDATE wallets_transfer SET idempotency_key = 'x' || idempotency_key WHERE reason = 'stake'"),
        ("books", "UPDATE wallets_transfer SET created_at = '2025-01-01 00:00:00+00:00' WHERE reason = 'deposit'"),
        ("books", "UPDATE tables_seat SET left_at = '2031-01-01 00:00:00+00:00' WHERE left_at IS NOT NULL"),
        ("books", "UPDATE tables_seat SET taken_at = '2025-01-01 00:00:00+00:00'"),
        ("books", "DELETE FROM wallets_inboxreading"),
        ("books", "UPDATE wallets_user SET full_name = 'Somebody Else'"),
        ("books", "UPDATE common_rowchange SET at = '2001-01-01 00:00:00+00:00'"),
        ("books", "DELETE FROM common_rowchange WHERE table_name = 'wallets_player'"),
        ("requests", """UPDATE common_foureyesrequest SET arguments = '{"player": 1}'"""),
        ("requests", "UPDATE common_foureyesrequest SET decider = 'staff:3' WHERE state = 'refused'"),
        (
            "requests",
            "INSERT INTO common_foureyesrequest (act, arguments, maker, reason, evidence, made_at, expires_at, state)"
            " SELECT act, arguments, maker, reason, evidence, made_at, expires_at, 'open' FROM common_foureyesrequest"
            " WHERE state = 'open'",
        ),
        (
            "registers",
            "INSERT INTO wallets_registercheck (player_id, asked_at, occasion, register, edition, answer, by_document,"
            " by_name, is_whole, batch) SELECT player_id, asked_at, occasion, register, edition, answer, by_document,"
            " by_name, is_whole, batch FROM wallets_registercheck",
        ),
        ("closed", "UPDATE wallets_user SET is_active = false WHERE id IN (SELECT user_id FROM wallets_player)"),
        ("standing", "UPDATE wallets_player SET is_restricted = true"),
        (
            "standing",
            "INSERT INTO wallets_standingchange (player_id, field, before, after, reason, actor, second_actor, changed_at)"
            f" SELECT {SOMEBODY}, 'is_restricted', b, a, 'x', 'staff:1', '', '2026-06-15 12:00:00+00:00'"
            " FROM (SELECT 'false' AS b, 'true' AS a UNION ALL SELECT 'true', 'false') s ORDER BY b",
        ),
        ("rights", "UPDATE auth_permission SET codename = 'decide_another' WHERE codename = 'decide_cashrequest'"),
        ("rights", "UPDATE django_content_type SET app_label = 'tables' WHERE model = 'cashrequest'"),
        ("notices", "UPDATE wallets_providernotice SET verdict = 'known' WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET verdict = 'late' WHERE verdict = 'paid_twice'"),
        ("notices", "UPDATE wallets_providernotice SET outcome = 'refused' WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET amount_cents = amount_cents + 1 WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET unit = 'DEMO' WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET our_reference = 'D1000000' WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET request_id = NULL WHERE verdict = 'applied'"),
        ("notices", "UPDATE wallets_providernotice SET received_at = '2031-01-01 00:00:00+00:00'"),
        ("notices", "UPDATE wallets_providernotice SET reference = 'x' || reference WHERE verdict = 'applied'"),
        ("notices", "DELETE FROM wallets_providernotice WHERE verdict = 'applied'"),
        (
            "notices",
            f"INSERT INTO wallets_providernotice ({NOTICE}) SELECT provider, 'another' || id, outcome, kind, our_reference,"
            " request_id, amount_cents, unit, verdict, actor, received_at FROM wallets_providernotice"
            " WHERE verdict = 'applied'",
        ),
        (
            "notices",
            "UPDATE wallets_cashrequest SET state = 'started', moved_id = NULL, decided_at = NULL"
            " WHERE state = 'confirmed'",
        ),
        ("moved", "UPDATE wallets_transfer SET amount_cents = amount_cents + 1 WHERE reason = 'deposit'"),
        ("moved", "UPDATE wallets_transfer SET actor = 'staff:77' WHERE reason = 'adjustment'"),
        *[
            ("moved", f"UPDATE wallets_transfer SET actor = '{who}' WHERE reason = '{reason}'")
            for reason, who in (
                ("stake", "someone"),
                ("stake", "system"),
                ("stake", "staff:1"),
                ("stake", "api:nobody"),
                ("bet_taken_back", "system"),
                ("prize", "player:1"),
                ("prize", "staff:1"),
            )
        ],
        ("cash_requests", "UPDATE wallets_cashrequest SET created_by = 'player:1000000'"),
        ("slips", "UPDATE wallets_transfer SET seat_ref = NULL WHERE reason = 'stake'"),
        ("slips", "UPDATE wallets_transfer SET round_ref = NULL WHERE reason = 'stake'"),
        ("taken_back", "UPDATE wallets_transfer SET round_ref = NULL WHERE reason = 'bet_taken_back'"),
        ("taken_back", "UPDATE wallets_transfer SET seat_ref = NULL WHERE reason = 'bet_taken_back'"),
        ("taken_back", "UPDATE wallets_transfer SET player_day = NULL WHERE reason = 'bet_taken_back'"),
        ("placed", "UPDATE tables_gameround SET seat_id = NULL"),
        ("round_states", "UPDATE tables_gameround SET seat_id = NULL"),
        ("round_states", "UPDATE tables_roundevent SET seat_id = NULL WHERE kind = 'drawn'"),
        ("round_states", "UPDATE tables_roundevent SET happened_at = '2001-01-01 00:00:00+00:00'"),
        ("deadlines", "UPDATE tables_gameround SET closes_at = '2031-01-01 00:00:00+00:00' WHERE state = 'settled'"),
        ("deadlines", "UPDATE tables_gameround SET closes_at = '2031-01-01 00:00:00+00:00' WHERE state = 'unused'"),
        ("deadlines", "UPDATE tables_specificrules SET launch_within_seconds = 7"),
        ("calls", "UPDATE tables_slipcall SET parameters = '[1]'"),
        ("calls", """UPDATE tables_slipcall SET parameters = '{"digit": 1}'"""),
        ("gates", "UPDATE wallets_account SET unchecked_from = '2031-01-01 00:00:00+00:00' WHERE kind = 'wallet'"),
        ("gates", "UPDATE wallets_account SET unchecked_from = '2031-01-01 00:00:00+00:00' WHERE kind = 'house'"),
        (
            "audit_copies",
            "INSERT INTO common_rowchange (table_name, row_key, operation, columns, at, act_key) SELECT table_name,"
            " row_key, operation, columns, at, act_key FROM common_rowchange WHERE table_name = 'wallets_player'",
        ),
        *[
            (
                "audit_copies",
                f"INSERT INTO common_auditentry ({ENTRY}) SELECT {ENTRY.replace(name, told)} FROM common_auditentry"
                " WHERE act = 'rules_approved'",
            )
            for name, told in (
                ("recorded_at", "'2031-01-01 00:00:00+00:00'"),
                ("request_id", "'another'"),
                ("recorded_at", "at"),
            )
        ],
        *[
            ("approved", f"UPDATE tables_specificrules SET {name} = {value}")
            for name, value in (
                ("split_dozens_offered", "false"),
                ("split_columns_offered", "false"),
                ("call_bets", "'[]'"),
                ("call_bets", "'{}'"),
                ("stake_step_cents", "20"),
                ("launch_within_seconds", "7"),
                ("approval_reference", "'another'"),
                ("approved_at", "'2031-01-01 00:00:00+00:00'"),
                ("in_force_from", "'2031-01-01 00:00:00+00:00'"),
                ("rulebook_code", "'fr-anglaise'"),
                ("rulebook_edition", "'2027-01-01'"),
                ("version", "version + 100"),
                ("status", "'retired'"),
                ("status", "'draft'"),
                ("status", "'refused'"),
            )
        ],
        ("approved", "UPDATE common_auditentry SET act = 'another' WHERE act = 'rules_approved'"),
        ("published", "DELETE FROM tables_publishedrules"),
        ("published", "UPDATE tables_publishedrules SET published_at = '2031-01-01 00:00:00+00:00'"),
        ("published", "UPDATE common_auditentry SET act = 'another' WHERE act = 'rules_published'"),
        (
            "published",
            "UPDATE common_auditentry SET recorded_at = '2001-01-01 00:00:00+00:00' WHERE act = 'rules_approved'",
        ),
        ("rights", "DELETE FROM auth_group_permissions"),
        ("rights", "UPDATE auth_group SET name = 'Bosses' WHERE name = 'Finance'"),
        ("gates", "UPDATE wallets_account SET barred = 'suspended' WHERE kind = 'wallet'"),
        ("gates", "UPDATE wallets_account SET excluded_until = '2031-01-01 00:00:00+00:00' WHERE kind = 'wallet'"),
    ],
)
def test_other_ways_to_the_same_end_are_found_too(
    evening: House, tamper: Callable[..., None], name: str, statement: str
) -> None:
    tamper(statement)
    assert f"DIFFERS {name}" in said(name)


@pytest.mark.parametrize(
    ("name", "table", "check", "statement"),
    [
        (
            "balances", "wallets_account", "account_balance_not_negative",
            "UPDATE wallets_account SET balance_cents = NULL WHERE kind = 'wallet'",
        ),
        (
            "accounts", "wallets_account", "account_player_where_due",
            "UPDATE wallets_account SET player_id = NULL WHERE kind = 'wallet'",
        ),
        (
            "accounts", "wallets_account", "account_balance_not_negative",
            "UPDATE wallets_account SET balance_cents = 0 WHERE kind = 'house'",
        ),
        (
            "game_sessions", "sessions_app_gamesession", "session_end_has_basis",
            "UPDATE sessions_app_gamesession SET end_basis = NULL",
        ),
    ],
)  # fmt: skip
def test_what_only_a_check_of_the_database_held_is_found(
    evening: House, tamper: Callable[..., None], name: str, table: str, check: str, statement: str
) -> None:
    tamper(*without_check(table, check, statement))
    assert f"DIFFERS {name}" in said(name)


def test_a_page_that_says_something_else_with_a_digest_of_its_own_is_found(
    evening: House, tamper: Callable[..., None]
) -> None:
    page = PublishedRules.objects.get()
    html = page.html.replace("35 to 1", "36 to 1")
    digest = hashlib.sha256(html.encode()).hexdigest()
    assert page.sha256 != digest
    tamper(f"UPDATE tables_publishedrules SET html = replace(html, '35 to 1', '36 to 1'), sha256 = '{digest}'")
    assert "DIFFERS published" in said("published")


def test_an_event_of_another_seat_is_found(evening: House, tamper: Callable[..., None]) -> None:
    tamper(
        f"INSERT INTO tables_seat (table_id, player_id, account_id, taken_at) SELECT table_id, {SOMEBODY}, account_id,"
        " taken_at FROM tables_seat",
        "UPDATE tables_roundevent SET seat_id = (SELECT max(id) FROM tables_seat) WHERE kind = 'drawn'",
    )
    assert "DIFFERS round_states" in said("round_states")


def test_times_of_a_seat_and_its_game_session_that_were_moved_together_are_found(
    evening: House, tamper: Callable[..., None]
) -> None:
    for seat, session in (("taken_at", "started_at"), ("left_at", "ended_at")):
        tamper(
            f"UPDATE tables_seat SET {seat} = '2026-07-15 12:00:00+00:00' WHERE left_at IS NOT NULL",
            f"UPDATE sessions_app_gamesession SET {session} = '2026-07-15 12:00:00+00:00' WHERE ended_at IS NOT NULL",
        )
        assert "does not stand as it was sealed" in said("books")


@pytest.mark.sqlite
def test_options_that_are_no_json_are_found(evening: House, tamper: Callable[..., None]) -> None:
    tamper(*without_check("", "", "UPDATE tables_specificrules SET call_bets = 'tiers'"))
    assert "call_bets is not what was approved" in said("approved")
    tamper(*without_check("", "", "UPDATE tables_slipcall SET parameters = 'none'"))
    assert "what is said of tiers is not what is asked of it" in said("calls")


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


def test_every_check_has_a_tampering() -> None:
    assert {check.name for check in CHECKS} == {*TAMPERINGS, "guards", "references"}
