"""A round from bet to statement, as a player in a browser has it."""

import threading
from collections.abc import Iterator

import pytest
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from sessions_app.selectors.statement import statement_of
from tables.services.advance import sweep
from tests.house import DRAW_KEY, House, make_house
from wallets.models import Account

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DESK, PHONE = {"width": 1360, "height": 860}, {"width": 360, "height": 640}


@pytest.fixture
def house(transactional_db: None) -> House:
    return make_house()


@pytest.fixture
def sweeping(house: House) -> Iterator[None]:
    """A worker in this process: it does what beat makes workers do, only more often."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            sweep(key=DRAW_KEY, now=timezone.now)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def log_in(page: Page, site: str, house: House) -> None:
    player = house.player(handle="maria")
    player.user.set_password("a long enough password")
    player.user.save()
    page.goto(f"{site}/login/")
    page.get_by_label("E-mail").fill("maria@test.example")
    page.get_by_label("Password").fill("a long enough password")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Play at").click()
    page.get_by_role("button", name="Enter the table").click()


@pytest.mark.article("pt:2", "pt:6", "pt:9", "pt:17", "pt:18", "pt:28")
@pytest.mark.parametrize(("viewport", "cloth"), [(DESK, "wide"), (PHONE, "tall")], ids=["desk", "phone"])
def test_a_round_is_played_end_to_end(
    browser: Browser, live_site: str, house: House, sweeping: None, viewport: dict[str, int], cloth: str
) -> None:
    page = browser.new_page(viewport=viewport)
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    log_in(page, live_site, house)
    expect(page.get_by_text("Place your bets")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # A straight on 17 and a split, each a click where the chip goes; the second chip of the tray is 1.00.
    for spot in ("17", "60"):
        page.locator(f".cloth.{cloth} [data-spot='{spot}'] .hot").click()
        expect(page.locator("#chips-wide .chip:not(.pending)")).to_have_count(1 if spot == "17" else 2)
    expect(page.locator("#balance")).to_have_text("98.00\u00a0€")

    page.locator("#launch").click()
    expect(page.get_by_text("No more bets")).to_be_visible()
    result = page.locator("#result")
    expect(result).to_be_visible(timeout=20_000)
    played = house.table.rounds.get(winning_number__isnull=False)
    expect(result.locator(".pip")).to_have_text(str(played.winning_number))
    balance = Account.objects.get(player__handle="maria").balance_cents
    assert balance is not None
    expect(page.locator("#balance")).to_have_text(f"{balance / 100:.2f}\u00a0€")

    page.locator("#leave").click()
    expect(page.locator("#staked")).to_have_text("2.00\u00a0€")
    expect(page.locator("#rounds")).to_have_text("1")
    net = statement_of(played.seat.game_session).net_cents  # type: ignore[union-attr]
    expect(page.locator("#net")).to_have_text(f"{'−' if net < 0 else ''}{abs(net) / 100:.2f}\u00a0€")
    assert complaints == []
    page.close()


def test_a_refused_bet_is_said_and_leaves_no_chip(
    browser: Browser, live_site: str, house: House, sweeping: None
) -> None:
    page = browser.new_page(viewport=DESK)
    log_in(page, live_site, house)
    expect(page.get_by_text("Place your bets")).to_be_visible()
    # The largest chip, 50.00, is more than a straight may hold at this table.
    page.locator("label[for=chip-value-6]").click()
    page.locator(".cloth.wide [data-spot='17'] .hot").click()
    expect(page.get_by_role("alert")).to_contain_text("At most 15.00")
    expect(page.locator("#chips-wide .chip")).to_have_count(0)
    page.close()


def test_a_round_is_played_by_keyboard_alone(browser: Browser, live_site: str, house: House, sweeping: None) -> None:
    page = browser.new_page(viewport=DESK)
    log_in(page, live_site, house)
    expect(page.get_by_text("Place your bets")).to_be_visible()
    page.locator(".cloth.wide [data-spot='159']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chips-wide .chip:not(.pending)")).to_have_count(1)
    page.locator("#launch").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_visible(timeout=20_000)
    page.close()


def test_a_round_is_played_without_script(browser: Browser, live_site: str, house: House, sweeping: None) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    log_in(page, live_site, house)
    for _ in range(50):
        if page.get_by_text("Place your bets").count():
            break
        page.wait_for_timeout(100)
        page.reload()
    page.get_by_text("Bet by name").click()
    page.locator("select[name=spot]").select_option("17")
    page.get_by_role("button", name="Place the bet").click()
    page.locator("#launch").click()
    for _ in range(50):
        if page.locator("#result").count():
            break
        page.wait_for_timeout(100)
        page.reload()
    expect(page.locator("#result")).to_be_visible()
    page.locator("#leave").click()
    expect(page.locator("#staked")).to_have_text("0.50\u00a0€")
    context.close()
