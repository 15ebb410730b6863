"""What every test in a browser starts from."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.house import House, make_house

from .playing import DESK, Player, worker_at_work

# A browser without a graphics card draws sixty frames a second with a whole processor, and the other tests wait for it.
FEW_FRAMES = """
    window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 200);
    window.cancelAnimationFrame = clearTimeout.bind(window);
"""


@pytest.fixture
def house(transactional_db: None) -> House:
    return make_house()


@pytest.fixture
def sweeping(house: House) -> Iterator[None]:
    with worker_at_work():
        yield


@pytest.fixture
def open_context(browser: Browser, live_site: str) -> Iterator["type[None]"]:
    """Open browsers of their own, which are closed before the site is: no stream is left open."""
    contexts: list[BrowserContext] = []

    def open_one(**options: object) -> BrowserContext:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.add_init_script(FEW_FRAMES)
        contexts.append(context)
        return context

    yield open_one  # type: ignore[misc]
    for context in contexts:
        context.close()


@pytest.fixture
def maria(open_context, live_site: str, house: House) -> Player:
    """At a desk, with script and motion."""
    return Player(open_context(viewport=DESK), live_site, house)
