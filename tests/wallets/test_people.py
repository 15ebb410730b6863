"""Registering: what is refused, by which name, and that nothing is half done."""

import datetime as dt
import threading
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import IntegrityError, connection, transaction

from roulette_site.common.errors import RuleBroken
from tests.house import NOON, make_house
from wallets.models import Account, Consent, DocumentType, Person, Player, User
from wallets.personal import age_on, check_birth_date, check_full_name, document_key, email_key, is_idle, name_key
from wallets.sealing import keyed_hash, unseal
from wallets.selectors.people import find_by_document, find_by_email, find_duplicates, operator_day
from wallets.services.people import (
    PersonErased,
    add_player,
    record_document,
    record_person,
    refresh_person_keys,
    register_player,
)

PASSWORD = "a long and odd sentence 17"
RLO, ZERO_WIDTH = "\u202e", "\u200b"


def register(**changes: Any) -> Player:
    wanted = {
        "email": "nuno@test.example",
        "password": PASSWORD,
        "full_name": "Nuno d’Ávila-Sá",
        "birth_date": dt.date(1990, 12, 31),
        "country": "PT",
        "language": "pt",
        "time_zone": "Atlantic/Azores",
        "consents": {"terms": "1", "privacy": "2"},
        "at": NOON,
    }
    return register_player(**{**wanted, **changes})


