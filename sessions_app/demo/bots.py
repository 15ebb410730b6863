"""Players made of code, who play Solo through the public API as anyone's program would."""

import json
import queue
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from .bets import Item, slip_to_refuse, slips_of_round
from .personas import BOTS, BotPerson

# All bots together; no bot places a slip but through one Pace.
MOST_SLIPS_PER_SECOND = 15
# How many play at the same moment, while the others rest: the machine has a visitor to serve.
AT_ONCE = 4
# What a bot may have to wait for the worker to open, draw and settle.
PATIENCE_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.5
ROUNDS_PER_SESSION = (5, 15)
# How often a bot bets what the table does not take, or when the ball runs already: refusals are part of the picture.
OVER_A_LIMIT_CHANCE = 0.05
TOO_LATE_CHANCE = 0.1


class Pace:
    """The bound on slips: between any two that pass lies a fixed time, whoever places them."""

    def __init__(
        self,
        per_second: float = MOST_SLIPS_PER_SECOND,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seconds_between = 1 / per_second
        self._clock, self._sleep = clock, sleep
        self._one_at_a_time = Lock()
        self._next_at = clock()

    def wait(self) -> None:
        """Return when the next slip may go."""
        # Held while it sleeps: who comes meanwhile waits behind.
        with self._one_at_a_time:
            while (early := self._next_at - self._clock()) > 0:
                self._sleep(early)
            self._next_at = self._clock() + self._seconds_between


class ApiRefused(Exception):
    """The API answered with a problem."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('code')}")
        self.status = status
        self.code = problem.get("code")
        self.reasons = [str(breach.get("reason")) for breach in problem.get("breaches", ())]


@dataclass(frozen=True)
class Api:
    """The public API with one key, and the pace that all who share it keep."""

    base_url: str
    secret: str
    pace: Pace = field(default_factory=Pace)

    def place(self, session_path: str, bets: Sequence[Item]) -> None:
        """Place a slip when the pace lets it; raises ApiRefused as `call` does."""
        self.pace.wait()
        self.call("POST", f"{session_path}/bets", {"bets": bets}, key=str(uuid.uuid4()))

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

    person: BotPerson
    table: str
    api: Api
    chance: random.Random = field(default_factory=random.SystemRandom)
    # Why slips were refused, and how many for each reason.
    refusals: Counter[str] = field(default_factory=Counter)

    def play_session(self, pause_seconds: float) -> int:
        """Play one session and return how many rounds were launched."""
        session = self.api.call("POST", "sessions", {"player": self.person.handle, "table": self.table})
        path = f"sessions/{session['id']}"
        launched = 0
        for _ in range(self.chance.randint(*ROUNDS_PER_SESSION)):
            if self._round_to_bet_in(path) is None:
                break
            for bets in slips_of_round(self.chance, self.person.favourite):
                self._place(path, bets)
                time.sleep(pause_seconds * self.chance.random())
            if self.chance.random() < OVER_A_LIMIT_CHANCE:
                self._place(path, slip_to_refuse(self.chance, self.person.favourite))
            launched += self._launch(path)
            if self.chance.random() < TOO_LATE_CHANCE:
                self._place(path, slips_of_round(self.chance, self.person.favourite)[0])
            time.sleep(pause_seconds)
        self.api.call("POST", f"{path}/end")
        return launched

    def _round_to_bet_in(self, path: str) -> Mapping[str, Any] | None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            game_round = self.api.call("GET", path)["round"]
            if game_round is not None and game_round["state"] == "betting":
                return dict(game_round)
            time.sleep(LOOK_AGAIN_SECONDS)
        return None

    def _place(self, path: str, bets: Sequence[Item]) -> None:
        try:
            self.api.place(path, bets)
        except ApiRefused as refusal:
            if refusal.code != "slip_refused":
                raise
            self.refusals.update(refusal.reasons)

    def _launch(self, path: str) -> bool:
        try:
            self.api.call("POST", f"{path}/spin")
        except ApiRefused as refusal:
            # Every slip was refused, or the round was launched by its deadline.
            if refusal.code not in ("nothing_staked", "betting_closed"):
                raise
            return False
        return True


def resting_bots() -> "queue.Queue[BotPerson]":
    """Every bot, in an order of chance: who is to play is taken from the front, who has played goes to the end."""
    resting: queue.Queue[BotPerson] = queue.Queue()
    for person in random.SystemRandom().sample(BOTS, k=len(BOTS)):
        resting.put(person)
    return resting
