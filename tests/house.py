"""A small house for tests: an operator, approved rules, an individual table, players with money, and a moved clock."""

import datetime as dt
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.management import call_command

from roulette_site.common.audit import audited, record
from roulette_site.common.models import FourEyesRequest, Operator
from roulette_site.common.sealer import seal_all
from sessions_app.models import EndBasis, GameSession
from sessions_app.services.game_sessions import end_game_session, start_game_session
from sessions_app.services.protection import acknowledge_reality_check, answer_limits_offer, exclude
from tables.models import GameRound, NumberSource, Seat, SpecificRules, Table, TableKind
from tables.roulette.rulebooks import find_rulebook
from tables.services.advance import advance_round, open_individual_round, sweep
from tables.services.betting import PlacedSlip, place_bets
from tables.services.publishing import publish_rules
from tables.services.rounds import launch_ball
from tables.services.rules import approve_rules
from tables.services.tables import set_up_table
from tables.services.taking_back import take_back
from tables.services.telling import tell_players_of_rules
from wallets.models import (
    Account,
    CashKind,
    Consent,
    DecidedAct,
    Finding,
    IdentityPaper,
    InboxMail,
    InboxMessage,
    KycState,
    LimitKind,
    LimitPeriod,
    NoticeOutcome,
    OfferOccasion,
    PayoutAddress,
    Person,
    Player,
    Reason,
    RegisterCheck,
    RestrictedKind,
    Transfer,
    Unit,
    User,
)
from wallets.protection import LOOSENING_WAITS, REALITY_CHECK_SECONDS
from wallets.services.adjustments import adjust_balance
from wallets.services.cash_requests import Asked, request_withdrawal, start_deposit
from wallets.services.cash_sending import send_withdrawal
from wallets.services.cash_steps import approve_withdrawal, confirm_payment, mark_failed
from wallets.services.closing import advance_closing, begin_closing
from wallets.services.corrections import correct_transfer
from wallets.services.exclusion import ask_for_early_end
from wallets.services.exports import note_export
from wallets.services.findings import resolve_finding, take_finding
from wallets.services.inbox import mark_read
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.limits import confirm_loosening, set_own_limit
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.people import add_player, record_person
from wallets.services.restricted import add_entry, end_entry
from wallets.services.snapshots import snapshot_missing_days
from wallets.services.standing import set_kyc_state
from wallets.services.suspense import send_back

