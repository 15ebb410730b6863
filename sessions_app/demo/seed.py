"""What has happened before a visitor arrives: made only through services, with a moved clock, from one fixed seed."""

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

from roulette_site.common.models import Operator
from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session, start_game_session
from sessions_app.services.protection import exclude, set_limit
from tables import draws
from tables.models import GameRound, NumberSource, Seat, SpecificRules, Table, TableKind
from tables.roulette.rulebooks import all_rulebooks
from tables.services.betting import place_bets
from tables.services.publishing import publish_rules
from tables.services.rounds import draw_round, launch_ball, open_round, reveal_unused
from tables.services.rules import approve_rules
from tables.services.settlement import settle_round
from tables.services.tables import set_up_table
from wallets.models import Account, CashKind, KycState, LimitKind, LimitPeriod, NoticeOutcome, Player, Unit
from wallets.services.cash_requests import start_deposit
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.notices import Told, take_notice
from wallets.services.people import add_player, add_staff, record_person
from wallets.services.standing import set_kyc_state

from .bets import MINIMUM_CENTS, slips_of_round
from .personas import BOTS, PLAYERS, STAFF

SEED = 807
BOTS_A_DAY = 6
# Where all of them live, and what they read.
PLACE = {"country": "PT", "language": "pt", "time_zone": "Europe/Lisbon"}
ROUNDS_PER_SESSION = (9, 21)
# When the first guest of a gaming day comes, and how long the table then waits for each next one: all of it fits into
# a gaming day of 23 hours.
FIRST_SESSION_AFTER = dt.timedelta(hours=4)
SECONDS_BETWEEN_SESSIONS = (20 * 60, 90 * 60)
# What Maria brings each day, and takes away again: more than she can stake in a session.
MONEY_OF_THE_DAY_CENTS = 100_000
BOT_MONEY_CENTS = 100_000
# More than a bot can stake in a session.
TOP_UP_BELOW_CENTS = 40_000
TEST_ACCOUNTS = {persona.handle for persona in PLAYERS if persona.is_test}
BEING_CHECKED = {"sofia": (KycState.PENDING, "The papers have come.")}
# What Maria likes: her numbers, and a little beside them.
FAVOURITES = (17, 20, 32, 8)


@dataclass
class MovedClock:
    """The demonstration's own time: it moves only when told."""

    at: dt.datetime

    def __call__(self) -> dt.datetime:
        return self.at

    def forward(self, seconds: float) -> dt.datetime:
        """Let some time go by and say what time it is then."""
        self.at += dt.timedelta(seconds=seconds)
        return self.at


@dataclass(frozen=True)
class SeedsOf:
    """Round seeds from the fixed seed, so that the demonstration's past has the same numbers each time.

    Rounds that a visitor plays are opened by a worker, with the operating system's randomness.
    """

    chance: random.Random

    def __call__(self) -> bytes:
        return self.chance.randbytes(draws.SEED_BYTES)


