"""A small house for tests: an operator, approved rules, an individual table, players with money, and a moved clock."""

import datetime as dt
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from roulette_site.common.audit_chain import seal_entries
from roulette_site.common.models import FourEyesRequest, Operator
from sessions_app.models import EndBasis, GameSession
from sessions_app.services.game_sessions import end_game_session, start_game_session
from sessions_app.services.protection import acknowledge_reality_check, confirm_limit, exclude, set_limit
from tables.models import GameRound, NumberSource, Seat, SpecificRules, Table, TableKind
from tables.roulette.rulebooks import find_rulebook
from tables.services.advance import advance_round, open_individual_round, sweep
from tables.services.betting import PlacedSlip, place_bets
from tables.services.publishing import publish_rules
from tables.services.rounds import launch_ball
from tables.services.rules import approve_rules
from tables.services.tables import set_up_table
from tables.services.taking_back import take_back
from wallets.models import (
    Account,
    CashKind,
    Consent,
    Finding,
    KycState,
    LimitKind,
    LimitPeriod,
    NoticeOutcome,
    Person,
    PersonAct,
    Player,
    Reason,
    Transfer,
    Unit,
    User,
)
from wallets.protection import LOOSENING_WAITS
from wallets.services.cash_requests import Asked, request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, mark_failed
from wallets.services.corrections import correct_transfer
from wallets.services.exclusion import ask_for_early_end
from wallets.services.findings import resolve_finding, take_finding
from wallets.services.inbox import mark_read
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.notices import Told, take_notice
from wallets.services.people import add_player, record_person
from wallets.services.snapshots import snapshot_missing_days
from wallets.services.standing import set_kyc_state

DRAW_KEY = bytes(range(32))
# Long past, whenever the tests run: what was placed by this clock is older than what is placed by the database's.
NOON = dt.datetime(2026, 6, 15, 12, 0, tzinfo=dt.UTC)
_numbers = itertools.count(1)


def bet(type_: str, *on: int, stake: str = "1.00") -> dict[str, object]:
    """A bet as the API takes it."""
    return {"type": type_, "on": list(on), "stake": stake} if on else {"type": type_, "stake": stake}


@dataclass
class House:
    """The house, and its clock: `at()` is now, and each act of `PlayerAtTable` lets a second go by."""

    table: Table
    now: dt.datetime = NOON

    def at(self) -> dt.datetime:
        return self.now

    def forward(self, seconds: float = 1) -> dt.datetime:
        self.now += dt.timedelta(seconds=seconds)
        return self.now

    def player(self, balance_cents: int = 100_00, handle: str = "") -> Player:
        """A player with money."""
        name = handle or f"player-{next(_numbers)}"
        player = add_player(email=f"{name}@test.example", full_name=name, handle=name, at=self.now)
        set_kyc_state(player=player, state=KycState.VERIFIED, reason="test", actor="system", at=self.now)
        if balance_cents:
            wallet = open_wallet(player=player, unit=Unit(self.table.unit))
            deposit(wallet=wallet, amount_cents=balance_cents, actor="system", at=self.now)
        return player

    def seated(self, balance_cents: int = 100_00, handle: str = "", *, is_asked: bool = False) -> "PlayerAtTable":
        """A player who sits at the table, his first round open.

        He is not asked after an hour whether he goes on: many tests jump from this clock to the database's.
        """
        game_session = start_game_session(
            table=self.table, player=self.player(balance_cents, handle), at=self.forward()
        )
        if not is_asked:
            Seat.objects.filter(pk=game_session.seat_id).update(reality_check_at=None)
        seated = PlayerAtTable(house=self, game_session=game_session)
        seated.open_round()
        return seated


@dataclass
class PlayerAtTable:
    """A seated player and what he does."""

    house: House
    game_session: GameSession
    keys: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def seat(self) -> Seat:
        return self.game_session.seat

    @property
    def wallet(self) -> Account:
        return Account.objects.get(pk=self.seat.account_id)

    @property
    def balance_cents(self) -> int:
        balance = self.wallet.balance_cents
        assert balance is not None
        return balance

    @property
    def game_round(self) -> GameRound:
        """The latest round of the seat."""
        return GameRound.objects.filter(seat=self.seat).order_by("-number")[0]

    def open_round(self) -> GameRound | None:
        return open_individual_round(seat_id=self.seat.pk, key=DRAW_KEY, at=self.house.forward())

    def place(self, *bets: dict[str, object], key: str = "") -> PlacedSlip:
        return place_bets(
            seat=self.seat,
            items=bets,
            key=key or f"test:{self.seat.pk}:{next(self.keys)}",
            actor=f"player:{self.seat.player_id}",
            at=self.house.forward(),
        )

    def launch(self) -> GameRound:
        return launch_ball(seat=self.seat, at=self.house.forward())

    def play(self, *bets: dict[str, object]) -> GameRound:
        """Place, launch, draw and settle one round; returns it."""
        self.place(*bets)
        launched = self.launch()
        advance_round(game_round_id=launched.pk, key=DRAW_KEY, now=self.house.forward)
        launched.refresh_from_db()
        return launched


