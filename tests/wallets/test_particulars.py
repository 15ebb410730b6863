"""A name or a birth date that was mistyped: corrected by the house, on record, and looked through by the new one."""

import datetime as dt
from typing import Any

import pytest
from django.core.management import call_command

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import AuditEntry
from tests.house import NOON, make_house
from wallets.models import InboxMessage, KycState, Player, User
from wallets.selectors.people import find_duplicates
from wallets.services.erasure import close_account, erase_person
from wallets.services.particulars import correct_particulars
from wallets.services.people import add_player, record_person
from wallets.services.standing import set_kyc_state

pytestmark = pytest.mark.django_db
BIRTH = dt.date(1988, 4, 17)
GIVEN: dict[str, Any] = {
    "full_name": "Maria Lopes", "birth_date": BIRTH, "reason": "as on the passport", "actor": "staff:900001", "at": NOON,
}  # fmt: skip


def newcomer(handle: str, full_name: str, birth_date: dt.date = BIRTH) -> Player:
    player = add_player(email=f"{handle}@test.example", full_name=full_name, handle=handle, at=NOON)
    record_person(user=player.user, birth_date=birth_date, country="PT", at=NOON)
    return player


@pytest.fixture
def maria() -> Player:
    make_house()
    return newcomer("maria", "Maria Lopse")


def refused(player: Player, **more: Any) -> str:
    before = list(User.objects.order_by("pk").values_list("full_name", "person__birth_date"))
    with pytest.raises(RuleBroken) as error:
        correct_particulars(player=player, **{**GIVEN, **more})
    assert list(User.objects.order_by("pk").values_list("full_name", "person__birth_date")) == before
    assert not AuditEntry.objects.filter(act="particulars_corrected").exists()
    return error.value.code


def test_a_mistyped_name_is_corrected_and_the_player_is_told(maria: Player) -> None:
    correct_particulars(player=maria, **GIVEN)
    assert User.objects.get(pk=maria.user_id).full_name == "Maria Lopes"
    entry = AuditEntry.objects.get(act="particulars_corrected")
    assert (entry.actor, entry.subject, entry.after, entry.reason) == (
        "staff:900001", f"player:{maria.pk}", {"full_name_changed": True}, "as on the passport",
    )  # fmt: skip
    (message,) = InboxMessage.objects.filter(player=maria)
    assert (message.kind, message.data) == ("identity", {"state": "corrected"})
    call_command("verify")


def test_who_was_verified_is_checked_anew(maria: Player) -> None:
    set_kyc_state(player=maria, state=KycState.VERIFIED, reason="test", actor="system", at=NOON)
    corrected = correct_particulars(player=maria, **GIVEN | {"birth_date": dt.date(1987, 4, 17)})
    assert corrected.kyc_state == KycState.PENDING
    entry = AuditEntry.objects.get(act="particulars_corrected")
    assert entry.after == {"full_name_changed": True, "birth_date_changed": True}
    call_command("verify")


def test_doubles_are_looked_for_by_the_new_name(maria: Player) -> None:
    first = newcomer("first", "Maria Lopes")
    assert list(find_duplicates(maria.user.person)) == []
    correct_particulars(player=maria, **GIVEN)
    maria.user.person.refresh_from_db()
    assert [one.user_id for one in find_duplicates(maria.user.person)] == [first.user_id]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"full_name": "=1+1"}, "name_refused"),
        ({"full_name": "M\u202earia"}, "name_refused"),
        ({"full_name": "M" * 4000}, "name_refused"),
        ({"full_name": ""}, "name_refused"),
        ({"birth_date": NOON.date()}, "birth_date_refused"),
        ({"birth_date": dt.date(1850, 1, 1)}, "birth_date_refused"),
        ({"birth_date": NOON.date() - dt.timedelta(days=17 * 365)}, "too_young"),
        ({"reason": " "}, "reason_missing"),
        ({"full_name": "Maria Lopse"}, "nothing_to_correct"),
    ],
)
def test_what_is_no_name_or_birth_date_is_refused_and_nothing_changes(
    maria: Player, more: dict[str, Any], code: str
) -> None:
    assert refused(maria, **more) == code


def test_nobody_corrects_himself_nor_makes_somebody_out_of_himself(maria: Player) -> None:
    staff = User.objects.create_user("staff@test.example", full_name="Maria Lopes", is_staff=True)
    record_person(user=staff, birth_date=BIRTH, country="PT", at=NOON)
    assert refused(maria, actor=f"staff:{staff.pk}") == "own_benefit"


def test_what_was_erased_is_not_said_again(maria: Player) -> None:
    close_account(user=maria.user, reason="x", actor="system", at=NOON)
    years = NOON + dt.timedelta(days=365 * 20)
    erase_person(user=maria.user, actor="system", reason="x", at=years)
    assert refused(maria, at=years) == "person_erased"
