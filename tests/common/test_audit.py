"""The audit trail: what it refuses to hold, that it stands or falls with its act, its chain, and how that is broken."""

import datetime as dt
import doctest
import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client

from roulette_site.common import audit, audit_chain, chain, guards, reasons
from roulette_site.common.audit import audited, record, search_trail, trail_of
from roulette_site.common.audit_chain import HASHED, seal_entries, unsealed
from roulette_site.common.audit_checks import find_unsealed
from roulette_site.common.chain import GENESIS, hash_of, stable_json
from roulette_site.common.models import ActInHand, AuditEntry, AuditSeal, BookSeal
from roulette_site.common.reasons import ReasonNotUsable, clean_reason
from roulette_site.common.request_ids import choose_request_id
from roulette_site.common.sealer import seal_all
from roulette_site.common.tasks import seal_audit, seal_whole_audit
from tests.house import NOON

pytestmark = pytest.mark.django_db(transaction=True)

ANOTHER = "e" * 64


def write(act: str = "thing_done", subject: tuple[str, object] = ("thing", 7), **more: Any) -> AuditEntry:
    given = {"actor": "staff:3", "at": NOON, **more}
    with transaction.atomic():
        return record(act=act, subject=subject, **given)


@pytest.fixture(autouse=True)
def _empty_trail() -> None:
    """Begin with what the roles left there sealed: each test writes its own."""
    seal_all(everything=True)


@pytest.fixture
def tamper() -> Iterator[Callable[..., None]]:
    """Change rows as only the owner of the database can."""

    def run(*statements: str) -> None:
        with transaction.atomic():
            guards.uninstall(connection)
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                    assert cursor.rowcount, f"nothing to tamper with: {statement}"
            guards.install(connection)

    yield run
    guards.install(connection)


def differing(*names: str) -> set[str]:
    """The names of the checks of the trail that find something."""
    out = StringIO()
    with suppress(CommandError):
        call_command("verify", *(names or AUDIT_CHECKS), stdout=out)
    return {line.split()[1] for line in out.getvalue().splitlines() if line.startswith("DIFFERS")}


AUDIT_CHECKS = ("audit_edits", "audit_gaps", "audit_forks", "audit_sealed")


@pytest.mark.parametrize(
    "wrong",
    [
        {"actor": ""}, {"actor": "Filipa"}, {"actor": "filipa@house.example"}, {"actor": "staff:"},
        {"actor": "staff:3\nstaff:4"}, {"actor": "boss:3"}, {"actor": "player:" + "1" * 51},
        {"act": ""}, {"act": "Thing Done"}, {"act": "x" * 60}, {"act": "thing;drop"},
        {"subject": ("", 1)}, {"subject": ("thing", "")}, {"subject": ("thing", "a b")}, {"subject": ("thing", "x" * 61)},
        {"subject": ("player", "maria@test.example")},
        {"at": dt.datetime(2026, 6, 15, 12)},
        {"after": {"email": "x"}}, {"before": {"full_name": "Maria"}}, {"after": {"deep": [{"phone": "1"}]}},
        {"after": {"note": "write to maria@test.example"}},
        {"after": {"amount": 1.5}}, {"after": {"amount": 2**53}}, {"after": {"amount": -(2**53)}},
        {"after": {"when": NOON}}, {"after": {1: "x"}}, {"after": {"bytes": b"x"}}, {"after": {"set": {1}}},
        {"after": {"text": "a\0b"}}, {"after": {"text": "\ud800"}},
    ],
    ids=repr,
)  # fmt: skip
def test_what_the_trail_must_not_hold_is_refused_and_nothing_is_written(wrong: dict[str, Any]) -> None:
    before = AuditEntry.objects.count()
    with pytest.raises(ValueError, match=r"trail|actor|act on|instant"):
        write(**wrong)
    assert AuditEntry.objects.count() == before


def test_an_entry_falls_with_its_act() -> None:
    before = AuditEntry.objects.count()

    def broken_act() -> None:
        with audited():
            record(act="thing_done", actor="system", subject=("thing", 1), at=NOON)
            raise RuntimeError("the act breaks off")

    with pytest.raises(RuntimeError):
        broken_act()
    assert AuditEntry.objects.count() == before
    assert not ActInHand.objects.exists()
    with pytest.raises(AssertionError, match="stands or falls"):
        record(act="thing_done", actor="system", subject=("thing", 1), at=NOON)


