"""The demonstration: every figure it promises is there, and its books are right."""

import datetime as dt
import threading
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from roulette_site.common.later import muted
from roulette_site.common.models import Operator
from roulette_site.common.roles import ROLES
from sessions_app.demo.bots import Api, ApiRefused, Bot
from sessions_app.demo.personas import BOT_HANDLES, PERSONAS, PLAYERS, STAFF
from sessions_app.demo.seed import seed_demo
from sessions_app.models import GameSession
from tables.models import Bet, GameRound, PublishedRules, RoundState, SpecificRules, Table
from tables.services.advance import sweep
from tests.house import DRAW_KEY
from tests.web.pages import staff_client
from wallets.models import Account, ApiKey, Scope, Transfer, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def demonstration() -> None:
    with muted():
        seed_demo(now=timezone.now(), days=14, key=DRAW_KEY)


@pytest.fixture
def people() -> None:
    """The demonstration with one day of past: who is in it does not hang on the past."""
    with muted():
        seed_demo(now=timezone.now(), days=1, key=DRAW_KEY)


def test_the_figures_of_the_demonstration(demonstration: None) -> None:
    operator = Operator.objects.get()
    assert (operator.brand, operator.licence, operator.time_zone) == ("Casino Atlântico", "DEMO", "Europe/Lisbon")
    assert operator.gaming_day_starts_at == dt.time(6)
    solo = Table.objects.get()
    assert (solo.name, solo.kind, solo.minimum_cents, solo.unit) == ("Solo", "individual", 50, "EUR")
    assert SpecificRules.objects.filter(status="approved").count() == PublishedRules.objects.count() == 3
    balances = {
        a.player.handle: a.balance_cents for a in Account.objects.filter(kind="wallet").select_related("player")
    }  # type: ignore[union-attr]
    assert {handle: balances[handle] for handle in ("maria", "joao", "ines")} == {
        "maria": 250_00, "joao": 1_000_00, "ines": 40,
    }  # fmt: skip
    assert set(balances) == {persona.handle for persona in PLAYERS} | set(BOT_HANDLES)
    days = {operator.gaming_day_rule.day_of(session.started_at) for session in GameSession.objects.all()}
    assert len(days) == 14
    settled = GameRound.objects.filter(state=RoundState.SETTLED).count()
    assert 12 * 14 <= settled <= 24 * 14
    assert Bet.objects.count() > 600
    assert not GameRound.objects.exclude(state__in=(RoundState.SETTLED, RoundState.UNUSED)).exists()
    assert Transfer.objects.filter(reason="prize").exists()
    assert {user.email for user in User.objects.filter(is_staff=True)} == {persona.email for persona in STAFF}


@pytest.mark.django_db(transaction=True)
def test_its_books_are_right(people: None) -> None:
    call_command("verify")


def test_every_role_is_a_group_and_every_member_of_staff_has_one(people: None) -> None:
    assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)
    for persona in STAFF:
        assert tuple(User.objects.get(email=persona.email).groups.values_list("name", flat=True)) == persona.roles


def test_anyone_can_be_become_with_one_button(people: None, settings: Any) -> None:
    settings.DEMO_SITE = settings.LOCAL = True
    for persona in PERSONAS:
        client = Client()
        answer = client.post(reverse("demo"), {"email": persona.email}, follow=True)
        assert answer.status_code == 200
        assert answer.request["PATH_INFO"] == (reverse("admin:index") if persona.is_staff else reverse("lobby"))


def test_staff_see_rows_and_change_none(people: None) -> None:
    client = staff_client(User.objects.get(email="auditor@demo.example"))
    for model in ("wallets_transfer", "wallets_account", "tables_gameround", "tables_bet", "sessions_app_gamesession"):
        assert client.get(reverse(f"admin:{model}_changelist")).status_code == 200
        assert client.get(reverse(f"admin:{model}_add")).status_code == 403
    transfer = Transfer.objects.latest("pk")
    page = reverse("admin:wallets_transfer_change", args=[transfer.pk])
    assert client.get(page).status_code == 200
    assert client.post(page, {"amount_cents": "1"}).status_code == 403
    assert client.post(reverse("admin:wallets_transfer_delete", args=[transfer.pk]), {"post": "yes"}).status_code == 403


def test_who_has_no_right_sees_nothing(people: None) -> None:
    for email, model, status in (
        ("floor@demo.example", "wallets_transfer", 403),
        ("floor@demo.example", "tables_gameround", 200),
        ("finance@demo.example", "wallets_transfer", 200),
        ("admin@demo.example", "tables_bet", 403),
        ("maria@demo.example", "tables_bet", 302),
    ):
        client = staff_client(User.objects.get(email=email))
        assert client.get(reverse(f"admin:{model}_changelist")).status_code == status, (email, model)


@pytest.mark.django_db(transaction=True)
def test_the_demonstration_is_made_once_and_only_where_it_may_be(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    (tmp_path / "draw.key").write_text(DRAW_KEY.hex())
    with pytest.raises(CommandError, match="DEMO_SITE"):
        call_command("seed_demo")
    settings.DEMO_SITE = True
    call_command("seed_demo", days=1)
    call_command("seed_demo", if_empty=True)
    with pytest.raises(CommandError, match="set up already"):
        call_command("seed_demo")
    assert Operator.objects.count() == 1
    assert (tmp_path / "bots.key").stat().st_mode & 0o077 == 0


@pytest.mark.django_db(transaction=True)
def test_a_bot_plays_a_session_through_the_public_api(people: None, live_site: str) -> None:
    _, secret = ApiKey.objects.create_key(name="bots", scopes=[Scope.PLAY, Scope.READ])
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            sweep(key=DRAW_KEY, now=timezone.now)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        launched = Bot(BOT_HANDLES[0], "solo", Api(live_site, secret)).play_session(pause_seconds=0.01)
    finally:
        stop.set()
        worker.join()
    session = GameSession.objects.get(player__handle=BOT_HANDLES[0])
    assert session.ended_at is not None
    assert launched >= 1
    sweep(key=DRAW_KEY, now=timezone.now)
    call_command("verify")


@pytest.mark.django_db(transaction=True)
def test_a_bot_without_a_key_is_refused(live_site: str) -> None:
    with pytest.raises(ApiRefused) as refused:
        Api(live_site, "no.key").call("GET", "tables")
    assert refused.value.status in (401, 403)
