"""People in the back-office: found by the whole address or number alone, never shown what is sealed."""

import datetime as dt

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from roulette_site.common.models import AuditEntry
from tests.house import NOON, make_house
from wallets.models import DocumentType, LoginRecord, Person, Player, User
from wallets.personal import NameRefused
from wallets.selectors.people import find_duplicates
from wallets.services.people import add_staff, record_document, record_person, refresh_person_keys

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


def test_no_player_is_renamed_in_the_admin_and_a_name_that_changed_makes_a_double(boss: User) -> None:
    maria, joao = known("maria", "LX 1234"), known("joao", "LX 1235")
    page = reverse("admin:wallets_user_change", args=[joao.user_id])
    assert staff_client(boss).post(page, {"full_name": maria.user.full_name}).status_code == 302
    user = User.objects.get(pk=joao.user_id)
    assert user.full_name == "joao"
    user.full_name = maria.user.full_name
    user.save()
    refresh_person_keys(user, at=NOON)
    assert find_duplicates(Person.objects.get(user_id=joao.user_id)) == [maria.user.person]


def test_nobody_becomes_somebody_else_or_more_by_the_admin(boss: User) -> None:
    """Whose mail one reads, his password one gets; and whoever gives himself a role decides what he made."""
    finance, roles = Group.objects.get(name="Finance"), User.groups.through.objects
    player, colleague = known("maria", "LX 1234").user, User.objects.create_user("ana@test.example", is_staff=True)
    client = staff_client(boss)
    taken = {"email": "boss2@test.example", "full_name": "X", "is_active": "on", "is_staff": "on", "groups": finance.pk}
    for user in (player, colleague, boss):
        before = User.objects.values("email", "password", "is_staff", "is_superuser").get(pk=user.pk)
        # A colleague's roles are asked for, and given by two (tests/web/test_roles.py).
        refused = 200 if user == colleague else 302
        assert client.post(reverse("admin:wallets_user_change", args=[user.pk]), taken).status_code == refused
        password = {"usable_password": "true", "password1": "Another-1234", "password2": "Another-1234"}
        changing = reverse("admin:auth_user_password_change", args=[user.pk])
        assert client.post(changing, password).status_code == 403
        assert client.get(changing).status_code == 403
        assert User.objects.values("email", "password", "is_staff", "is_superuser").get(pk=user.pk) == before
    assert not roles.exists()
    assert not AuditEntry.objects.filter(act="user_changed", subject_id=str(colleague.pk)).exists()


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "Ana\u202e", "9"])
def test_a_member_of_the_staff_has_a_name_as_people_have_them(boss: User, name: str) -> None:
    colleague = User.objects.create_user("ana@test.example", full_name="Ana", is_staff=True)
    page = reverse("admin:wallets_user_change", args=[colleague.pk])
    form = {"full_name": name, "is_active": "on", "is_staff": "on"}
    answer = staff_client(boss).post(page, form)
    assert (answer.status_code, User.objects.get(pk=colleague.pk).full_name) == (200, "Ana")
    assert staff_client(boss).post(page, form | {"full_name": "Ana-Sophia"}).status_code == 302
    assert User.objects.get(pk=colleague.pk).full_name == "Ana-Sophia"
    with pytest.raises(NameRefused):
        add_staff(email="rui@test.example", full_name=name, roles=[], at=NOON)


def test_by_the_birth_date_of_a_member_of_the_staff_his_private_login_is_found(boss: User) -> None:
    player = make_house().player(handle="private")
    User.objects.filter(pk=player.user_id).update(full_name="Ana Lopes")
    record_person(user=User.objects.get(pk=player.user_id), birth_date=dt.date(1990, 1, 2), at=NOON)
    colleague = User.objects.create_user("ana@test.example", full_name="Ana", is_staff=True)
    client, page = staff_client(boss), reverse("admin:wallets_user_change", args=[colleague.pk])
    form = {"full_name": "Ana Lopes", "is_active": "on", "is_staff": "on"}
    assert client.post(page, form | {"birth_date": "2999-01-01"}).status_code == 200
    assert not Person.objects.filter(user=colleague).exists()
    assert client.post(page, form | {"birth_date": "1990-01-02"}).status_code == 302
    player.refresh_from_db()
    assert player.is_restricted
    # It is shown to nobody, and stays where the field is left empty.
    assert "1990-" not in client.get(page).content.decode()
    client.post(page, form | {"full_name": "Ana"})
    assert Person.objects.get(user=colleague).birth_date == dt.date(1990, 1, 2)
    # Of a player it is not the admin's.
    assert "birth_date" not in client.get(reverse("admin:wallets_user_change", args=[player.user_id])).content.decode()


def test_a_row_that_was_erased_meanwhile_stays_erased(boss: User) -> None:
    player = known("maria", "LX 1234")
    blank = {"document_type": "", "document_number_sealed": "", "document_hash": "", "email_hash": "", "name_hash": ""}
    Person.objects.update(birth_date=None, country="", erased_at=NOON, **blank)
    form = {"full_name": "Maria"}
    page = staff_client(boss).post(reverse("admin:wallets_user_change", args=[player.user_id]), form, follow=True)
    assert "were erased" in page.content.decode()
    assert Person.objects.get().email_hash == ""
