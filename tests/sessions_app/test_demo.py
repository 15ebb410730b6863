"""The demonstration: every figure it promises is there, and its books are right."""

import datetime as dt
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Sum
from django.test import Client, TransactionTestCase, override_settings
from django.urls import reverse
from django.utils import timezone

from roulette_site.common.four_eyes import ActRefused, MakerDecides, approve_request, describe
from roulette_site.common.later import muted
from roulette_site.common.models import FourEyesRequest, Operator
from roulette_site.common.roles import ROLES
from sessions_app.demo.bots import AT_ONCE, MOST_SLIPS_PER_SECOND, Api, ApiRefused, Bot, Pace, resting_bots
from sessions_app.demo.personas import BOTS, PERSONAS, PLAYERS, STAFF
from sessions_app.demo.seed import seed_demo, without_waiting_for_the_disk, write_register
from sessions_app.demo.waiting import draw_card
from sessions_app.models import GameSession
from sessions_app.selectors.limits import limit_lines
from tables.models import (
    Bet,
    GameRound,
    PublishedRules,
    RoundState,
    RoundTotals,
    Slip,
    SlipCall,
    SpecificRules,
    Table,
)
from tables.services.advance import sweep
from tests.house import DRAW_KEY
from tests.web.pages import staff_client
from wallets.models import Account, IdentityPaper, LimitKind, LimitPeriod, Person, Player, Reason, Scope, Transfer, User
from wallets.personal import check_birth_date
from wallets.selectors.papers import read_paper
from wallets.selectors.people import find_by_email, find_duplicates
from wallets.services.api_keys import make_api_key
from wallets.services.limits import pending_loosening

# Before 06:00 in Lisbon, and clocks went back within the 14 gaming days before it.
NOW = dt.datetime(2025, 11, 3, 5, 30, tzinfo=dt.UTC)
TODAY = dt.date(2025, 11, 2)
# The calls are the same on either database, and the figures of two weeks are counted on one; on PostgreSQL, where each
# statement is a journey, two days are enough to prove the books.
DAYS = 14 if connection.vendor == "sqlite" or os.environ.get("HYPOTHESIS_PROFILE") == "long" else 2
SHARE_A_DOCUMENT = {"joao@demo.example": ["nuno@demo.example"], "nuno@demo.example": ["joao@demo.example"]}


