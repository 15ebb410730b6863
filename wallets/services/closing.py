"""Ending a player's account: asked for once, then carried on by itself until the money is out and the account closed.

`closing` begins at once: from then on no bet and no deposit is taken. What is in play is played, what is left goes to
the player through the cash desk, and when nothing is left and nothing pending the account becomes `closed`. Each step
is taken under the lock of the player's accounts, and taking one again changes nothing: a task goes on with whatever
was begun (docs/decisions/0016-closing-accounts.md).
"""

import datetime as dt
from collections.abc import Callable, Iterator

from django.db import transaction
from django.db.models import QuerySet

from roulette_site.common.later import after_commit
from roulette_site.common.reasons import clean_reason
from wallets.models import (
    CashKind,
    CashRequest,
    CashState,
    FindingKind,
    InboxKind,
    KycState,
    Player,
    Standing,
    StandingChange,
    StandingField,
    User,
)
from wallets.selectors.cash import money_wallet
from wallets.selectors.closing import closed_with_money, gone_back_cents, hindrances_of, money_of, play_of
from wallets.selectors.payout import address_of

from .caps import check_independent
from .cash_requests import CLOSURE, pay_out_rest
from .erasure import close_account
from .findings import open_finding
from .gates import lock_player
from .inbox import tell_player
from .logins import LONGEST_REASON
from .permission_to_pay import AccountClosed, AccountSuspended, TestAccountCapped
from .standing import set_standing

ASKED_BY_PLAYER = "asked for by the player"
MONEY_CAME = "money came after the account was closed"


def begin_closing(*, player: Player, reason: str, actor: str, at: dt.datetime) -> Player:
    """Begin to close the player's account: from now on no bet and no deposit of his is taken. Again changes nothing.

    Staff say why, and nobody of himself; a player may. Raises ReasonMissing, OwnBenefit, AccountClosed, and
    AccountSuspended where the player of a suspended account asks: staff decide what becomes of it.
    """
    is_own = actor.startswith("player:")
    said = clean_reason(reason if reason.strip() or not is_own else ASKED_BY_PLAYER, most=LONGEST_REASON)
    # What a suspended account holds goes to its player by this: not by his own hand.
    check_independent(player=player, actors=(actor,))
    with transaction.atomic():
        player = lock_player(player)
        if player.standing == Standing.CLOSED:
            raise AccountClosed("This account is closed.")
        if player.standing == Standing.SUSPENDED and is_own:
            raise AccountSuspended("This account is suspended. Ask the house why.")
        player = set_standing(player=player, standing=Standing.CLOSING, reason=said, actor=actor, at=at)
        after_commit("wallets.tasks.advance_closing", "background", player_id=player.pk)
        return player


def close_or_begin(*, user: User, reason: str, actor: str, at: dt.datetime) -> None:
    """Close a user's account: at once where he is no player, and by the steps of a closing where he is one."""
    player = Player.objects.filter(user=user).first()
    if player is None:
        close_account(user=user, reason=reason, actor=actor, at=at)
    else:
        begin_closing(player=player, reason=reason, actor=actor, at=at)


def advance_closings(*, now: Callable[[], dt.datetime]) -> int:
    """Take every closing as far as it goes; how many there were. Safe to run any time.

    A closed account to which a correction has brought money is being closed once more: what is a player's is paid out.
    """
    for player_id in closed_with_money():
        close_once_more(player_id=player_id, at=now())
    begun = list(Player.objects.filter(standing=Standing.CLOSING).order_by("pk").values_list("pk", flat=True))
    for player_id in begun:
        advance_closing(player_id=player_id, at=now())
    return len(begun)


def close_once_more(*, player_id: int, at: dt.datetime) -> Standing:
    """Begin to pay out what a closed account holds; where it stands then. One that holds nothing stays closed."""
    with transaction.atomic():
        player = lock_player(Player.objects.get(pk=player_id))
        if player.standing == Standing.CLOSED and money_of(player):
            player = set_standing(player=player, standing=Standing.CLOSING, reason=MONEY_CAME, actor="system", at=at)
        return Standing(player.standing)


