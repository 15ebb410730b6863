"""Identity papers: a player sends them, staff look at them and decide who he is.

Files lie encrypted in the storage "papers", which has no address; rows say that they are there. A file is written
before its row and taken away after it, so that no row is ever without its file; what a crash leaves over is tidied up.
"""

import datetime as dt
import uuid
from collections.abc import Iterable, Sequence

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection, transaction

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import IdentityPaper, InboxKind, KycState, Person, Player, Standing
from wallets.papers import MOST_BYTES, MOST_FILES, Paper, PaperRefused, check_paper
from wallets.sealing import seal_bytes
from wallets.selectors.papers import read_paper
from wallets.selectors.people import find_duplicates, operator_day

from .caps import check_independent
from .gates import lock_player
from .inbox import tell_player
from .register_checks import check_for_verification
from .standing import set_kyc_state

# So many files of one player are kept at most: who sends more writes to the house.
MOST_HELD = 12
# Longer than any request that is about to write their rows.
STRAY_AFTER = dt.timedelta(days=1)

# Why papers were not enough, as the player is told.
CAUSES = {
    "unreadable": "They cannot be read: send sharper pictures, with all four corners.",
    "incomplete": "Something is missing: send both sides.",
    "run_out": "The document has run out.",
    "another": "They are not those of the person who registered.",
    "other": "Ask the house what is missing.",
}


class TooManyPapers(RuleBroken):
    """The house holds enough files of this player, or was sent too many at once."""

    code = "too_many_papers"


class PapersNotTaken(RuleBroken):
    """Nobody sends papers for an account that is closed."""

    code = "papers_not_taken"


class DocumentMissing(RuleBroken):
    """Nobody is verified before it is on record by which document, and it counts today."""

    code = "document_missing"


class DoublesNotLookedAt(RuleBroken):
    """Somebody else has the same name and birth date, or the same document: one account a person."""

    code = "doubles_not_looked_at"


class UnknownCause(RuleBroken):
    """Papers are refused for a cause that the player is told."""

    code = "unknown_cause"
    http_status = 400


def send_papers(*, player: Player, contents: Sequence[bytes], at: dt.datetime) -> Sequence[IdentityPaper]:
    """Keep files of a player's papers; who is not known yet is being checked from then on.

    All files or none. Raises PaperRefused, PaperTooBig, TooManyPapers or PapersNotTaken.
    """
    if not contents:
        raise PaperRefused("Choose a file first.")
    if len(contents) > MOST_FILES:
        raise TooManyPapers(f"Send {MOST_FILES} files at a time at most.", most=MOST_FILES)
    papers = [check_paper(one) for one in contents]
    names = list[str]()
    try:
        # Outside of the transaction: on SQLite nobody else writes while one is open.
        names += (_store(one) for one in papers)
        return _record_sent(player, papers, names, at)
    except BaseException:
        _delete(names)
        raise


def _record_sent(player: Player, papers: Sequence[Paper], names: Sequence[str], at: dt.datetime) -> list[IdentityPaper]:
    actor = f"player:{player.pk}"
    with audited():
        player = lock_player(player)
        if player.standing == Standing.CLOSED or not player.user.is_active:
            raise PapersNotTaken("This account is closed.")
        held = IdentityPaper.objects.filter(player=player, removed_at__isnull=True).count()
        if held + len(papers) > MOST_HELD:
            raise TooManyPapers("The house holds enough files of yours. Write to it.", most=MOST_HELD)
        sent = [
            IdentityPaper.objects.create(
                player=player, media_type=one.media_type, size_bytes=len(one.content), stored_as=name, sent_at=at
            )
            for one, name in zip(papers, names, strict=True)
        ]
        record(
            act="papers_sent", actor=actor, subject=("player", player.pk), after={"papers": [one.pk for one in sent]},
            at=at,
        )  # fmt: skip
        # Who is verified stays so while newer papers are looked at.
        if player.kyc_state not in (KycState.PENDING, KycState.VERIFIED):
            set_kyc_state(player=player, state=KycState.PENDING, reason="papers were sent", actor=actor, at=at)
        return sent


def open_paper(*, paper: IdentityPaper, actor: str, at: dt.datetime) -> bytes:
    """Read a file for a member of the staff; that it was opened is put on record. Raises PaperUnreadable."""
    content = read_paper(paper)
    with audited():
        about = {"paper": paper.pk}
        record(act="paper_opened", actor=actor, subject=("player", paper.player_id), after=about, at=at)
    return content