def test_an_entry_holds_what_it_was_given() -> None:
    after = {"state": "open", "list": [1, None, True], "nested": {"é": "ü"}}
    written = write(before={"state": "closed"}, after=after, reason="the table was cleaned")
    entry = AuditEntry.objects.get(pk=written.pk)
    assert (entry.at, entry.actor, entry.act, entry.subject) == (NOON, "staff:3", "thing_done", "thing:7")
    assert (entry.before, entry.after, entry.reason) == ({"state": "closed"}, after, "the table was cleaned")
    assert (entry.request_id, entry.act_key) == ("", "")
    assert entry.recorded_at > NOON


def test_entries_of_one_block_share_a_key_and_an_inner_block_has_its_own() -> None:
    with audited():
        outer = write()
        with audited():
            inner = write()
        outer_again = write()
    apart = write()
    assert outer.act_key
    assert outer.act_key == outer_again.act_key
    assert inner.act_key not in ("", outer.act_key)
    assert apart.act_key == ""
    assert not ActInHand.objects.exists()


def test_an_inner_block_that_fails_leaves_the_outer_one_its_key() -> None:
    with audited():
        outer = write()
        with pytest.raises(RuntimeError), audited():
            raise RuntimeError("the inner one breaks off")
        assert write().act_key == outer.act_key
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT current_setting('audit.act_key')")
            else:
                cursor.execute("SELECT act_key FROM common_actinhand")
            assert cursor.fetchone() == (outer.act_key,)


@pytest.mark.parametrize(
    "text",
    [
        "", "  \n", "x" * 501, "a\0b", "\u202eabc", "a\u200fb", "a\u2067b", "\ud800", "a\tb", "\x1b[31m",
        "ask maria@test.example", "ask maria\uff20test.example", "passport AB 123456", "\uff11\uff12345678",
        "his card is 4111-1111-1111-1111", "paid to DE89 3704 0044 0532 0130 00", "call +351 912 345 678",
    ],
)  # fmt: skip
def test_a_reason_that_cannot_stay_is_refused(text: str) -> None:
    with pytest.raises(ReasonNotUsable):
        clean_reason(text)


def test_a_reason_is_kept_as_it_was_written() -> None:
    assert clean_reason("  São 5 €, ver\nnota 12 ") == "São 5 €, ver\nnota 12"
    assert len(clean_reason("x" * 500)) == 500
    harmless = (
        "Transfer 123456789 of 2026-06-15 12:30:05, request 7 and 8, 12 345.00 EUR, complaint #20260615, D1234567."
    )
    assert clean_reason(harmless) == harmless


def test_the_examples_in_the_text_are_true() -> None:
    assert doctest.testmod(reasons) == (0, 5)


def test_the_trail_of_an_object_and_what_is_searched() -> None:
    first, second = write(), write(act="thing_undone")
    other = write(subject=("thing", 70), actor="player:7")
    assert list(trail_of("thing", 7)) == [second, first]
    entries = AuditEntry.objects.filter(pk__in=[first.pk, second.pk, other.pk]).order_by("pk")
    assert list(search_trail(entries, "thing:7")) == [first, second]
    assert list(search_trail(entries, "thing")) == [first, second, other]
    assert list(search_trail(entries, "player:7")) == [other]
    assert list(search_trail(entries, "thing_undone")) == [second]
    assert not search_trail(entries, "' OR 1 = 1 --").exists()


def test_the_form_that_is_hashed_is_the_same_everywhere() -> None:
    stored = {"b": {"y": [1, None], "x": "é\u2028"}, "a": NOON + dt.timedelta(microseconds=5), "id": 3}
    expected = b'{"a":"2026-06-15T12:00:00.000005Z","b":{"x":"\\u00e9\\u2028","y":[1,null]},"id":3}'
    assert stable_json(stored) == expected
    lisbon = dt.timezone(dt.timedelta(hours=1))
    assert stable_json(stored | {"a": stored["a"].astimezone(lisbon)}) == expected  # type: ignore[attr-defined]
    assert hash_of(GENESIS, stored) == hashlib.sha256(b"0" * 64 + b"\n" + expected).hexdigest()


def test_each_entry_gets_its_number_and_a_hash_that_anybody_can_compute_from_the_stored_row() -> None:
    write(after={"é": [1, 2**53 - 1, "\U0001f3b2"]}, reason="one\ntwo")
    write(before={"a": None}, at=NOON + dt.timedelta(microseconds=1))
    assert seal_entries() == 2
    assert seal_entries() == 0
    assert not unsealed(everything=True).exists()
    previous = GENESIS
    for number, seal in enumerate(AuditSeal.objects.select_related("entry").order_by("sequence"), start=1):
        stored = AuditEntry.objects.filter(pk=seal.entry_id).values(*HASHED).get()
        assert (seal.sequence, seal.previous_hash, seal.hash) == (number, previous, hash_of(previous, stored))
        previous = seal.hash
    assert differing() == set()


