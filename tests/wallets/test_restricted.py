"""Who may not play for money because of who he is: entered by one, let free by two, kept by keyed hashes alone."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.contrib.auth.models import Group
from django.db import IntegrityError, connection, transaction

from roulette_site.common.four_eyes import ActRefused, MakerDecides, approve_request, make_request
from roulette_site.common.models import AuditEntry
from roulette_site.common.reasons import ReasonNotUsable
from tests.house import NOON, House, make_house
from wallets.acts.standing import END_ENTRY
from wallets.models import Account, DocumentType, KycState, Person, Player, RestrictedEntry, RestrictedKind, Unit, User
from wallets.personal import DocumentRefused
from wallets.selectors.export import export_person
from wallets.selectors.restricted import REGISTRY, find_unrestricted, search_entries
from wallets.selectors.verification import CHECKS
from wallets.services.caps import OwnBenefit
from wallets.services.people import (
    EmailRefused,
    add_player,
    add_staff,
    record_document,
    record_person,
    refresh_person_keys,
    register_player,
)
from wallets.services.restricted import (
    AlreadyEntered,
    EntryEnded,
    NobodyNamed,
    NoSuchTime,
    TwoPeopleNeeded,
    add_entry,
    end_entry,
    forget_ended,
    keep_restrictions,
)
from wallets.services.roles import give_role
from wallets.services.standing import StillRestricted, set_kyc_state, set_restricted

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
BORN = dt.date(1990, 2, 3)


@pytest.fixture
def house() -> House:
    return make_house()


@pytest.fixture
def maria(house: House) -> Player:
    player = house.player(handle="maria")
    record_person(user=player.user, birth_date=BORN, at=NOON)
    record_document(user=player.user, document_type=DocumentType.PASSPORT, number="AB 123.4", at=NOON)
    return player


@pytest.fixture(autouse=True)
def _proved() -> Iterator[None]:
    yield
    for check in CHECKS:
        if check.name in ("gates", "standing"):
            assert list(check.find()) == [], check.name


def enter(document: str = "", email: str = "", **changes: Any) -> RestrictedEntry:
    given: dict[str, Any] = {"kind": RestrictedKind.COURT, "reason": "order 7", "actor": "staff:900001", "at": NOON}
    return add_entry(document_number=document, email=email, **given | changes)


def end(entry: RestrictedEntry, **changes: Any) -> RestrictedEntry:
    given: dict[str, Any] = {
        "reason": "lifted",
        "actor": "staff:900001",
        "second_actor": "staff:900002",
        "at": NOON + DAY,
    }
    return end_entry(entry_id=entry.pk, **given | changes)


def is_restricted(player: Player) -> bool:
    """As the player's row says it, and the account that a bet reads."""
    player.refresh_from_db()
    barred = Account.objects.get(player=player, unit=Unit.EUR).barred
    assert ("restricted" in barred.split()) == player.is_restricted
    return player.is_restricted


@pytest.mark.parametrize(
    "named",
    [{"document": "ab-1234"}, {"email": "MARIA@test.example"}, {"document": "Z 9", "email": "maria@test.example"}],
)
def test_a_player_whom_an_entry_names_is_restricted_when_it_is_made(maria: Player, named: dict[str, str]) -> None:
    entry = enter(**named)
    assert is_restricted(maria)
    change = maria.standing_changes.latest("id")
    assert (change.actor, change.reason) == (REGISTRY, f"Entries of the registry: {entry.pk} (by order of a court).")
    assert AuditEntry.objects.filter(act="restricted_entered", subject_id=str(entry.pk)).get().actor == "staff:900001"


def test_who_registers_later_is_restricted_then(house: House) -> None:
    enter(email="Late@Test.example")
    player = register_player(
        email="late@test.example", password="a long enough passphrase", full_name="Late", birth_date=BORN,
        country="PT", language="pt", time_zone="Europe/Lisbon", consents={"terms": "1", "privacy": "1"}, at=NOON,
    )  # fmt: skip
    assert is_restricted(player)


def test_whose_document_or_address_is_known_later_is_restricted_then(house: House) -> None:
    enter("ZZ 9")
    enter(email="new@test.example")
    by_document, by_address = house.player(), house.player()
    record_document(user=by_document.user, document_type=DocumentType.PASSPORT, number="zz9", at=NOON)
    assert is_restricted(by_document)
    record_person(user=by_address.user, birth_date=BORN, at=NOON)
    assert not is_restricted(by_address)
    User.objects.filter(pk=by_address.user_id).update(email="new@test.example")
    refresh_person_keys(User.objects.get(pk=by_address.user_id), at=NOON)
    assert is_restricted(by_address)


