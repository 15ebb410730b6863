"""Placing bets: what the rulebook, the specific rules, the clock and the balance allow, all or nothing."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError

from roulette_site.common.errors import RuleBroken, Sentence
from roulette_site.common.sql import breaks_unique_key, database_now
from tables.models import GameRound, RoundState, Seat, Slip, SpecificRules, TableKind
from tables.placing import NewBet, NewCall, NewSlip, Placed, place_slip
from tables.roulette.cloth import SPOTS
from tables.roulette.limits import Breach
from tables.selectors.bets import stakes_of_account
from tables.settle_requests import breach_as_json
from tables.slips import ReadSlip, read_slip
from wallets.models import Account, RegisterOccasion, Transfer, Unit
from wallets.protection import PlayerCalendar
from wallets.selectors.balances import balance_after
from wallets.selectors.gates import losses_of, words_against
from wallets.services.ledger import IdempotencyConflict
from wallets.services.register_checks import check_if_due

MOST_BETS = 1000


@dataclass(frozen=True)
class PlacedSlip:
    """A slip that stands. `replayed` says that the key was spent before and this is its first answer."""

    slip_id: int
    game_round_id: int
    staked_cents: int
    balance_cents: int
    replayed: bool


@dataclass(frozen=True)
class Explained:
    """A breach with the settle answer's keys, and the sentence that the player is told of it."""

    breach: Mapping[str, Any]
    sentence: Sentence


class SlipRefused(RuleBroken):
    """The slip breaks at least one rule; `breaches` names them all, and nothing was moved."""

    code = "slip_refused"

    def __init__(self, explained: Sequence["Explained"], items: Sequence[Any] = ()) -> None:
        self.breaches = [{**one.breach, "message": one.sentence.written()} for one in explained]
        super().__init__("The bets were not placed.", breaches=self.breaches)
        self.explained = explained
        # The slip as it was asked for: a breach names one of them by its index.
        self.items = items


def place_bets(*, seat: Seat, items: Sequence[Any], key: str, actor: str, at: dt.datetime | None = None) -> PlacedSlip:
    """Place a slip of bets and call bets in the seat's round, all or none (rules 9, 10).

    `items` are bets as the settle command takes them. `at` is None in the running system: the database's clock then
    says whether the slip is in time. Raises SlipRefused with every breach, or IdempotencyConflict where the key was
    spent on something else; the same key with the same items is answered with the first slip and moves nothing.
    """
    body_hash = hashlib.sha256(json.dumps(items, sort_keys=True, default=str).encode()).hexdigest()
    game_round = _round_of(seat)
    if game_round is None or not items or len(items) > MOST_BETS:
        if (again := _answer_again(seat, key, body_hash)) is not None:
            return again
        raise SlipRefused(_everything_against_no_slip(seat, game_round, items, at or database_now()), items)
    rules, rulebook, minimum = game_round.rules, game_round.rulebook, game_round.minimum_cents
    slip = read_slip(rulebook, rules.options, items)
    refused = slip.find_breaches(rulebook, rules.options, minimum)
    if refused:
        if (again := _answer_again(seat, key, body_hash)) is not None:
            return again
        # Nothing can be placed. What else stands against it is read without a lock: nothing will be written.
        raise SlipRefused(_everything_against(seat, game_round, slip, at or database_now()), items)
    new = NewSlip(
        key=key,
        body_hash=body_hash,
        game_round_id=game_round.pk,
        seat_id=seat.pk,
        account_id=seat.account_id,
        in_play_id=game_round.table.in_play_id,
        unit=game_round.table.unit,
        actor=actor,
        bets=tuple(
            NewBet(bet.spot.index, bet.stake_cents, rulebook.maximum_cents(bet.spot, minimum), call)
            for bet, call in zip(slip.bets, slip.call_ordinals, strict=True)
        ),
        calls=tuple(NewCall(call.name, json.dumps(dict(call.parameters)), call.unit_cents) for call in slip.calls),
        total_limit_cents=rules.total_limit_cents,
        deadline_seconds=rules.launch_within_seconds if game_round.table.kind == TableKind.INDIVIDUAL else None,
        at=at,
        calendar=_calendar_of(seat, game_round, at),
    )
    placed = _place(new)
    if placed.breaches == ("register_unknown",) and _is_answered_now(seat, at):
        # The day's first bet, or the first after an answer grew old: nothing but the register stood against it.
        placed = _place(new)
    if placed.breaches:
        raise SlipRefused(_explain_all(_breaches_of(placed.breaches, game_round, slip), rules), items)
    if placed.replayed:
        again = _answer_again(seat, key, body_hash)
        assert again is not None, "a key that placing has found is spent"
        return again
    assert placed.slip_id is not None, "a slip without breaches is placed"
    return PlacedSlip(placed.slip_id, game_round.pk, slip.total_cents, placed.balance_cents, replayed=False)


