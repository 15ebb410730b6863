"""A raw row that keeps every rule of the database is still no act: what protects players, and money beside the game."""

import datetime as dt

import pytest
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, connection, transaction
from django.test import override_settings

from roulette_site.common.audit import audited, record
from roulette_site.common.audit_checks import CHECKS
from roulette_site.common.guards.watches import GAME_REASONS, WATCHES
from roulette_site.common.models import AuditEntry, FourEyesRequest, RowChange
from tests.house import NOON, make_house
from wallets.models import (
    CashKind,
    CashRequest,
    Exclusion,
    Finding,
    IdentityPaper,
    InboxKind,
    Limit,
    LimitKind,
    LimitPeriod,
    Loosening,
    NoticeOutcome,
    OfferOccasion,
    Player,
    Reason,
    RestrictedKind,
    Scope,
    Transfer,
    Unit,
    User,
)
from wallets.protection import LOOSENING_WAITS
from wallets.services.api_keys import make_api_key
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_steps import approve_withdrawal
from wallets.services.exclusion import ask_for_early_end, exclude_self
from wallets.services.findings import take_finding
from wallets.services.inbox import tell_player
from wallets.services.ledger import deposit, open_wallet
from wallets.services.limits import confirm_loosening, set_own_limit
from wallets.services.limits_offers import note_answer
from wallets.services.logins import (
    check_code,
    recovery_codes,
    remove_second_factor,
    renew_recovery_codes,
    reset_second_factor,
    set_password,
    set_up_second_factor,
)
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.people import record_person
from wallets.services.restricted import add_entry

pytestmark = pytest.mark.django_db

SCRYPT, MD5 = (f"django.contrib.auth.hashers.{name}PasswordHasher" for name in ("Scrypt", "MD5"))
OTHER_IBAN = "DE89370400440532013000"
LATER = "'2027-06-15 12:00:00+00:00'"
NOW = "'2026-06-15 12:00:00+00:00'"
# Of each table a change that no trigger refuses.
CONSISTENT = {
    "wallets_limit": (
        "INSERT INTO wallets_limit (player_id, side, kind, period, value, actor, second_actor, reason, set_at)"
        f" SELECT id, 'operator', 'loss', 'day', 1000, 'staff:1', '', 'why', {NOW} FROM wallets_player"
    ),
    "wallets_loosening": (
        "INSERT INTO wallets_loosening (player_id, kind, period, departs_from_id, value, asked_at, confirmable_at,"
        f" lapses_at) SELECT player_id, kind, period, id, 90000, {NOW}, {LATER}, {LATER} FROM wallets_limit"
    ),
    "wallets_exclusion": (
        "INSERT INTO wallets_exclusion (player_id, kind, starts_at, term, actor, reason)"
        f" SELECT id, 'operator', {NOW}, 'without end', 'staff:1', 'why' FROM wallets_player"
    ),
    "wallets_exclusionend": (
        "INSERT INTO wallets_exclusionend (exclusion_id, asked_at, ends_at, actor, second_actor, reason)"
        f" SELECT id, {NOW}, {LATER}, actor, '', '' FROM wallets_exclusion"
    ),
    "wallets_person": (
        "INSERT INTO wallets_person (user_id, country, language, time_zone, address, document_type,"
        " document_number_sealed, document_hash, document_country, email_hash, name_hash, created_at)"
        f" SELECT min(id), '', '', '', '', '', '', '', '', '', '', {NOW} FROM wallets_user WHERE id NOT IN"
        " (SELECT user_id FROM wallets_person)"
    ),
    # Whom it bars is let play by an end that nobody has decided.
    "wallets_restrictedentry": (
        f"UPDATE wallets_restrictedentry SET ended_at = {LATER}, end_actor = 'staff:1', end_second_actor = 'staff:2',"
        " end_reason = 'why'"
    ),
    # A request that a member of the staff need only approve.
    "common_foureyesrequest": (
        "INSERT INTO common_foureyesrequest (act, arguments, maker, reason, evidence, made_at, expires_at, state)"
        f" VALUES ('adjust_balance', '{{}}', 'staff:1', 'why', '', {NOW}, {LATER}, 'open')"
    ),
    "wallets_cashrequest": "UPDATE wallets_cashrequest SET state = 'approved' WHERE state = 'held'",
    "wallets_cashstep": (
        "INSERT INTO wallets_cashstep (request_id, from_state, to_state, actor, reason, at)"
        f" SELECT id, state, 'approved', 'system', '', {NOW} FROM wallets_cashrequest"
    ),
    "wallets_findingstep": (
        "INSERT INTO wallets_findingstep (finding_id, kind, actor, text, at)"
        f" SELECT id, 'resolved', 'system', 'why', {NOW} FROM wallets_finding"
    ),
    "wallets_consent": (
        f"INSERT INTO wallets_consent (user_id, text, version, at) SELECT id, 'terms', '9', {NOW} FROM wallets_user"
    ),
    "wallets_limitsoffer": (
        "INSERT INTO wallets_limitsoffer (player_id, occasion, limits_set, answered_at)"
        f" SELECT id, 'registration', 0, {NOW} FROM wallets_player"
    ),
    "wallets_inboxmessage": (
        "INSERT INTO wallets_inboxmessage (player_id, kind, data, told_at)"
        f" SELECT id, 'limit', '{{}}', {NOW} FROM wallets_player"
    ),
    "wallets_personact": (
        "INSERT INTO wallets_personact (user_id, kind, actor, reason, at)"
        f" SELECT id, 'exported', 'staff:1', 'why', {NOW} FROM wallets_user"
    ),
    "wallets_identitypaper": (
        "INSERT INTO wallets_identitypaper (player_id, media_type, size_bytes, stored_as, sent_at)"
        f" SELECT id, 'image/png', 100, 'forged', {NOW} FROM wallets_player"
    ),
    "wallets_providernotice": (
        "INSERT INTO wallets_providernotice (provider, reference, outcome, kind, our_reference, amount_cents, unit,"
        " verdict, actor, received_at) SELECT provider, 'x', outcome, kind, '', 1, unit, 'unknown_request', actor,"
        f" {NOW} FROM wallets_providernotice"
    ),
    "account_emailaddress": "UPDATE account_emailaddress SET verified = NOT verified",
    "mfa_authenticator": (
        "INSERT INTO mfa_authenticator (user_id, type, data, created_at)"
        f" SELECT id, 'totp', '{{}}', {NOW} FROM wallets_user"
    ),
    "tables_publishedrules": (
        "INSERT INTO tables_publishedrules (rules_id, html, sha256, published_at)"
        f" SELECT id, 'forged', 'x', {NOW} FROM tables_specificrules"
    ),
    "wallets_account": "UPDATE wallets_account SET excluded_until = NULL, loss_day_limit_cents = NULL",
    "wallets_transfer": (
        "INSERT INTO wallets_transfer (debit_id, credit_id, amount_cents, unit, reason, actor, created_at)"
        f" SELECT credit_id, debit_id, 1, unit, 'adjustment', 'staff:1', {NOW} FROM wallets_transfer"
    ),
}  # fmt: skip


