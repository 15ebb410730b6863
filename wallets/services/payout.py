"""The bank account that a player is paid out to: named and changed by himself alone."""

import datetime as dt

from roulette_site.common.audit import audited, record
from wallets.iban import check_iban, mask_iban
from wallets.models import InboxKind, PayoutAddress, Player, Standing
from wallets.sealing import keyed_hash, seal
from wallets.selectors.payout import address_of

from .gates import lock_player
from .inbox import tell_player
from .permission_to_pay import AccountClosed


def set_payout_address(*, player: Player, iban: str, at: dt.datetime) -> PayoutAddress:
    """Note where the player is paid out to from now on, and tell him; the address that he has changes nothing.

    His own act: the door has made sure that it is he. Withdrawals that he has asked for go where they were to go.
    Raises IbanRefused and AccountClosed.
    """
    number = check_iban(iban)
    with audited():
        player = lock_player(player)
        if player.standing == Standing.CLOSED:
            raise AccountClosed("This account is closed.")
        key, standing = keyed_hash("iban", number), address_of(player)
        if standing is not None and standing.iban_hash == key:
            return standing
        address = PayoutAddress.objects.create(
            player=player, iban_sealed=seal(number), iban_hash=key, masked=mask_iban(number), set_at=at
        )
        tell_player(player=player, kind=InboxKind.PAYOUT_ADDRESS, data={"masked": address.masked}, at=at)
        record(
            act="payout_address_set",
            actor=f"player:{player.pk}",
            subject=("player", player.pk),
            before=None if standing is None else {"payout": standing.pk},
            after={"payout": address.pk},
            at=at,
        )
        return address
