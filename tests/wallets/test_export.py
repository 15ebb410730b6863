"""The export of somebody's data: whatever table holds something of his is in it, or stands below with the reason."""

import base64
import datetime as dt
import json
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import storages

from sessions_app.services.protection import answer_limits_offer, exclude
from tests.house import NOON, PlayerAtTable, bet, make_evening, make_house
from tests.pictures import jpeg
from tests.web.pages import give_second_factor
from wallets.models import (
    InboxMail,
    InboxMessage,
    KycState,
    LimitKind,
    LimitPeriod,
    Loosening,
    OfferOccasion,
    Player,
    User,
)
from wallets.selectors.export import export_person
from wallets.services.cash_requests import request_withdrawal, start_deposit
from wallets.services.cash_steps import hold_withdrawal
from wallets.services.closing import begin_closing
from wallets.services.erasure import close_account
from wallets.services.exclusion import ask_for_early_end, exclude_player, lift_exclusion
from wallets.services.inbox import mark_read
from wallets.services.limits import set_operator_limit, set_own_limit
from wallets.services.papers import refuse_papers, send_papers
from wallets.services.people import record_person
from wallets.services.standing import set_kyc_state, set_restricted

pytestmark = pytest.mark.django_db

# Table: where the export has it. "player." is left out before the parts of a player.
IN_THE_EXPORT = {
    "wallets_user": "user",
    "wallets_user_groups": "roles",
    "wallets_person": "person",
    "account_emailaddress": "addresses",
    "mfa_authenticator": "second_factor",
    "wallets_consent": "consents",
    "wallets_loginrecord": "logins",
    "axes_accessattempt": "failed_logins",
    "wallets_personact": "acts",
    "wallets_player": "player",
    "wallets_account": "accounts",
    "wallets_transfer": "transfers",
    "wallets_standingchange": "standing",
    "wallets_identitypaper": "papers",
    "wallets_limit": "limits",
    "wallets_loosening": "loosenings",
    "wallets_limitsoffer": "limits_offers",
    "wallets_exclusion": "exclusions",
    "wallets_exclusionend": "exclusions",
    "wallets_inboxmessage": "inbox",
    "wallets_inboxreading": "inbox",
    "wallets_inboxmail": "inbox",
    "wallets_cashrequest": "cash_requests",
    "wallets_cashstep": "cash_requests",
    "sessions_app_gamesession": "game_sessions",
    "sessions_app_realitycheck": "reality_checks",
    "tables_bet": "game_sessions",
    "wallets_payoutaddress": "payout_addresses",
    "wallets_registercheck": "register_checks",
    "wallets_restrictedentry": "restricted_entries",
}
_SAID = "what it says of a player, his sessions, bets and transfers say as well"
_ROUND = "of a round, which is public on its page; what the player had in it his bets and transfers say"
_HOUSE = "of the house; it names no player"
_TRAIL = "the house's record of acts, by ids; those on the person are in `acts`, those on the player in `standing`"
_LOCK = "locks an account; it says nothing of its owner, and would open it"
NOT_IN_IT = {
    "account_emailconfirmation": _LOCK,
    "django_session": _LOCK,
    "rest_framework_api_key_apikey": _HOUSE,
    "wallets_apikey": _HOUSE,
    "axes_accessattemptexpiration": "of a failed login, when its lock ends; the login itself is in the export",
    "axes_accessfailurelog": "not written here (AXES_ENABLE_ACCESS_FAILURE_LOG)",
    "axes_accesslog": "not written here (AXES_DISABLE_ACCESS_LOG)",
    "auth_group": _HOUSE,
    "auth_group_permissions": _HOUSE,
    "auth_permission": _HOUSE,
    "wallets_user_user_permissions": "of staff; rights are given by roles alone, which are in the export",
    "django_admin_log": "of the staff's own work in the back-office",
    "django_content_type": _HOUSE,
    "common_operator": _HOUSE,
    "common_actinhand": _HOUSE,
    "common_auditentry": _TRAIL,
    "common_auditseal": _TRAIL,
    "common_bookseal": "hashes over what stands elsewhere",
    "common_rowchange": _TRAIL,
    "common_foureyesrequest": "what staff ask of each other; what came of it is in `transfers`, `limits`, `exclusions`",
    "wallets_accountsnapshot": _HOUSE,
    "wallets_decidedtransfer": "the house's record of who decided a transfer, which is in `transfers`",
    "wallets_playerday": "sums of the player's transfers by day",
    "wallets_finding": "the house's work on a difference; what came of it is in `transfers`",
    "wallets_findingstep": "the house's work on a difference; what came of it is in `transfers`",
    "wallets_providernotice": "what a provider told the house; what came of it is in `cash_requests`",
    "tables_table": _HOUSE,
    "tables_specificrules": _HOUSE,
    "tables_publishedrules": _HOUSE,
    "tables_rulestelling": _HOUSE,
    "tables_seat": _SAID,
    "tables_slip": _SAID,
    "tables_slipcall": _SAID,
    "tables_slipwithdrawal": _SAID,
    "tables_betoutcome": _SAID,
    "tables_gameround": _ROUND,
    "tables_roundseed": _ROUND,
    "tables_rounddraw": _ROUND,
    "tables_roundevent": _ROUND,
    "tables_roundtotals": _ROUND,
}