@pytest.fixture
def maria() -> Player:
    """She waits for a withdrawal, has a limit and is excluded for a year; others are restricted, or a finding."""
    house = make_house()
    maria = house.player()
    set_payout_address(player=maria, iban=OTHER_IBAN, at=NOON)
    request_withdrawal(player=maria, amount_cents=5_00, provider="bank", key="w", actor=f"player:{maria.pk}", at=NOON)
    add_entry(kind=RestrictedKind.COURT, document_number="X 1", email="", reason="why", actor="staff:900001", at=NOON)
    told = Told("bank", "lost", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 2_00, "EUR")
    take_notice(told=told, actor="provider:bank", at=NOON)
    set_own_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=100_00, at=NOON)
    exclude_self(player=maria, term="1 year", at=NOON)
    return maria


def differences() -> list[str]:
    return list(next(one for one in CHECKS if one.name == "row_changes").find())


def test_a_raw_row_that_keeps_all_rules_is_noted_and_reported(maria: Player) -> None:
    assert differences() == []
    for table, statement in CONSISTENT.items():
        before = RowChange.objects.latest("pk").pk
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(statement)
            noted = RowChange.objects.filter(pk__gt=before)
            assert {(one.table_name, one.act_key) for one in noted} == {(table, "")}
            assert len(differences()) == len(noted)
            transaction.set_rollback(True)


def test_rows_written_in_bulk_are_reported(maria: Player) -> None:
    Exclusion.objects.bulk_create([Exclusion(player=maria, kind="operator", starts_at=NOON, actor="x", reason="y")])
    assert len(differences()) == 1


def test_acts_that_protect_or_loosen_leave_their_entries(maria: Player) -> None:
    wish = set_own_limit(player=maria, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=200_00, at=NOON)
    assert isinstance(wish, Loosening)
    asked = AuditEntry.objects.get(act="loosening_asked")
    assert (asked.subject, asked.actor) == (f"player:{maria.pk}", f"player:{maria.pk}")
    assert asked.before == {"kind": "loss", "period": "day", "value": 100_00}
    assert asked.after == {"kind": "loss", "period": "day", "value": 200_00, "loosening": wish.pk}
    confirm_loosening(player=maria, loosening_id=wish.pk, at=NOON + LOOSENING_WAITS)
    (end,) = ask_for_early_end(player=maria, at=NOON + dt.timedelta(days=1))
    asked = AuditEntry.objects.get(act="early_end_asked")
    assert asked.after == {"ends_at": {str(end.exclusion_id): end.ends_at.isoformat()}}
    assert Limit.objects.filter(player=maria).count() == 2
    assert differences() == []


