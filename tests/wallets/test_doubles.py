"""An exclusion, or a limit, is the person's: it is not shed by registering anew."""

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import AuditEntry
from tests.house import BY_TWO, NOON
from wallets.models import Account, DocumentType, Exclusion, InboxMessage, Limit, LimitKind, LimitPeriod, Player, Unit
from wallets.protection import END_OF_TIME
from wallets.selectors.gates import find_wrong_gates
from wallets.selectors.people import accounts_of
from wallets.services.cash_requests import start_deposit
from wallets.services.doubles import keep_exclusions
from wallets.services.exclusion import NoEarlyEnd, exclude_player, exclude_self, lift_exclusion
from wallets.services.limits import confirm_loosening, set_own_limit
from wallets.services.people import add_player, record_document, record_person, register_player
from wallets.web.inbox import sentence_of

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
BORN = dt.date(1990, 2, 3)


def known(handle: str, *, name: str = "Rui Costa", born: dt.date = BORN) -> Player:
    player = add_player(email=f"{handle}@test.example", full_name=name, handle=handle, at=NOON)
    record_person(user=player.user, birth_date=born, at=NOON)
    return player


def registered(**changes: Any) -> Player:
    wanted = {
        "email": "again@test.example", "password": "a long odd sentence 17", "full_name": "Rui Costa",
        "birth_date": BORN, "country": "PT", "language": "pt", "time_zone": "Europe/Lisbon",
        "consents": {"terms": "1", "privacy": "1"}, "at": NOON + DAY,
    }  # fmt: skip
    return register_player(**{**wanted, **changes})


def until(player: Player) -> set[dt.datetime | None]:
    return set(Account.objects.filter(player=player).values_list("excluded_until", flat=True))


def test_who_is_excluded_and_registers_anew_is_excluded_there_as_long_and_told() -> None:
    rui = known("rui")
    first = exclude_self(player=rui, term="1 year", at=NOON)
    again = registered(full_name="RUI  costa")
    copy = Exclusion.objects.get(player=again)
    assert (copy.kind, copy.original, copy.ends_at, copy.actor) == ("double", first, first.ends_at, "system")
    assert f"Exclusion {first.pk} of player {rui.pk}" in copy.reason
    assert until(again) == {first.ends_at}
    told = InboxMessage.objects.get(player=again, kind="exclusion")
    assert "Another account with your particulars is excluded" in sentence_of(told)
    entry = AuditEntry.objects.get(act="player_excluded", subject_id=str(again.pk))
    assert entry.after is not None
    assert (entry.actor, entry.after["original"]) == ("system", first.pk)
    with pytest.raises(RuleBroken, match="excluded"):
        start_deposit(
            player=again,
            amount_cents=5000,
            provider="bank",
            key="evade:1234",
            actor=f"player:{again.pk}",
            at=NOON + DAY,
        )
    assert list(find_wrong_gates()) == []


def test_who_shares_a_document_is_excluded_when_it_is_recorded_and_his_doubles_with_him() -> None:
    rui, other = known("rui"), known("other", name="Somebody Else")
    exclude_player(player=rui, ends_at=None, reason="a report", actor="staff:900001", at=NOON)
    third = known("third", name="Somebody Else")
    assert not Exclusion.objects.filter(player__in=(other, third)).exists()
    for player, number in ((rui, "LX 123456"), (other, "lx123456")):
        record_document(user=player.user, document_type=DocumentType.PASSPORT, number=number, at=NOON + DAY)
    assert accounts_of(third) == [rui, other, third]
    assert sorted(Exclusion.objects.filter(kind="double").values_list("player_id", "ends_at")) == [
        (other.pk, None),
        (third.pk, None),
    ]


def test_an_exclusion_holds_for_the_doubles_that_there_are_and_not_for_whose_particulars_differ() -> None:
    rui, double, stranger = known("rui"), known("double"), known("stranger", born=BORN + DAY)
    pause = exclude_self(player=rui, term="7 days", at=NOON)
    assert [(one.player, one.ends_at) for one in Exclusion.objects.filter(kind="double")] == [(double, pause.ends_at)]
    assert not Exclusion.objects.filter(player=stranger).exists()
    # What has ended holds for nobody who comes later, and the same one is carried over once.
    late = registered(at=NOON + 8 * DAY)
    record_person(user=double.user, country="PT", at=NOON + 9 * DAY)
    assert not Exclusion.objects.filter(player=late).exists()
    assert Exclusion.objects.filter(player=double).count() == 1


def test_two_people_and_nobody_else_let_go_who_is_somebody_else_for_good() -> None:
    rui, double = known("rui"), known("double")
    exclude_self(player=rui, term="without end", at=NOON)
    copy = Exclusion.objects.get(player=double)
    with pytest.raises(DatabaseError), transaction.atomic():
        Exclusion.objects.create(
            player=double, kind="double", starts_at=NOON, term="x", actor="system", reason="of nobody"
        )
    lift_exclusion(exclusion_id=copy.pk, reason="another person", **BY_TWO, at=NOON + DAY)
    record_person(user=double.user, country="PT", at=NOON + 2 * DAY)
    assert Exclusion.objects.filter(player=double).count() == 1
    with pytest.raises(NoEarlyEnd):
        lift_exclusion(exclusion_id=copy.original_id or 0, reason="as well", **BY_TWO, at=NOON + DAY)


def test_who_registered_at_the_very_moment_of_an_exclusion_is_found_soon() -> None:
    rui, double = known("rui"), known("double", name="Another")
    exclude_self(player=rui, term="without end", at=NOON)
    type(double.user).objects.filter(pk=double.user_id).update(full_name="Rui Costa")
    double.user.person.__class__.objects.filter(user=double.user).update(name_hash=rui.user.person.name_hash)
    keep_exclusions(at=NOON + dt.timedelta(minutes=5))
    assert until(double) <= {END_OF_TIME}
    assert Exclusion.objects.get(player=double).kind == "double"


def test_own_limits_hold_for_a_newer_account_of_the_same_person_and_are_loosened_there_by_waiting() -> None:
    rui = known("rui")
    kind, period = LimitKind.LOSS, LimitPeriod.DAY
    set_own_limit(player=rui, kind=kind, period=period, value=10_00, at=NOON)
    set_own_limit(player=rui, kind=LimitKind.REALITY_CHECK, period=LimitPeriod.STRETCH, value=1800, at=NOON)
    again = registered()
    assert Account.objects.get(player=again, unit=Unit.EUR).loss_day_limit_cents == 10_00
    assert Limit.objects.get(player=again, kind="reality_check").value == 1800
    entry = AuditEntry.objects.filter(act="player_limit_set", subject_id=str(again.pk)).earliest("id")
    assert (entry.actor, str(rui.pk) in entry.reason) == ("system", True)
    wish = set_own_limit(player=again, kind=kind, period=period, value=20_00, at=NOON + DAY)
    confirm_loosening(player=again, loosening_id=wish.pk, at=NOON + 2 * DAY)
    record_person(user=again.user, country="ES", at=NOON + 3 * DAY)
    assert Account.objects.get(player=again, unit=Unit.EUR).loss_day_limit_cents == 20_00
    assert list(find_wrong_gates()) == []
