"""Identity papers: sent by players, kept encrypted, decided about by staff, and gone with the person's data."""

import datetime as dt
import io
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import IntegrityError, transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import AuditEntry
from tests.house import NOON, House, make_house
from tests.pictures import jpeg, pdf, png
from wallets.models import DocumentType, IdentityPaper, InboxMessage, KycState, Person, Player, Standing, StandingChange
from wallets.selectors.papers import waiting_players
from wallets.services import papers as service
from wallets.services.document_expiry import expire_documents
from wallets.services.erasure import close_account, erase_person
from wallets.services.papers import open_paper, refuse_papers, send_papers, tidy_papers, verify_player
from wallets.services.people import add_player, record_document, record_person
from wallets.services.standing import set_kyc_state, set_standing

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
BY_STAFF: dict[str, Any] = {"reason": "looked at", "actor": "staff:900001", "at": NOON}


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    return newcomer("maria")


@pytest.fixture(autouse=True)
def shelves() -> Any:
    """The storage, empty before each test."""
    storage = storages["papers"]
    for name in stored():
        storage.delete(name)
    return storage


def newcomer(handle: str, full_name: str = "Maria Lopes") -> Player:
    player = add_player(email=f"{handle}@test.example", full_name=full_name, handle=handle, at=NOON)
    record_person(user=player.user, birth_date=dt.date(1988, 4, 17), country="PT", at=NOON)
    return player


def stored() -> list[str]:
    try:
        return sorted(storages["papers"].listdir("")[1])
    except FileNotFoundError:
        return []


def send(player: Player, *contents: bytes, at: dt.datetime = NOON) -> Any:
    return send_papers(player=player, contents=contents or (png(),), at=at)


def record_passport(player: Player, **more: Any) -> Person:
    facts = {"document_type": DocumentType.PASSPORT, "number": f"LX {player.pk}", "country": "PT", "at": NOON}
    return record_document(user=player.user, **{**facts, **more})


def state_of(player: Player) -> str:
    return Player.objects.get(pk=player.pk).kyc_state


def told(player: Player) -> list[str]:
    return [one.data["state"] for one in InboxMessage.objects.filter(player=player, kind="identity").order_by("id")]


def refused(act: Any, *args: Any, **more: Any) -> str:
    with pytest.raises(RuleBroken) as error:
        act(*args, **more)
    return error.value.code


def test_one_bad_file_among_good_ones_and_nothing_is_kept(maria: Player) -> None:
    for bad in (b"", b"<svg onload=alert(1)>", jpeg() + b"<script>", b"\0" * (10 * 1024**2 + 1)):
        assert refused(send, maria, png(), bad).startswith("paper_")
    assert refused(send_papers, player=maria, contents=[], at=NOON) == "paper_refused"
    assert refused(send, maria, *[png()] * 5) == "too_many_papers"
    assert (stored(), IdentityPaper.objects.count(), state_of(maria)) == ([], 0, "unverified")


