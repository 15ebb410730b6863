"""A crowd of seated players for the benchmarks, each with a wallet, limits that bind nobody, and an open round."""

import datetime as dt
import random
from collections.abc import Iterator, Sequence

from django.utils import timezone

from tables.models import GameRound, NumberSource, RoundState, Seat, SpecificRules, Table, TableKind
from tables.placing import NewBet, NewSlip
from tables.roulette.rulebooks import find_rulebook
from tables.services.rules import approve_rules
from tables.services.tables import set_up_table
from wallets.models import Account, AccountKind, Player, Unit, User
from wallets.protection import PlayerCalendar

from .place import Place

RICH = 10**13
STAKE = 100
ROOM = 10**12


def seat_crowd(*, players: int, tables: int) -> list[Place]:
    """Seat players at individual tables in turn; every check of a bet has something to look at."""
    now = timezone.now()
    rules = _rules(now)
    houses = [_table(f"bench-{number}", rules) for number in range(tables)]
    users = User.objects.bulk_create(User(email=f"bench-{n}@bench.example") for n in range(players))
    people = Player.objects.bulk_create(
        Player(user=user, handle=f"bench-{n}", created_at=now, kyc_state="verified") for n, user in enumerate(users)
    )
    limits = {f"loss_{period}_limit_cents": ROOM for period in ("day", "week", "month")} | {"stake_limit_cents": ROOM}
    wallets = Account.objects.bulk_create(
        Account(kind=AccountKind.WALLET, unit=Unit.EUR, player=player, balance_cents=RICH, **limits)
        for player in people
    )
    hour = dt.timedelta(hours=1)
    seats = Seat.objects.bulk_create(
        Seat(
            table=houses[n % tables], player=player, account=wallet, taken_at=now,
            play_until=now + 24 * hour, reality_check_at=now + 24 * hour,
        )
        for n, (player, wallet) in enumerate(zip(people, wallets, strict=True))
    )  # fmt: skip
    rounds = GameRound.objects.bulk_create(
        GameRound(
            table=houses[n % tables], number=n // tables + 1, seat=seat, rules=rules, rulebook_code=rules.rulebook_code,
            rulebook_edition=rules.rulebook_edition, rulebook_digest=rules.rulebook.digest, minimum_cents=STAKE,
            state=RoundState.BETTING, opened_at=now, closes_at=now + 24 * hour,
        )
        for n, seat in enumerate(seats)
    )  # fmt: skip
    return [
        Place(seat.player_id, seat.account_id, seat.pk, game_round.pk, houses[n % tables].in_play_id)
        for n, (seat, game_round) in enumerate(zip(seats, rounds, strict=True))
    ]


def slips(places: Sequence[Place], *, name: str, seed: int) -> Iterator[NewSlip]:
    """One-bet slips of random players on random spots, without end; `name` keeps the keys apart."""
    chance = random.Random(seed)  # noqa: S311
    calendar = PlayerCalendar.at(timezone.now(), "Europe/Lisbon")
    number = 0
    while True:
        place = chance.choice(places)
        number += 1
        yield NewSlip(
            key=f"bench:{name}:{number}",
            body_hash="0" * 64,
            game_round_id=place.game_round_id,
            seat_id=place.seat_id,
            account_id=place.account_id,
            in_play_id=place.in_play_id,
            unit="EUR",
            actor=f"player:{place.player_id}",
            bets=(NewBet(chance.randrange(161), STAKE, ROOM),),
            total_limit_cents=ROOM,
            calendar=calendar,
        )


def _rules(now: dt.datetime) -> SpecificRules:
    rulebook = find_rulebook("pt-online")
    rules = SpecificRules.objects.create(
        rulebook_code=rulebook.code, rulebook_edition=rulebook.edition, version=1, created_at=now
    )
    approve_rules(rules=rules, reference="BENCH", in_force_from=now, at=now)
    return rules


def _table(slug: str, rules: SpecificRules) -> Table:
    return set_up_table(
        slug=slug,
        name=slug,
        kind=TableKind.INDIVIDUAL,
        unit=Unit.EUR,
        number_source=NumberSource.DRAWN,
        rules=rules,
        minimum_cents=STAKE,
        at=timezone.now(),
    )