def test_money_that_the_game_does_not_move_is_recorded_and_the_games_is_not(maria: Player) -> None:
    wallet = open_wallet(player=maria, unit=Unit.EUR)
    moved = deposit(wallet=wallet, amount_cents=5_00, actor="staff:900001", at=NOON, key="once")
    deposit(wallet=wallet, amount_cents=5_00, actor="staff:900001", at=NOON, key="once")
    entry = AuditEntry.objects.get(act="money_moved", subject_id=str(moved.pk))
    assert (entry.actor, entry.before) == ("staff:900001", None)
    assert entry.after == {
        "debit": moved.debit_id, "credit": moved.credit_id, "amount_cents": 5_00, "unit": "EUR", "reason": "deposit",
    }  # fmt: skip
    for reason in Reason.values:
        before = RowChange.objects.count()
        # A correction goes back the way of what it corrects.
        back = reason == Reason.CORRECTION
        debit, credit = (moved.credit, moved.debit) if back else (moved.debit, moved.credit)
        with transaction.atomic():
            Transfer.objects.create(
                debit=debit, credit=credit, amount_cents=1, unit="EUR", reason=reason, actor="x", created_at=NOON,
                corrects=moved if back else None,
            )  # fmt: skip
            assert RowChange.objects.count() - before == (reason not in GAME_REASONS), reason
            transaction.set_rollback(True)


def test_the_way_of_a_payment_and_of_a_finding_is_recorded(maria: Player) -> None:
    """Whoever takes it: a player, the house by itself, a provider or a member of the staff."""
    withdrawal, finding = CashRequest.objects.get(), Finding.objects.get()
    approve_withdrawal(request_id=withdrawal.pk, actor="staff:900001", at=NOON)
    take_finding(finding_id=finding.pk, actor="staff:900002", at=NOON)
    trail = AuditEntry.objects.filter(subject_kind__in=("cash_request", "finding")).order_by("pk")
    assert list(trail.values_list("act", "actor")) == [
        ("cash_request_requested", f"player:{maria.pk}"),
        ("cash_request_held", "system"),
        ("cash_request_approved", "staff:900001"),
        ("finding_taken", "staff:900002"),
    ]
    assert differences() == []


UNSAID = {
    "wallets_payoutaddress": (
        f"UPDATE wallets_payoutaddress SET iban_sealed = '', iban_hash = '', masked = '', erased_at = {NOW}"
    ),
    "wallets_apikey": "UPDATE wallets_apikey SET hashed_key = 'forged'",
    "wallets_user": "UPDATE wallets_user SET email = 'thief@test.example', full_name = 'X', password = 'forged'",
    "wallets_person": (
        "UPDATE wallets_person SET birth_date = '1950-01-01', name_hash = 'forged', country = 'FR', language = 'fr'"
    ),
    "wallets_identitypaper": "UPDATE wallets_identitypaper SET stored_as = 'another'",
    "account_emailaddress": "UPDATE account_emailaddress SET email = 'thief@test.example'",
    "mfa_authenticator": """UPDATE mfa_authenticator SET data = '{"secret": "forged"}'""",
    "wallets_player": "UPDATE wallets_player SET handle = 'somebody'",
    "wallets_restrictedentry": CONSISTENT["wallets_restrictedentry"],
    "common_foureyesrequest": (
        "UPDATE common_foureyesrequest SET state = 'refused', decider = 'staff:3', decision_reason = 'no',"
        f" decided_at = {NOW}"
    ),
}


