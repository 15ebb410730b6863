"""A player in a browser, and a worker beside him."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from tables.models import UNFINISHED, GameRound
from tables.roulette.cloth import find_spot
from tables.services.advance import sweep
from tests.house import DRAW_KEY, House
from wallets.models import Account

DESK, PHONE = {"width": 1360, "height": 860}, {"width": 360, "height": 640}
SIZES = pytest.mark.parametrize(("viewport", "cloth"), [(DESK, "wide"), (PHONE, "tall")], ids=["desk", "phone"])
SPIN_MS = 20_000


@contextmanager
def worker_at_work() -> Iterator[None]:
    """A worker in this process: it does what beat makes workers do, only more often."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            sweep(key=DRAW_KEY, now=timezone.now)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class Player:
    """Maria in a browser, and all that it complained about."""

    def __init__(self, context: BrowserContext, site: str, house: House) -> None:
        self.page: Page = context.new_page()
        self.site = site
        self.house = house
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        player = house.player(handle="maria")
        browser_of_hers = Client()
        browser_of_hers.force_login(player.user)
        context.add_cookies([{"name": "sessionid", "value": browser_of_hers.cookies["sessionid"].value, "url": site}])

    @property
    def table_address(self) -> str:
        return f"{self.site}/play/{self.house.table.slug}/"

    def sit_down(self) -> Page:
        self.page.goto(self.table_address)
        self.page.get_by_role("button", name="Enter the table").click()
        expect(self.page.locator("#call")).to_contain_text("Place your bets")
        # What is clicked before the script listens is a click on a drawing.
        expect(self.page.locator("[data-live]")).to_be_attached()
        return self.page

    def click_spot(self, cloth: str, wager: str, *on: int) -> None:
        self.page.locator(f".cloth.{cloth} [data-spot='{find_spot(wager, on).index}']").click()

    def has_chips(self, count: int) -> None:
        """Wait until so many stacks stand, none of them pending."""
        expect(self.page.locator("#chips-wide .is-pending")).to_have_count(0)
        expect(self.page.locator("#chips-wide .stack")).to_have_count(count)

    @property
    def balance_text(self) -> str:
        cents = Account.objects.get(player__handle="maria").balance_cents
        assert cents is not None
        return f"{cents // 100}.{cents % 100:02d}\u00a0€"


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def wait_for_worker(page: Page) -> None:
    """Wait until the worker has finished every round, the one that the player left without a bet among them."""
    for _ in range(100):
        if not GameRound.objects.filter(Q(state__in=UNFINISHED) | Q(draw__isnull=True)).exists():
            return
        page.wait_for_timeout(100)
    pytest.fail("some rounds are not finished")
