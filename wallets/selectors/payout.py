"""Where players are paid out to, as far as it may be shown."""

from collections.abc import Sequence

from wallets.iban import check_iban
from wallets.models import PayoutAddress, Player
from wallets.sealing import keyed_hash


def address_of(player: Player) -> PayoutAddress | None:
    """The payout address that holds: the latest that the player has named, unless it was erased."""
    latest = PayoutAddress.objects.filter(player=player).order_by("-id").first()
    return latest if latest is not None and latest.erased_at is None else None


def find_by_iban(text: str) -> Sequence[PayoutAddress]:
    """The payout addresses, of now and before, with this number; raises IbanRefused where it can be none."""
    found = PayoutAddress.objects.filter(iban_hash=keyed_hash("iban", check_iban(text)))
    return list(found.select_related("player").order_by("pk"))


def others_paid_to(address: PayoutAddress) -> Sequence[Player]:
    """Other players who have or had the same payout address: they may be the same person, or play for him."""
    same = PayoutAddress.objects.filter(iban_hash=address.iban_hash, erased_at__isnull=True)
    return list(Player.objects.filter(pk__in=same.values("player_id")).exclude(pk=address.player_id).order_by("pk"))