@pytest.fixture(scope="class")
def verified(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Make the whole demonstration once for a class of tests; what `manage.py verify` said of it."""
    said = StringIO()
    with django_db_blocker.unblock():
        path = tmp_path_factory.mktemp("register") / "list.csv"
        with override_settings(EXCLUSION_REGISTER="file", EXCLUSION_REGISTER_FILE=path):
            write_register()
            with muted(), without_waiting_for_the_disk():
                seed_demo(now=NOW, days=DAYS, key=DRAW_KEY)
        try:
            call_command("verify", stdout=said)
        except CommandError as error:
            said.write(str(error))
    yield said.getvalue()
    with django_db_blocker.unblock():
        TransactionTestCase()._fixture_teardown()


@pytest.mark.django_db
@pytest.mark.usefixtures("verified")
class TestThePast:
    """Gaming days, the same in every demonstration; each test leaves them as they are."""

    def test_its_books_are_right(self, verified: str) -> None:
        assert verified.endswith("The books are right.\n"), verified

    def test_the_house(self) -> None:
        operator = Operator.objects.get()
        assert (operator.brand, operator.licence, operator.time_zone) == ("Casino Atlântico", "DEMO", "Europe/Lisbon")
        assert operator.gaming_day_starts_at == dt.time(6)
        solo = Table.objects.get()
        assert (solo.name, solo.kind, solo.minimum_cents, solo.unit) == ("Solo", "individual", 50, "EUR")
        assert solo.rules.rulebook_code == "pt-online"
        rules = SpecificRules.objects.order_by("rulebook_code").values_list("rulebook_code", "version", "status")
        assert list(rules) == [(code, 1, "approved") for code in ("fr-anglaise", "fr-francaise", "pt-online")]
        assert PublishedRules.objects.count() == 3

    @pytest.mark.sqlite
    def test_rounds_and_bets(self) -> None:
        states = Counter(GameRound.objects.values_list("state", flat=True))
        assert states == {RoundState.SETTLED: 1_469, RoundState.UNUSED: 99}
        assert (Bet.objects.count(), Slip.objects.count(), SlipCall.objects.count()) == (11_804, 2_278, 809)
        totals = RoundTotals.objects.aggregate(bets=Sum("bets"), staked=Sum("staked_cents"), prizes=Sum("prize_cents"))
        assert totals == {"bets": 11_804, "staked": 10_242_00, "prizes": 8_348_50}
        assert Transfer.objects.filter(reason=Reason.PRIZE).count() == 1_012

    @pytest.mark.sqlite
    def test_fourteen_gaming_days_before_this_one(self) -> None:
        rule = Operator.objects.get().gaming_day_rule
        sessions = GameSession.objects.select_related("player")
        assert all(rule.day_of(one.started_at) == rule.day_of(one.ended_at) for one in sessions)
        everyone = Counter(rule.day_of(one.started_at) for one in sessions)
        hers = Counter(rule.day_of(one.started_at) for one in sessions if one.player.handle == "maria")
        days = [TODAY - dt.timedelta(days=back) for back in range(1, 15)]
        # And Inês today.
        assert everyone == {**dict.fromkeys(days, 7), TODAY: 1}
        assert hers == dict.fromkeys(days, 1)
        assert GameSession.objects.count() == 99
        assert GameRound.objects.filter(seat__player__handle="maria", state=RoundState.SETTLED).count() == 209
        assert not GameRound.objects.filter(seat__player__handle="joao").exists()

    def test_what_protects_players_is_there_to_be_seen(self) -> None:
        ines, rui, sofia, teste = (Player.objects.get(handle=name) for name in ("ines", "rui", "sofia", "teste"))
        wallet = Account.objects.get(player=ines)
        assert wallet.loss_day_limit_cents == 100_00
        waiting = pending_loosening(ines, LimitKind.LOSS, LimitPeriod.DAY, at=NOW)
        assert (waiting.value, waiting.confirmable_at - NOW) == (200_00, dt.timedelta(hours=16))
        (standing,) = [line for line in limit_lines(ines, NOW) if (line.kind, line.period) == ("loss", "day")]
        assert (standing.value, standing.used) == (100_00, 92_50)
        excluded = Account.objects.get(player=rui)
        assert (excluded.balance_cents, excluded.excluded_until > NOW) == (40_00, True)
        listed = Account.objects.filter(player__exclusions__kind="register")
        assert [(one.player.handle, one.balance_cents, one.excluded_until.year) for one in listed] == [
            ("vasco", 30_00, 9999)
        ]
        assert (sofia.kyc_state, Account.objects.get(player=sofia).barred) == ("pending", "not_verified")
        assert [one.handle for one in Player.objects.filter(is_test=True)] == [teste.handle]

    @pytest.mark.sqlite
    def test_players_and_their_money(self) -> None:
        wallets = Account.objects.filter(kind="wallet").values_list("player__handle", "balance_cents")
        balances = dict(wallets)
        assert len(wallets) == len(balances) == Player.objects.count() == 34
        assert {handle: balances[handle] for handle in ("maria", "joao", "ines", "tiago")} == {
            "maria": 250_00, "joao": 1_000_00, "ines": 60_00, "tiago": 80_00,
        }  # fmt: skip
        assert set(balances) == {persona.handle for persona in PLAYERS} | {bot.handle for bot in BOTS}
        assert len(BOTS) == 25
        assert sum(balances[bot.handle] for bot in BOTS) == 25_403_50
        assert Transfer.objects.filter(reason=Reason.DEPOSIT, credit__kind="wallet").count() == 34 + 14
        assert Transfer.objects.filter(reason=Reason.WITHDRAWAL).count() == 14

    def test_papers_and_requests_wait_for_staff(self) -> None:
        waiting = IdentityPaper.objects.filter(checked_at__isnull=True).order_by("player__handle")
        assert [(one.player.handle, one.player.kyc_state) for one in waiting] == [
            ("nuno", "pending"),
            ("sofia", "pending"),
        ]
        assert read_paper(waiting[0]) == draw_card()
        goodwill, lifting = FourEyesRequest.objects.filter(state="open").order_by("id")
        assert describe(goodwill) == "Give 25.00 EUR to player tiago: goodwill."
        filipa, goncalo, duarte = (
            User.objects.get(email=f"{name}@demo.example") for name in ("finance", "finance2", "compliance2")
        )
        with pytest.raises(MakerDecides):
            approve_request(request_id=goodwill.pk, user=filipa, reason="As it was agreed", at=NOW)
        approve_request(request_id=goodwill.pk, user=goncalo, reason="As it was agreed", at=NOW)
        assert Account.objects.get(player__handle="tiago").balance_cents == 105_00
        with pytest.raises(ActRefused, match="as he chose"):
            approve_request(request_id=lifting.pk, user=duarte, reason="He sounds well", at=NOW)

    def test_of_everybody_it_is_known_who_he_is(self) -> None:
        people = Person.objects.select_related("user")
        assert len(people) == User.objects.count() == 34 + 10
        for person in people:
            assert (person.country, person.language, person.time_zone) == ("PT", "pt", "Europe/Lisbon")
            check_birth_date(person.birth_date, today=TODAY)
            doubles = [one.user.email for one in find_duplicates(person)]
            assert doubles == SHARE_A_DOCUMENT.get(person.user.email, [])
            assert find_by_email(person.user.email) == [person]
        assert Person.objects.get(user__email="ines@demo.example").birth_date == dt.date(2000, 2, 29)

    def test_every_role_is_a_group_and_every_member_of_staff_has_one(self) -> None:
        assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)
        assert {user.email for user in User.objects.filter(is_staff=True)} == {persona.email for persona in STAFF}
        for persona in STAFF:
            assert tuple(User.objects.get(email=persona.email).groups.values_list("name", flat=True)) == persona.roles
        assert Counter(User.objects.filter(is_staff=True).values_list("groups__name", flat=True)) == {
            "Floor manager": 2, "Finance": 2, "Compliance": 2,
            "Support": 1, "Auditor": 1, "Regulator": 1, "Administrator": 1,
        }  # fmt: skip

    def test_anyone_can_be_become_with_one_button(self, settings: Any) -> None:
        settings.DEMO_SITE = settings.LOCAL = True
        page = Client().get(reverse("demo")).content.decode()
        assert len(PERSONAS) == 19
        for persona in PERSONAS:
            assert page.count(f'value="{persona.email}"') == page.count(f"Be {persona.name}</button>") == 1
            client = Client()
            answer = client.post(reverse("demo"), {"email": persona.email}, follow=True)
            assert answer.status_code == 200
            assert answer.request["PATH_INFO"] == (reverse("admin:index") if persona.is_staff else reverse("lobby"))

    def test_staff_see_rows_and_change_none(self) -> None:
        client = staff_client(User.objects.get(email="auditor@demo.example"))
        for model in (
            "wallets_transfer",
            "wallets_account",
            "tables_gameround",
            "tables_bet",
            "sessions_app_gamesession",
        ):
            assert client.get(reverse(f"admin:{model}_changelist")).status_code == 200
            assert client.get(reverse(f"admin:{model}_add")).status_code == 403
        transfer = Transfer.objects.latest("pk")
        page = reverse("admin:wallets_transfer_change", args=[transfer.pk])
        assert client.get(page).status_code == 200
        assert client.post(page, {"amount_cents": "1"}).status_code == 403
        assert (
            client.post(reverse("admin:wallets_transfer_delete", args=[transfer.pk]), {"post": "yes"}).status_code
            == 403
        )

    def test_who_has_no_right_sees_nothing(self) -> None:
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


class Unlucky(random.Random):
    """Chance that lets everything happen that can."""

    def random(self) -> float:
        return 0.0


@dataclass(frozen=True)
class Notes(Api):
    """The API as a bot sees it that is never refused; notes what was asked."""

    calls: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, body: object = None, key: str | None = None) -> dict[str, Any]:
        self.calls.append(path.rpartition("/")[2])
        return {"id": 1, "round": {"state": "betting"}}


@dataclass
class PatientClock:
    """Time that goes by only while somebody sleeps."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_no_more_than_fifteen_slips_go_in_any_second() -> None:
    clock = PatientClock()
    pace = Pace(clock=clock, sleep=clock.sleep)
    went = []
    for n in range(100):
        # A pause gives no right to catch up.
        clock.sleep(7.0 if n == 50 else 0.001)
        pace.wait()
        went.append(clock())
    assert MOST_SLIPS_PER_SECOND == 15
    a_second_later = zip(went, went[MOST_SLIPS_PER_SECOND:], strict=False)
    assert all(later - earlier > 1 - 1e-6 for earlier, later in a_second_later)
    assert went[-1] - went[0] < 7.1 + 99 / 15


def test_bots_at_once_keep_one_pace_together() -> None:
    api = Notes("", "", Pace(per_second=200))
    threads = [threading.Thread(target=Bot(bot, "solo", api).play_session, args=(0,)) for bot in BOTS[:AT_ONCE]]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slips = api.calls.count("bets")
    assert slips >= AT_ONCE * 5
    assert time.monotonic() - began >= (slips - 1) / 200


def test_a_bot_bets_also_over_a_limit_and_too_late() -> None:
    api = Notes("", "", Pace(per_second=10_000))
    Bot(BOTS[0], "solo", api, Unlucky()).play_session(pause_seconds=0)
    a_round = ["1", "bets", "bets", "bets", "spin", "bets"]
    assert api.calls == ["sessions", *a_round * 5, "end"]


def test_most_bots_rest_while_a_few_play() -> None:
    resting = resting_bots()
    assert AT_ONCE * 4 < resting.qsize() == 25
    assert {resting.get().handle for _ in range(25)} == {bot.handle for bot in BOTS}


@pytest.mark.django_db(transaction=True)
def test_a_bot_plays_a_session_through_the_public_api(live_site: str) -> None:
    with muted():
        seed_demo(now=timezone.now(), days=0, key=DRAW_KEY)
    _, secret = make_api_key(name="bots", scopes=[Scope.PLAY, Scope.READ], actor="system", at=timezone.now())
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            sweep(key=DRAW_KEY, now=timezone.now)

    worker = threading.Thread(target=work)
    worker.start()
    bot = Bot(BOTS[0], "solo", Api(live_site, secret), Unlucky())
    try:
        launched = bot.play_session(pause_seconds=0.01)
    finally:
        stop.set()
        worker.join()
    session = GameSession.objects.get(player__handle=BOTS[0].handle)
    assert session.ended_at is not None
    assert launched == 5
    # Whether the last slip of a round comes too late hangs on how fast the worker is.
    assert set(bot.refusals) - {"betting_closed"} == {"above_maximum"}
    sweep(key=DRAW_KEY, now=timezone.now)
    call_command("verify")


@pytest.mark.django_db(transaction=True)
def test_a_bot_without_a_key_is_refused(live_site: str) -> None:
    with pytest.raises(ApiRefused) as refused:
        Api(live_site, "no.key").call("GET", "tables")
    assert refused.value.status in (401, 403)
