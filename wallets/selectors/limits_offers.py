"""Whether a player is to be offered limits."""

from wallets.models import CashKind, CashRequest, Consent, LimitsOffer, OfferOccasion, Player


def is_offer_due(player: Player, occasion: OfferOccasion) -> bool:
    """Whether this is the occasion and he has given no answer yet.

    Registration is of those who registered themselves, which their consents show; the first deposit is the first one
    that is asked for at the cash desk, whatever becomes of it.
    """
    if LimitsOffer.objects.filter(player=player, occasion=occasion).exists():
        return False
    if occasion == OfferOccasion.REGISTRATION:
        return Consent.objects.filter(user_id=player.user_id).exists()
    return not CashRequest.objects.filter(account__player=player, kind=CashKind.DEPOSIT).exists()
