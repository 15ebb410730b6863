"""Who a player is held to be, and whether his account is in use: the one writer of these states."""

import datetime as dt

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import InboxKind, KycState, Player, Standing, StandingChange, StandingField, User
from wallets.selectors.closing import hindrances_of, money_of
from wallets.selectors.restricted import (
    REGISTRY,
    entries_against,
    is_double_of_staff,
    is_restricted_by_registry,
    players_who_may_be,
)

from .caps import check_independent
from .gates import lock_player, refresh_gates
from .inbox import tell_player
from .register_checks import check_for_verification

_K, _S = KycState, Standing
_KYC_STEPS = {
    _K.UNVERIFIED: {_K.PENDING, _K.VERIFIED, _K.REJECTED},
    _K.PENDING: {_K.VERIFIED, _K.REJECTED, _K.UNVERIFIED},
    _K.VERIFIED: {_K.EXPIRED, _K.REJECTED, _K.PENDING},
    _K.REJECTED: {_K.PENDING, _K.VERIFIED},
    _K.EXPIRED: {_K.PENDING, _K.VERIFIED, _K.REJECTED},
}
_STANDING_STEPS = {
    _S.ACTIVE: {_S.SUSPENDED, _S.CLOSING, _S.CLOSED},
    _S.SUSPENDED: {_S.ACTIVE, _S.CLOSING, _S.CLOSED},
    _S.CLOSING: {_S.CLOSED},
    # For money alone that came since, until it is paid out.
    _S.CLOSED: {_S.CLOSING},
}


class StepNotAllowed(RuleBroken):
    """From the state that the player is in nothing leads to the one that was asked for."""

    code = "step_not_allowed"


class SecondPersonNeeded(RuleBroken):
    """One member of the staff bars a player; two let him play again."""

    code = "two_people_needed"


class AccountNotEmpty(RuleBroken):
    """An account is closed when its money has been paid out and nothing of it is in play."""

    code = "account_not_empty"


class StillRestricted(RuleBroken):
    """Whom the registry names, or who is of the staff, is not let play for money."""

    code = "still_restricted"


def set_kyc_state(
    *,
    player: Player,
    state: KycState,
    reason: str,
    actor: str,
    at: dt.datetime,
    cause: str = "",
    is_asked: bool = False,
) -> Player:
    """Decide how far it is known who the player is; the state he has already changes nothing.

    Before he is verified the register of excluded people is asked about him, and the registry of restricted persons. No
    lock is held while the register is waited for: whoever calls this inside a transaction has asked before
    (`check_for_verification`), and says so. The player is told the cause, if any, and not the reason. Raises
    StepNotAllowed, ReasonMissing, OwnBenefit where somebody would verify himself, or RegisterUnknown where the register
    gives no answer.
    """
    if state == KycState.VERIFIED and player.kyc_state != KycState.VERIFIED:
        if not is_asked:
            check_for_verification(player=player, at=at)
        player = hold_to_registry(player=player, at=at)
    return _change(player, StandingField.KYC_STATE, state, reason, actor, at, cause=cause)


def set_standing(
    *, player: Player, standing: Standing, reason: str, actor: str, at: dt.datetime, second_actor: str = ""
) -> Player:
    """Suspend the player's account, take it up again, or close it for good; the same again changes nothing.

    Raises StepNotAllowed, ReasonMissing, SecondPersonNeeded where one person alone takes a suspended account up again,
    OwnBenefit where one of the two may be the player, or AccountNotEmpty where an account is closed that holds money,
    waits for a withdrawal, or is in play. Whoever wants to end one that does begins with wallets/services/closing.py.
    """
    return _change(player, StandingField.STANDING, standing, reason, actor, at, second_actor=second_actor)


def set_restricted(
    *, player: Player, is_restricted: bool, reason: str, actor: str, at: dt.datetime, second_actor: str = ""
) -> Player:
    """Bar the player from playing for money because of who he is, or no longer.

    Raises ReasonMissing, SecondPersonNeeded where one person alone lifts a restriction, OwnBenefit where one of the two
    may be the player, or StillRestricted for freeing whom the registry names or who is of the staff, under whatever
    login.
    """
    is_staff = player.user.is_staff or is_double_of_staff(player)
    if not is_restricted and (is_staff or entries_against(player, at=at)):
        raise StillRestricted("The registry of restricted persons names him, or he is of the staff.")
    return _change(player, StandingField.RESTRICTION, is_restricted, reason, actor, at, second_actor=second_actor)