HOSTILE_NAMES = [
    "", "   ", "=cmd|'/C calc'!A0", "+351 910", "-1+1", "@SUM(A1)", "\tMaria", "Maria\nSá", "Maria\r", "Maria\0", "4aria",
    f"Maria {RLO}aciraM", f"Mar{ZERO_WIDTH}ia", "Maria\u2066", "Maria\u00ad", "Maria<script>", "Maria;", "M" * 4000,
    "Maria " * 800, "\u0301a", "Maria \U000e0041", "Maria\ue000", "Maria 2", "😀",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        check_full_name(name)
    assert refused.value.code == "name_refused"
    # What is shown of it cannot turn the page round.
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 120


@pytest.mark.parametrize(
    "name",
    ["Li", "Ana Sá", "Seán O'Brien", "Jean-Luc d’Arc", "Nguyễn Thị Ánh", "Łukasz Żółć", "J. R. R. Tolkien", "محمد علي", "李小龍", "अनिल", "Gal·la"],
)  # fmt: skip
def test_names_of_all_the_world_are_taken(name: str) -> None:
    assert check_full_name(name) == name
    assert check_full_name(f"  {name.replace(' ', '   ')} ") == name


TODAY = dt.date(2026, 6, 15)


@pytest.mark.parametrize(
    ("birth_date", "code"),
    [
        (TODAY, "birth_date_refused"),
        (TODAY + dt.timedelta(days=1), "birth_date_refused"),
        (dt.date(9999, 12, 31), "birth_date_refused"),
        (dt.date(1, 1, 1), "birth_date_refused"),
        (dt.date(1905, 6, 14), "birth_date_refused"),
        (TODAY - dt.timedelta(days=1), "too_young"),
        (dt.date(2008, 6, 16), "too_young"),
        (dt.date(2008, 6, 15), None),
        (dt.date(1905, 6, 16), None),
    ],
)
def test_only_adults_are_let_in(birth_date: dt.date, code: str | None) -> None:
    if code is None:
        check_birth_date(birth_date, today=TODAY)
        return
    with pytest.raises(RuleBroken) as refused:
        check_birth_date(birth_date, today=TODAY)
    assert refused.value.code == code


def test_who_was_born_on_29_february_comes_of_age_on_1_march() -> None:
    leap = dt.date(2008, 2, 29)
    assert [age_on(leap, dt.date(2026, 2, 28)), age_on(leap, dt.date(2026, 3, 1))] == [17, 18]
    assert [age_on(leap, dt.date(2028, 2, 28)), age_on(leap, dt.date(2028, 2, 29))] == [19, 20]


def test_who_is_idle_is_a_matter_of_two_instants() -> None:
    half_an_hour = dt.timedelta(minutes=30)
    assert not is_idle(seen_at=NOON, at=NOON + half_an_hour - dt.timedelta(seconds=1), idle_seconds=1800)
    assert is_idle(seen_at=NOON, at=NOON + half_an_hour, idle_seconds=1800)
    assert not is_idle(seen_at=NOON, at=NOON - half_an_hour, idle_seconds=1800)


def test_how_things_are_compared() -> None:
    assert email_key("  Nuno@TEST.Example ") == "nuno@test.example"
    assert name_key("João  d’Ávila-Sá") == name_key("joao d'avila sa") == "joao davila sa"
    assert document_key(" ab 12-3４ ") == "AB1234"
    assert keyed_hash("email", "") == ""
    assert keyed_hash("email", "a") != keyed_hash("document", "a")


@pytest.mark.django_db
class TestRegistering:
    def test_a_player_has_everything_from_the_first_moment(self) -> None:
        player = register(email=" Nuno@TEST.Example ")
        user, person = player.user, player.user.person
        assert (user.email, user.full_name) == ("Nuno@test.example", "Nuno d’Ávila-Sá")
        assert user.check_password(PASSWORD)
        assert not user.is_staff
        assert (person.birth_date, person.country, person.language) == (dt.date(1990, 12, 31), "PT", "pt")
        assert person.time_zone == "Atlantic/Azores"
        assert list(EmailAddress.objects.values_list("email", "verified")) == [("Nuno@test.example", False)]
        assert list(Consent.objects.order_by("text").values_list("user_id", "text", "version", "at")) == [
            (user.pk, "privacy", "2", NOON), (user.pk, "terms", "1", NOON),
        ]  # fmt: skip
        assert set(Account.objects.filter(player=player).values_list("unit", "balance_cents")) == {
            ("EUR", 0), ("DEMO", 0),
        }  # fmt: skip
        # What others see of him does not say who he is.
        assert "nuno" not in player.handle.casefold()

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"full_name": "=cmd"}, "name_refused"),
            ({"full_name": "a" * 4000}, "name_refused"),
            ({"birth_date": dt.date(2026, 6, 15)}, "birth_date_refused"),
            ({"birth_date": dt.date(2010, 6, 15)}, "too_young"),
            ({"country": "XX"}, "country_unknown"),
            ({"country": "pt"}, "country_unknown"),
            ({"language": "de"}, "language_unknown"),
            ({"time_zone": "Mars/Olympus"}, "time_zone_unknown"),
            ({"time_zone": "../../etc/passwd"}, "time_zone_unknown"),
            ({"time_zone": "localtime"}, "time_zone_unknown"),
            ({"consents": {}}, "consent_missing"),
            ({"consents": {"terms": "1"}}, "consent_missing"),
            ({"consents": {"terms": "1", "privacy": ""}}, "consent_missing"),
            ({"consents": {"terms": "1", "privacy": "1", "souls": "1"}}, "consent_missing"),
            ({"email": "nuno"}, "email_refused"),
            ({"email": "nuno@test.example\nBcc: all@test.example"}, "email_refused"),
            ({"email": "n" * 250 + "@test.example"}, "email_refused"),
            ({"password": "short"}, "password_refused"),
            ({"password": "nuno@test.example"}, "password_refused"),
            ({"password": "1234567890123"}, "password_refused"),
        ],
    )
    def test_what_is_wrong_is_refused_and_leaves_nothing(self, changes: dict[str, Any], code: str) -> None:
        with pytest.raises(RuleBroken) as refused:
            register(**changes)
        assert refused.value.code == code
        for model in (User, Player, Person, Consent, Account, EmailAddress):
            assert not model.objects.exists(), model

    def test_an_address_is_taken_once_however_it_is_written(self) -> None:
        register()
        for email in ("nuno@test.example", "NUNO@TEST.EXAMPLE", " nuno@Test.example "):
            with pytest.raises(RuleBroken) as refused:
                register(email=email)
            assert refused.value.code == "email_taken"
        assert User.objects.count() == Player.objects.count() == 1

    def test_adulthood_is_a_matter_of_the_operators_own_day(self) -> None:
        make_house()
        # Half past eleven at night in UTC is the next day in Lisbon's summer.
        late = dt.datetime(2026, 6, 15, 23, 30, tzinfo=dt.UTC)
        assert operator_day(late) == dt.date(2026, 6, 16)
        register(birth_date=dt.date(2008, 6, 16), at=late)
        with pytest.raises(RuleBroken) as refused:
            register(birth_date=dt.date(2008, 6, 16), email="b@test.example", at=late - dt.timedelta(hours=1))
        assert refused.value.code == "too_young"

    def test_a_consent_is_never_changed(self) -> None:
        register()
        for act in (
            lambda: Consent.objects.update(version="9"),
            lambda: Consent.objects.all()._raw_delete("default"),
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                act()


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
def test_of_two_who_register_one_address_at_once_one_gets_it() -> None:
    codes: list[str] = []
    start = threading.Barrier(2)

    def act() -> None:
        start.wait()
        try:
            register()
            codes.append("registered")
        except RuleBroken as refused:
            codes.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["email_taken", "registered"]
    assert User.objects.count() == Player.objects.count() == Person.objects.count() == 1
    assert Account.objects.count() == 2


@pytest.mark.django_db
class TestPersonalData:
    def test_the_number_of_a_document_is_not_in_the_database(self) -> None:
        user = register().user
        person = record_document(user=user, document_type=DocumentType.PASSPORT, number="AB 123.456", at=NOON)
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM wallets_person")
            row = repr(cursor.fetchall())
        for said in ("123456", "123.456", "AB 123", "nuno", "Nuno"):
            assert said not in row
        assert unseal(person.document_number_sealed) == "AB 123.456"

    def test_people_are_found_by_the_whole_address_or_number_alone(self) -> None:
        user = register().user
        person = record_document(user=user, document_type=DocumentType.PASSPORT, number="AB 123.456", at=NOON)
        assert list(find_by_email(" NUNO@test.example")) == list(find_by_document("ab123456")) == [person]
        for nothing in ("", " ", "nuno", "AB12345", "%"):
            assert not find_by_email(nothing)
            assert not find_by_document(nothing)

    def test_searches_follow_a_changed_address(self) -> None:
        user = register().user
        user.email = "other@test.example"
        user.save()
        refresh_person_keys(user, at=NOON)
        assert not find_by_email("nuno@test.example")
        assert [one.user_id for one in find_by_email("other@test.example")] == [user.pk]

    @pytest.mark.parametrize("number", ["", "--", "=A1", "a" * 41, "12\n3", f"1{RLO}2", "１２"])
    def test_what_is_no_number_of_a_document_is_refused(self, number: str) -> None:
        user = register().user
        with pytest.raises(RuleBroken) as refused:
            record_document(user=user, document_type=DocumentType.PASSPORT, number=number, at=NOON)
        assert refused.value.code == "document_refused"
        assert Person.objects.get().document_hash == ""

    def test_doubles_are_found_by_name_and_birth_date_or_by_document(self) -> None:
        first = register().user.person
        same_name = register(email="b@test.example", full_name="NUNO D'AVILA SA").user.person
        other_day = register(email="c@test.example", birth_date=dt.date(1990, 12, 30)).user.person
        stranger = register(email="d@test.example", full_name="Rui Sá").user.person
        assert list(find_duplicates(first)) == [same_name]
        assert list(find_duplicates(other_day)) == []
        for person, number in ((first, "AB 1"), (stranger, "a-b.1")):
            record_document(user=person.user, document_type=DocumentType.IDENTITY_CARD, number=number, at=NOON)
        first.refresh_from_db()
        assert list(find_duplicates(first)) == [same_name, stranger]

    def test_who_has_no_data_is_nobodys_double(self) -> None:
        for number in range(3):
            player = add_player(email=f"{number}@test.example", full_name="", handle=f"h{number}", at=NOON)
            person = record_person(user=player.user, at=NOON)
        assert list(find_duplicates(person)) == []

    def test_half_a_document_is_refused_by_the_database(self) -> None:
        person = register().user.person
        with pytest.raises(IntegrityError, match="person_document_whole"), transaction.atomic():
            Person.objects.filter(pk=person.pk).update(document_type="passport")

    def test_erased_data_do_not_come_back(self) -> None:
        user = User.objects.create_user("x@test.example")
        Person.objects.create(user=user, created_at=NOON, erased_at=NOON)
        with pytest.raises(PersonErased):
            record_person(user=user, country="PT", at=NOON)
        with pytest.raises(IntegrityError, match="person_erased_is_blank"), transaction.atomic():
            Person.objects.update(country="PT")
        with pytest.raises(IntegrityError), transaction.atomic():
            Person.objects.update(erased_at=None)