def test_what_fails_on_its_way_leaves_no_file(maria: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **more: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(service, "_record_sent", broken)
    with pytest.raises(OSError, match="the disk is full"):
        send(maria, png(), pdf())
    assert stored() == []


def test_nobody_fills_the_shelves(maria: Player) -> None:
    for _ in range(3):
        send(maria, *[png()] * 4)
    assert refused(send, maria) == "too_many_papers"
    assert len(stored()) == 12


def test_a_closed_account_sends_nothing(maria: Player) -> None:
    set_standing(player=maria, standing=Standing.CLOSED, **BY_STAFF)
    assert refused(send, maria) == "papers_not_taken"
    assert stored() == []


def test_what_is_sent_lies_encrypted_under_a_name_that_tells_nothing(maria: Player) -> None:
    (paper,) = send(maria, jpeg())
    content = storages["papers"].open(paper.stored_as).read()
    assert jpeg() not in content
    assert b"JFIF" not in content
    assert len(paper.stored_as) == 32
    assert open_paper(paper=paper, actor="staff:900001", at=NOON) == jpeg()
    entry = AuditEntry.objects.get(act="paper_opened")
    assert (entry.actor, entry.subject_id, entry.after) == ("staff:900001", str(maria.pk), {"paper": paper.pk})


def test_a_file_that_was_changed_or_is_gone_is_said_to_be(maria: Player) -> None:
    paper, other = send(maria, png(), jpeg())
    name = paper.stored_as
    storages["papers"].delete(name)
    assert refused(open_paper, paper=paper, actor="staff:900001", at=NOON) == "paper_unreadable"
    storages["papers"].save(name, ContentFile(b"something else"))
    assert refused(open_paper, paper=paper, actor="staff:900001", at=NOON) == "paper_unreadable"
    assert open_paper(paper=other, actor="staff:900001", at=NOON) == jpeg()
    assert AuditEntry.objects.filter(act="paper_opened").count() == 1


def test_who_is_not_known_is_being_checked_once_he_has_sent_papers(maria: Player) -> None:
    send(maria)
    assert state_of(maria) == "pending"
    send(maria, at=NOON + DAY)
    change = StandingChange.objects.get(player=maria)
    assert (change.before, change.after, change.actor) == ("unverified", "pending", f"player:{maria.pk}")
    refuse_papers(player=maria, seen=10**9, cause="unreadable", **BY_STAFF)
    assert state_of(maria) == "rejected"
    send(maria)
    assert state_of(maria) == "pending"
    record_passport(maria)
    verify_player(player=maria, seen=10**9, **BY_STAFF)
    set_kyc_state(player=maria, state=KycState.EXPIRED, **BY_STAFF)
    send(maria)
    assert state_of(maria) == "pending"
    assert told(maria) == ["pending", "rejected", "pending", "verified", "expired", "pending"]


def test_who_is_verified_stays_so_while_his_new_papers_are_looked_at(maria: Player) -> None:
    send(maria)
    record_passport(maria)
    verify_player(player=maria, seen=10**9, **BY_STAFF)
    assert waiting_players(limit=10) == []
    send(maria, pdf(), at=NOON + DAY)
    assert state_of(maria) == "verified"
    assert [(one.player, one.files, one.since) for one in waiting_players(limit=10)] == [(maria, 1, NOON + DAY)]
    refuse_papers(player=maria, seen=10**9, cause="unreadable", **BY_STAFF)
    assert (state_of(maria), waiting_players(limit=10)) == ("verified", [])
    send(maria, pdf(), at=NOON + 2 * DAY)
    verify_player(player=maria, seen=10**9, **BY_STAFF)
    assert told(maria) == ["pending", "verified", "papers_refused", "renewed"]


def test_nobody_is_verified_without_a_document_that_counts(maria: Player) -> None:
    send(maria)
    assert refused(verify_player, player=maria, seen=10**9, **BY_STAFF) == "document_missing"
    assert refused(record_passport, maria, expires_on=NOON.date() - DAY) == "document_refused"
    assert refused(record_passport, maria, country="XX") == "country_unknown"
    assert refused(record_passport, maria, number="=HYPERLINK()") == "document_refused"
    record_passport(maria, expires_on=NOON.date())
    late = {**BY_STAFF, "at": NOON + DAY}
    assert refused(verify_player, player=maria, seen=10**9, **late) == "document_missing"
    assert refused(verify_player, player=maria, seen=10**9, **{**BY_STAFF, "reason": " "}) == "reason_missing"
    assert state_of(maria) == "pending"
    verify_player(player=maria, seen=10**9, **BY_STAFF)
    assert state_of(maria) == "verified"


def test_a_double_is_not_verified_before_somebody_has_looked(house: House, maria: Player) -> None:
    other = newcomer("other-maria", full_name="MARIA LOPES")
    third = newcomer("rita", full_name="Rita Sá")
    for player in (maria, other, third):
        send(player)
    record_passport(other)
    record_passport(maria)
    record_passport(third, number=f"lx-{maria.pk}")
    for player in (maria, other, third):
        assert refused(verify_player, player=player, seen=10**9, **BY_STAFF) == "doubles_not_looked_at"
    verify_player(player=maria, seen=10**9, doubles_seen=True, **BY_STAFF)
    assert [state_of(one) for one in (maria, other, third)] == ["verified", "pending", "pending"]


def test_papers_that_came_while_staff_decided_wait_on(maria: Player) -> None:
    (first,) = send(maria)
    send(maria, jpeg(), at=NOON + DAY)
    record_passport(maria)
    verify_player(player=maria, seen=first.pk, **BY_STAFF)
    assert [(one.player, one.files) for one in waiting_players(limit=10)] == [(maria, 1)]


def test_refusing_names_a_cause_and_a_reason(maria: Player) -> None:
    send(maria)
    assert refused(refuse_papers, player=maria, seen=1, cause="ugly", **BY_STAFF) == "unknown_cause"
    bad = {**BY_STAFF, "reason": ""}
    assert refused(refuse_papers, player=maria, seen=1, cause="unreadable", **bad) == "reason_missing"
    assert (state_of(maria), IdentityPaper.objects.get().checked_at) == ("pending", None)


def test_the_queue_begins_with_who_waits_longest(house: House, maria: Player) -> None:
    rita, paula, gone = newcomer("rita"), newcomer("paula"), newcomer("gone")
    send(maria, at=NOON + 2 * DAY)
    send(rita, at=NOON + DAY)
    send(rita, at=NOON + 3 * DAY)
    set_kyc_state(player=paula, state=KycState.PENDING, **BY_STAFF)
    send(gone)
    set_standing(player=gone, standing=Standing.CLOSED, **BY_STAFF)
    found = [(one.player.handle, one.files, one.since - NOON) for one in waiting_players(limit=10)]
    assert found == [("paula", 0, 0 * DAY), ("rita", 2, DAY), ("maria", 1, 2 * DAY)]
    assert len(waiting_players(limit=2)) == 2


def test_a_document_runs_out_after_its_day_and_the_player_is_told_ahead_once(maria: Player) -> None:
    record_passport(maria, expires_on=dt.date(2026, 8, 31))
    set_kyc_state(player=maria, state=KycState.VERIFIED, **BY_STAFF)

    def on(month: int, day: int) -> list[str]:
        expire_documents(at=dt.datetime(2026, month, day, 12, tzinfo=dt.UTC))
        return told(maria)[1:]

    assert on(7, 31) == []
    assert on(8, 1) == ["expires_soon"]
    assert on(8, 31) == ["expires_soon"]
    assert state_of(maria) == "verified"
    assert on(9, 1) == on(9, 2) == ["expires_soon", "expired"]
    assert StandingChange.objects.latest("pk").reason == "the document has run out"


def test_a_new_document_in_time_and_nothing_runs_out(maria: Player) -> None:
    record_passport(maria, expires_on=dt.date(2026, 7, 1))
    set_kyc_state(player=maria, state=KycState.VERIFIED, **BY_STAFF)
    assert expire_documents(at=NOON) == 0
    record_passport(maria, expires_on=dt.date(2036, 7, 1))
    assert expire_documents(at=NOON + 60 * DAY) == 0
    assert (told(maria), state_of(maria)) == (["verified", "expires_soon"], "verified")
    # Another ten years on it is told anew.
    assert expire_documents(at=dt.datetime(2036, 6, 20, tzinfo=dt.UTC)) == 0
    assert told(maria) == ["verified", "expires_soon", "expires_soon"]


def test_only_who_is_verified_can_expire(maria: Player) -> None:
    record_passport(maria, expires_on=dt.date(2026, 7, 1))
    assert expire_documents(at=NOON) == expire_documents(at=NOON + 60 * DAY) == 0
    assert told(maria) == []


def test_a_file_that_no_row_names_is_tidied_up_a_day_later(maria: Player, shelves: Any) -> None:
    send(maria)
    shelves.save("left-over", ContentFile(b"x"))
    now = dt.datetime.now(dt.UTC)
    assert tidy_papers(at=now + dt.timedelta(hours=23)) == 0
    assert tidy_papers(at=now + dt.timedelta(hours=25)) == 1
    assert stored() == [IdentityPaper.objects.get().stored_as]


def test_the_database_keeps_a_row_and_its_file_together(maria: Player) -> None:
    send(maria)
    for change in ({"stored_as": ""}, {"removed_at": NOON}, {"media_type": "text/html"}, {"size_bytes": 1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            IdentityPaper.objects.update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        IdentityPaper.objects.all()._raw_delete("default")


@pytest.mark.django_db(transaction=True)
def test_with_the_persons_data_the_files_go_and_the_books_stay_right(house: House, maria: Player) -> None:
    other = newcomer("rita", full_name="Rita Sá")
    send(other)
    send(maria, jpeg(), pdf())
    record_passport(maria, expires_on=dt.date(2033, 3, 9))
    refuse_papers(player=maria, seen=10**9, cause="another", **BY_STAFF)
    close_account(user=maria.user, **BY_STAFF)
    assert len(stored()) == 3
    late = NOON + dt.timedelta(days=5 * 365 + 2)
    erase_person(user=maria.user, reason="retention is over", actor="system", at=late)
    assert stored() == [IdentityPaper.objects.get(player=other).stored_as]
    gone = IdentityPaper.objects.filter(player=maria)
    assert [(one.stored_as, one.removed_at) for one in gone] == [("", late), ("", late)]
    person = Person.objects.get(user=maria.user)
    assert (person.document_expires_on, person.document_country, person.expiry_told_at) == (None, "", None)
    said = io.StringIO()
    call_command("verify", stdout=said)
    assert "The books are right." in said.getvalue()
