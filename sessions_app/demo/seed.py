"""What has happened before a visitor arrives: made only through services, with a moved clock, from one fixed seed."""

import datetime as dt
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from roulette_site.common.audit import audited, record
from roulette_site.common.models import Operator
from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session, start_game_session
from sessions_app.services.protection import exclude
from tables import draws
from tables.models import GameRound, NumberSource, Seat, SpecificRules, Table, TableKind
from tables.roulette.rulebooks import all_rulebooks
from tables.services.betting import place_bets
from tables.services.publishing import publish_rules
from tables.services.rounds import draw_round, launch_ball, open_round, reveal_unused
from tables.services.rules import approve_rules
from tables.services.settlement import settle_round
from tables.services.tables import set_up_table
from wallets.amounts import format_cents
from wallets.models import Account, CashKind, KycState, LimitKind, LimitPeriod, NoticeOutcome, Player, Unit
from wallets.protection import PlayerCalendar
from wallets.services.cash_requests import start_deposit
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.limits import set_own_limit
from wallets.services.notices import Told, take_notice
from wallets.services.payout import set_payout_address
from wallets.services.people import add_player, add_staff, record_person
from wallets.services.standing import set_kyc_state

from .bets import MINIMUM_CENTS, Item, slips_of_round
from .personas import BOTS, PLAYERS, STAFF
from .waiting import seed_papers, seed_requests

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
# Of somebody in the register who is no player here.
NOBODYS_BIRTHDAY = dt.date(1971, 3, 9)
NOT_VERIFIED = {"sofia", "nuno"}
# What Maria likes: her numbers, and a little beside them.
FAVOURITES = (17, 20, 32, 8)
# What Inês has lost today, of the 100.00 that she allows herself, on which number and with how much at a time.
LOST_BY_INES_CENTS = 92_50
NUMBER_OF_INES = 29
STAKE_OF_INES_CENTS = 15_00


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
    # In which round of which table a number shall not come: what was lost is told to the cent.
    never: tuple[str, int, int] | None = None

    def __call__(self) -> bytes:
        while True:
            seed = self.chance.randbytes(draws.SEED_BYTES)
            if self.never is None:
                return seed
            slug, round_number, number = self.never
            if draws.draw_number(seed, slug, round_number) != number:
                return seed


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
    rule = seed_operator(at=now).gaming_day_rule
    today = rule.day_of(now)
    beginning = rule.start_of(today - dt.timedelta(days=days))
    table = seed_house(at=beginning)
    seed_people(at=beginning)
    starts = [rule.start_of(today - dt.timedelta(days=back)) for back in range(days, 0, -1)]
    seed_history(table=table, day_starts=starts, key=key)
    seed_cash_desk(at=rule.start_of(today))
    seed_protection(table=table, now=now, key=key)
    seed_papers(at=now - dt.timedelta(hours=3))
    seed_requests(at=now - dt.timedelta(hours=1))


def seed_operator(*, at: dt.datetime) -> Operator:
    """Set up the house that everything belongs to."""
    with audited():
        operator = Operator.objects.create(
            id=1,
            legal_name="Casino Atlântico Demonstração, S.A.",
            brand="Casino Atlântico",
            licence="DEMO",
            help_address="ajuda@casino-atlantico.example",
            complaint_address="reclamacoes@casino-atlantico.example",
        )
        record(act="operator_set_up", actor="system", subject=("operator", operator.pk), at=at)
    return operator


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


def write_register() -> None:
    """Put a register of excluded people in place where there is none: Vasco, and somebody who is no player here."""
    path = Path(settings.EXCLUSION_REGISTER_FILE)
    if settings.EXCLUSION_REGISTER != "file" or path.exists():
        return
    listed = [(one.name, one.birth_date) for one in PLAYERS if one.is_listed] + [
        ("Ninguém Conhecido", NOBODYS_BIRTHDAY)
    ]
    lines = ["full_name,birth_date", *(f"{name},{born.isoformat()}" for name, born in listed)]
    # In one piece: the site may look at it at any moment.
    unready = path.with_suffix(".unready")
    unready.write_text("\n".join(lines) + "\n", encoding="utf-8")
    unready.replace(path)


