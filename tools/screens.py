"""Take the pictures in docs/screens/ from a running demonstration, so that a change of look is seen in review.

Let `make run` run in one window and this in another; --base-url and --out are the site's address and the folder.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tables.roulette.cloth import Spot, find_spot  # noqa: E402
from tests.servers import find_chromium  # noqa: E402

DESK = {"width": 1360, "height": 860}
PHONE = {"width": 360, "height": 640}
STRAIGHT_33 = find_spot("straight", [33])
SPLIT_14_17 = find_spot("split", [14, 17])
CORNER_17_21 = find_spot("corner", [17, 18, 20, 21])
CORNER_26_30 = find_spot("corner", [26, 27, 29, 30])
LINE_4_9 = find_spot("line", range(4, 10))
SECOND_DOZEN = find_spot("dozen", [2])
RED, BLACK, EVEN = (find_spot(name, []) for name in ("red", "black", "even"))


def main() -> None:
    """Take every picture."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--base-url", default="http://127.0.0.1:8000")
    asked.add_argument("--out", type=Path, default=ROOT / "docs" / "screens")
    options = asked.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*sandbox, "--disable-gpu"])
        camera = Camera(browser, options.base_url.rstrip("/"), options.out)
        camera.take_desk()
        camera.take_phone()
        browser.close()


class Camera:
    """A browser and where its pictures go."""

    def __init__(self, browser: Browser, site: str, out: Path) -> None:
        self.browser = browser
        self.site = site
        self.out = out

    @contextmanager
    def page(self, viewport: dict[str, int], scale: int = 1) -> Iterator[Page]:
        """A page of a player who begins at /demo/, and what the browser complains about is an error."""
        context = self.browser.new_context(viewport=viewport, device_scale_factor=scale, has_touch=scale > 1)  # type: ignore[arg-type]
        page = context.new_page()
        page.on("console", lambda said: print("console:", said.type, said.text))
        page.on("pageerror", lambda error: print("error:", error))
        page.goto(f"{self.site}/demo/")
        yield page
        context.close()

    def shoot(self, page: Page, name: str) -> None:
        """Take the picture once nothing moves."""
        page.wait_for_timeout(350)
        page.screenshot(path=str(self.out / f"{name}.png"))
        print(f"{name}.png")

    def become(self, page: Page, name: str) -> None:
        page.get_by_role("button", name=f"Be {name}").click()

    def sit_down(self, page: Page) -> None:
        page.goto(f"{self.site}/play/solo/")
        if page.get_by_role("button", name="Enter the table").count():
            page.get_by_role("button", name="Enter the table").click()
        page.get_by_text("Place your bets").wait_for()
        page.locator("[data-live]").wait_for()
        # What an earlier run left on the cloth.
        if page.locator("#clear").is_enabled():
            page.locator("#clear").click()
            page.locator("#clear:disabled").wait_for()

    def find(self, page: Page, cloth: str, spot: Spot) -> Locator:
        return page.locator(f".cloth.{cloth} [data-spot='{spot.index}']")

    def bet(self, page: Page, cloth: str, *bets: tuple[int, Spot]) -> None:
        """Lay chips, each of a place in the tray, and wait until the server has them."""
        for rank, spot in bets:
            page.locator(f"label[for=chip-value-{rank}]").click()
            self.find(page, cloth, spot).click()
        page.locator(".is-pending").first.wait_for(state="detached")

    def shoot_betting(self, page: Page, cloth: str, name: str, spot: Spot) -> None:
        """Take the picture with one more chip on its way to the server, and let it arrive afterwards."""
        held: list[Route] = []
        page.route("**/bets/", lambda route: held.append(route))
        page.locator("label[for=chip-value-2]").click()
        self.find(page, cloth, spot).click()
        self.find(page, cloth, spot).hover()
        self.shoot(page, name)
        for route in held:
            route.continue_()
        page.unroute("**/bets/")
        page.locator(".is-pending").first.wait_for(state="detached")
        page.mouse.move(2, 2)

    def launch(self, page: Page, spinning: str, result: str) -> None:
        """Launch the ball, and take a picture while it runs and one when it lies."""
        page.locator("#launch").click()
        page.wait_for_selector(".is-spinning")
        page.wait_for_timeout(2800)
        if spinning:
            self.shoot(page, spinning)
        page.wait_for_selector("[data-play]:not(.is-spinning)")
        # The glow of the number is over by then.
        page.wait_for_timeout(3600)
        self.shoot(page, result)

    def take_desk(self) -> None:
        with self.page(DESK) as page:
            self.shoot(page, "demo")
            self.become(page, "Maria")
            self.shoot(page, "lobby")
            self.sit_down(page)
            self.bet(
                page, "wide",
                (3, SPLIT_14_17), (2, LINE_4_9), (4, CORNER_26_30), (3, SECOND_DOZEN), (5, RED), (2, EVEN),
            )  # fmt: skip
            self.shoot_betting(page, "wide", "play-desktop", STRAIGHT_33)
            self.launch(page, "", "result-desktop")
            page.goto(f"{self.site}/play/solo/last/")
            page.screenshot(path=str(self.out / "round.png"), full_page=True)
            page.goto(f"{self.site}/account/sessions/")
            page.get_by_role("link", name="Statement").nth(2).click()
            self.shoot(page, "statement")
            page.goto(f"{self.site}/rules/")
            page.get_by_role("link", name="Read version").last.click()
            self.shoot(page, "rules")
            page.goto(f"{self.site}/play/solo/")
            page.locator("#leave").click()
            page.wait_for_selector("#net")

    def take_phone(self) -> None:
        with self.page(PHONE, scale=2) as page:
            self.become(page, "João")
            self.sit_down(page)
            self.bet(page, "tall", (3, SPLIT_14_17), (2, LINE_4_9), (4, CORNER_26_30), (5, BLACK))
            self.shoot_betting(page, "tall", "play-phone", CORNER_17_21)
            page.locator("#series-toggle").click()
            self.shoot(page, "series-phone")
            page.locator("#series-toggle").click()
            self.launch(page, "spin-phone", "result-phone")
            page.locator(".burger").click()
            page.locator("#leave").click()
            page.wait_for_selector("#net")


if __name__ == "__main__":
    main()