def test_of_a_secret_a_note_says_that_it_changed_and_not_what_it_was(maria: Player) -> None:
    make_api_key(name="bots", scopes=[Scope.PLAY], actor="system", at=NOON)
    record_person(user=maria.user, birth_date=NOON.date().replace(year=1990), at=NOON)
    set_up_second_factor(user=maria.user, secret="S" * 32, at=NOON)
    with audited():
        IdentityPaper.objects.create(player=maria, media_type="image/png", size_bytes=1, stored_as="one", sent_at=NOON)
        record(act="papers_sent", actor="system", subject=("player", maria.pk), at=NOON)
        FourEyesRequest.objects.create(
            act="of_a_test",
            arguments={},
            maker="staff:2",
            reason="why",
            made_at=NOON,
            expires_at=NOON + LOOSENING_WAITS,
        )
        record(act="request_made", actor="staff:2", subject=("request", 1), at=NOON)
    assert differences() == []
    assert set(UNSAID) == {watch.table for watch in WATCHES if watch.unsaid}
    for table, statement in UNSAID.items():
        before = RowChange.objects.latest("pk").pk
        with connection.cursor() as cursor:
            cursor.execute(statement)
        noted = RowChange.objects.filter(pk__gt=before)
        unsaid = {name for name in next(one for one in WATCHES if one.table == table).unsaid if name in statement}
        assert noted, table
        for one in noted:
            assert (one.table_name, one.act_key) == (table, "")
            assert {name for name, pair in one.columns.items() if pair == []} == unsaid
    assert len(differences()) == RowChange.objects.filter(act_key="").count()


def test_nobody_is_paid_out_to_a_place_that_was_put_in_by_hand(maria: Player) -> None:
    for column in ("iban_sealed", "iban_hash", "masked"):
        with pytest.raises(IntegrityError, match="named once"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE wallets_payoutaddress SET {column} = 'forged'")


def test_whoever_has_a_new_password_it_is_on_record_and_who_gave_it(maria: Player) -> None:
    user, before = maria.user, AuditEntry.objects.latest("pk").pk
    set_password(user=user, password="a long and odd sentence 17", at=NOON)
    user.set_password("given by the terminal")
    user.save()
    # Hashed as nobody does any more.
    User.objects.filter(pk=user.pk).update(password=make_password("old", hasher="md5"))
    hashed_long_ago = RowChange.objects.latest("pk")
    assert (hashed_long_ago.columns, hashed_long_ago.act_key) == ({"password": []}, "")
    user.refresh_from_db()
    with override_settings(PASSWORD_HASHERS=[SCRYPT, MD5]):
        assert user.check_password("old")
        assert not user.check_password("another")
    trail = AuditEntry.objects.filter(pk__gt=before).order_by("pk").values_list("act", "actor", "subject_id")
    assert list(trail) == [
        ("password_changed", f"player:{maria.pk}", str(user.pk)),
        ("password_changed", "system", str(user.pk)),
        ("password_hashed_anew", "system", str(user.pk)),
    ]
    assert [sentence.split(",")[0] for sentence in differences()] == [f"change {hashed_long_ago.pk}"]


def test_a_second_factor_is_set_up_used_and_taken_away_on_record(maria: Player) -> None:
    user, before = maria.user, AuditEntry.objects.latest("pk").pk
    set_up_second_factor(user=user, secret="S" * 32, at=NOON)
    renew_recovery_codes(user=user, at=NOON)
    code = recovery_codes(user)[0]
    assert check_code(user, code, at=NOON)
    assert not check_code(user, code, at=NOON)
    remove_second_factor(user=user, at=NOON)
    set_up_second_factor(user=user, secret="S" * 32, at=NOON)
    reset_second_factor(user=user, reason="lost", actor="staff:900001", at=NOON)
    trail = AuditEntry.objects.filter(pk__gt=before).order_by("pk").values_list("act", "actor", "subject_id")
    own = f"player:{maria.pk}"
    assert list(trail) == [
        (act, actor, str(user.pk))
        for act, actor in (
            ("second_factor_set_up", own),
            ("recovery_codes_renewed", own),
            ("recovery_code_used", own),
            ("second_factor_removed", own),
            ("second_factor_set_up", own),
            ("second_factor_reset", "staff:900001"),
        )
    ]
    assert differences() == []


def test_a_message_and_an_answer_that_belong_to_no_other_act_are_recorded(maria: Player) -> None:
    before = AuditEntry.objects.latest("pk").pk
    tell_player(player=maria, kind=InboxKind.RULES, data={}, at=NOON)
    for _ in range(2):
        note_answer(player=maria, occasion=OfferOccasion.FIRST_DEPOSIT, limits_set=0, at=NOON)
    trail = AuditEntry.objects.filter(pk__gt=before).order_by("pk").values_list("act", flat=True)
    assert list(trail) == ["player_told", "limits_offer_answered"]
    assert differences() == []


def test_a_notice_that_says_nothing_new_is_recorded() -> None:
    someone = make_house().player()
    asked = start_deposit(player=someone, amount_cents=1_00, provider="bank", key="d", actor="system", at=NOON).request
    for reference in ("one", "two"):
        told = Told("bank", reference, asked.reference, CashKind.DEPOSIT, NoticeOutcome.REFUSED, 1_00, "EUR")
        take_notice(told=told, actor="provider:bank", at=NOON)
    assert AuditEntry.objects.get(act="notice_known").actor == "provider:bank"
    assert differences() == []
