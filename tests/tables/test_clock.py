"""Whose clock decides: the database's, however wrong the clocks of the web and the workers are."""

import ast
import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from tables import tasks
from tables.models import GameRound, RoundState, SlipWithdrawal
from tables.services.rounds import BettingClosed
from tables.services.taking_back import take_back, take_back_all
from tests.house import DRAW_KEY, House, PlayerAtTable, bet, make_house
from tests.web.pages import client_of, htmx

DOORS = ("web", "api", "tasks.py", "management")


@pytest.fixture
def draw_key(settings: Any, tmp_path: Path) -> None:
    key_file = tmp_path / "draw.key"
    key_file.write_text(DRAW_KEY.hex())
    settings.DRAW_KEY_FILE = str(key_file)


@pytest.fixture
def house() -> House:
    house = make_house()
    house.now = timezone.now()
    return house


def shift_clock(monkeypatch: pytest.MonkeyPatch, **by: float) -> None:
    """Let this process's clock be wrong."""
    right = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: right() + dt.timedelta(**by))


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_clock_is_ahead_closes_no_round_early(
    house: House, draw_key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    maria = house.seated()
    maria.place(bet("red"))
    shift_clock(monkeypatch, hours=1)
    tasks.sweep()
    tasks.advance_round(game_round_id=maria.game_round.pk)
    assert maria.game_round.state == RoundState.BETTING
    assert htmx(client_of(maria.game_session.player), "clear", maria).status_code == 200
    assert SlipWithdrawal.objects.count() == 1


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_clock_is_behind_closes_a_round_in_time(
    house: House, draw_key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    maria = house.seated()
    maria.place(bet("red"))
    GameRound.objects.filter(pk=maria.game_round.pk).update(closes_at=timezone.now() - dt.timedelta(seconds=1))
    shift_clock(monkeypatch, hours=-1)
    answer = htmx(client_of(maria.game_session.player), "clear", maria).content.decode()
    assert "what stands on the cloth is played" in answer
    first = maria.game_round.pk
    tasks.sweep()
    assert GameRound.objects.get(pk=first).state == RoundState.SETTLED


@pytest.mark.django_db
def test_nothing_is_taken_back_from_the_deadline_on(house: House) -> None:
    maria: PlayerAtTable = house.seated()
    placed = maria.place(bet("red"))
    deadline = maria.game_round.closes_at
    assert deadline is not None
    with pytest.raises(BettingClosed):
        take_back(seat=maria.seat, slip_id=placed.slip_id, at=deadline)
    with pytest.raises(BettingClosed):
        take_back_all(seat=maria.seat, at=deadline)
    assert maria.balance_cents == 99_00
    take_back(seat=maria.seat, slip_id=placed.slip_id, at=deadline - dt.timedelta(microseconds=1))
    assert maria.balance_cents == 100_00


def test_no_door_of_the_game_asks_another_clock() -> None:
    asking = [
        f"{path.relative_to(settings.BASE_DIR)}:{node.lineno}"
        for app in ("tables", "sessions_app")
        for door in DOORS
        for path in [settings.BASE_DIR / app / door]
        for file in ([path] if path.is_file() else path.rglob("*.py"))
        if file.name != "seed_demo.py" and file.exists()
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today")
    ]
    assert asking == []
