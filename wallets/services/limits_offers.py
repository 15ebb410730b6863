"""What a player answers when he is offered limits."""

import datetime as dt

from django.db import connection

from roulette_site.common.audit import audited, record
from wallets.models import LimitsOffer, OfferOccasion, Player


def note_answer(*, player: Player, occasion: OfferOccasion, limits_set: int, at: dt.datetime) -> LimitsOffer:
    """Note that the player was offered limits and what came of it; the first answer stands.

    Needs the transaction in which the limits are set.
    """
    assert connection.in_atomic_block, "the answer stands or falls with its limits"
    with audited():
        offer, is_first = LimitsOffer.objects.get_or_create(
            player=player, occasion=occasion, defaults={"answered_at": at, "limits_set": limits_set}
        )
        if is_first:
            record(
                act="limits_offer_answered",
                actor=f"player:{player.pk}",
                subject=("player", player.pk),
                after={"occasion": str(occasion), "limits_set": limits_set},
                at=at,
            )
        return offer
