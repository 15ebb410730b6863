"""Other systems that call the API."""

import json
from dataclasses import dataclass
from typing import Any

from django.test import Client

from wallets.models import ApiKey


@dataclass
class Caller:
    """Another system with a key; its faults and ours come back as it would see them."""

    key: str = ""

    def __post_init__(self) -> None:
        self.client = Client(raise_request_exception=False)

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {**({"Authorization": f"Api-Key {self.key}"} if self.key else {}), **more}

    def get(self, address: str, **headers: str) -> Any:
        return self.client.get(f"/api/v1/{address}", headers=self._headers(headers))

    def post(self, address: str, body: Any = None, **headers: str) -> Any:
        text = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        return self.client.post(
            f"/api/v1/{address}", text, content_type="application/json", headers=self._headers(headers)
        )


def make_key(*scopes: str, **more: Any) -> str:
    _, secret = ApiKey.objects.create_key(name="tests", scopes=list(scopes), **more)
    return str(secret)