def test_of_every_table_it_is_decided_whether_it_is_in_the_export() -> None:
    tables = {one._meta.db_table for one in apps.get_models(include_auto_created=True) if one._meta.managed}
    assert tables == set(IN_THE_EXPORT) | set(NOT_IN_IT)
    assert not set(IN_THE_EXPORT) & set(NOT_IN_IT)


def test_what_is_said_to_be_in_the_export_is() -> None:
    """Of a player who has a row in each of those tables."""
    data = export_person(a_whole_life().user, at=NOON)
    for table, key in IN_THE_EXPORT.items():
        found = data.get(key, data["user"].get(key, data["player"].get(key)))
        assert found is not None, table
        if table not in ("wallets_user_groups", "axes_accessattempt", "wallets_consent", "wallets_personact",
                         "wallets_loginrecord", "wallets_restrictedentry", "wallets_registercheck"):  # fmt: skip
            assert found, table


def a_whole_life() -> Player:
    for name in storages["papers"].listdir("")[1]:
        storages["papers"].delete(name)
    house = make_house()
    seated: PlayerAtTable = house.seated(is_asked=True)
    seated.play(bet("red"))
    player = seated.game_session.player
    about: dict[str, Any] = {"player": player, "kind": LimitKind.LOSS, "period": LimitPeriod.DAY}
    set_own_limit(**about, value=10_00, at=NOON)
    set_own_limit(**about, value=20_00, at=NOON)
    chosen = {(LimitKind.DEPOSIT, LimitPeriod.DAY): 500_00}
    answer_limits_offer(player=player, occasion=OfferOccasion.FIRST_DEPOSIT, limits=chosen, at=NOON)
    start_deposit(player=player, amount_cents=7_00, provider="bank", key="k", actor=f"player:{player.pk}", at=NOON)
    send_papers(player=player, contents=[jpeg()], at=NOON)
    seated.game_session.reality_checks.create(due_at=NOON, acknowledged_at=NOON + dt.timedelta(minutes=1))
    exclude(player=player, term="1 year", at=house.forward())
    ask_for_early_end(player=player, at=house.forward())
    mark_read(player=player, at=house.forward())
    message = InboxMessage.objects.filter(player=player).latest("pk")
    InboxMail.objects.create(message=message, begun_at=NOON, sent_at=NOON)
    give_second_factor(player.user)
    record_person(user=player.user, country="PT", at=NOON)
    return player