def advance_closing(*, player_id: int, at: dt.datetime) -> Standing:
    """Take one closing as far as it goes now; where it stands then. An account that is not being closed stays so.

    What is in play is waited for, what is left is paid out, what is on its way is waited for; then it is closed.
    """
    with transaction.atomic():
        # The user first, as everyone who closes an account does, then the accounts: one order of locks.
        player = Player.objects.get(pk=player_id)
        user = User.objects.select_for_update().get(pk=player.user_id)
        player = lock_player(player)
        if player.standing != Standing.CLOSING or play_of(player):
            return Standing(player.standing)
        if money_of(player):
            try:
                with transaction.atomic():
                    _pay_out(player, at)
            except TestAccountCapped as capped:
                _find_rest(player, capped.message, at)
        if not hindrances_of(player):
            close_account(user=user, reason=_reason_of(player), actor="system", at=at)
            return Standing.CLOSED
        return Standing.CLOSING


def _pay_out(player: Player, at: dt.datetime) -> None:
    """Send what is left to who is known where he has said, and to who is not back the way it came."""
    if player.kyc_state != KycState.VERIFIED:
        _refund(player, at)
        return
    address = address_of(player)
    if address is None or _was_refused(CashRequest.objects.filter(payout_address=address)):
        # Sent there again it would be refused again.
        if not User.objects.filter(pk=player.user_id, is_active=True).exists():
            _find_rest(player, "There is no account any more that his money can be paid to.", at)
            return
        _ask_for_address(player, None if address is None else address.pk, at)
        return
    pay_out_rest(player=player, amount_cents=money_of(player), key=_next_key(player), at=at)


def _refund(player: Player, at: dt.datetime) -> None:
    for paid_in, cents in _deposits_to_go_back(player):
        if left := min(cents, money_of(player)):
            pay_out_rest(player=player, amount_cents=left, key=_next_key(player), at=at, refund_of=paid_in)
    if money_of(player):
        why = "He is not verified: what is left did not come by a deposit that can go back, or was refused there."
        _find_rest(player, why, at)


def _find_rest(player: Player, why: str, at: dt.datetime) -> None:
    """Let a person look at what is left in an account that is being closed and goes nowhere by itself."""
    open_finding(
        kind=FindingKind.CLOSING,
        subject=f"closing:{player.pk}",
        detail=f"Player {player.pk} is being closed. {why}",
        amount_cents=money_of(player),
        unit="EUR",
        account=money_wallet(player),
        actor="system",
        at=at,
    )


def _deposits_to_go_back(player: Player) -> Iterator[tuple[CashRequest, int]]:
    """The player's deposits that came, the latest first, with what of each was neither sent back nor corrected yet."""
    came = CashRequest.objects.filter(account__player=player, kind=CashKind.DEPOSIT, state=CashState.CONFIRMED)
    for one in came.select_related("moved").order_by("-id"):
        cents = one.amount_cents - gone_back_cents(one)
        if cents > 0 and not _was_refused(CashRequest.objects.filter(refund_of=one)):
            yield one, cents


def _was_refused(requests: QuerySet[CashRequest]) -> bool:
    """Whether a payment of the closing was refused there."""
    return requests.filter(state=CashState.REFUSED, steps__reason=CLOSURE).exists()


def _ask_for_address(player: Player, refused: int | None, at: dt.datetime) -> None:
    """Tell the player, once for each address that did not serve."""
    data = {"wanted": True, "refused": refused}
    if not player.inbox.filter(kind=InboxKind.PAYOUT_ADDRESS, data=data).exists():
        tell_player(player=player, kind=InboxKind.PAYOUT_ADDRESS, data=data, at=at)


def _next_key(player: Player) -> str:
    """A key for the player's next payment of this kind; counted under the lock of his accounts."""
    count = CashRequest.objects.filter(idempotency_key__startswith=f"closure:{player.pk}:").count()
    return f"closure:{player.pk}:{count + 1}"


def _reason_of(player: Player) -> str:
    changes = StandingChange.objects.filter(player=player, field=StandingField.STANDING, after=Standing.CLOSING)
    return changes.latest("id").reason
