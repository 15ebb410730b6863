"""Take the pictures of docs/screens from a running demonstration, so that a change of look is seen in review.

Usage: python tools/screens.py [http://127.0.0.1:8000]        (make run in another terminal first)
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screens"
VIEWS = {"desktop": ("wide", {"width": 1360, "height": 860}), "phone": ("tall", {"width": 360, "height": 640})}
# A straight, a corner, a red: where a croupier would put the chips.
SPOTS = ("17", "125", "159")


def become(page: Page, site: str, name: str) -> None:
    """Log in as a persona of the demonstration."""
    page.goto(f"{site}/demo/")
    page.get_by_role("button", name=f"Be {name}").click()


def enter(page: Page, site: str) -> None:
    """Sit down at Solo and wait for the round."""
    page.goto(f"{site}/play/solo/")
    door = page.get_by_role("button", name="Enter the table")
    if door.count():
        door.click()
    page.wait_for_selector("#panel[data-open]")


def take(browser: Browser, site: str) -> None:
    """Play a round on a desk and on a phone, and take a picture of each page."""
    for name, (cloth, size) in VIEWS.items():
        page = browser.new_page(viewport=size, device_scale_factor=1 if name == "desktop" else 2)  # type: ignore[arg-type]
        become(page, site, "Maria")
        page.screenshot(path=FOLDER / f"lobby-{name}.png")
        enter(page, site)
        for number, spot in enumerate(SPOTS, 1):
            page.locator(f".cloth.{cloth} [data-spot='{spot}'] .hot").click()
            page.locator(f"#chips-{cloth} .chip:not(.pending)").nth(number - 1).wait_for()
        page.mouse.move(2, 2)
        page.screenshot(path=FOLDER / f"play-{name}.png")
        before = page.locator("#panel").get_attribute("data-result")
        page.locator("#launch").click()
        page.locator(f"#panel:not([data-result='{before}'])").wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=FOLDER / f"result-{name}.png")
        page.locator("#leave").click()
        page.wait_for_selector("#staked")
        page.screenshot(path=FOLDER / f"statement-{name}.png")
        page.close()


def main(site: str) -> None:
    """Take the pictures from the site."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu", "--disable-quic"]
        )
        take(browser, site)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000")
