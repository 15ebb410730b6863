"""Pull the plug: kill the worker of a running demonstration in mid-spin, and watch the round recover."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tables.models import GameRound, RoundState

WAIT_FOR_A_SPIN_SECONDS = 60.0
RECOVERY_SECONDS = 30.0
LOOK_EVERY_SECONDS = 0.005

Say = Callable[[str], None]
Found = TypeVar("Found")


class NotPulled(Exception):
    """The plug was not pulled, or the round did not recover; the message says why."""


def pull(worker_pid_file: Path, say: Say) -> None:
    """Kill the worker while a round is closed and not yet paid, and wait until it is paid.

    Raises NotPulled where the site does not run, nobody plays, or the round does not recover.
    """
    worker = _read_pid(worker_pid_file)
    if worker is None:
        raise NotPulled("The site does not run: `make run` first.")
    say("Waiting for a ball to run: play a round, or let the bots do so.")
    game_round = _kill_in_mid_spin(worker)
    killed_at = time.monotonic()
    say(f"{_name(game_round)}: bets are closed, nothing is paid. The worker (process {worker}) is killed with SIGKILL.")

    fresh = _wait_for(lambda: _read_pid(worker_pid_file, other_than=worker))
    if fresh is None:
        raise NotPulled(f"No other worker came within {RECOVERY_SECONDS:.0f} s.")
    say(f"A new worker (process {fresh}) was started {time.monotonic() - killed_at:.1f} s later.")

    recovered = _wait_for(lambda: _find_round(RoundState.SETTLED, RoundState.VOID, pk=game_round.pk))
    if recovered is None:
        raise NotPulled(f"{_name(game_round)} did not recover within {RECOVERY_SECONDS:.0f} s.")
    outcome = "is void" if recovered.winning_number is None else f"is paid on number {recovered.winning_number}"
    say(f"{_name(recovered)} {outcome}, {time.monotonic() - killed_at:.1f} s after the kill.")


def _kill_in_mid_spin(worker: int) -> GameRound:
    """Kill the process as soon as a round is in mid-spin, and return the round."""
    deadline = time.monotonic() + WAIT_FOR_A_SPIN_SECONDS
    while time.monotonic() < deadline:
        if _round_in_mid_spin() is not None:
            # A spin takes milliseconds. Hold the worker first and look again, so that the one it is killed in is sure
            # to be unfinished.
            _signal(worker, signal.SIGSTOP)
            game_round = _round_in_mid_spin()
            if game_round is not None:
                _signal(worker, signal.SIGKILL)
                return game_round
            _signal(worker, signal.SIGCONT)
        time.sleep(LOOK_EVERY_SECONDS)
    raise NotPulled(f"Nobody spun within {WAIT_FOR_A_SPIN_SECONDS:.0f} s; the worker was left alone.")


def _round_in_mid_spin() -> GameRound | None:
    return _find_round(RoundState.CLOSED, RoundState.DRAWN)


def _find_round(*states: RoundState, **which: int) -> GameRound | None:
    return GameRound.objects.filter(state__in=states, **which).select_related("table").order_by("pk").first()


def _name(game_round: GameRound) -> str:
    return f"Round {game_round.number} at {game_round.table.name}"


def _read_pid(file: Path, other_than: int | None = None) -> int | None:
    try:
        pid = int(file.read_text())
    except (OSError, ValueError):
        return None
    return None if pid == other_than else pid


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        raise NotPulled("The worker ended by itself meanwhile; try again.") from None


def _wait_for(look: Callable[[], Found | None]) -> Found | None:
    deadline = time.monotonic() + RECOVERY_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.05)
    return None