def test_verification_looks_into_the_registry(maria: Player) -> None:
    set_kyc_state(player=maria, state=KycState.PENDING, reason="again", actor="staff:900001", at=NOON)
    # Written behind the service's back, as by two transactions that did not see each other.
    entry = enter("Q 1")
    other = RestrictedEntry.objects.get(pk=entry.pk)
    other.pk, other.document_hash = None, Person.objects.get(user=maria.user).document_hash
    other.save(force_insert=True)
    assert not is_restricted(maria)
    maria.refresh_from_db()
    set_kyc_state(player=maria, state=KycState.VERIFIED, reason="seen", actor="staff:900001", at=NOON)
    assert is_restricted(maria)


def test_an_entry_is_ended_by_two_people_and_frees_whom_no_other_one_names(maria: Player) -> None:
    court, staff = enter("AB1234"), enter(email="maria@test.example", kind=RestrictedKind.STAFF)
    for second in ("", "staff:900001"):
        with pytest.raises(TwoPeopleNeeded):
            end(court, second_actor=second)
    end(court)
    assert is_restricted(maria)
    with pytest.raises(EntryEnded):
        end(court)
    with pytest.raises(StillRestricted):
        set_restricted(player=maria, is_restricted=False, reason="x", actor="staff:900001", at=NOON + DAY)
    end(staff)
    assert not is_restricted(maria)
    assert [one.after for one in maria.standing_changes.filter(field="is_restricted").order_by("id")] == [
        "true",
        "false",
    ]


def test_whom_staff_restricted_by_hand_no_ended_entry_frees(maria: Player) -> None:
    set_restricted(player=maria, is_restricted=True, reason="by hand", actor="staff:900001", at=NOON)
    end(enter("AB1234"))
    assert is_restricted(maria)


def test_a_person_is_entered_once_for_one_kind(maria: Player) -> None:
    first = enter("AB 12.34")
    for named in ({"document": "ab1234"}, {"document": "AB1234", "email": "x@test.example"}):
        with pytest.raises(AlreadyEntered) as refused:
            enter(**named)
        assert refused.value.details["entry"] == first.pk
    enter("AB1234", kind=RestrictedKind.OTHER)
    end(first)
    enter("AB1234", at=NOON + 2 * DAY)