def verify_player(
    *, player: Player, seen: int, reason: str, actor: str, at: dt.datetime, doubles_seen: bool = False
) -> Player:
    """Say that it is known who the player is, by the document on record; `seen` is the last paper that was looked at.

    Nobody says it of himself. Raises DocumentMissing, DoublesNotLookedAt, ReasonMissing, OwnBenefit, RegisterUnknown,
    StepNotAllowed.
    """
    clean_reason(reason)
    check_independent(player=player, actors=(actor,))
    check_for_verification(player=player, at=at)
    with audited():
        player = lock_player(player)
        person = Person.objects.select_for_update().filter(user_id=player.user_id).first()
        if person is None or not person.document_type:
            raise DocumentMissing("Record first by which document he is known.")
        if person.document_expires_on is not None and person.document_expires_on < operator_day(at):
            raise DocumentMissing("The document on record has run out.")
        if find_duplicates(person) and not doubles_seen:
            raise DoublesNotLookedAt("Look at the doubles first, and say that you did.")
        _note_checked(player, seen, at)
        was_verified = player.kyc_state == KycState.VERIFIED
        player = set_kyc_state(player=player, state=KycState.VERIFIED, reason=reason, actor=actor, at=at, is_asked=True)
        if was_verified:
            tell_player(player=player, kind=InboxKind.IDENTITY, data={"state": "renewed"}, at=at)
        record(act="papers_accepted", actor=actor, subject=("player", player.pk), reason=reason, at=at)
        return player


def refuse_papers(*, player: Player, seen: int, cause: str, reason: str, actor: str, at: dt.datetime) -> Player:
    """Say that the papers are not enough. Who was verified by earlier ones stays so as long as those count.

    The player is told the cause; the reason is the house's own, and nobody says it of himself: his papers would be
    looked at no more. Raises UnknownCause, ReasonMissing, OwnBenefit, StepNotAllowed.
    """
    if cause not in CAUSES:
        raise UnknownCause("There is no such cause.")
    clean_reason(reason)
    check_independent(player=player, actors=(actor,))
    with audited():
        player = lock_player(player)
        _note_checked(player, seen, at)
        if player.kyc_state == KycState.VERIFIED:
            told = {"state": "papers_refused", "cause": cause}
            tell_player(player=player, kind=InboxKind.IDENTITY, data=told, at=at)
        else:
            set_kyc_state(player=player, state=KycState.REJECTED, reason=reason, cause=cause, actor=actor, at=at)
        about = {"cause": cause}
        record(act="papers_refused", actor=actor, subject=("player", player.pk), after=about, reason=reason, at=at)
        return player


def remove_papers(*, player: Player, at: dt.datetime) -> None:
    """Take a player's files away, for the erasure of his data; needs its transaction."""
    assert connection.in_atomic_block, "the files go when it is certain that the rows have"
    held = IdentityPaper.objects.filter(player=player, removed_at__isnull=True)
    names = list(held.values_list("stored_as", flat=True))
    held.update(stored_as="", removed_at=at)
    # What is left over by a failure here is tidied up.
    transaction.on_commit(lambda: _delete(names), robust=True)


def tidy_papers(*, at: dt.datetime) -> int:
    """Delete files that no row names, left over by a crash; returns how many."""
    storage = storages["papers"]
    try:
        _, names = storage.listdir("")
    except FileNotFoundError:
        return 0
    named = set(IdentityPaper.objects.filter(removed_at__isnull=True).values_list("stored_as", flat=True))
    strays = [one for one in names if one not in named and at - storage.get_modified_time(one) >= STRAY_AFTER]
    _delete(strays)
    return len(strays)


def _note_checked(player: Player, seen: int, at: dt.datetime) -> None:
    IdentityPaper.objects.filter(player=player, pk__lte=seen, checked_at__isnull=True).update(checked_at=at)


def _store(paper: Paper) -> str:
    assert len(paper.content) <= MOST_BYTES, "what is larger was refused"
    return storages["papers"].save(uuid.uuid4().hex, ContentFile(seal_bytes(paper.content)))


def _delete(names: Iterable[str]) -> None:
    for name in names:
        storages["papers"].delete(name)