def test_what_protects_a_player_and_what_he_was_told_is_given_to_him() -> None:
    player = a_whole_life()
    data = json.loads(json.dumps(export_person(User.objects.get(pk=player.user_id), at=NOON)))["player"]
    assert [(one["kind"], one["value"]) for one in data["limits"]] == [("loss", 10_00), ("deposit", 500_00)]
    assert [(one["value"], one["confirmed_at"]) for one in data["loosenings"]] == [(20_00, None)]
    assert [(one["occasion"], one["limits_set"]) for one in data["limits_offers"]] == [("first_deposit", 1)]
    (exclusion,) = data["exclusions"]
    assert exclusion["kind"] == "self"
    assert exclusion["early_end"]["asked_at"]
    assert {"identity", "loosening", "exclusion"} <= {one["kind"] for one in data["inbox"]}
    assert all(one["read_at"] for one in data["inbox"])
    assert len([one for one in data["inbox"] if one["mailed_at"]]) == 1
    assert len(data["reality_checks"]) == 1
    assert [(one["kind"], one["amount_cents"]) for one in data["cash_requests"]] == [("deposit", 7_00)]
    assert data["cash_requests"][0]["steps"][0]["state"] == "started"
    assert [base64.b64decode(one["content_base64"]) for one in data["papers"]] == [jpeg()]
    assert data["standing"]["identity"] == "verified"
    assert "stored_as" not in json.dumps(data)


def test_why_the_house_did_something_is_its_own_and_what_the_player_wrote_his() -> None:
    house = make_house()
    player, suspicion = house.player(), "a suspicion of his bank"
    said: dict[str, Any] = {"reason": suspicion, "actor": "staff:900001", "at": NOON}
    set_kyc_state(player=player, state=KycState.PENDING, **said)
    refuse_papers(player=player, seen=0, cause="unreadable", **said)
    set_operator_limit(player=player, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=1_00, **said)
    excluded = exclude_player(player=player, ends_at=None, **said)
    lift_exclusion(exclusion_id=excluded.pk, **said, second_actor="staff:900002")
    set_restricted(player=player, is_restricted=True, **said)
    begin_closing(player=player, reason="I have had enough", actor=f"player:{player.pk}", at=NOON)
    request = house.player(handle="joao")
    wallet = request_withdrawal(
        player=request, amount_cents=1_00, provider="bank", key="w", actor=f"player:{request.pk}", at=NOON
    )
    hold_withdrawal(request_id=wallet.request.pk, **said)
    user = User.objects.create_user("gone@test.example")
    close_account(user=user, **said)
    for one in (player.user, request.user, user):
        assert suspicion not in json.dumps(export_person(one, at=NOON))
    data = export_person(player.user, at=NOON)["player"]
    decided = [(one["what"], one["after"], one["reason"]) for one in data["standing"]["changes"]]
    assert decided[-2:] == [("is_restricted", "true", ""), ("standing", "closing", "I have had enough")]
    assert [one["data"].get("cause") for one in data["inbox"] if one["data"].get("state") == "rejected"] == [
        "unreadable"
    ]
    assert [(one["kind"], bool(one["early_end"])) for one in data["exclusions"]] == [("operator", True)]


def test_a_file_that_cannot_be_read_keeps_nobody_from_the_rest() -> None:
    player = a_whole_life()
    (paper,) = player.papers.all()
    storages["papers"].delete(paper.stored_as)
    data = export_person(player.user, at=NOON)["player"]
    assert data["papers"][0]["content_base64"] is None
    assert data["limits"]


def test_nothing_of_anybody_else_is_in_it() -> None:
    make_evening()
    stranger = make_house().player(0)
    data = export_person(stranger.user, at=NOON)["player"]
    for section in ("papers", "limits", "loosenings", "exclusions", "cash_requests", "reality_checks", "transfers"):
        assert data[section] == []
    assert [one["kind"] for one in data["inbox"]] == ["identity", "payout_address"]
    assert Loosening.objects.exists()