def test_every_column_of_an_entry_is_hashed() -> None:
    assert set(HASHED) == {field.attname for field in AuditEntry._meta.concrete_fields}
    entry = write()
    stored = AuditEntry.objects.filter(pk=entry.pk).values(*HASHED).get()
    hashes = {hash_of(GENESIS, stored | {name: "another"}) for name in HASHED}
    assert len(hashes) == len(HASHED)
    assert hash_of(GENESIS, stored) not in hashes


def test_many_entries_are_sealed_in_batches_without_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "BATCH", 3)
    for _ in range(10):
        write()
    assert seal_entries() == 10
    assert differing() == set()


def test_an_entry_that_came_late_is_found_by_the_pass_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "LOOK_BACK", 2)
    for _ in range(5):
        write()
    seal_audit()
    assert unsealed(everything=True).count() == 3
    seal_whole_audit()
    assert unsealed(everything=True).count() == 0
    assert differing() == set()


def test_the_command_seals_and_says_where_the_chain_ends() -> None:
    seal_all(everything=True)
    write()
    out = StringIO()
    call_command("seal_audit", stdout=out)
    last, books = AuditSeal.objects.latest("sequence"), BookSeal.objects.latest("sequence")
    ends = f"The chain ends with {last.sequence} {last.hash}. The books end with {books.sequence} {books.hash}."
    assert out.getvalue() == f"Sealed: 1. {ends}\n"


@pytest.mark.postgresql
def test_a_second_sealer_leaves_the_work_to_the_first() -> None:
    write()
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [chain._LOCK])
        assert seal_entries() == 0
        other.rollback()
        assert seal_entries() == 1
    finally:
        other.close()


def seal_at_once(sealers: int) -> list[object]:
    def run(_: int) -> object:
        try:
            return seal_entries(everything=True)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(sealers) as pool:
        return list(pool.map(run, range(sealers)))


