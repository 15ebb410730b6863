"""A round in a browser over a real worker: the launch is a message, and no sweep helps it along."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from tests.house import House

from .playing import SPIN_MS, Player, wait_for_worker

pytestmark = [pytest.mark.browser, pytest.mark.servers, pytest.mark.django_db(transaction=True)]


@pytest.mark.article("pt:17", "pt:18")
def test_a_worker_draws_and_the_page_shows_it(maria: Player, house: House, worker: Callable[..., Any]) -> None:
    worker()
    page = maria.sit_down()
    for played_before in range(2):
        number = house.table.rounds.get(state="betting").number
        maria.click_spot("wide", "red")
        maria.has_chips(1)
        page.locator("#launch").click()
        expect(page.locator("#call")).to_contain_text("Place your bets", timeout=SPIN_MS)
        expect(page.locator("#latest li")).to_have_count(played_before + 1, timeout=SPIN_MS)
        played = house.table.rounds.get(number=number)
        expect(page.locator("#latest li").first).to_contain_text(str(played.winning_number))
        assert played.state == "settled"
        expect(page.locator("#balance")).to_have_text(maria.balance_text)
    page.locator("#leave").click()
    expect(page.locator("#rounds")).to_have_text("2")
    wait_for_worker(page)
    assert maria.complaints == []
    call_command("verify")