# Of a bank that there is not; the digits fit.
IBAN = "PT50000201231234567890154"
DRAW_KEY = bytes(range(32))
# Long past, whenever the tests run: what was placed by this clock is older than what is placed by the database's.
NOON = dt.datetime(2026, 6, 15, 12, 0, tzinfo=dt.UTC)
# Two of the staff as rows name them, who are no user of any test.
TWO_OF_STAFF = ("staff:900001", "staff:900002")
BY_TWO = dict(zip(("actor", "second_actor"), TWO_OF_STAFF, strict=True))
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
        set_payout_address(player=player, iban=IBAN, at=self.now - dt.timedelta(days=2))
        if balance_cents:
            wallet = open_wallet(player=player, unit=Unit(self.table.unit))
            deposit(wallet=wallet, amount_cents=balance_cents, actor="system", at=self.now)
        return player

    def seated(self, balance_cents: int = 100_00, handle: str = "", *, is_asked: bool = False) -> "PlayerAtTable":
        """A player who sits at the table, his first round open.

        He is not asked after an hour whether he goes on: many tests jump from this clock to the database's. While he
        sits, `prove_books` is their `verify`.
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
    def actor(self) -> str:
        """The name under which he bets."""
        return f"player:{self.seat.player_id}"

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
            actor=self.actor,
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
    if not Operator.objects.exists():
        with audited():
            Operator.objects.create(
                id=1,
                legal_name="Test House, S.A.",
                brand="Test House",
                licence="TEST",
                help_address="help@test.example",
                complaint_address="complaints@test.example",
            )
            record(act="operator_set_up", actor="system", subject=("operator", 1), at=NOON)
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
    with audited():
        gone = User.objects.create_user(f"gone-{next(_numbers)}@test.example")
        Person.objects.create(user=gone, created_at=NOON, erased_at=house.forward())
        record(act="person_erased", actor="system", subject=("user", gone.pk), at=house.at())
    tell_players_of_rules(at=house.forward())
    _send_papers(house)
    with audited():
        Consent.objects.create(user=user, text="terms", version="1", at=house.forward())
        record(act="consented", actor="system", subject=("user", user.pk), at=house.at())
    with audited():
        check = RegisterCheck.objects.create(
            player=maria.game_session.player, asked_at=NOON, occasion="login", register="none", answer="off"
        )
        record(act="register_asked", actor="register:none", subject=("register_check", check.pk), at=NOON)
    entry = add_entry(
        kind=RestrictedKind.COURT, document_number="X 1", email="x@test.example", reason="a test", actor="staff:900001",
        ends_at=house.at() + dt.timedelta(days=30), at=house.forward(),
    )  # fmt: skip
    end_entry(entry_id=entry.pk, reason="a test", actor="staff:900001", second_actor="staff:900002", at=house.forward())
    note_export(user=user, actor="system", reason="a test", at=house.forward())
    for decision in (
        {},
        {"state": "refused", "decider": "staff:900002", "decision_reason": "no", "decided_at": house.at()},
    ):
        _asked_for(
            act="of_a_test", arguments={}, maker="staff:900001", made_at=NOON, expires_at=house.at() + dt.timedelta(days=7),
            **decision,
        )  # fmt: skip
    seal_all(everything=True)
    return house


def prove_books(**options: Any) -> None:
    """`verify`, after whom the house did not ask (House.seated) is held to his hour: else it would say so."""
    not_asked = GameSession.objects.filter(ended_at__isnull=True, seat__reality_check_at__isnull=True)
    for session in not_asked.filter(seat__account__unit=Unit.EUR):
        due = session.started_at + dt.timedelta(seconds=REALITY_CHECK_SECONDS)
        Seat.objects.filter(pk=session.seat_id).update(reality_check_at=due)
    call_command("verify", **options)


def adjusted(player: Player, *, at: dt.datetime, direction: str = "credit", cents: int = 5_00) -> Transfer:
    """An adjustment that two members of the staff have decided."""
    said = {"player": player.pk, "direction": direction, "amount_cents": cents, "cause": "complaint"}
    return adjust_balance(
        player=player, direction=direction, amount_cents=cents, cause="complaint", reason="secret reason",
        evidence="a letter", at=at, request_id=decided_request(DecidedAct.ADJUST, said, at=at).pk, **BY_TWO,
    )  # fmt: skip


def decided_request(act: str, arguments: dict[str, object], *, at: dt.datetime) -> FourEyesRequest:
    """A request that two members of the staff have made and approved."""
    maker, decider = TWO_OF_STAFF
    return _asked_for(
        act=act, arguments=arguments, made_at=at - dt.timedelta(minutes=1), decided_at=at,
        expires_at=at + dt.timedelta(days=7), state="approved", decision_reason="a test", maker=maker, decider=decider,
    )  # fmt: skip


def _asked_for(**fields: Any) -> FourEyesRequest:
    """A request with the entries that it would have."""
    with audited():
        request = FourEyesRequest.objects.create(reason="a test", **fields)
        said = {"act": request.act, "arguments": request.arguments}
        subject = ("request", request.pk)
        record(act="request_made", actor=request.maker, subject=subject, after=said, at=request.made_at)
        if request.decider is not None and request.decided_at is not None:
            record(act=f"request_{request.state}", actor=request.decider, subject=subject, at=request.decided_at)
    return request


def _protect(player: PlayerAtTable) -> None:
    """Leave a row of everything that protects a player, none of which keeps this one from her game."""
    house = player.house
    Seat.objects.filter(pk=player.seat.pk).update(reality_check_at=house.at())
    acknowledge_reality_check(game_session=player.game_session, at=house.forward())
    someone = house.player()
    of_a_day = {"player": someone, "kind": LimitKind.LOSS, "period": LimitPeriod.DAY}
    set_own_limit(**of_a_day, value=100_00, at=house.forward())
    wish = set_own_limit(**of_a_day, value=200_00, at=house.at() - LOOSENING_WAITS)
    confirm_loosening(player=someone, loosening_id=wish.pk, at=house.forward())
    answer_limits_offer(player=someone, occasion=OfferOccasion.FIRST_DEPOSIT, limits={}, at=house.forward())
    exclude(player=someone, term="1 year", at=house.forward())
    ask_for_early_end(player=someone, at=house.forward())
    mark_read(player=someone, at=house.forward())
    mailed = InboxMessage.objects.filter(player=someone).latest("pk")
    InboxMail.objects.create(message=mailed, begun_at=house.at(), sent_at=house.forward())


def _send_papers(house: House) -> None:
    """One file that was looked at, and one that was taken away."""
    known = {"player": house.player(), "media_type": "image/png", "size_bytes": 100, "sent_at": house.at()}
    with audited():
        IdentityPaper.objects.create(**known, stored_as=f"file-{next(_numbers)}", checked_at=house.at())
        IdentityPaper.objects.create(**known, checked_at=house.at(), removed_at=house.forward())
        record(act="papers_sent", actor="system", subject=("player", known["player"].pk), at=house.at())


def _go_to_the_cash_desk(house: House) -> None:
    """A deposit that is confirmed, and one that comes twice; a withdrawal paid, one refused, one that waits; a day's end."""
    maria, staff = house.player(), {"actor": "staff:900001"}

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
    told = Told("bank", f"lost-{next(_numbers)}", "", CashKind.DEPOSIT, NoticeOutcome.PAID, 2_00, "EUR")
    lost = take_notice(told=told, at=house.forward(), **staff).notice.suspended
    assert lost is not None
    said: dict[str, object] = {"transfer": lost.pk, "player": None, "deposit": None}
    request = decided_request(DecidedAct.RELEASE, said, at=house.forward())
    send_back(transfer_id=lost.pk, reason="a test", at=house.at(), request_id=request.pk, **BY_TWO)
    named = PayoutAddress.objects.get(player=house.player())
    with audited():
        PayoutAddress.objects.filter(pk=named.pk).update(
            iban_sealed="", iban_hash="", masked="", erased_at=house.forward()
        )
        record(act="person_erased", actor="system", subject=("user", named.player.user_id), at=house.at())
    gone = house.player()
    set_kyc_state(player=gone, state=KycState.EXPIRED, reason="test", actor="system", at=house.forward())
    told = start_deposit(
        player=gone, amount_cents=1_00, provider="bank", key=f"evening:{next(_numbers)}", actor="system",
        at=house.forward(),
    ).request  # fmt: skip
    confirm_payment(request_id=told.pk, reference=f"in-{told.pk}", at=house.forward(), **BY_TWO)
    begin_closing(player=gone, reason="a test", at=house.forward(), **staff)
    advance_closing(player_id=gone.pk, at=house.forward())
    paid, refused, _ = ask(request_withdrawal, 5_00), ask(request_withdrawal, 4_00), ask(request_withdrawal, 3_00)
    for request_id in (paid, refused):
        approve_withdrawal(request_id=request_id, at=house.forward(), **staff)
        send_withdrawal(request_id=request_id, now=house.forward)
    confirm_payment(request_id=paid, reference=f"out-{paid}", at=house.forward(), **staff)
    mark_failed(request_id=refused, reason="The bank knows no such account.", at=house.forward(), **BY_TWO)
    adjusted(maria, at=house.forward(), cents=1)
    adjusted(maria, at=house.forward(), direction="debit", cents=1)
    owed = Transfer.objects.filter(credit__player=maria, reason=Reason.DEPOSIT).latest("pk")
    withdraw(wallet=owed.credit, amount_cents=110_00, actor="system", at=house.forward())
    correct_transfer(first=owed, amount_cents=20_00, at=house.forward(), **staff)
    rule = Operator.objects.get().gaming_day_rule
    snapshot_missing_days(rule=rule, at=rule.bounds_of(rule.day_of(house.at()))[1] + dt.timedelta(hours=1))
