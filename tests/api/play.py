"""A player who plays through the API alone."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from sessions_app.models import GameSession
from tables.models import Bet, GameRound, Slip
from tables.services.advance import advance_round, open_individual_round
from tests.house import DRAW_KEY, House
from wallets.models import Transfer

from .caller import Caller


@dataclass
class Table:
    """A player at a table who plays through the API alone."""

    caller: Caller
    house: House
    session: int

    @property
    def seat_id(self) -> int:
        return GameSession.objects.get(pk=self.session).seat_id

    @property
    def game_round(self) -> GameRound:
        return GameRound.objects.filter(seat=self.seat_id).latest("number")

    def open_round(self) -> GameRound:
        """Do what a worker does after a player sits down."""
        opened = open_individual_round(seat_id=self.seat_id, key=DRAW_KEY, at=timezone.now())
        assert opened is not None
        return opened

    def settle_round(self) -> GameRound:
        """Do what a worker does after the ball is launched."""
        game_round = self.game_round
        advance_round(game_round_id=game_round.pk, key=DRAW_KEY, now=timezone.now)
        game_round.refresh_from_db()
        assert game_round.state == "settled"
        return game_round

    def read(self) -> dict[str, Any]:
        response = self.caller.get(f"sessions/{self.session}")
        assert response.status_code == 200
        said: dict[str, Any] = response.json()
        return said

    def place(self, *bets: Any, key: str = "key-00001") -> Any:
        return self.post("bets", {"bets": list(bets)}, **{"Idempotency-Key": key})

    def post(self, act: str, body: Any = None, **headers: str) -> Any:
        return self.caller.post(f"sessions/{self.session}/{act}", body, **headers)


def sit_down(caller: Caller, house: House, balance_cents: int = 100_00) -> Table:
    player = house.player(balance_cents)
    response = caller.post("sessions", {"player": player.handle, "table": house.table.slug})
    assert response.status_code == 201
    table = Table(caller, house, response.json()["id"])
    table.open_round()
    return table


def rows() -> tuple[int, int, int]:
    return Transfer.objects.count(), Slip.objects.count(), Bet.objects.count()
