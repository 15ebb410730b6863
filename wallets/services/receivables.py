"""What a player owes, taken from his wallet by staff at his own wish; by himself: corrections.pay_back."""

import datetime as dt

from roulette_site.common.audit import audited, record
from roulette_site.common.reasons import clean_reason
from wallets.models import InboxKind, Player, Transfer, Unit

from .caps import NeedsSecondPerson, check_independent
from .corrections import pay_back
from .inbox import tell_player


def take_owed(
    *,
    player: Player,
    unit: Unit,
    amount_cents: int,
    reason: str,
    consent: str,
    actor: str,
    at: dt.datetime,
    key: str,
    second_actor: str,
) -> Transfer:
    """Take what the player owes, or a part of it, from his wallet; he is told. The same key again takes nothing.

    Only with his consent, and `consent` says where it is on record: a later win is never taken for an old debt without
    it. That he has given it is the word of two people, of whom none is he. Raises ReasonMissing, NeedsSecondPerson,
    OwnBenefit, MoreThanOwed, BalanceTooLow, IdempotencyConflict.
    """
    reason, consent = clean_reason(reason), clean_reason(consent, what="evidence")
    if second_actor in ("", actor):
        raise NeedsSecondPerson("What a player owes is taken by two people, or paid back by himself.")
    check_independent(player=player, actors=(actor, second_actor))
    with audited():
        replayed = Transfer.objects.filter(idempotency_key=key).exists()
        transfer = pay_back(player=player, unit=unit, amount_cents=amount_cents, actor=actor, at=at, key=key)
        if replayed:
            return transfer
        tell_player(
            player=player,
            kind=InboxKind.RECEIVABLE,
            data={"paid_cents": amount_cents, "unit": str(unit)},
            at=at,
        )
        record(
            act="owed_taken",
            actor=actor,
            subject=("player", player.pk),
            after={
                "transfer": transfer.pk,
                "amount_cents": amount_cents,
                "unit": str(unit),
                "consent": consent,
                "second_actor": second_actor,
            },
            reason=reason,
            at=at,
        )
        return transfer
