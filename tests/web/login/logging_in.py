"""How tests log in, fail to, and stay away."""

import re
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

PASSWORD = "a long and odd sentence 17"
BACK_OFFICE = "/backoffice/"


def log_in(client: Client, email: str, password: str = PASSWORD, address: str = "/login/") -> Any:
    return client.post(address, {"username": email, "password": password})


def fail(times: int, email: str, address: str = "/login/", **extra: str) -> list[int]:
    return [
        Client().post(address, {"username": email, "password": f"wrong {n}"}, **extra).status_code for n in range(times)
    ]


def errors_in(page: Any) -> str:
    return "".join(
        re.findall(r'class="(?:refusal|errornote)"[^>]*>(.*?)</(?:div|p)>', page.content.decode(), re.DOTALL)
    )


def age_session(client: Client, minutes: float, cookie: str = "sessionid") -> None:
    """Let a browser's session be last seen some minutes ago."""
    store = SessionStore(client.cookies[cookie].value)
    store["seen_at"] -= minutes * 60
    store.save()
