"""Who may pay in and be paid out. Called under the account's lock, inside the transaction that moves the money."""

import datetime as dt

from roulette_site.common.errors import RuleBroken
from wallets.amounts import format_cents
from wallets.models import Account, AccountKind, KycState, LimitKind, LimitPeriod, Player, Standing, Unit, User
from wallets.protection import PlayerCalendar
from wallets.selectors.gates import deposits_of, excluded_until, limit_of

# What an account of the house's own may hold, which pays nobody and is in no figure.
TEST_ACCOUNT_CAP_CENTS = 1_000_00

_PERIODS = {LimitPeriod.DAY: "today", LimitPeriod.WEEK: "this week", LimitPeriod.MONTH: "this month"}


class AccountClosed(RuleBroken):
    """Nothing is paid into an account that is closed, or out of it by its player."""

    code = "account_closed"


class AccountSuspended(RuleBroken):
    """While an account is suspended nothing is paid into it, or out of it by its player."""

    code = "account_suspended"


class NotVerified(RuleBroken):
    """Nobody is paid out before the house knows who he is."""

    code = "not_verified"


class Excluded(RuleBroken):
    """Who is excluded pays nothing in."""

    code = "excluded"


class DepositLimitReached(RuleBroken):
    """The deposit goes beyond a limit of the player's or the operator's."""

    code = "deposit_limit_reached"


class TestAccountCapped(RuleBroken):
    """An account of the house's own for trying things out holds little."""

    code = "test_account_capped"


def check_deposit(*, player: Player, amount_cents: int, at: dt.datetime) -> None:
    """Let a deposit pass; raises AccountClosed, AccountSuspended, Excluded, DepositLimitReached, TestAccountCapped."""
    player = _in_use(player)
    until = excluded_until(player)
    if until is not None and at < until:
        raise Excluded("You are excluded: nothing is paid in. What you have you may withdraw.")
    wallet = Account.objects.filter(player=player, kind=AccountKind.WALLET, unit=Unit.EUR).first()
    paid_in = {} if wallet is None else deposits_of(wallet.pk, PlayerCalendar.at(at, player.time_zone))
    for period, words in _PERIODS.items():
        limit = limit_of(player, LimitKind.DEPOSIT, period)
        left = None if limit is None else max(limit - paid_in.get(period, 0), 0)
        if left is not None and amount_cents > left:
            raise DepositLimitReached(
                f"The deposit limit leaves {format_cents(left)} for {words}.", period=str(period), left_cents=left
            )
    held = 0 if wallet is None or wallet.balance_cents is None else wallet.balance_cents
    if player.is_test and held + amount_cents > TEST_ACCOUNT_CAP_CENTS:
        raise TestAccountCapped(f"A test account holds {format_cents(TEST_ACCOUNT_CAP_CENTS)} at most.")


def check_withdrawal(*, player: Player, amount_cents: int, at: dt.datetime) -> None:
    """Let a withdrawal pass; raises AccountClosed, AccountSuspended or NotVerified. Who is excluded is paid out."""
    if _in_use(player).kyc_state != KycState.VERIFIED:
        raise NotVerified("Before you are paid out the house has to know who you are.")


def _in_use(player: Player) -> Player:
    """The player as he stands now, under the lock; what the caller read before may be old."""
    player = Player.objects.get(pk=player.pk)
    if player.standing == Standing.CLOSED or not User.objects.filter(pk=player.user_id, is_active=True).exists():
        raise AccountClosed("This account is closed.")
    if player.standing == Standing.SUSPENDED:
        raise AccountSuspended("This account is suspended. Ask the house why.")
    return player
