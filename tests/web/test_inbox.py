"""What a player is told: in the act's own transaction, shown with a badge, and read by opening it."""

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from tests.house import NOON, House, adjusted, make_house
from wallets.models import InboxKind, InboxMessage, InboxReading, KycState, LimitKind, LimitPeriod, Player, Standing
from wallets.services.exclusion import exclude_player, exclude_self, lift_exclusion
from wallets.services.inbox import mark_read, tell_player
from wallets.services.ledger import BalanceTooLow
from wallets.services.limits import set_operator_limit, set_own_limit
from wallets.services.standing import set_kyc_state, set_restricted, set_standing

from .pages import client_of

pytestmark = pytest.mark.django_db
BY_STAFF: dict[str, Any] = {"reason": "secret reason", "actor": "staff:900001", "at": NOON}
LOSS: dict[str, Any] = {"kind": LimitKind.LOSS, "period": LimitPeriod.DAY}


@pytest.fixture
def maria() -> Player:
    house: House = make_house()
    player = house.player()
    mark_read(player=player, at=NOON)
    return player


def adjust(player: Player, direction: str = "credit", cents: int = 5_00) -> None:
    adjusted(player, at=NOON, direction=direction, cents=cents)


def opened(player: Player) -> str:
    return client_of(player).get(reverse("inbox")).content.decode()


def test_every_act_on_a_player_is_told_and_why_staff_did_it_is_not(maria: Player) -> None:
    set_kyc_state(player=maria, state=KycState.EXPIRED, **BY_STAFF)
    set_kyc_state(player=maria, state=KycState.VERIFIED, **BY_STAFF)
    set_standing(player=maria, standing=Standing.SUSPENDED, **BY_STAFF)
    set_restricted(player=maria, is_restricted=True, **BY_STAFF)
    set_operator_limit(player=maria, **LOSS, value=50_00, **BY_STAFF)
    set_operator_limit(player=maria, **LOSS, value=None, second_actor="staff:900002", **BY_STAFF)
    set_own_limit(player=maria, **LOSS, value=10_00, at=NOON)
    set_own_limit(player=maria, **LOSS, value=20_00, at=NOON)
    by_house = exclude_player(player=maria, ends_at=None, **BY_STAFF)
    lift_exclusion(exclusion_id=by_house.pk, second_actor="staff:900002", **BY_STAFF)
    exclude_self(player=maria, term="24 hours", at=NOON)
    adjust(maria)
    adjust(maria, "debit", 1_00)
    set_operator_limit(player=maria, kind=LimitKind.SESSION_TIME, period=LimitPeriod.WEEK, value=5400, **BY_STAFF)
    text = opened(maria)
    for said in (
        "Your papers have run out", "you can play for money", "Your account is suspended", "You may not play for money",
        "The house limits losses, a day to 50.00", "The house&#x27;s limit of losses, a day is lifted.",
        "Confirm it between 16 Jun 2026, 13:00 and 23 Jun 2026, 13:00", "You are excluded without end",
        "Your exclusion has ended", "You are excluded until 16 Jun 2026, 13:00",
        "5.00\xa0€ were given to you: a complaint that was upheld.", "1.00\xa0€ were taken",
        "time at the tables, a week to 90 min",
    ):  # fmt: skip
        assert said in text, said
    assert "secret reason" not in text


def test_a_badge_counts_what_is_new_until_it_is_opened(maria: Player) -> None:
    client = client_of(maria)
    assert "inbox-badge" not in client.get(reverse("account")).content.decode()
    adjust(maria)
    adjust(maria, "debit")
    assert "✉ 2" in client.get(reverse("account")).content.decode()
    client.head(reverse("inbox"))
    assert InboxReading.objects.filter(message__kind="adjustment").count() == 0
    assert client.get(reverse("inbox")).content.decode().count("badge-open") == 2
    assert "badge-open" not in client.get(reverse("inbox")).content.decode()
    text = client.get(reverse("account")).content.decode()
    assert "inbox-badge" not in text
    # What was read is found again from everywhere, too.
    assert 'class="inbox-link ' in text
    assert text.count(f'href="{reverse("inbox")}"') == 2
    assert "inbox-link" not in Client().get(reverse("lobby")).content.decode()


def test_the_link_of_a_message_stays_when_it_was_read(maria: Player) -> None:
    data = {"table": "Lisboa", "version": 2, "rulebook": "pt-online", "in_force_from": NOON.isoformat()}
    tell_player(player=maria, kind=InboxKind.RULES, data=data, at=NOON)
    link = f'href="{reverse("rules-version", args=["pt-online", 2])}"'
    assert [link in opened(maria) for _ in range(3)] == [True] * 3


def test_what_was_not_done_is_not_told(maria: Player) -> None:
    before = InboxMessage.objects.count()
    with pytest.raises(BalanceTooLow):
        adjust(maria, "debit", 500_00)
    assert InboxMessage.objects.count() == before


def test_another_players_inbox_is_not_there(maria: Player) -> None:
    adjust(maria)
    assert "were given to you" not in opened(make_house().player())
    assert Client().get(reverse("inbox")).status_code == 302


def test_a_message_is_kept_as_it_was_told_and_so_is_when_it_was_seen(maria: Player) -> None:
    adjust(maria)
    mark_read(player=maria, at=NOON)
    assert mark_read(player=maria, at=NOON + dt.timedelta(days=1)) == 0
    for change in (
        lambda: InboxMessage.objects.update(data={}),
        lambda: InboxReading.objects.update(read_at=NOON + dt.timedelta(days=1)),
        lambda: InboxReading.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
