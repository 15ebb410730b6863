"""What every test of the API asks of an answer."""

import json
from typing import Any

from tests.answers import walk

# The names under which amounts stand in the API's answers.
AMOUNTS = frozenset(
    {
        "stake",
        "staked",
        "returned",
        "prize",
        "prizes",
        "net",
        "balance",
        "minimum",
        "maximum",
        "undecided",
        "may_withdraw",
        "left",
        "cap",
        "owed",
    }
)


def amounts_of(answer: dict[str, Any]) -> list[str]:
    """Every amount of an answer, each held to be text with two decimals."""
    amounts = [value for key, value in walk(answer) if key in AMOUNTS and value is not None]
    assert all(isinstance(amount, str) and amount[-3] == "." for amount in amounts), amounts
    return amounts


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The problem details of a refusal, held against RFC 9457 and the code that it should have."""
    assert response["Content-Type"] == "application/problem+json", response.content
    said: dict[str, Any] = json.loads(response.content)
    assert (response.status_code, said["status"], said["code"]) == (status, status, code), said
    # The RFC has these as text; what is wrong with which field stands under a name of its own.
    assert all(isinstance(said[name], str) and said[name] for name in ("type", "title", "detail") if name in said), said
    assert "{" not in said["title"], said
    # Amounts are text, as everywhere else in the API.
    assert not any(str(name).endswith("_cents") for name, _ in walk(said)), said
    amounts_of(said)
    return said
