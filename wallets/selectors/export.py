"""Everything that is held about a person, for the person (Regulation (EU) 2016/679, articles 15 and 20)."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt
from django.db.models import Q

from wallets.models import Account, Consent, LoginRecord, PayoutAddress, Person, PersonAct, Player, Transfer, User
from wallets.personal import email_key
from wallets.sealing import unseal
from wallets.selectors.restricted import entries_against

from . import export_player

_OF_THIS_APP: dict[str, Callable[[Player], Any]] = {
    "standing": export_player.standing_of,
    "papers": export_player.papers_of,
    "limits": export_player.limits_of,
    "loosenings": export_player.loosenings_of,
    "limits_offers": export_player.limits_offers_of,
    "exclusions": export_player.exclusions_of,
    "inbox": export_player.inbox_of,
    "cash_requests": export_player.cash_requests_of,
}
# What the apps above know of a player; each registers its own section.
_sections: dict[str, Callable[[Player], Any]] = {}


def register_section(name: str, read: Callable[[Player], Any]) -> None:
    """Add a section to the export of players; called from AppConfig.ready."""
    _sections[name] = read


def export_person(user: User, *, at: dt.datetime) -> dict[str, Any]:
    """Return everything held about a user, ready for JSON. Hashes and secrets of login are not his data but locks."""
    player = Player.objects.filter(user=user).first()
    return {
        "exported_at": _iso(at),
        "user": {
            "id": user.pk,
            "email": user.email,
            "full_name": user.full_name,
            "is_staff": user.is_staff,
            "is_active": user.is_active,
            "date_joined": _iso(user.date_joined),
            "last_login": _iso(user.last_login),
            "roles": sorted(user.groups.values_list("name", flat=True)),
        },
        "person": _person(user),
        "addresses": list(EmailAddress.objects.filter(user=user).order_by("pk").values("email", "verified", "primary")),
        "consents": [
            {"text": one.text, "version": one.version, "at": _iso(one.at)}
            for one in Consent.objects.filter(user=user).order_by("pk")
        ],
        "second_factor": [
            {"type": one.type, "created_at": _iso(one.created_at), "last_used_at": _iso(one.last_used_at)}
            for one in Authenticator.objects.filter(user=user).order_by("pk")
        ],
        "logins": [
            {
                "at": _iso(one.at),
                "entrance": one.entrance,
                "address": one.address,
                "browser": one.browser,
                "ended_at": _iso(one.ended_at),
            }
            for one in LoginRecord.objects.filter(user=user).order_by("pk")
        ],
        "failed_logins": [
            {
                "at": _iso(one.attempt_time),
                "address": one.ip_address,
                "browser": one.user_agent,
                "times": one.failures_since_start,
            }
            for one in AccessAttempt.objects.filter(username=email_key(user.email)).order_by("pk")
        ],
        "acts": [
            {
                "kind": one.kind,
                "actor": one.actor,
                "reason": export_player.own_words(player, one.actor, one.reason),
                "at": _iso(one.at),
            }
            for one in PersonAct.objects.filter(user=user).order_by("pk")
        ],
        "player": None if player is None else _player(player, at),
    }


def _person(user: User) -> dict[str, Any] | None:
    person = Person.objects.filter(user=user).first()
    if person is None:
        return None
    number = person.document_number_sealed
    return {
        "birth_date": None if person.birth_date is None else person.birth_date.isoformat(),
        "country": person.country,
        "language": person.language,
        "time_zone": person.time_zone,
        "address": person.address,
        "document_type": person.document_type,
        "document_number": unseal(number) if number else "",
        "document_country": person.document_country,
        "document_expires_on": None if person.document_expires_on is None else person.document_expires_on.isoformat(),
        "created_at": _iso(person.created_at),
        "erased_at": _iso(person.erased_at),
    }


def _player(player: Player, at: dt.datetime) -> dict[str, Any]:
    accounts = {one.pk: one for one in Account.objects.filter(player=player).order_by("pk")}
    moved = Transfer.objects.filter(Q(debit_id__in=accounts) | Q(credit_id__in=accounts)).order_by("pk")
    return {
        "id": player.pk,
        "handle": player.handle,
        "created_at": _iso(player.created_at),
        "accounts": [
            {"id": pk, "kind": one.kind, "unit": one.unit, "balance_cents": one.balance_cents}
            for pk, one in accounts.items()
        ],
        "payout_addresses": [
            {"iban": unseal(one.iban_sealed) if one.iban_sealed else "", "set_at": _iso(one.set_at)}
            for one in PayoutAddress.objects.filter(player=player).order_by("pk")
        ],
        "transfers": [
            {
                "id": one.pk,
                "at": _iso(one.created_at),
                "reason": one.reason,
                "unit": one.unit,
                "amount_cents": one.amount_cents if one.credit_id in accounts else -one.amount_cents,
            }
            for one in moved.iterator()
        ],
        "register_checks": [
            {"at": _iso(one.asked_at), "register": one.register, "occasion": one.occasion, "answer": one.answer}
            for one in player.register_checks.order_by("pk")
        ],
        "restricted_entries": [
            {"kind": one.kind, "from": _iso(one.starts_at), "until": _iso(one.ends_at)}
            for one in entries_against(player, at=at)
        ],
        **{name: read(player) for name, read in (_OF_THIS_APP | _sections).items()},
    }


def _iso(at: dt.datetime | None) -> str | None:
    return None if at is None else at.astimezone(dt.UTC).isoformat()