def _place(new: NewSlip) -> Placed:
    try:
        return place_slip(new)
    except IntegrityError as error:
        if not breaks_unique_key(error):
            raise
        # Another account spent the same key at the same moment.
        raise IdempotencyConflict("This key was used for something else.") from error


def _is_answered_now(seat: Seat, at: dt.datetime | None) -> bool:
    """Ask the register of excluded people about the player; whether his bets may stand on its answer."""
    asked_at = at or database_now()
    check_if_due(player=seat.player, occasion=RegisterOccasion.BET, at=asked_at)
    return "register_unknown" not in words_against(Account.objects.get(pk=seat.account_id), asked_at)


def _calendar_of(seat: Seat, game_round: GameRound, at: dt.datetime | None) -> PlayerCalendar | None:
    """The player's day, week and month, in which his limits count; play units count in none."""
    if game_round.table.unit != Unit.EUR:
        return None
    return PlayerCalendar.at(at or dt.datetime.now(dt.UTC), seat.player.time_zone)


def _round_of(seat: Seat) -> GameRound | None:
    return GameRound.objects.filter(seat=seat).select_related("rules", "table").order_by("-number").first()


def _answer_again(seat: Seat, key: str, body_hash: str) -> PlacedSlip | None:
    """Repeat the first answer to the key, None where it was never spent; raises IdempotencyConflict.

    From the rows: neither the round that runs now nor today's balance belongs in it.
    """
    spent = Transfer.objects.filter(idempotency_key=key).values_list("pk", flat=True).first()
    if spent is None:
        return None
    first = Slip.objects.select_related("transfer").filter(pk=spent).first()
    if first is None or (first.body_hash, first.seat_id) != (body_hash, seat.pk):
        raise IdempotencyConflict("This key was used for something else.")
    balance = balance_after(account_id=seat.account_id, transfer_id=first.pk)
    return PlacedSlip(first.pk, first.game_round_id, first.transfer.amount_cents, balance, replayed=True)


def _everything_against_no_slip(
    seat: Seat, game_round: GameRound | None, items: Sequence[Any], at: dt.datetime
) -> list[Explained]:
    """Every breach of a slip that has no bets or too many, or that no round is there for."""
    rules = seat.table.rules if game_round is None else game_round.rules
    breaches = _against_anybody(seat, game_round, at)
    if not items or len(items) > MOST_BETS:
        breaches.append(Breach(None, "too_many_bets" if items else "empty_slip"))
    else:
        slip = read_slip(rules.rulebook, rules.options, items)
        breaches += slip.find_breaches(rules.rulebook, rules.options, seat.table.minimum_cents)
    return _explain_all(breaches, rules)


def _against_anybody(seat: Seat, game_round: GameRound | None, at: dt.datetime) -> list[Breach]:
    """What stands against any bet from this seat at this moment."""
    breaches = []
    is_late = game_round is not None and game_round.closes_at is not None and at >= game_round.closes_at
    if game_round is None or game_round.state != RoundState.BETTING or is_late:
        breaches.append(Breach(None, "betting_closed"))
    if Seat.objects.filter(pk=seat.pk, left_at__isnull=False).exists():
        breaches.append(Breach(None, "not_seated"))
    return breaches


def _everything_against(seat: Seat, game_round: GameRound, slip: ReadSlip, at: dt.datetime) -> list[Explained]:
    """Every breach of a slip that cannot be placed anyway, the clock's, the cloth's and the balance's among them."""
    breaches = _against_anybody(seat, game_round, at)
    breaches += _against_the_player(seat, game_round, slip.total_cents, at)
    breaches += slip.find_breaches(
        game_round.rulebook,
        game_round.rules.options,
        game_round.minimum_cents,
        stakes_of_account(game_round.pk, seat.account_id),
    )
    return _explain_all(breaches, game_round.rules)