@contextmanager
def without_waiting_for_the_disk() -> Iterator[None]:
    """Commit thousands of small transactions quickly: what a power cut would lose is made again by the same command."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA synchronous")
            (before,) = cursor.fetchone()
            quick, usual = "PRAGMA synchronous=OFF", f"PRAGMA synchronous={before:d}"
        else:
            quick, usual = "SET synchronous_commit TO off", "RESET synchronous_commit"
        cursor.execute(quick)
        try:
            yield
        finally:
            cursor.execute(usual)


def seed_demo(*, now: dt.datetime, days: int, key: bytes) -> None:
    """Make the whole demonstration: its past is the `days` gaming days before the one that `now` belongs to."""
    rule = seed_operator().gaming_day_rule
    today = rule.day_of(now)
    beginning = rule.start_of(today - dt.timedelta(days=days))
    table = seed_house(at=beginning)
    seed_people(at=beginning)
    starts = [rule.start_of(today - dt.timedelta(days=back)) for back in range(days, 0, -1)]
    seed_history(table=table, day_starts=starts, key=key)
    seed_cash_desk(at=rule.start_of(today))
    seed_protection(now=now)


def seed_operator() -> Operator:
    """Set up the house that everything belongs to."""
    return Operator.objects.create(
        id=1,
        legal_name="Casino Atlântico Demonstração, S.A.",
        brand="Casino Atlântico",
        licence="DEMO",
        help_address="ajuda@casino-atlantico.example",
        complaint_address="reclamacoes@casino-atlantico.example",
    )


def seed_house(*, at: dt.datetime) -> Table:
    """Set up one approved and published version of the rules for each rulebook, and the table Solo."""
    for rulebook in all_rulebooks():
        rules = SpecificRules.objects.create(
            rulebook_code=rulebook.code,
            rulebook_edition=rulebook.edition,
            version=1,
            call_bets=sorted(rulebook.call_bets),
            created_at=at,
        )
        approve_rules(rules=rules, reference=f"DEMO-{rulebook.code}-1", in_force_from=at, at=at)
    table = set_up_table(
        slug="solo",
        name="Solo",
        kind=TableKind.INDIVIDUAL,
        unit=Unit.EUR,
        number_source=NumberSource.DRAWN,
        rules=SpecificRules.objects.get(rulebook_code="pt-online", version=1),
        minimum_cents=MINIMUM_CENTS,
        at=at,
    )
    for rules_id in SpecificRules.objects.values_list("pk", flat=True):
        publish_rules(rules_id=rules_id, at=at)
    return table


def seed_people(*, at: dt.datetime) -> None:
    """Bring in players with their money, staff with their roles, and the bots."""
    people = [(persona.handle, persona.name, persona.balance_cents, persona.birth_date) for persona in PLAYERS]
    people += [(bot.handle, bot.full_name, BOT_MONEY_CENTS, bot.birth_date) for bot in BOTS]
    for handle, name, cents, birth_date in people:
        player = add_player(
            email=f"{handle}@demo.example", full_name=name, handle=handle, is_test=handle in TEST_ACCOUNTS, at=at
        )
        state, reason = BEING_CHECKED.get(handle, (KycState.VERIFIED, "Seen with the identity card."))
        set_kyc_state(player=player, state=state, reason=reason, actor="system", at=at)
        record_person(user=player.user, birth_date=birth_date, at=at, **PLACE)
        deposit(wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=cents, actor="system", at=at)
    for persona in STAFF:
        user = add_staff(email=persona.email, full_name=persona.name, roles=persona.roles, at=at)
        record_person(user=user, birth_date=persona.birth_date, at=at, **PLACE)


def seed_history(*, table: Table, day_starts: Sequence[dt.datetime], key: bytes) -> None:
    """Let Maria and some bots play at the table on each gaming day, one after the other.

    Maria's balance ends each day as it began; the bots keep what they win and lose.
    """
    chance = random.Random(SEED)  # noqa: S311
    maria = Guest.find("maria", FAVOURITES)
    bots = [Guest.find(bot.handle, (bot.favourite,)) for bot in BOTS]
    for day_start in day_starts:
        clock = MovedClock(day_start + FIRST_SESSION_AFTER)
        guests = [maria, *chance.sample(bots, k=BOTS_A_DAY)]
        chance.shuffle(guests)
        for guest in guests:
            clock.forward(chance.uniform(*SECONDS_BETWEEN_SESSIONS))
            evening = Evening(table=table, guest=guest, clock=clock, chance=chance, key=key)
            if guest is maria:
                _play_with_money_of_the_day(evening)
            else:
                _top_up(guest, at=clock())
                evening.play()


def _play_with_money_of_the_day(evening: "Evening") -> None:
    wallet, clock = evening.guest.wallet, evening.clock
    before = wallet.balance_cents or 0
    deposit(wallet=wallet, amount_cents=MONEY_OF_THE_DAY_CENTS, actor="system", at=clock())
    evening.play()
    wallet.refresh_from_db()
    surplus = (wallet.balance_cents or 0) - before
    withdraw(wallet=wallet, amount_cents=surplus, actor="system", at=clock.forward(60))
    wallet.refresh_from_db()


def _top_up(guest: "Guest", at: dt.datetime) -> None:
    guest.wallet.refresh_from_db()
    if (guest.wallet.balance_cents or 0) < TOP_UP_BELOW_CENTS:
        deposit(wallet=guest.wallet, amount_cents=BOT_MONEY_CENTS, actor="system", at=at)


def seed_protection(*, now: dt.datetime) -> None:
    """Let Inês hold herself to a limit, and Rui keep himself from the games."""
    ines, rui = (Player.objects.get(handle=handle) for handle in ("ines", "rui"))
    for value, before in ((100_00, dt.timedelta(days=3)), (200_00, dt.timedelta(hours=8))):
        set_limit(player=ines, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=value, at=now - before)
    exclude(player=rui, term="3 months", at=now - dt.timedelta(days=2))


def seed_cash_desk(*, at: dt.datetime) -> None:
    """Let finance find something to do: Maria's deposit that is awaited, and money that names nobody."""
    maria = Player.objects.get(handle="maria")
    start_deposit(
        player=maria, amount_cents=50_00, provider="bank", key="seed:deposit", actor=f"player:{maria.pk}", at=at
    )
    lost = Told(
        provider="bank",
        reference="DEMO-0001",
        our_reference="",
        kind=CashKind.DEPOSIT,
        outcome=NoticeOutcome.PAID,
        amount_cents=75_00,
        unit=Unit.EUR,
    )
    take_notice(told=lost, actor="system", at=at)


