"""Who may pay in and be paid out. Called under the account's lock, inside the transaction that moves the money."""

import datetime as dt

from django.db.models import Sum

from roulette_site.common.errors import RuleBroken
from wallets.models import (
    Account,
    AccountKind,
    CashKind,
    CashRequest,
    CashState,
    KycState,
    LimitKind,
    LimitPeriod,
    Player,
    Reason,
    Standing,
    Transfer,
    Unit,
    User,
)
from wallets.protection import PlayerCalendar
from wallets.selectors.gates import deposits_of, excluded_until, strictest_limits

# What an account of the house's own may hold, and take out beyond what it paid in; it is in no figure.
TEST_ACCOUNT_CAP_CENTS = 1_000_00

_PERIODS = {LimitPeriod.DAY: "today", LimitPeriod.WEEK: "this week", LimitPeriod.MONTH: "this month"}


class AccountClosed(RuleBroken):
    """Nothing is paid into an account that is closed, or out of it by its player."""

    code = "account_closed"


class AccountClosing(RuleBroken):
    """Once its player has asked that it be closed, nothing more is paid into an account."""

    code = "account_closing"


class RestNotDue(RuleBroken):
    """What is left is paid out by itself from an account that is being closed alone, to who is known."""

    code = "rest_not_due"


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


def check_payer(*, player: Player, at: dt.datetime) -> Player:
    """Let pass who may pay anything in at all; the player as he stands now.

    Raises AccountClosed, AccountClosing, AccountSuspended, Excluded.
    """
    player = _in_use(player)
    if player.standing == Standing.CLOSING:
        raise AccountClosing("This account is being closed: nothing is paid in any more.")
    until = excluded_until(player)
    if until is not None and at < until:
        raise Excluded("You are excluded: nothing is paid in. What you have you may withdraw.")
    return player


def check_deposit(*, player: Player, amount_cents: int, at: dt.datetime, is_beginning: bool = False) -> None:
    """Let a deposit pass, or the money that has come for one.

    Before it begins those that are on their way count as well, whenever they began, since each of them may come today:
    who keeps to a limit that stands then pays nothing in that goes beyond it. They count no more when they have come,
    failed or expired. Raises AccountClosed, AccountClosing, AccountSuspended, Excluded, DepositLimitReached,
    TestAccountCapped.
    """
    player = check_payer(player=player, at=at)
    wallet = Account.objects.filter(player=player, kind=AccountKind.WALLET, unit=Unit.EUR).first()
    open_cents = _under_way(wallet) if wallet is not None and is_beginning else 0
    paid_in = {} if wallet is None else deposits_of(wallet.pk, PlayerCalendar.at(at, player.time_zone))
    on_its_way = {"on_its_way_cents": open_cents} if open_cents else {}
    said = " {on_its_way} are on their way." if open_cents else ""
    limits = strictest_limits(player)
    for period, words in _PERIODS.items():
        limit = limits.get((LimitKind.DEPOSIT, period))
        left = None if limit is None else max(limit - paid_in.get(period, 0) - open_cents, 0)
        if left is not None and amount_cents > left:
            raise DepositLimitReached(
                f"The deposit limit leaves {{left}} for {words}.{said}",
                period=str(period),
                left_cents=left,
                **on_its_way,
            )
    held = 0 if wallet is None or wallet.balance_cents is None else wallet.balance_cents
    check_holding(player=player, cents=held + open_cents + amount_cents)


def _under_way(wallet: Account) -> int:
    started = CashRequest.objects.filter(account=wallet, kind=CashKind.DEPOSIT, state=CashState.STARTED)
    return sum(started.values_list("amount_cents", flat=True))


def check_holding(*, player: Player, cents: int) -> None:
    """Raise TestAccountCapped where the house would put more than the cap into a test account."""
    if player.is_test and cents > TEST_ACCOUNT_CAP_CENTS:
        raise TestAccountCapped("A test account holds {cap} at most.", cap_cents=TEST_ACCOUNT_CAP_CENTS)


def check_withdrawal(*, player: Player, amount_cents: int, at: dt.datetime) -> None:
    """Let a withdrawal pass. Who is excluded is paid out.

    Raises AccountClosed, AccountSuspended, NotVerified and TestAccountCapped.
    """
    player = _in_use(player)
    if player.kyc_state != KycState.VERIFIED:
        raise NotVerified("Before you are paid out the house has to know who you are.")
    _check_test_account(player, amount_cents)


def check_rest(*, player: Player, amount_cents: int, is_refund: bool) -> None:
    """Let what is left in an account that is being closed go; raises RestNotDue and TestAccountCapped.

    Who is not verified gets back what he has paid in, the way it came, and nothing else.
    """
    player = Player.objects.get(pk=player.pk)
    if player.standing != Standing.CLOSING or (player.kyc_state != KycState.VERIFIED and not is_refund):
        raise RestNotDue("Nothing of this account is paid out by itself.")
    _check_test_account(player, amount_cents)


def _check_test_account(player: Player, amount_cents: int) -> None:
    """A test account takes out little more than it has paid in, in all, however it is split or won."""
    if not player.is_test:
        return
    out = CashRequest.objects.filter(account__player=player, kind=CashKind.WITHDRAWAL).exclude(state=CashState.REFUSED)
    came = Transfer.objects.filter(credit__player=player, reason=Reason.DEPOSIT, unit=Unit.EUR)
    taken, paid_in = (rows.aggregate(cents=Sum("amount_cents", default=0))["cents"] for rows in (out, came))
    if taken + amount_cents - paid_in > TEST_ACCOUNT_CAP_CENTS:
        raise TestAccountCapped(
            "A test account takes out {cap} more than it has paid in, at most.", cap_cents=TEST_ACCOUNT_CAP_CENTS
        )


def _in_use(player: Player) -> Player:
    """The player as he stands now, under the lock; what the caller read before may be old."""
    player = Player.objects.get(pk=player.pk)
    is_shut = not User.objects.filter(pk=player.user_id, is_active=True).exists()
    # Who is being closed once more, for money that came after the end, logs in no longer and is paid out all the same.
    if player.standing == Standing.CLOSED or (is_shut and player.standing != Standing.CLOSING):
        raise AccountClosed("This account is closed.")
    if player.standing == Standing.SUSPENDED:
        raise AccountSuspended("This account is suspended. Ask the house why.")
    return player