def _against_the_player(seat: Seat, game_round: GameRound, total_cents: int, at: dt.datetime) -> list[Breach]:
    """What placing would say of the player and his money, in its order."""
    account = Account.objects.get(pk=seat.account_id)
    breaches = [Breach(None, word) for word in words_against(account, at)]
    breaches += [Breach(None, word) for word in ("time_used_up", "reality_check_due") if _is_due(seat, word, at)]
    if (account.balance_cents or 0) < total_cents:
        breaches.append(Breach(None, "balance_too_low", None, account.balance_cents))
    standing = sum(one.stake_cents for one in stakes_of_account(game_round.pk, seat.account_id))
    calendar = _calendar_of(seat, game_round, at)
    lost = {} if calendar is None else losses_of(account.pk, calendar)
    held = [("above_stake_limit", account.stake_limit_cents, standing)]
    held += [(f"above_loss_limit_{period}", limit, lost.get(period, 0)) for period, limit in account.loss_limits]
    for word, limit, used in held:
        if limit is not None and used + total_cents > limit:
            breaches.append(Breach(None, word, None, max(limit - used, 0)))
    return breaches


def _is_due(seat: Seat, word: str, at: dt.datetime) -> bool:
    since = Seat.objects.values_list("play_until" if word == "time_used_up" else "reality_check_at", flat=True).get(
        pk=seat.pk
    )
    return since is not None and at >= since


def _breaches_of(words: Sequence[str], game_round: GameRound, slip: ReadSlip) -> list[Breach]:
    """Read the words of the placing backend ("word", "word:cents", "above_maximum:spot:room") as breaches."""
    breaches = []
    for word in words:
        reason, *numbers = word.split(":")
        if reason == "above_maximum":
            spot = SPOTS[int(numbers[0])]
            maximum = game_round.rulebook.maximum_cents(spot, game_round.minimum_cents)
            items = {item for item, bet in zip(slip.items, slip.bets, strict=True) if bet.spot is spot}
            breaches += [Breach(item, reason, game_round.minimum_cents, maximum) for item in items]
        elif reason == "above_total_limit":
            breaches.append(Breach(None, reason, None, game_round.rules.total_limit_cents))
        else:
            breaches.append(Breach(None, reason, None, int(numbers[0]) if numbers else None))
    return breaches


# What a player is told of each reason; a breach fills in its limits.
SENTENCES = {
    "betting_closed": "No more bets: this round is closed.",
    "not_seated": "You do not sit at this table.",
    "excluded": "You are excluded from the games at present. What you have you may withdraw.",
    "suspended": "Your account is suspended. Ask the house why.",
    "closing": "Your account is being closed.",
    "closed": "Your account is closed.",
    "not_verified": "Before you play for money the house has to know who you are.",
    "restricted": "You may not play for money.",
    "register_unknown": "The register of excluded people gives no answer at present: until it does no bets are taken.",
    "time_used_up": "The playing time that your limits allow is used up.",
    "reality_check_due": "You have played for a while: say first whether you go on.",
    "above_stake_limit": "Your limit leaves {maximum} for this round.",
    "above_loss_limit_day": "Your loss limit leaves {maximum} for today.",
    "above_loss_limit_week": "Your loss limit leaves {maximum} for this week.",
    "above_loss_limit_month": "Your loss limit leaves {maximum} for this month.",
    "balance_too_low": "Your balance of {maximum} does not cover the bets.",
    "above_total_limit": "All bets of a player in a round may come to {maximum} at most.",
    "above_maximum": "At most {maximum} may stand on this spot in a round.",
    "below_minimum": "The minimum is {minimum}.",
    "off_step": "Stakes move in steps of {step}.",
    "not_offered": "The table does not take this bet.",
    "empty_slip": "There is no bet on the slip.",
    "too_many_bets": f"A slip holds {MOST_BETS} bets at most.",
}


def _explain_all(breaches: Iterable[Breach], rules: SpecificRules) -> list[Explained]:
    """Explain what stands against the whole slip, and then bet by bet."""
    in_order = sorted(breaches, key=lambda breach: -1 if breach.bet is None else breach.bet)
    return [Explained(breach_as_json(breach), _sentence(breach, rules.stake_step_cents)) for breach in in_order]


def _sentence(breach: Breach, step_cents: int) -> Sentence:
    if breach.reason not in SENTENCES:
        return Sentence(breach.detail or breach.reason)
    limits = {"minimum": breach.minimum_cents, "maximum": breach.maximum_cents, "step": step_cents}
    return Sentence(SENTENCES[breach.reason], {name: cents for name, cents in limits.items() if cents is not None})
