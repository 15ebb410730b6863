"""Identity papers: who waits for the staff to look at his, and what is in a file."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.fernet import InvalidToken
from django.core.files.storage import storages
from django.db.models import Count, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from roulette_site.common.errors import RuleBroken
from wallets.models import IdentityPaper, KycState, Player, Standing, StandingChange, StandingField
from wallets.sealing import unseal_bytes

_UNCHECKED = Q(papers__checked_at__isnull=True, papers__removed_at__isnull=True, papers__isnull=False)


class PaperUnreadable(RuleBroken):
    """The file is gone from where it is kept, or was changed there."""

    code = "paper_unreadable"


@dataclass(frozen=True)
class Waiting:
    """A player who waits, since when, and how many files of his nobody has looked at."""

    player: Player
    since: dt.datetime
    files: int


def waiting_players(*, limit: int) -> Sequence[Waiting]:
    """Those who wait, the longest first: with papers that nobody has decided about, or being checked without any."""
    found = _waiting().select_related("user")[:limit]
    return [Waiting(one, one.since, one.files) for one in found]  # type: ignore[attr-defined]


def waiting_count() -> int:
    """How many players wait."""
    return _waiting().count()


def papers_of(player: Player) -> Sequence[IdentityPaper]:
    """The files of a player that are still held, the latest first."""
    return list(IdentityPaper.objects.filter(player=player, removed_at__isnull=True).order_by("-id"))


def read_paper(paper: IdentityPaper) -> bytes:
    """What is in a file; raises PaperUnreadable. Who reads it for somebody puts that on record (`open_paper`)."""
    try:
        with storages["papers"].open(paper.stored_as) as file:
            return unseal_bytes(file.read())
    except (OSError, ValueError, InvalidToken):
        raise PaperUnreadable("This file cannot be read. Ask the player for another one.") from None


def _waiting() -> QuerySet[Player]:
    became = StandingChange.objects.filter(
        player=OuterRef("pk"), field=StandingField.KYC_STATE, after=KycState.PENDING
    ).order_by("-id")
    waiting = Player.objects.exclude(standing=Standing.CLOSED).annotate(
        files=Count("papers", filter=_UNCHECKED),
        since=Coalesce(
            Min("papers__sent_at", filter=_UNCHECKED), Subquery(became.values("changed_at")[:1]), F("created_at")
        ),
    )
    return waiting.filter(Q(files__gt=0) | Q(kyc_state=KycState.PENDING)).order_by("since", "pk")
