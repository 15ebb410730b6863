"""Players made of code, who play Solo through the public API as anyone's program would."""

import json
import random
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tables.roulette.cloth import SPOTS

# What a bot may have to wait for the worker to open, draw and settle.
PATIENCE_SECONDS = 10.0
ROUNDS_PER_SESSION = (5, 15)


class ApiRefused(Exception):
    """The API answered with a problem."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('code')}")
        self.status = status
        self.code = problem.get("code")


@dataclass(frozen=True)
class Api:
    """The public API with one key."""

    base_url: str
    secret: str

    def call(self, method: str, path: str, body: object = None, key: str | None = None) -> dict[str, Any]:
        """Make a call and return its JSON; raises ApiRefused where it is refused, OSError where nobody answers."""
        headers = {"Authorization": f"Api-Key {self.secret}", "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.base_url}/api/v1/{path}", data=data, headers=headers, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=10) as answer:  # noqa: S310
                return dict(json.load(answer))
        except HTTPError as error:
            with error:
                try:
                    problem = json.load(error)
                except ValueError:
                    problem = {}
            raise ApiRefused(error.code, problem) from error


@dataclass
class Bot:
    """One of them: sits down, plays a few rounds, gets up, comes back later."""

    handle: str
    table: str
    api: Api
    chance: random.Random = field(default_factory=random.SystemRandom)

    def play_session(self, pause_seconds: float) -> int:
        """Play one session and return how many rounds were launched."""
        session = self.api.call("POST", "sessions", {"player": self.handle, "table": self.table})
        path = f"sessions/{session['id']}"
        launched = 0
        for _ in range(self.chance.randint(*ROUNDS_PER_SESSION)):
            if self._round_to_bet_in(path) is None:
                break
            for _ in range(self.chance.randint(1, 3)):
                self._place(path)
                time.sleep(pause_seconds * self.chance.random())
            try:
                self.api.call("POST", f"{path}/spin")
                launched += 1
            except ApiRefused as refusal:
                # Every slip was refused, or the round was launched by its deadline.
                if refusal.code not in ("nothing_staked", "betting_closed"):
                    raise
            time.sleep(pause_seconds)
        self.api.call("POST", f"{path}/end")
        return launched

    def _round_to_bet_in(self, path: str) -> Mapping[str, Any] | None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            game_round = self.api.call("GET", path)["round"]
            if game_round is not None and game_round["state"] == "betting":
                return dict(game_round)
            time.sleep(0.2)
        return None

    def _place(self, path: str) -> None:
        spot = self.chance.choice(SPOTS)
        # Now and then more than the table allows: refusals are part of the picture.
        stake = "999999.00" if self.chance.random() < 0.05 else self.chance.choice(("0.50", "1.00", "1.50", "2.00"))
        bet = {"type": str(spot.type), "on": list(spot.on), "stake": stake}
        try:
            self.api.call("POST", f"{path}/bets", {"bets": [bet]}, key=str(uuid.uuid4()))
        except ApiRefused as refusal:
            if refusal.code != "slip_refused":
                raise
