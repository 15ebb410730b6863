"""What has happened before a visitor arrives: made only through services, with a moved clock, from one fixed seed."""

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.models import Group

from roulette_site.common.models import Operator
from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session, start_game_session
from tables import draws
from tables.models import GameRound, NumberSource, SpecificRules, Table, TableKind
from tables.roulette.cloth import SPOTS
from tables.roulette.rulebooks import all_rulebooks
from tables.services.advance import advance_round, open_individual_round
from tables.services.betting import place_bets
from tables.services.publishing import publish_rules
from tables.services.rounds import launch_ball
from tables.services.rules import approve_rules
from tables.services.tables import set_up_table
from wallets.amounts import format_cents
from wallets.models import Player, Unit, User
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.people import add_player

from .personas import BOT_HANDLES, PLAYERS, STAFF

SEED = 807
SOLO_MINIMUM_CENTS = 50
ROUNDS_PER_EVENING = (12, 24)
DEPOSIT_CENTS = 100_000
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


def seed_demo(*, now: dt.datetime, days: int, key: bytes) -> None:
    """Make the whole demonstration, its past ending shortly before `now`."""
    beginning = now - dt.timedelta(days=days)
    table = seed_house(at=beginning)
    seed_people(at=beginning)
    seed_history(table=table, player=Player.objects.get(handle="maria"), now=now, days=days, key=key)


def seed_house(*, at: dt.datetime) -> Table:
    """Set up the operator, one approved and published version of the rules for each rulebook, and the table Solo."""
    Operator.objects.create(
        id=1,
        legal_name="Casino Atlântico Demonstração, S.A.",
        brand="Casino Atlântico",
        licence="DEMO",
        help_address="ajuda@casino-atlantico.example",
        complaint_address="reclamacoes@casino-atlantico.example",
    )
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
        minimum_cents=SOLO_MINIMUM_CENTS,
    )
    for rules_id in SpecificRules.objects.values_list("pk", flat=True):
        publish_rules(rules_id=rules_id, at=at)
    return table


def seed_people(*, at: dt.datetime) -> None:
    """Bring in players with their money, staff with their roles, and the bots."""
    money = {persona.handle: persona.balance_cents for persona in PLAYERS} | dict.fromkeys(BOT_HANDLES, DEPOSIT_CENTS)
    names = {persona.handle: persona.name for persona in PLAYERS}
    for handle, cents in money.items():
        player = add_player(email=f"{handle}@demo.example", full_name=names.get(handle, handle), handle=handle, at=at)
        deposit(wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=cents, actor="system", at=at)
    for persona in STAFF:
        user = User.objects.create_user(email=persona.email, full_name=persona.name, is_staff=True)
        user.groups.set([Group.objects.get(name=role) for role in persona.roles])


def seed_history(*, table: Table, player: Player, now: dt.datetime, days: int, key: bytes) -> None:
    """Let the player spend an evening at the table on each of the last `days`; his balance ends as it began."""
    chance = random.Random(SEED)  # noqa: S311
    wallet = open_wallet(player=player, unit=Unit.EUR)
    balance_wanted = wallet.balance_cents or 0
    for day in range(days, 0, -1):
        clock = MovedClock(now - dt.timedelta(days=day) + dt.timedelta(hours=2, minutes=chance.randrange(60)))
        deposit(wallet=wallet, amount_cents=DEPOSIT_CENTS, actor="system", at=clock())
        _play_evening(table, player, clock, chance, key)
        wallet.refresh_from_db()
        surplus = (wallet.balance_cents or 0) - balance_wanted
        withdraw(wallet=wallet, amount_cents=surplus, actor="system", at=clock.forward(60))


def _play_evening(table: Table, player: Player, clock: MovedClock, chance: random.Random, key: bytes) -> None:
    game_session = start_game_session(table=table, player=player, at=clock())
    seat = game_session.seat
    open_individual_round(seat_id=seat.pk, key=key, at=clock.forward(1), fresh_seed=SeedsOf(chance))
    for _ in range(chance.randint(*ROUNDS_PER_EVENING)):
        for items in _slips(chance):
            place_bets(
                seat=seat,
                items=items,
                key=f"seed:{player.pk}:{chance.getrandbits(64):016x}",
                actor=f"player:{player.pk}",
                at=clock.forward(chance.uniform(3, 15)),
            )
        game_round: GameRound = launch_ball(seat=seat, at=clock.forward(2))
        clock.forward(4)
        advance_round(game_round_id=game_round.pk, key=key, now=clock, fresh_seed=SeedsOf(chance))
    end_game_session(game_session=game_session, basis=EndBasis.PLAYER, at=clock.forward(5))
    unused = GameRound.objects.filter(seat=seat).order_by("-number")[0]
    advance_round(game_round_id=unused.pk, key=key, now=clock)


def _slips(chance: random.Random) -> Iterator[list[dict[str, object]]]:
    """A few slips as Maria would place them: straight up on her numbers, something around them, at times voisins."""
    favourite = chance.choice(FAVOURITES)
    yield [{"type": "straight", "on": [favourite], "stake": format_cents(SOLO_MINIMUM_CENTS * chance.randint(1, 4))}]
    around = [spot for spot in SPOTS if favourite in spot.numbers]
    for spot in chance.sample(around, k=chance.randint(1, 5)):
        yield [{"type": str(spot.type), "on": list(spot.on), "stake": format_cents(SOLO_MINIMUM_CENTS * 2)}]
    if chance.random() < 0.2:
        yield [{"call": "voisins", "unit": format_cents(SOLO_MINIMUM_CENTS)}]
