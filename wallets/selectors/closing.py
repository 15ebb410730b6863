"""What still stands between an account that is being closed and its end."""

from collections.abc import Callable

from wallets.models import FINAL_STATES, Account, AccountKind, CashKind, CashRequest, Player, Standing, Unit
from wallets.selectors.cash import money_wallet
from wallets.selectors.corrections import corrected_cents

# What the apps above know that keeps an account open; each registers its own, under the word that callers get.
_hindrances: dict[str, Callable[[Player], bool]] = {}


def register_hindrance(word: str, stands: Callable[[Player], bool]) -> None:
    """Add something of the player's that must have ended first, in money alone; called from AppConfig.ready."""
    _hindrances[word] = stands


def play_of(player: Player) -> list[str]:
    """The words for what goes on at the tables for the player's money; read under the lock of his accounts."""
    return [word for word, stands in _hindrances.items() if stands(player)]


def open_withdrawals_of(player: Player) -> list[CashRequest]:
    """The player's withdrawals that have no outcome yet."""
    asked = CashRequest.objects.filter(account__player=player, kind=CashKind.WITHDRAWAL)
    return list(asked.exclude(state__in=FINAL_STATES).order_by("id"))


def money_of(player: Player) -> int:
    """What the player's wallet of money holds, in cents; play units are no money."""
    wallet = money_wallet(player)
    return 0 if wallet is None or wallet.balance_cents is None else wallet.balance_cents


def closed_with_money() -> list[int]:
    """The ids of the players whose account is closed and holds money all the same."""
    held = Account.objects.filter(player__standing=Standing.CLOSED, kind=AccountKind.WALLET, unit=Unit.EUR)
    return list(held.filter(balance_cents__gt=0).order_by("player_id").values_list("player_id", flat=True))


def hindrances_of(player: Player) -> list[str]:
    """All the words for what keeps the account from being closed; none: it may be."""
    found = play_of(player)
    if money_of(player):
        found.append("balance")
    if open_withdrawals_of(player):
        found.append("withdrawal")
    return found


def gone_back_cents(deposit: CashRequest) -> int:
    """How much of a deposit has gone, or is to go, back the way it came, or was taken back by whoever had paid it."""
    backs = CashRequest.objects.filter(refund_of=deposit, returned__isnull=True)
    corrected = 0 if deposit.moved is None else corrected_cents(deposit.moved)
    return sum(backs.values_list("amount_cents", flat=True)) + corrected