def hold_to_registry(*, player: Player, at: dt.datetime) -> Player:
    """Restrict a player whom the registry of restricted persons names, or who is of the staff.

    Whom the registry restricted and names no longer is free again; what staff restricted by hand stays theirs.
    """
    player = Player.objects.select_related("user").get(pk=player.pk)
    entries = entries_against(player, at=at)
    if entries or player.user.is_staff:
        named = ", ".join(f"{one.pk} ({one.get_kind_display()})" for one in entries)
        reason = f"Entries of the registry: {named}." if entries else "A member of the staff."
        return set_restricted(player=player, is_restricted=True, reason=reason, actor=REGISTRY, at=at)
    if is_double_of_staff(player):
        # Not in the registry's name: when the member of the staff leaves, two people look who the player is.
        reason = "By his particulars a member of the staff."
        return set_restricted(player=player, is_restricted=True, reason=reason, actor="system", at=at)
    if player.is_restricted and is_restricted_by_registry(player):
        reason = "No entry of the registry names him any more."
        return set_restricted(player=player, is_restricted=False, reason=reason, actor=REGISTRY, at=at)
    return player


def hold_person_to_registry(*, user: User, at: dt.datetime) -> None:
    """Hold every account of a person to the registry: his particulars, or that he works here, may just have changed."""
    for player in players_who_may_be(user):
        hold_to_registry(player=player, at=at)


def _change(
    player: Player,
    field: StandingField,
    after: KycState | Standing | bool,
    reason: str,
    actor: str,
    at: dt.datetime,
    *,
    cause: str = "",
    second_actor: str = "",
) -> Player:
    reason = clean_reason(reason)
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
                _refuse_what_is_left(player)
            elif before == Standing.CLOSED and not money_of(player):
                raise StepNotAllowed("This account is closed, and empty.", before=before)
        if _lets_play_again(field, before, after) and actor != REGISTRY:
            if second_actor in ("", actor):
                raise SecondPersonNeeded("One person bars a player; two let him play again.")
            check_independent(player=player, actors=(actor, second_actor))
        if after == KycState.VERIFIED and not player.is_test:
            # Whoever holds an account of the house's own may be the one who made it.
            check_independent(player=player, actors=(actor,))
        setattr(player, field, after)
        player.save(update_fields=[field])
        if after == Standing.CLOSED:
            # Who logs in follows from the state of the account, and is set nowhere else for a player.
            User.objects.filter(pk=player.user_id).update(is_active=False)
        StandingChange.objects.create(
            player=player,
            field=field,
            before=str(before).lower(),
            after=str(after).lower(),
            reason=reason,
            actor=actor,
            second_actor=second_actor,
            changed_at=at,
        )
        refresh_gates(player)
        kind = InboxKind.IDENTITY if field == StandingField.KYC_STATE else InboxKind.ACCOUNT
        told = {"field": str(field), "state": str(after).lower(), **({"cause": cause} if cause else {})}
        tell_player(player=player, kind=kind, data=told, at=at)
        record(
            act=f"{field.name.lower()}_changed",
            actor=actor,
            subject=("player", player.pk),
            before={str(field): str(before).lower()},
            after={str(field): str(after).lower(), **({"second_actor": second_actor} if second_actor else {})},
            reason=reason,
            at=at,
        )
        return player


def _lets_play_again(field: StandingField, before: object, after: object) -> bool:
    """Whether a bar of the house's is lifted; a trigger holds the same (wallets/guards.py)."""
    if field == StandingField.RESTRICTION:
        return after is False
    return (before, after) == (Standing.SUSPENDED, Standing.ACTIVE)


def _refuse_what_is_left(player: Player) -> None:
    if left := hindrances_of(player):
        raise AccountNotEmpty(
            "The account is in use: its money is paid out before it is closed, and nothing of it is in play.",
            hindrances=left,
            balance_cents=money_of(player),
        )
