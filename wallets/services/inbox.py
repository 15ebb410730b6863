"""Telling a player something, in the transaction of what it is about; whatever says "the player is told" ends here."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction

from roulette_site.common.audit import audited, is_act_in_hand, record
from roulette_site.common.later import after_commit
from wallets.models import InboxKind, InboxMessage, InboxReading, Player


def tell_player(*, player: Player, kind: InboxKind, at: dt.datetime, data: Mapping[str, Any]) -> InboxMessage:
    """Put a message into the player's inbox, and mail that it is there (wallets/services/inbox_mail.py).

    Needs the transaction of the act that it tells of. `data` holds ids and plain values: messages are kept for ever.
    """
    assert connection.in_atomic_block, "a message stands or falls with what it tells of"
    if is_act_in_hand():
        message = InboxMessage.objects.create(player=player, kind=kind, data=dict(data), told_at=at)
    else:
        # What it tells of was no act of anybody's; the telling is.
        with audited():
            message = InboxMessage.objects.create(player=player, kind=kind, data=dict(data), told_at=at)
            about = {"kind": str(kind), "message": message.pk}
            record(act="player_told", actor="system", subject=("player", player.pk), after=about, at=at)
    after_commit("wallets.tasks.mail_message", "background", message_id=message.pk)
    return message


def mark_read(*, player: Player, at: dt.datetime) -> int:
    """Note that the player has seen everything in his inbox; how many of it were new."""
    with transaction.atomic():
        # Two pages at the same moment: one of them waits, and finds nothing new.
        Player.objects.select_for_update(no_key=True).get(pk=player.pk)
        unread = InboxMessage.objects.filter(player=player, reading__isnull=True).order_by("id")
        return len(InboxReading.objects.bulk_create(InboxReading(message=one, read_at=at) for one in unread))
