"""Taking a seat at a table and getting up."""

import datetime as dt

from django.db import IntegrityError, transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.later import after_commit
from tables.models import FINISHED, GameRound, Seat, Table, TableKind, TableState
from wallets.models import Player, Unit
from wallets.services.ledger import lock_accounts, open_wallet

from .rounds import end_round_of_leaver


class TableNotOpen(RuleBroken):
    """The table takes no players."""

    code = "table_not_open"


class AlreadySeated(RuleBroken):
    """One seat per player and table."""

    code = "already_seated"


def take_seat(*, table: Table, player: Player, at: dt.datetime) -> Seat:
    """Seat the player; raises TableNotOpen or AlreadySeated. On an individual table a worker opens his first round."""
    wallet = open_wallet(player=player, unit=Unit(table.unit))
    try:
        with transaction.atomic():
            state = Table.objects.select_for_update(no_key=True).values_list("state", flat=True).get(pk=table.pk)
            if state != TableState.OPEN:
                raise TableNotOpen(f"{table.name} is not open.")
            seat = Seat.objects.create(table=table, player=player, account=wallet, taken_at=at)
            if table.kind == TableKind.INDIVIDUAL:
                after_commit("tables.tasks.open_individual_round", "rounds", seat_id=seat.pk)
            return seat
    except IntegrityError as error:
        raise AlreadySeated(f"You are seated at {table.name} already.") from error


def steer_seat(*, seat: Seat, play_until: dt.datetime | None, reality_check_at: dt.datetime | None) -> None:
    """Say until when bets are taken from the seat, and from when the player is asked first whether he goes on.

    Placing holds both; it waits for this, or this for it. A seat that was left stays as it was.
    """
    with transaction.atomic():
        lock_accounts(seat.account_id)
        Seat.objects.filter(pk=seat.pk, left_at__isnull=True).update(
            play_until=play_until, reality_check_at=reality_check_at
        )


def leave_seat(*, seat: Seat, at: dt.datetime) -> None:
    """Get up. Bets on the cloth are played and valid (rule 25); leaving twice changes nothing."""
    with transaction.atomic():
        if not Seat.objects.filter(pk=seat.pk, left_at__isnull=True).update(left_at=at):
            return
        game_round = GameRound.objects.filter(seat=seat).exclude(state__in=FINISHED).first()
        if game_round is not None:
            end_round_of_leaver(game_round=game_round, at=at)