def make_house(
    *, rulebook: str = "pt-online", minimum_cents: int = 50, unit: Unit = Unit.EUR, **options: object
) -> House:
    """Set up the operator, approved rules with `options`, and one individual drawn table."""
    Operator.objects.get_or_create(
        id=1,
        defaults={
            "legal_name": "Test House, S.A.",
            "brand": "Test House",
            "licence": "TEST",
            "help_address": "help@test.example",
            "complaint_address": "complaints@test.example",
        },
    )
    values = find_rulebook(rulebook)
    rules = SpecificRules.objects.create(
        rulebook_code=values.code,
        rulebook_edition=values.edition,
        version=SpecificRules.objects.filter(rulebook_code=rulebook).count() + 1,
        created_at=NOON,
        **{"call_bets": sorted(values.call_bets), **options},
    )
    approve_rules(rules=rules, reference="TEST-1", in_force_from=NOON, at=NOON)
    number = next(_numbers)
    table = set_up_table(
        slug=f"table-{number}",
        name=f"Table {number}",
        kind=TableKind.INDIVIDUAL,
        unit=unit,
        number_source=NumberSource.DRAWN,
        rules=rules,
        minimum_cents=minimum_cents,
        at=NOON,
    )
    return House(table=table)


def make_evening() -> House:
    """A row in every guarded table: a call bet, a slip taken back, a won bet, a session that ended unused, a request."""
    house = make_house()
    publish_rules(rules_id=house.table.rules_id, at=NOON)
    maria = house.seated()
    maria.place({"call": "tiers", "unit": "0.50"})
    placed = maria.place(bet("red"))
    take_back(seat=maria.seat, slip_id=placed.slip_id, at=house.forward())
    # Whatever the number, one of the three wins.
    maria.play(bet("red"), bet("black"), bet("straight", 0))
    _protect(maria)
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=house.forward())
    sweep(key=DRAW_KEY, now=house.forward)
    _go_to_the_cash_desk(house)
    user = maria.game_session.player.user
    record_person(user=user, birth_date=dt.date(1990, 2, 3), country="PT", language="en", at=house.forward())
    gone = User.objects.create_user(f"gone-{next(_numbers)}@test.example")
    Person.objects.create(user=gone, created_at=NOON, erased_at=house.forward())
    Consent.objects.create(user=user, text="terms", version="1", at=house.forward())
    PersonAct.objects.create(user=user, kind="exported", actor="system", reason="a test", at=house.forward())
    for decision in ({}, {"state": "refused", "decider": "staff:2", "decision_reason": "no", "decided_at": house.at()}):
        FourEyesRequest.objects.create(
            act="of_a_test", arguments={}, maker="staff:1", reason="a test", made_at=NOON,
            expires_at=house.at() + dt.timedelta(days=7), **decision,
        )  # fmt: skip
    seal_entries(everything=True)
    return house


def _protect(player: PlayerAtTable) -> None:
    """Leave a row of everything that protects a player, none of which keeps this one from her game."""
    house = player.house
    Seat.objects.filter(pk=player.seat.pk).update(reality_check_at=house.at())
    acknowledge_reality_check(game_session=player.game_session, at=house.forward())
    someone = house.player()
    of_a_day = {"player": someone, "kind": LimitKind.LOSS, "period": LimitPeriod.DAY}
    set_limit(**of_a_day, value=100_00, at=house.forward())
    wish = set_limit(**of_a_day, value=200_00, at=house.at() - LOOSENING_WAITS)
    confirm_limit(player=someone, loosening_id=wish.pk, at=house.forward())
    exclude(player=someone, term="1 year", at=house.forward())
    ask_for_early_end(player=someone, at=house.forward())
    mark_read(player=someone, at=house.forward())


def _go_to_the_cash_desk(house: House) -> None:
    """A deposit that is confirmed, and one that comes twice; a withdrawal paid, one refused, one that waits; a day's end."""
    maria, staff = house.player(), {"actor": "staff:1"}

    def ask(act: Callable[..., Asked], cents: int) -> int:
        key = f"evening:{next(_numbers)}"
        return act(
            player=maria, amount_cents=cents, provider="bank", key=key, actor=f"player:{maria.pk}", at=house.forward()
        ).request.pk

    deposit_id = ask(start_deposit, 25_00)
    for reference in (f"in-{deposit_id}", f"again-{deposit_id}"):
        told = Told("bank", reference, f"D{deposit_id}", CashKind.DEPOSIT, NoticeOutcome.PAID, 25_00, "EUR")
        take_notice(told=told, at=house.forward(), **staff)
    finding = Finding.objects.latest("pk")
    take_finding(finding_id=finding.pk, at=house.forward(), **staff)
    resolve_finding(finding_id=finding.pk, text="It was sent back.", at=house.forward(), **staff)
    paid, refused, _ = ask(request_withdrawal, 5_00), ask(request_withdrawal, 4_00), ask(request_withdrawal, 3_00)
    for request_id in (paid, refused):
        approve_withdrawal(request_id=request_id, at=house.forward(), **staff)
        send_withdrawal(request_id=request_id, now=house.forward)
    confirm_payment(request_id=paid, reference=f"out-{paid}", at=house.forward(), **staff)
    mark_failed(request_id=refused, reason="The bank knows no such account.", at=house.forward(), **staff)
    owed = Transfer.objects.filter(credit__player=maria, reason=Reason.DEPOSIT).latest("pk")
    withdraw(wallet=owed.credit, amount_cents=110_00, actor="system", at=house.forward())
    correct_transfer(first=owed, amount_cents=20_00, at=house.forward(), **staff)
    rule = Operator.objects.get().gaming_day_rule
    snapshot_missing_days(rule=rule, at=rule.bounds_of(rule.day_of(house.at()))[1] + dt.timedelta(hours=1))
