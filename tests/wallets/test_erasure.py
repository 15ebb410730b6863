"""The end of an account: closed, kept for as long as the law wants, then erased, and the books still right."""

import datetime as dt
import io
import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import AuditEntry
from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session
from tables.services.advance import sweep
from tests.house import DRAW_KEY, NOON, PlayerAtTable, bet, make_house
from tests.web.pages import client_of, give_second_factor
from wallets.models import DocumentType, LoginRecord, PersonAct, PersonActKind, User
from wallets.selectors.export import export_person
from wallets.services.erasure import close_account, erase_person
from wallets.services.ledger import withdraw
from wallets.services.people import add_staff, record_document, record_person
from wallets.services.standing import AccountNotEmpty

pytestmark = pytest.mark.django_db
YEARS = dt.timedelta(days=5 * 365 + 2)


@pytest.fixture
def maria() -> PlayerAtTable:
    """A player with a past, of whom everything is known that can be."""
    house = make_house()
    maria = house.seated(handle="maria-lopes")
    maria.play(bet("red"))
    user = maria.game_session.player.user
    user.full_name = "Maria Lopes"
    user.set_password("a long and odd sentence 17")
    user.save()
    record_person(
        user=user, birth_date=dt.date(1988, 4, 17), country="PT", language="pt", time_zone="Europe/Lisbon",
        address="Rua do Ouro 7, Lisboa", at=house.at(),
    )  # fmt: skip
    record_document(user=user, document_type=DocumentType.PASSPORT, number="LX 998877", at=house.at())
    give_second_factor(user)
    return maria


def user_of(maria: PlayerAtTable) -> User:
    return User.objects.get(pk=maria.game_session.player.user_id)


def pay_out(maria: PlayerAtTable) -> None:
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=maria.house.forward())
    sweep(key=DRAW_KEY, now=maria.house.forward)
    maria.wallet.refresh_from_db()
    withdraw(wallet=maria.wallet, amount_cents=maria.wallet.balance_cents, actor="system", at=maria.house.forward())


def everything_stored() -> str:
    said = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            said += [" ".join(map(str, row)) for row in cursor.fetchall()]
    return "\n".join(said).casefold()


@pytest.mark.django_db(transaction=True)
def test_after_retention_nothing_says_who_it_was_and_the_books_are_right(maria: PlayerAtTable) -> None:
    user = user_of(maria)
    browser = client_of(maria.game_session.player)
    browser.post(reverse("login"), {"username": user.email, "password": "wrong"})
    AccessAttempt.objects.create(username=user.email, ip_address="198.51.100.7", failures_since_start=1)
    LogEntry.objects.create(
        user=user, content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk),
        object_repr=str(user), action_flag=CHANGE, change_message="",
    )  # fmt: skip
    known = ("maria", "lopes", "rua do ouro", "lx 998877", "1988-04-17", "198.51.100.7")
    # The document is sealed from the beginning; the rest can be read until it is erased.
    assert [word in everything_stored() for word in known] == [True, True, True, False, True, True]
    pay_out(maria)
    close_account(user=user, reason="asked for by letter", actor="staff:900001", at=NOON)
    assert Session.objects.count() == 0
    erase_person(user=user, reason="retention is over", actor="system", at=NOON + YEARS)
    stored = everything_stored()
    assert [word for word in known if word in stored] == []
    user = user_of(maria)
    assert (user.email, user.full_name, user.is_active, user.last_login) == (
        f"erased-{user.pk}@erased.invalid", "", False, None,
    )  # fmt: skip
    assert not user.has_usable_password()
    for model in (EmailAddress, Authenticator, LoginRecord):
        assert not model.objects.filter(user=user).exists()
    assert user.person.erased_at == NOON + YEARS
    assert [act.kind for act in PersonAct.objects.order_by("pk")] == ["account_closed", "erased"]
    said = io.StringIO()
    call_command("verify", stdout=said)
    assert "The books are right." in said.getvalue()


def test_data_are_not_erased_before_their_time(maria: PlayerAtTable) -> None:
    user = user_of(maria)
    before = User.objects.values().get(pk=user.pk)

    def refused(at: dt.datetime = NOON + YEARS, reason: str = "retention is over") -> str:
        with pytest.raises(RuleBroken) as error:
            erase_person(user=user_of(maria), reason=reason, actor="system", at=at)
        assert User.objects.get(pk=user.pk).full_name == "Maria Lopes"
        assert user.person.birth_date is not None
        assert not PersonAct.objects.filter(kind=PersonActKind.ERASED).exists()
        return error.value.code

    assert refused() == "account_not_closed"
    # Switched off without a closing on record, no time of retention runs.
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert refused() == "account_not_closed"
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert User.objects.values().get(pk=user.pk) == before
    with pytest.raises(AccountNotEmpty):
        close_account(user=user, reason="asked for", actor="staff:900001", at=NOON)
    assert refused() == "account_not_closed"
    pay_out(maria)
    close_account(user=user, reason="asked for", actor="staff:900001", at=NOON)
    assert refused(at=NOON + YEARS - dt.timedelta(seconds=1)) == "retention_not_over"
    for reason in ("", "  "):
        assert refused(reason=reason) == "reason_missing"
    for reason in ("x" * 301, "a\tb", "passport LX 998877"):
        assert refused(reason=reason) == "reason_not_usable"
    erase_person(user=user_of(maria), reason="retention is over", actor="system", at=NOON + YEARS)
    with pytest.raises(RuleBroken) as again:
        erase_person(user=user_of(maria), reason="again", actor="system", at=NOON + YEARS)
    assert again.value.code == "already_erased"