def test_an_entry_with_days_holds_from_the_first_to_the_last(maria: Player) -> None:
    enter("AB1234", starts_at=NOON + DAY, ends_at=NOON + 3 * DAY)
    assert not is_restricted(maria)
    assert keep_restrictions(at=NOON) == 0
    assert keep_restrictions(at=NOON + DAY) == 1
    assert is_restricted(maria)
    assert keep_restrictions(at=NOON + 2 * DAY) == 0
    assert keep_restrictions(at=NOON + 3 * DAY) == 1
    assert not is_restricted(maria)
    # What has run out keeps nobody from being entered anew.
    enter("AB1234", at=NOON + 4 * DAY)
    assert is_restricted(maria)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, NobodyNamed),
        ({"document": " ", "email": "  "}, NobodyNamed),
        ({"document": "\u202eAB1234"}, DocumentRefused),
        ({"document": "=1+1"}, DocumentRefused),
        ({"document": "A" * 41}, DocumentRefused),
        ({"email": "maria"}, EmailRefused),
        ({"email": "maria\u202e@test.example"}, EmailRefused),
        ({"document": "AB1", "reason": ""}, ReasonNotUsable),
        ({"document": "AB1", "reason": "\u202eorder"}, ReasonNotUsable),
        ({"document": "AB1", "reason": "see maria@test.example"}, ReasonNotUsable),
        ({"document": "AB1", "reason": "x" * 501}, ReasonNotUsable),
        ({"document": "AB1", "ends_at": NOON}, NoSuchTime),
        ({"document": "AB1", "starts_at": NOON + DAY, "ends_at": NOON + DAY}, NoSuchTime),
    ],
)
def test_what_names_nobody_or_says_nothing_is_no_entry(changes: dict[str, Any], refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        enter(**changes)
    assert not RestrictedEntry.objects.exists()


def test_staff_never_play_for_money(maria: Player) -> None:
    User.objects.filter(pk=maria.user_id).update(is_staff=True)
    assert list(find_unrestricted()) != []
    refresh_person_keys(User.objects.get(pk=maria.user_id), at=NOON)
    assert is_restricted(maria)
    assert list(find_unrestricted()) == []
    with pytest.raises(StillRestricted):
        set_restricted(player=maria, is_restricted=False, reason="x", actor="staff:900001", at=NOON)
    with pytest.raises(IntegrityError, match="staff do not play for money"), transaction.atomic():
        Player.objects.filter(pk=maria.pk).update(is_restricted=False)
    User.objects.filter(pk=maria.user_id).update(is_staff=False)
    assert keep_restrictions(at=NOON) == 1
    assert not is_restricted(maria)


def test_nobody_of_the_staff_plays_for_money_under_a_private_login(house: House, maria: Player) -> None:
    named = house.player(handle="private")
    User.objects.filter(pk=named.user_id).update(full_name="Anna-Sophia Braun")
    record_person(user=User.objects.get(pk=named.user_id), birth_date=BORN, at=NOON)
    anna = add_staff(email="anna@house.example", full_name="Anna-Sophia Bráun", roles=[], at=NOON)
    assert not is_restricted(named)
    # When her particulars are recorded here: by name and birth date.
    record_person(user=anna, birth_date=BORN, at=NOON)
    assert is_restricted(named)
    change = named.standing_changes.latest("id")
    assert (change.actor, change.reason) == ("system", "By his particulars a member of the staff.")
    assert not is_restricted(maria)
    # And by document, when the player's are.
    record_document(user=anna, document_type=DocumentType.PASSPORT, number="AN 77", at=NOON)
    other = house.player(handle="other")
    record_document(user=other.user, document_type=DocumentType.PASSPORT, number="an-77", at=NOON)
    assert is_restricted(other)
    # And who registers.
    registered = register_player(
        email="late@test.example", password="a long enough passphrase", full_name="ANNA-SOPHIA BRAUN", birth_date=BORN,
        country="PT", language="pt", time_zone="Europe/Lisbon", consents={"terms": "1", "privacy": "1"}, at=NOON,
    )  # fmt: skip
    assert is_restricted(registered)
    with pytest.raises(StillRestricted):
        set_restricted(
            player=named, is_restricted=False, reason="x", actor="staff:900001", second_actor="staff:900002", at=NOON
        )
    assert keep_restrictions(at=NOON) == 0
    # When she leaves nobody is freed by himself: two people look.
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert keep_restrictions(at=NOON) == 0
    assert is_restricted(named)
    set_restricted(
        player=named, is_restricted=False, reason="left", actor="staff:900001", second_actor="staff:900002", at=NOON
    )
    assert not is_restricted(named)
    assert list(find_unrestricted()) == []


def test_who_comes_to_work_here_plays_for_money_under_no_login(house: House, maria: Player) -> None:
    anna = User.objects.create_user("anna@house.example", full_name="Anna", is_active=False)
    record_document(user=anna, document_type=DocumentType.PASSPORT, number="AB 12 34", at=NOON)
    assert not is_restricted(maria)
    group = Group.objects.get(name="Compliance")
    give_role(user=anna, role=group.name, reason="new", actor="staff:900001", second_actor="staff:900002", at=NOON)
    assert is_restricted(maria)


def test_the_sweep_and_the_proof_find_a_private_login_that_nobody_held(house: House, maria: Player) -> None:
    anna = User.objects.create_user("anna@house.example", full_name="Anna")
    record_document(user=anna, document_type=DocumentType.PASSPORT, number="AB 12 34", at=NOON)
    User.objects.filter(pk=anna.pk).update(is_staff=True)
    assert [line.split(":")[0] for line in find_unrestricted()] == [f"player {maria.pk}"]
    assert keep_restrictions(at=NOON) == 1
    assert is_restricted(maria)
    assert list(find_unrestricted()) == []
    # An account of the house's own is held by whom the house likes.
    trial = add_player(email="t@house.example", full_name="Anna", handle="trial", is_test=True, at=NOON)
    record_document(user=trial.user, document_type=DocumentType.PASSPORT, number="AB1234", at=NOON)
    assert keep_restrictions(at=NOON) == 0
    assert list(find_unrestricted()) == []
    trial.refresh_from_db()
    assert not trial.is_restricted


def test_two_people_end_an_entry_through_a_request(maria: Player) -> None:
    first, second = (User.objects.create_user(f"c{n}@test.example", is_staff=True) for n in (1, 2))
    for one in (first, second):
        one.groups.add(Group.objects.get(name="Compliance"))
    entry = enter("AB1234")
    ask: dict[str, Any] = {"act": END_ENTRY, "arguments": {"entry": entry.pk}, "user": first, "reason": "x", "at": NOON}
    request, again = make_request(**ask), make_request(**ask | {"reason": "y"})
    with pytest.raises(MakerDecides):
        approve_request(request_id=request.pk, user=first, reason="x", at=NOON)
    approve_request(request_id=request.pk, user=second, reason="checked", at=NOON)
    assert not is_restricted(maria)
    entry.refresh_from_db()
    assert (entry.end_actor, entry.end_second_actor) == (f"staff:{first.pk}", f"staff:{second.pk}")
    with pytest.raises(ActRefused):
        approve_request(request_id=again.pk, user=second, reason="x", at=NOON)
    with pytest.raises(EntryEnded):
        make_request(**ask)


def test_nobody_ends_the_entry_that_names_himself_nor_one_person_by_two_logins(maria: Player) -> None:
    first, second, third = (User.objects.create_user(f"c{n}@test.example", is_staff=True) for n in (1, 2, 3))
    for one in (first, second, third):
        one.groups.add(Group.objects.get(name="Compliance"))
    entry = enter("AB1234", "c3@test.example")
    ask: dict[str, Any] = {"act": END_ENTRY, "arguments": {"entry": entry.pk}, "reason": "x", "at": NOON}
    with pytest.raises(OwnBenefit):
        make_request(**ask, user=third)
    request = make_request(**ask, user=first)
    with pytest.raises(OwnBenefit):
        approve_request(request_id=request.pk, user=third, reason="x", at=NOON)
    for actors in ((first, third), (third, first)):
        with pytest.raises(OwnBenefit):
            end(entry, **{n: f"staff:{u.pk}" for n, u in zip(("actor", "second_actor"), actors, strict=True)})
    # By the document that the entry names.
    record_document(user=second, document_type=DocumentType.PASSPORT, number="AB 12 34", at=NOON)
    with pytest.raises(OwnBenefit):
        approve_request(request_id=request.pk, user=second, reason="x", at=NOON)
    # And of whom it names nothing, but who are one.
    other = enter("ZZ 1")
    fourth, fifth = (User.objects.create_user(f"c{n}@test.example", is_staff=True) for n in (4, 5))
    for one in (fourth, fifth):
        record_document(user=one, document_type=DocumentType.PASSPORT, number="Q 7", at=NOON)
    with pytest.raises(OwnBenefit):
        end(other, actor=f"staff:{fourth.pk}", second_actor=f"staff:{fifth.pk}")
    assert is_restricted(maria)


def test_the_database_keeps_whom_an_entry_names_and_that_two_end_it(maria: Player) -> None:
    entry = enter("AB1234")
    rows = RestrictedEntry.objects.filter(pk=entry.pk)
    for changes in (
        {"document_hash": ""},
        {"document_hash": "x"},
        {"email_hash": "x"},
        {"ended_at": NOON},
        {"ended_at": NOON, "end_actor": "staff:900001", "end_second_actor": "staff:900001", "end_reason": "x"},
        {"ended_at": NOON, "end_actor": "staff:900001", "end_second_actor": "", "end_reason": "x"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**changes)
    assert rows.get().document_hash == entry.document_hash


def test_whom_an_ended_entry_named_is_forgotten_after_retention(maria: Player) -> None:
    entry, standing = enter("AB1234"), enter("ZZ9")
    end(entry)
    kept = dt.timedelta(days=site_settings.RETENTION_DAYS)
    assert forget_ended(at=NOON + kept) == 0
    assert forget_ended(at=NOON + DAY + kept) == 1
    assert forget_ended(at=NOON + DAY + kept) == 0
    assert (RestrictedEntry.objects.get(pk=entry.pk).document_hash, entry.kind) == ("", "court")
    assert RestrictedEntry.objects.get(pk=standing.pk).document_hash


def test_an_erased_person_is_nobodys_match_and_is_told_of_no_more(maria: Player) -> None:
    enter("AB1234")
    assert export_person(maria.user, at=NOON)["player"]["restricted_entries"][0]["kind"] == "court"
    type(maria.user.person).objects.filter(user=maria.user).update(
        birth_date=None, country="", language="", time_zone="", address="", document_type="",
        document_number_sealed="", document_hash="", email_hash="", name_hash="", erased_at=NOON,
    )  # fmt: skip
    assert export_person(maria.user, at=NOON)["player"]["restricted_entries"] == []
    assert list(find_unrestricted()) == []


def test_an_entry_says_nothing_of_who_it_is_and_is_found_by_who_knows(maria: Player) -> None:
    entry = enter("AB 12.34", "maria@test.example")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wallets_restrictedentry")
        said = repr(cursor.fetchall()).lower()
    assert "ab1234" not in said
    assert "maria" not in said
    for term in ("ab1234", " AB-12-34 ", "Maria@Test.Example"):
        assert [one.pk for one in search_entries(term)] == [entry.pk]
    for term in ("ab12", "maria", "=1+1", "\u202e", "%"):
        assert list(search_entries(term)) == []