@pytest.mark.parametrize("locked", [True, False])
def test_sealers_at_once_do_not_fork_the_chain(monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    """Also without the lock: the second then breaks the unique sequence and gives way."""
    if not locked:
        monkeypatch.setattr(audit_chain, "is_alone", lambda: True)
    monkeypatch.setattr(audit_chain, "BATCH", 5)
    for _ in range(4):
        for _ in range(10):
            write()
        results = seal_at_once(4)
        assert all(isinstance(one, int) for one in results), results
        seal_entries(everything=True)
        assert differing() == set()


@pytest.mark.parametrize(
    "column",
    ["actor = 'staff:9'", "act = 'another'", "subject_id = '8'", "reason = 'another'", "request_id = 'another-one'",
     "after = '{\"a\": 2}'", "before = '{}'", "at = '2026-06-15 12:00:00.000001+00:00'", "act_key = 'x'",
     "recorded_at = '2026-06-15 12:00:00+00:00'", "subject_kind = 'thong'"],
)  # fmt: skip
def test_an_edit_is_told_as_an_edit(tamper: Callable[..., None], column: str) -> None:
    entries = [write(after={"a": 1}) for _ in range(3)]
    seal_entries()
    tamper(f"UPDATE common_auditentry SET {column} WHERE id = {entries[1].pk}")
    assert differing() == {"audit_edits"}


def test_an_edit_that_was_sealed_anew_is_told_as_an_edit(tamper: Callable[..., None]) -> None:
    entries = [write() for _ in range(3)]
    seal_entries()
    seal = AuditSeal.objects.get(entry=entries[1])
    stored = AuditEntry.objects.filter(pk=entries[1].pk).values(*HASHED).get() | {"reason": "another"}
    fresh = hash_of(seal.previous_hash, stored)
    tamper(
        f"UPDATE common_auditentry SET reason = 'another' WHERE id = {entries[1].pk}",
        f"UPDATE common_auditseal SET hash = '{fresh}' WHERE entry_id = {entries[1].pk}",
    )
    assert differing() == {"audit_edits"}


def test_an_entry_that_is_missing_is_told_as_a_gap(tamper: Callable[..., None]) -> None:
    entries = [write() for _ in range(3)]
    seal_entries()
    tamper(
        f"DELETE FROM common_auditseal WHERE entry_id = {entries[1].pk}",
        f"DELETE FROM common_auditentry WHERE id = {entries[1].pk}",
    )
    assert differing() == {"audit_gaps"}


def test_a_chain_that_lost_its_beginning_has_a_gap(tamper: Callable[..., None]) -> None:
    write()
    write()
    seal_entries()
    tamper("DELETE FROM common_auditseal WHERE sequence = 1")
    assert differing("audit_edits", "audit_gaps", "audit_forks") == {"audit_gaps"}


def test_two_seals_after_one_are_told_as_a_fork(tamper: Callable[..., None]) -> None:
    entries = [write() for _ in range(3)]
    seal_entries()
    first, last = (AuditSeal.objects.get(entry=entries[n]) for n in (0, 2))
    stored = AuditEntry.objects.filter(pk=entries[2].pk).values(*HASHED).get()
    fresh = hash_of(first.hash, stored)
    tamper(
        f"UPDATE common_auditseal SET previous_hash = '{first.hash}', hash = '{fresh}' WHERE entry_id = {last.pk}",
    )
    assert differing() == {"audit_forks"}


def test_the_database_gives_no_number_and_no_seal_twice() -> None:
    first, second = write(), write()
    seal_entries()
    last = AuditSeal.objects.latest("sequence")
    fresh = write()
    for entry, sequence in ((fresh, last.sequence), (second, last.sequence + 1)):
        with pytest.raises(IntegrityError), transaction.atomic():
            AuditSeal.objects.create(entry=entry, sequence=sequence, previous_hash=last.hash, hash=ANOTHER)
    assert first.pk


def test_what_waits_for_its_seal_is_an_alarm_after_ten_seconds(settings: Any) -> None:
    settings.AUDIT_ALARM_SECONDS = 10
    entry = write()
    entry.refresh_from_db()
    second, tick = dt.timedelta(seconds=1), dt.timedelta(milliseconds=2)
    for everything in (True, False):
        assert list(find_unsealed(at=entry.recorded_at + 10 * second - tick, everything=everything)) == []
        late = list(find_unsealed(at=entry.recorded_at + 10 * second + tick, everything=everything))
        assert late == ["audit entries without a seal after 10 seconds: 1; the sealer does not run"]
    assert differing() == set()
    settings.AUDIT_ALARM_SECONDS = -1
    assert differing() == {"audit_sealed"}
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert answer.json()["degraded"] == ["audit entries without a seal after -1 seconds: 1; the sealer does not run"]
    seal_entries()
    assert Client().get("/readyz").json()["degraded"] == []


def test_the_alarm_is_at_ten_seconds() -> None:
    from roulette_site.settings import base

    assert base.AUDIT_ALARM_SECONDS == 10
    beat = base.CELERY_BEAT_SCHEDULE["seal-audit"]
    assert (beat["task"], beat["schedule"], beat["options"]["queue"]) == (seal_audit.name, 1.0, "background")


@pytest.mark.parametrize("sent", ["abcdefgh", "A.b_c-1234", "x" * 64, "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_a_safe_request_id_is_kept_and_answered(sent: str) -> None:
    assert Client().get("/healthz", headers={"X-Request-ID": sent})["X-Request-ID"] == sent


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "short",
        "x" * 65,
        "a b c d e f",
        "abcdefgh\n",
        "abcdefgh\r\nX: y",
        "<script>alert",
        "ÀÀÀÀÀÀÀÀ",
        "a;DROP TABLE",
    ],
)
def test_any_other_request_id_is_replaced(sent: str) -> None:
    chosen = choose_request_id(sent)
    assert chosen != sent
    assert len(chosen) == 32
    assert chosen.isalnum()
    assert choose_request_id(None) != choose_request_id(None)


def test_what_a_request_does_carries_its_id_and_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[AuditEntry] = []

    def healthz_that_acts(*arguments: Any) -> list[str]:
        written.append(write())
        return []

    monkeypatch.setattr("roulette_site.common.pages.find_unsealed", lambda **more: healthz_that_acts())
    answers = [Client().get("/readyz", headers={"X-Request-ID": sent}) for sent in ("request-one", "request-two")]
    assert [answer["X-Request-ID"] for answer in answers] == ["request-one", "request-two"]
    assert [entry.request_id for entry in written] == ["request-one", "request-two"]
    assert write().request_id == ""
    assert audit.current_request_id() == ""
    assert json.loads(answers[0].content)["ready"] is True
