"""Who a player is held to be, and whether his account is in use: the one writer of these states."""

import datetime as dt

from django.db.models import Sum

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from wallets.models import Account, InboxKind, KycState, Player, Standing, StandingChange, StandingField, Unit

from .gates import lock_player, refresh_gates
from .inbox import tell_player

_K, _S = KycState, Standing
_KYC_STEPS = {
    _K.UNVERIFIED: {_K.PENDING, _K.VERIFIED, _K.REJECTED},
    _K.PENDING: {_K.VERIFIED, _K.REJECTED, _K.UNVERIFIED},
    _K.VERIFIED: {_K.EXPIRED, _K.REJECTED, _K.PENDING},
    _K.REJECTED: {_K.PENDING, _K.VERIFIED},
    _K.EXPIRED: {_K.PENDING, _K.VERIFIED, _K.REJECTED},
}
_STANDING_STEPS = {
    _S.ACTIVE: {_S.SUSPENDED, _S.CLOSED},
    _S.SUSPENDED: {_S.ACTIVE, _S.CLOSED},
    _S.CLOSED: set[Standing](),
}
LONGEST_REASON = 500


class StepNotAllowed(RuleBroken):
    """From the state that the player is in nothing leads to the one that was asked for."""

    code = "step_not_allowed"


class ReasonMissing(RuleBroken):
    """An act on a player names its reason."""

    code = "reason_missing"
    http_status = 400


class AccountNotEmpty(RuleBroken):
    """An account is closed when its money has been paid out and nothing of it is in play."""

    code = "account_not_empty"


def set_kyc_state(*, player: Player, state: KycState, reason: str, actor: str, at: dt.datetime) -> Player:
    """Decide how far it is known who the player is; the state he has already changes nothing.

    Raises StepNotAllowed or ReasonMissing.
    """
    return _change(player, StandingField.KYC_STATE, state, reason, actor, at)


def set_standing(*, player: Player, standing: Standing, reason: str, actor: str, at: dt.datetime) -> Player:
    """Suspend the player's account, take it up again, or close it for good; the same again changes nothing.

    Raises StepNotAllowed, ReasonMissing, or AccountNotEmpty for a closing while the account holds money.
    """
    return _change(player, StandingField.STANDING, standing, reason, actor, at)


def set_restricted(*, player: Player, is_restricted: bool, reason: str, actor: str, at: dt.datetime) -> Player:
    """Bar the player from playing for money because of who he is, or no longer."""
    return _change(player, StandingField.RESTRICTION, is_restricted, reason, actor, at)


def _change(
    player: Player, field: StandingField, after: KycState | Standing | bool, reason: str, actor: str, at: dt.datetime
) -> Player:
    reason = checked_reason(reason)
    with audited():
        player = lock_player(player)
        before = getattr(player, field)
        if before == after:
            return player
        if isinstance(after, KycState) and after not in _KYC_STEPS[KycState(before)]:
            raise StepNotAllowed(f"Who is {before} does not become {after}.", before=before, after=str(after))
        if isinstance(after, Standing):
            if after not in _STANDING_STEPS[Standing(before)]:
                raise StepNotAllowed(f"An account that is {before} does not become {after}.", before=before)
            if after == Standing.CLOSED:
                _refuse_money_left(player)
        setattr(player, field, after)
        player.save(update_fields=[field])
        StandingChange.objects.create(
            player=player,
            field=field,
            before=str(before).lower(),
            after=str(after).lower(),
            reason=reason,
            actor=actor,
            changed_at=at,
        )
        refresh_gates(player)
        kind = InboxKind.IDENTITY if field == StandingField.KYC_STATE else InboxKind.ACCOUNT
        tell_player(player=player, kind=kind, data={"field": str(field), "state": str(after).lower()}, at=at)
        record(
            act=f"{field.name.lower()}_changed",
            actor=actor,
            subject=("player", player.pk),
            before={str(field): str(before).lower()},
            after={str(field): str(after).lower()},
            reason=reason,
            at=at,
        )
        return player


def checked_reason(reason: str) -> str:
    """The reason as it is kept; raises ReasonMissing where there is none, or no text of a reason's length."""
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON or not reason.replace("\n", " ").isprintable():
        raise ReasonMissing(f"A reason has 1 to {LONGEST_REASON} characters.")
    return reason


def _refuse_money_left(player: Player) -> None:
    left = Account.objects.filter(player=player, unit=Unit.EUR).aggregate(left=Sum("balance_cents", default=0))["left"]
    if left:
        raise AccountNotEmpty(
            "The account holds money: it is paid out before the account is closed.", balance_cents=left
        )
