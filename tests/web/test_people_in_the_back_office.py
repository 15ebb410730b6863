"""People in the back-office: found by the whole address or number alone, never shown what is sealed."""

import datetime as dt

import pytest
from django.urls import reverse

from tests.house import NOON, make_house
from wallets.models import DocumentType, LoginRecord, Person, Player, User
from wallets.selectors.people import find_by_email
from wallets.services.people import record_document, record_person

from .pages import client_of, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss@test.example", "x")


def known(handle: str, number: str) -> Player:
    player = make_house().player(handle=handle)
    record_person(user=player.user, birth_date=dt.date(1990, 1, 2), country="PT", at=NOON)
    record_document(user=player.user, document_type=DocumentType.PASSPORT, number=number, at=NOON)
    return player


def test_a_person_is_found_by_all_of_an_address_or_number_and_by_no_part_of_it(boss: User) -> None:
    maria, joao = known("maria", "LX 1234"), known("joao", "LX 1235")
    client = staff_client(boss)

    def found(text: str) -> set[int]:
        page = client.get(reverse("admin:wallets_person_changelist"), {"q": text})
        assert page.status_code == 200
        return {one.user_id for one in page.context["cl"].result_list}

    assert found("MARIA@test.example") == found("lx-1234") == {maria.user_id}
    assert found("joao@test.example") == {joao.user_id}
    for part in ("maria", "@test.example", "LX 123", "%", "_", "' OR 1=1 --", "x" * 5000):
        assert found(part) == set(), part


def test_nothing_sealed_and_no_key_of_a_session_is_shown(boss: User) -> None:
    player = known("maria", "LX 1234")
    client_of(player)
    person, record = Person.objects.get(), LoginRecord.objects.get()
    client = staff_client(boss)
    text = client.get(reverse("admin:wallets_person_change", args=[person.pk])).content.decode()
    text += client.get(reverse("admin:wallets_loginrecord_change", args=[record.pk])).content.decode()
    for hidden in (person.document_number_sealed, person.document_hash, person.email_hash, record.session_key):
        assert hidden
        assert hidden not in text
    assert "nobody" in text


def test_a_double_is_named_on_the_page_of_the_other(boss: User) -> None:
    first, second = known("maria", "LX 1234"), known("joao", "lx1234")
    page = staff_client(boss).get(reverse("admin:wallets_person_change", args=[first.user.person.pk]))
    assert f"person {second.user.person.pk}" in page.content.decode()


def test_an_address_that_staff_change_is_found_afterwards(boss: User) -> None:
    player = known("maria", "LX 1234")
    form = {"email": "new@test.example", "full_name": "Maria", "is_active": "on"}
    answer = staff_client(boss).post(reverse("admin:wallets_user_change", args=[player.user_id]), form)
    assert answer.status_code == 302
    assert not find_by_email("maria@test.example")
    assert [one.user_id for one in find_by_email("new@test.example")] == [player.user_id]


def test_a_row_that_was_erased_meanwhile_stays_erased(boss: User) -> None:
    player = known("maria", "LX 1234")
    blank = {"document_type": "", "document_number_sealed": "", "document_hash": "", "email_hash": "", "name_hash": ""}
    Person.objects.update(birth_date=None, country="", erased_at=NOON, **blank)
    form = {"email": "maria@test.example", "full_name": "Maria", "is_active": "on"}
    page = staff_client(boss).post(reverse("admin:wallets_user_change", args=[player.user_id]), form, follow=True)
    assert "were erased" in page.content.decode()
    assert Person.objects.get().email_hash == ""