def test_the_time_runs_from_the_latest_closing(maria: PlayerAtTable) -> None:
    pay_out(maria)
    user = user_of(maria)
    close_account(user=user, reason="asked for", actor="staff:900001", at=NOON)
    with pytest.raises(RuleBroken) as twice:
        close_account(user=user, reason="asked for", actor="staff:900001", at=NOON)
    assert twice.value.code == "account_closed"
    User.objects.filter(pk=user.pk).update(is_active=True)
    close_account(user=user, reason="again", actor="staff:900001", at=NOON + YEARS)
    with pytest.raises(RuleBroken) as refused:
        erase_person(user=user, reason="too early", actor="system", at=NOON + YEARS)
    assert refused.value.code == "retention_not_over"


def test_an_act_on_somebody_is_never_changed(maria: PlayerAtTable) -> None:
    pay_out(maria)
    act = close_account(user=user_of(maria), reason="asked for", actor="staff:900001", at=NOON)
    with pytest.raises(IntegrityError), transaction.atomic():
        PersonAct.objects.filter(pk=act.pk).update(reason="nicer words")


def test_a_person_is_given_everything_that_is_held_about_him(maria: PlayerAtTable) -> None:
    user = user_of(maria)
    client_of(maria.game_session.player)
    data = json.loads(json.dumps(export_person(user, at=NOON)))
    assert data["user"]["email"] == user.email
    assert data["person"]["document_number"] == "LX 998877"
    assert data["person"]["birth_date"] == "1988-04-17"
    assert data["addresses"] == [{"email": user.email, "verified": True, "primary": True}]
    assert len(data["logins"]) == 1
    assert {one["type"] for one in data["second_factor"]} == {"totp", "recovery_codes"}
    player = data["player"]
    assert [one["reason"] for one in player["transfers"]][:2] == ["deposit", "stake"]
    assert [one["amount_cents"] for one in player["transfers"]][:2] == [100_00, -1_00]
    wallet = next(one for one in player["accounts"] if one["unit"] == "EUR")
    assert wallet["balance_cents"] == sum(one["amount_cents"] for one in player["transfers"])
    assert [len(one["bets"]) for one in player["game_sessions"]] == [1]
    # What locks the account is not told.
    for secret in (user.password, "session_key", "hash", "gAAAA"):
        assert secret not in json.dumps(data)


def test_another_players_data_are_not_in_the_export(maria: PlayerAtTable) -> None:
    other = maria.house.seated(handle="joao-costa")
    other.play(bet("black", stake="7.50"))
    text = json.dumps(export_person(user_of(maria), at=NOON))
    assert "joao" not in text
    assert '"stake_cents": 750' not in text


def test_the_commands_export_and_refuse(maria: PlayerAtTable) -> None:
    user = user_of(maria)
    clerk = f"staff:{add_staff(email='c@x.example', full_name='C', roles=['Compliance'], at=NOON).pk}"
    said = io.StringIO()
    call_command("export_person", user.pk, actor=clerk, reason="asked for by letter", stdout=said)
    assert json.loads(said.getvalue())["user"]["id"] == user.pk
    assert (PersonAct.objects.get().kind, PersonAct.objects.get().actor) == ("exported", clerk)
    assert AuditEntry.objects.get(act="person_exported").actor == clerk
    with pytest.raises(CommandError, match="account_not_closed"):
        call_command("erase_person", user.pk, actor=clerk, reason="over")
    for nobody in (
        "Mr. Evil <x>",
        "staff:900001",
        "staff:900000",
        f"staff:{user.pk}",
        f"player:{user.pk}",
        clerk + "\n",
    ):
        for command in ("export_person", "erase_person"):
            with pytest.raises(CommandError, match="--actor is staff"):
                call_command(command, user.pk, actor=nobody, reason="over")
    with pytest.raises(CommandError, match="reason_not_usable"):
        call_command("export_person", user.pk, actor=clerk, reason="for maria@home.example")
    assert PersonAct.objects.count() == 1
    for command in ("export_person", "erase_person"):
        with pytest.raises(CommandError, match="no user"):
            call_command(command, 10**9, actor="staff:900001", reason="over")