def seed_people(*, at: dt.datetime) -> None:
    """Bring in players with their money, staff with their roles, and the bots."""
    people = [(persona.handle, persona.name, persona.balance_cents, persona.birth_date) for persona in PLAYERS]
    people += [(bot.handle, bot.full_name, BOT_MONEY_CENTS, bot.birth_date) for bot in BOTS]
    for handle, name, cents, birth_date in people:
        player = add_player(
            email=f"{handle}@demo.example", full_name=name, handle=handle, is_test=handle in TEST_ACCOUNTS, at=at
        )
        record_person(user=player.user, birth_date=birth_date, at=at, **PLACE)
        if handle not in NOT_VERIFIED:
            # Whoever is verified is looked up in the register, by name and birth date.
            seen = "Seen with the identity card."
            set_kyc_state(player=player, state=KycState.VERIFIED, reason=seen, actor="system", at=at)
            set_payout_address(player=player, iban=demo_iban(player.pk), at=at)
        deposit(wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=cents, actor="system", at=at)
    for persona in STAFF:
        user = add_staff(email=persona.email, full_name=persona.name, roles=persona.roles, at=at)
        record_person(user=user, birth_date=persona.birth_date, at=at, **PLACE)


def demo_iban(number: int) -> str:
    """An IBAN whose digits fit, of a bank that there is not."""
    account = f"9999{number:017}"
    check = 98 - int(f"{account}252900") % 97
    return f"PT{check:02}{account}"


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


def seed_protection(*, table: Table, now: dt.datetime, key: bytes) -> None:
    """Let Inês hold herself to a limit and come near it today, and Rui keep himself from the games."""
    ines, rui = (Player.objects.get(handle=handle) for handle in ("ines", "rui"))
    for value, before in ((100_00, dt.timedelta(days=3)), (200_00, dt.timedelta(hours=8))):
        set_own_limit(player=ines, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=value, at=now - before)
    # Today by her own calendar; a visitor just after midnight finds that she has played some minutes into his future.
    midnight = PlayerCalendar.at(now, ines.time_zone).start_of(LimitPeriod.DAY, ines.time_zone)
    evening = Evening(
        table=table,
        guest=Guest.find("ines", (NUMBER_OF_INES,)),
        clock=MovedClock(max(midnight, now - dt.timedelta(hours=2))),
        chance=random.Random(SEED),  # noqa: S311
        key=key,
        is_unlucky=True,
    )
    evening.play_until_lost(LOST_BY_INES_CENTS)
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
    is_unlucky: bool = False

    def play(self) -> None:
        """Sit down, play some rounds, get up."""
        self._play_rounds(self._slips_as_he_likes())

    def play_until_lost(self, cents: int) -> None:
        """Sit down, bet on one number, which never comes, until so much is lost, and get up."""
        self._play_rounds(self._slips_until_lost(cents))

    def _slips_as_he_likes(self) -> Iterator[list[list[Item]]]:
        for _ in range(self.chance.randint(*ROUNDS_PER_SESSION)):
            yield slips_of_round(self.chance, self.chance.choice(self.guest.favourites))

    def _slips_until_lost(self, cents: int) -> Iterator[list[list[Item]]]:
        (number,) = self.guest.favourites
        wallet = self.guest.wallet
        goal = (wallet.balance_cents or 0) - cents
        while left := (wallet.balance_cents or 0) - goal:
            stake = format_cents(min(left, STAKE_OF_INES_CENTS))
            yield [[{"type": "straight", "on": [number], "stake": stake}]]
            wallet.refresh_from_db()

    def _play_rounds(self, rounds: Iterable[list[list[Item]]]) -> None:
        game_session = start_game_session(table=self.table, player=self.guest.player, at=self.clock())
        game_round = self._open_round(game_session.seat)
        for slips in rounds:
            game_round = self._play_round(game_session.seat, game_round, slips)
        end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=self.clock.forward(5))
        # The round that was open for a next bet.
        reveal_unused(game_round_id=game_round.pk, key=self.key, at=self.clock.forward(1))

    def _play_round(self, seat: Seat, game_round: GameRound, slips: list[list[Item]]) -> GameRound:
        for items in slips:
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
        never = None
        if self.is_unlucky:
            self.table.refresh_from_db()
            never = (self.table.slug, self.table.last_round_number + 1, self.guest.favourites[0])
        opened = open_round(
            table=self.table, seat=seat, key=self.key, at=self.clock.forward(1), fresh_seed=SeedsOf(self.chance, never)
        )
        assert opened is not None, "the table is open and the guest sits there"
        return opened
