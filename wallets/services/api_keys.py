"""Credentials of other systems: making one, and ending it."""

import datetime as dt

from roulette_site.common.audit import audited, record
from wallets.models import ApiKey


def make_api_key(
    *, name: str, scopes: list[str], actor: str, at: dt.datetime, expiry_date: dt.datetime | None = None
) -> tuple[ApiKey, str]:
    """Make a key and return it with its secret, of which only a hash is kept."""
    with audited():
        key, secret = ApiKey.objects.create_key(name=name, scopes=sorted(set(scopes)), expiry_date=expiry_date)
        record(
            act="api_key_made",
            actor=actor,
            subject=("api_key", key.prefix),
            after={
                "scopes": sorted(set(scopes)),
                "expiry_date": None if expiry_date is None else expiry_date.isoformat(),
            },
            at=at,
        )
    assert isinstance(key, ApiKey), "the manager is that of our keys"
    return key, secret


def revoke_api_key(*, key: ApiKey, actor: str, at: dt.datetime) -> ApiKey:
    """End a key at once and for good; one that is revoked already stays so, and the trail as it is."""
    if key.revoked:
        return key
    with audited():
        key.revoked = True
        key.save(update_fields=["revoked"])
        record(
            act="api_key_revoked",
            actor=actor,
            subject=("api_key", key.prefix),
            before={"revoked": False},
            after={"revoked": True},
            at=at,
        )
    return key