@dataclass(frozen=True)
class Guest:
    """Somebody with a past at the table."""

    player: Player
    wallet: Account
    favourites: Sequence[int]

    @classmethod
    def find(cls, handle: str, favourites: Sequence[int]) -> "Guest":
        """The player of that handle."""
        player = Player.objects.get(handle=handle)
        return cls(player, open_wallet(player=player, unit=Unit.EUR), favourites)


@dataclass(frozen=True)
class Evening:
    """One session of a guest at an individual table, step by step as player and worker take them."""

    table: Table
    guest: Guest
    clock: MovedClock
    chance: random.Random
    key: bytes

    def play(self) -> None:
        """Sit down, play some rounds, get up."""
        game_session = start_game_session(table=self.table, player=self.guest.player, at=self.clock())
        game_round = self._open_round(game_session.seat)
        for _ in range(self.chance.randint(*ROUNDS_PER_SESSION)):
            game_round = self._play_round(game_session.seat, game_round)
        end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=self.clock.forward(5))
        # The round that was open for a next bet.
        reveal_unused(game_round_id=game_round.pk, key=self.key, at=self.clock.forward(1))

    def _play_round(self, seat: Seat, game_round: GameRound) -> GameRound:
        for items in slips_of_round(self.chance, self.chance.choice(self.guest.favourites)):
            place_bets(
                seat=seat,
                items=items,
                key=f"seed:{seat.player_id}:{self.chance.getrandbits(64):016x}",
                actor=f"player:{seat.player_id}",
                at=self.clock.forward(self.chance.uniform(4, 25)),
            )
        launch_ball(seat=seat, game_round_id=game_round.pk, at=self.clock.forward(2))
        draw_round(game_round_id=game_round.pk, key=self.key, at=self.clock.forward(4))
        settle_round(game_round_id=game_round.pk, at=self.clock())
        return self._open_round(seat)

    def _open_round(self, seat: Seat) -> GameRound:
        opened = open_round(
            table=self.table, seat=seat, key=self.key, at=self.clock.forward(1), fresh_seed=SeedsOf(self.chance)
        )
        assert opened is not None, "the table is open and the guest sits there"
        return opened
