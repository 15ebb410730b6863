"""What is held about a player beside his money: how he stands, what protects him, what he was told, what he sent.

What was decided of him and by whom is in it; why the house did so is not, since that may tell of a suspicion or of
somebody else. Of the causes he was told (`inbox`). What he wrote himself is his.
"""

import base64
import datetime as dt
from typing import Any

from wallets.models import (
    CashRequest,
    Exclusion,
    IdentityPaper,
    InboxMessage,
    Limit,
    LimitsOffer,
    Loosening,
    Player,
    StandingChange,
)

from .papers import PaperUnreadable, read_paper


def standing_of(player: Player) -> dict[str, Any]:
    """How the player stands, and how that came."""
    return {
        "identity": player.kyc_state,
        "account": player.standing,
        "is_restricted": player.is_restricted,
        "is_test": player.is_test,
        "time_zone": player.time_zone,
        "changes": [
            {
                "what": one.field,
                "before": one.before,
                "after": one.after,
                "reason": own_words(player, one.actor, one.reason),
                "actor": one.actor,
                "at": _iso(one.changed_at),
            }
            for one in StandingChange.objects.filter(player=player).order_by("pk")
        ],
    }


def papers_of(player: Player) -> list[dict[str, Any]]:
    """The player's identity papers, with what is in them in base64; None where the file cannot be read."""
    return [
        {
            "id": one.pk,
            "media_type": one.media_type,
            "size_bytes": one.size_bytes,
            "sent_at": _iso(one.sent_at),
            "checked_at": _iso(one.checked_at),
            "removed_at": _iso(one.removed_at),
            "content_base64": _content(one),
        }
        for one in IdentityPaper.objects.filter(player=player).order_by("pk")
    ]


def limits_of(player: Player) -> list[dict[str, Any]]:
    """Every limit of either side, in cents or seconds, also those that hold no more."""
    return [
        {
            "side": one.side,
            "kind": one.kind,
            "period": one.period,
            "value": one.value,
            "actor": one.actor,
            "second_actor": one.second_actor,
            "set_at": _iso(one.set_at),
        }
        for one in Limit.objects.filter(player=player).order_by("pk")
    ]


def loosenings_of(player: Player) -> list[dict[str, Any]]:
    """Every looser limit that the player asked for, and when it came to hold, if it did."""
    return [
        {
            "kind": one.kind,
            "period": one.period,
            "value": one.value,
            "asked_at": _iso(one.asked_at),
            "confirmable_at": _iso(one.confirmable_at),
            "lapses_at": _iso(one.lapses_at),
            "confirmed_at": _iso(one.limit.set_at) if hasattr(one, "limit") else None,
        }
        for one in Loosening.objects.filter(player=player).select_related("limit").order_by("pk")
    ]


def limits_offers_of(player: Player) -> list[dict[str, Any]]:
    """When the player was offered limits, and what came of it."""
    return [
        {"occasion": one.occasion, "answered_at": _iso(one.answered_at), "limits_set": one.limits_set}
        for one in LimitsOffer.objects.filter(player=player).order_by("pk")
    ]


def exclusions_of(player: Player) -> list[dict[str, Any]]:
    """Every exclusion, with its early end where there is one."""
    found = []
    for one in Exclusion.objects.filter(player=player).select_related("early_end").order_by("pk"):
        end = getattr(one, "early_end", None)
        found.append(
            {
                "kind": one.kind,
                "term": one.term,
                "starts_at": _iso(one.starts_at),
                "ends_at": _iso(one.ends_at),
                "actor": one.actor,
                "early_end": None if end is None else {"asked_at": _iso(end.asked_at), "ends_at": _iso(end.ends_at)},
            }
        )
    return found


def inbox_of(player: Player) -> list[dict[str, Any]]:
    """Every message, with when it was first seen and mailed."""
    return [
        {
            "kind": one.kind,
            "data": one.data,
            "told_at": _iso(one.told_at),
            "read_at": _iso(one.reading.read_at) if hasattr(one, "reading") else None,
            "mailed_at": _iso(one.mail.sent_at) if hasattr(one, "mail") else None,
        }
        for one in InboxMessage.objects.filter(player=player).select_related("reading", "mail").order_by("pk")
    ]


def cash_requests_of(player: Player) -> list[dict[str, Any]]:
    """Every deposit and withdrawal that the player asked for, with its steps and the provider's number for it."""
    requests = CashRequest.objects.filter(account__player=player).prefetch_related("steps").order_by("pk")
    return [
        {
            "reference": one.reference,
            "kind": one.kind,
            "state": one.state,
            "amount_cents": one.amount_cents,
            "unit": one.unit,
            "provider": one.provider,
            "provider_reference": one.provider_reference,
            "created_at": _iso(one.created_at),
            "steps": [
                {
                    "state": step.to_state,
                    "reason": "" if step.actor.startswith("staff:") else step.reason,
                    "at": _iso(step.at),
                }
                for step in sorted(one.steps.all(), key=lambda step: step.pk)
            ],
        }
        for one in requests
    ]


def own_words(player: Player | None, actor: str, reason: str) -> str:
    """The reason where the player himself gave it; nothing where it is the house's."""
    return reason if player is not None and actor == f"player:{player.pk}" else ""


def _content(paper: IdentityPaper) -> str | None:
    try:
        return base64.b64encode(read_paper(paper)).decode("ascii") if paper.stored_as else None
    except PaperUnreadable:
        return None


def _iso(at: dt.datetime | None) -> str | None:
    return None if at is None else at.astimezone(dt.UTC).isoformat()
