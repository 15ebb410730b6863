"""Telling players that other rules are in force at a table where they have played."""

import datetime as dt

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from tables.models import RulesStatus, RulesTelling, Seat, Slip, Table
from wallets.models import InboxKind, InboxMessage, Player
from wallets.services.inbox import tell_player

TOLD_FOR = dt.timedelta(days=365)
PLAYERS_A_BATCH = 200


def tell_players_of_rules(*, at: dt.datetime) -> int:
    """Tell who has bet at a table in the last twelve months under other rules than those that are in force there now.

    Each player once for each table and version, in transactions of some players: broken off, it goes on where it was.
    Returns how many were told.
    """
    done = RulesTelling.objects.filter(table=OuterRef("pk"), rules=OuterRef("rules"))
    changed = Table.objects.filter(rules__status=RulesStatus.APPROVED, rules__in_force_from__lte=at)
    told = 0
    for table in changed.exclude(Exists(done)).select_related("rules").order_by("pk"):
        while batch := _tell_some(table, at):
            told += batch
        players = _told(table).count()
        RulesTelling.objects.get_or_create(rules=table.rules, table=table, defaults={"players": players, "told_at": at})
    return told


def _tell_some(table: Table, at: dt.datetime) -> int:
    rules = table.rules
    under_others = Slip.objects.filter(seat=OuterRef("pk"), placed_at__gte=at - TOLD_FOR).exclude(
        game_round__rules=rules
    )
    played = Seat.objects.filter(Exists(under_others), table=table).values("player")
    with transaction.atomic():
        # Two workers at once: the second waits here, and finds the first one's players told.
        Table.objects.select_for_update(no_key=True).get(pk=table.pk)
        players = Player.objects.filter(pk__in=played).exclude(pk__in=_told(table).values("player"))
        batch = list(players.order_by("pk")[:PLAYERS_A_BATCH])
        for player in batch:
            tell_player(
                player=player,
                kind=InboxKind.RULES,
                data={
                    "rules": rules.pk,
                    "table_id": table.pk,
                    "table": table.name,
                    "rulebook": rules.rulebook_code,
                    "version": rules.version,
                    "in_force_from": rules.in_force_from.isoformat() if rules.in_force_from else "",
                },
                at=at,
            )
        return len(batch)


def _told(table: Table) -> QuerySet[InboxMessage]:
    return InboxMessage.objects.filter(kind=InboxKind.RULES, data__rules=table.rules_id, data__table_id=table.pk)
