"""The player's own part of an individual table's draw."""

from django.db import transaction

from roulette_site.common.errors import RuleBroken
from tables.locks import exclude_from_round
from tables.models import GameRound, RoundState, Seat, Slip

from .rounds import BettingClosed

CLIENT_SEED_LENGTH = 64


class ClientSeedInvalid(RuleBroken):
    """Anybody must be able to type the text again when he recomputes the number."""

    code = "client_seed_invalid"
    http_status = 422


class ClientSeedFixed(RuleBroken):
    """The player's own seed is fixed by his first bet of the round."""

    code = "client_seed_fixed"


def choose_client_seed(*, game_round: GameRound, client_seed: str) -> None:
    """Let the player mix a text of his own into the draw.

    Raises ClientSeedInvalid, or ClientSeedFixed once he has bet in the round.
    """
    if len(client_seed) > CLIENT_SEED_LENGTH or not client_seed.isprintable() or "\ufffd" in client_seed:
        raise ClientSeedInvalid(f"Your own text has {CLIENT_SEED_LENGTH} characters at most, all of them printable.")
    with transaction.atomic():
        exclude_from_round(game_round.pk)
        fixed = Slip.objects.filter(game_round=game_round).exists()
        if fixed or not GameRound.objects.filter(pk=game_round.pk, state=RoundState.BETTING).update(
            client_seed=client_seed
        ):
            raise ClientSeedFixed("Your own text can be changed until your first bet of the round.")


def choose_client_seed_of_seat(*, seat: Seat, client_seed: str) -> None:
    """Choose the player's own text for the round that takes his bets.

    Raises ClientSeedInvalid, ClientSeedFixed, or BettingClosed.
    """
    game_round = GameRound.objects.filter(seat=seat, state=RoundState.BETTING).first()
    if game_round is None:
        raise BettingClosed("No round takes bets at this moment.")
    choose_client_seed(game_round=game_round, client_seed=client_seed)
