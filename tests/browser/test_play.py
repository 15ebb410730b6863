"""A round from bet to statement, as a player in a browser has it."""

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, Route, expect

from sessions_app.selectors.statement import statement_of
from tables.models import Bet, GameRound, RoundState, Slip, SlipCall
from tables.roulette.cloth import find_spot
from tables.services.betting import place_bets
from tables.services.publishing import publish_rules
from tests.house import NOON, House

from .playing import DESK, PHONE, SIZES, SPIN_MS, Player, fits, wait_for_worker, worker_at_work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# As long as a result could stay hidden if the page waited for nothing.
AT_ONCE_MS = 2_500


@pytest.mark.article("pt:2", "pt:6", "pt:9", "pt:17", "pt:18", "pt:28")
@SIZES
def test_a_round_is_played_end_to_end(
    open_context, live_site: str, house: House, sweeping: None, viewport: dict[str, int], cloth: str
) -> None:
    maria = Player(open_context(viewport=viewport), live_site, house)
    page = maria.sit_down()
    maria.click_spot(cloth, "straight", 17)
    maria.has_chips(1)
    maria.click_spot(cloth, "split", 14, 17)
    maria.has_chips(2)
    expect(page.locator("#balance")).to_have_text("98.00\u00a0€")
    expect(page.locator("#my-bets")).to_contain_text("straight 17 1.00\u00a0€")
    expect(page.locator("#my-bets")).to_contain_text("split 14–17 1.00\u00a0€")

    page.locator("#launch").click()
    expect(page.get_by_text("No more bets").locator("visible=true")).to_be_visible()
    number = page.locator("#result-number")
    expect(number).to_be_attached(timeout=SPIN_MS)
    played = house.table.rounds.get(winning_number__isnull=False)
    expect(number).to_have_text(str(played.winning_number))
    expect(page.locator("#latest li").first).to_contain_text(str(played.winning_number))
    expect(page.locator(f".cloth.{cloth} [data-box='{played.winning_number}']")).to_have_class(
        "box is-winning is-fresh" if played.winning_number else "zero-box is-winning is-fresh"
    )
    expect(page.locator("#balance")).to_have_text(maria.balance_text)
    expect(page.locator("#session-staked")).to_have_text("2.00\u00a0€")
    assert float(page.locator("#play-state").get_attribute("data-degrees") or "-1") >= 0

    if cloth == "tall":
        page.locator(".burger").click()
    page.locator("#leave").click()
    expect(page.locator("#staked")).to_have_text("2.00\u00a0€")
    expect(page.locator("#rounds")).to_have_text("1")
    net = statement_of(played.seat.game_session).net_cents  # type: ignore[union-attr]
    sign = "−" if net < 0 else "+" if net else ""
    expect(page.locator("#net")).to_have_text(f"{sign}{abs(net) / 100:.2f}\u00a0€")
    assert fits(page)
    assert maria.complaints == []
    wait_for_worker(page)
    assert sorted(house.table.rounds.values_list("number", "state")) == [(1, "settled"), (2, "unused")]
    call_command("verify")


@SIZES
def test_all_that_a_player_needs_is_on_one_screen(
    open_context, live_site: str, house: House, sweeping: None, viewport: dict[str, int], cloth: str
) -> None:
    maria = Player(open_context(viewport=viewport), live_site, house)
    page = maria.sit_down()
    assert fits(page)
    needed = [
        f".cloth.{cloth} > svg",
        ".tray",
        "#acts",
        ".standing-call .ring",
        "#latest",
        "#session-money",
        "#balance",
    ]
    outside = page.evaluate(
        """parts => parts.filter(part => {
            const box = document.querySelector(part).getBoundingClientRect();
            return !(box.width > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 0.5
                && box.bottom <= innerHeight + 0.5);
        })""",
        needed,
    )
    assert outside == []
    # Every spot can be hit where its chip would stand.
    missed = page.evaluate(
        """cloth => [...document.querySelectorAll(`.cloth.${cloth} [data-spot]`)].filter(spot => {
            const svg = spot.ownerSVGElement;
            const at = new DOMPoint(spot.dataset.x, spot.dataset.y).matrixTransform(svg.getScreenCTM());
            return document.elementFromPoint(at.x, at.y) !== spot;
        }).map(spot => spot.getAttribute("aria-label"))""",
        cloth,
    )
    assert missed == []
    # Other pages scroll down, never sideways.
    for path in ("/", "/rules/", "/account/", "/account/sessions/", "/login/"):
        page.goto(live_site + path)
        assert fits(page), path
    assert maria.complaints == []


def test_what_a_bet_pays_is_read_on_a_phone_and_an_edge_is_lit_where_there_is_more(
    open_context, live_site: str, house: House
) -> None:
    rules = house.table.rules
    publish_rules(rules_id=rules.pk, at=NOON)
    page = open_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"{live_site}/rules/{rules.rulebook_code}/{rules.version}/")
    assert fits(page)
    prizes = page.locator("#wagers ~ .table-wrap").first
    outside = prizes.evaluate(
        """wrap => [...wrap.querySelectorAll("tr > :nth-child(-n + 5)")]
            .filter(cell => cell.getBoundingClientRect().right > wrap.getBoundingClientRect().right)
            .map(cell => cell.textContent.trim())"""
    )
    assert outside == []
    assert prizes.evaluate("wrap => wrap.scrollWidth > wrap.clientWidth")
    assert "scroll" in prizes.evaluate("wrap => getComputedStyle(wrap).backgroundAttachment")


def test_nothing_tells_the_number_before_the_ball_has_fallen(maria: Player, house: House, sweeping: None) -> None:
    page = maria.sit_down()
    maria.click_spot("wide", "straight", 17)
    maria.click_spot("wide", "red")
    maria.has_chips(2)
    before = [page.locator(part).inner_text() for part in ("#balance", "#latest", "#result", "#session-money")]
    page.locator("#launch").click()
    for _ in range(100):
        if GameRound.objects.filter(state=RoundState.SETTLED).exists():
            break
        page.wait_for_timeout(50)
    page.wait_for_timeout(1000)
    during = [page.locator(part).inner_text() for part in ("#balance", "#latest", "#result", "#session-money")]
    assert during == before
    expect(page.locator("[data-play]")).to_have_class("floor is-spinning")
    assert page.locator(".is-winning").count() == 0
    expect(page.locator("[data-play]")).to_have_class("floor", timeout=SPIN_MS)
    played = house.table.rounds.get(winning_number__isnull=False)
    expect(page.locator("#result-number")).to_have_text(str(played.winning_number))
    # The ball lies at the number: its angle is the wheel's own plus where the number is on it.
    angles = page.evaluate(
        """["rotor", "ball"].map(id => Number(document.getElementById(id).getAttribute("transform").match(/-?[\\d.]+/)[0]))"""
    )
    degrees = float(page.locator("#play-state").get_attribute("data-degrees") or "")
    assert (angles[1] - angles[0] - degrees + 180) % 360 - 180 == pytest.approx(0, abs=0.5)
    assert maria.complaints == []


@SIZES
def test_nothing_of_the_round_before_passes_for_the_one_that_runs(
    open_context, live_site: str, house: House, sweeping: None, viewport: dict[str, int], cloth: str
) -> None:
    """Also where the worker is quicker than the answer to the launch, so that this brings the number already."""
    maria = Player(open_context(viewport=viewport), live_site, house)
    page = maria.sit_down()
    maria.click_spot(cloth, "red")
    maria.has_chips(1)
    page.locator("#launch").click()
    expect(page.locator("#result")).to_contain_text("Last play, round 1", timeout=SPIN_MS)
    expect(page.locator(f".cloth.{cloth} .dolly")).to_be_visible()
    maria.click_spot(cloth, "red")
    maria.has_chips(1)

    def answer_late(route: Route) -> None:
        route.fetch()
        wait_until_settled(page, rounds=2)
        address = f"{maria.table_address}state/"
        route.fulfill(response=page.request.get(address, headers={"HX-Request": "true"}))

    page.route("**/launch/", answer_late)
    page.locator("#launch").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".is-spinning")).to_be_attached()
    expect(page.locator("#play-state")).to_have_attribute("data-phase", "closed")
    expect(page.locator("#spin-call")).to_contain_text("Round 2 · the ball runs")
    expect(page.locator("#spin-call strong")).to_be_visible()
    expect(page.locator("#call strong")).to_be_hidden()
    expect(page.locator(f".cloth.{cloth} .dolly")).to_be_hidden()
    expect(page.locator(".is-winning")).to_have_count(0)
    for act in ("launch", "undo", "clear", "repeat", "double"):
        expect(page.locator(f"#{act}")).to_be_disabled()
    assert page.evaluate("document.activeElement.closest('.cloth') !== null")
    expect(page.locator("#result")).to_contain_text("Last play, round 1")
    expect(page.locator("#result")).to_have_css("opacity", "0.5")

    expect(page.locator("#result")).to_contain_text("Last play, round 2", timeout=SPIN_MS)
    expect(page.locator("#result")).to_have_css("opacity", "1")
    expect(page.locator("#play-state")).to_have_attribute("data-phase", "betting")
    expect(page.locator(f".cloth.{cloth} .dolly")).to_be_visible()
    expect(page.locator(f".cloth.{cloth} .is-winning")).to_have_count(1)
    expect(page.locator("#call strong")).to_have_text("Place your bets")
    assert maria.complaints == []


def wait_until_settled(page: Page, rounds: int) -> None:
    for _ in range(100):
        if GameRound.objects.filter(state=RoundState.SETTLED).count() == rounds:
            return
        page.wait_for_timeout(50)
    pytest.fail("the round is not settled")


def test_who_wants_no_motion_has_the_result_at_once(open_context, live_site: str, house: House, sweeping: None) -> None:
    maria = Player(open_context(viewport=DESK, reduced_motion="reduce"), live_site, house)
    page = maria.sit_down()
    maria.click_spot("wide", "red")
    maria.has_chips(1)
    page.locator("#launch").click()
    expect(page.locator("#result-number")).to_be_visible(timeout=AT_ONCE_MS)


def test_a_refused_bet_is_said_and_leaves_no_chip(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    page.locator("label[for=chip-value-6]").click()
    maria.click_spot("wide", "straight", 17)
    expect(page.get_by_role("alert")).to_contain_text("At most 15.00")
    maria.has_chips(0)
    # What was said stays until the player does something else, also when the page hears news.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(400)
    expect(page.get_by_role("alert")).to_contain_text("At most 15.00")
    page.locator("label[for=chip-value-1]").click()
    maria.click_spot("wide", "straight", 17)
    maria.has_chips(1)
    expect(page.get_by_role("alert")).to_have_text("")
    assert maria.complaints == []


def test_chips_are_taken_back_repeated_and_doubled(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    expect(page.locator("#undo")).to_be_disabled()
    maria.click_spot("wide", "red")
    maria.click_spot("wide", "split", 14, 17)
    maria.click_spot("wide", "dozen", 2)
    maria.has_chips(3)
    page.locator("#undo").click()
    maria.has_chips(2)
    page.locator("#double").click()
    expect(page.locator("#in-play")).to_have_text("4.00\u00a0€")
    maria.has_chips(2)
    page.locator("#clear").click()
    maria.has_chips(0)
    expect(page.locator("#balance")).to_have_text("100.00\u00a0€")
    maria.click_spot("wide", "line", 4, 5, 6, 7, 8, 9)
    maria.has_chips(1)
    page.locator("#launch").click()
    expect(page.locator("#result-number")).to_be_attached(timeout=SPIN_MS)
    expect(page.locator("#repeat")).to_be_enabled()
    page.locator("#repeat").click()
    maria.has_chips(1)
    expect(page.locator("#my-bets")).to_contain_text("line 4–9 1.00\u00a0€")
    assert maria.complaints == []


@pytest.mark.article("pt:8")
@SIZES
def test_call_bets_are_announced_on_the_racetrack(
    open_context, live_site: str, house: House, sweeping: None, viewport: dict[str, int], cloth: str
) -> None:
    maria = Player(open_context(viewport=viewport), live_site, house)
    page = maria.sit_down()
    track = ".track.wide" if cloth == "wide" else ".track.turned"
    if cloth == "tall":
        page.locator("#series-toggle").click()
    page.locator(f"{track} [data-call=voisins]").click(position=None)
    maria.has_chips(7)
    page.locator(".choice", has_text="2").click()
    page.locator(f"{track} [data-number='17']").click()
    expect(page.locator("#in-play")).to_have_text("12.00\u00a0€")
    page.locator("[data-call=final][data-digit='7']").click()
    expect(page.locator("#in-play")).to_have_text("15.00\u00a0€")
    calls = list(SlipCall.objects.order_by("slip_id").values_list("name", "parameters"))
    assert calls == [
        ("voisins", {}), ("neighbours", {"number": 17, "neighbours": 2}), ("final", {"digit": 7}),
    ]  # fmt: skip
    assert maria.complaints == []


def test_a_round_is_played_by_keyboard_alone(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    page.locator(".cloth.wide [data-spot='0']").focus()
    # From the zero over the line between 0 and 2 to the 2, and up to the line between 2 and 3.
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(page.locator("#tip strong")).to_have_text("split 2–3")
    page.keyboard.press("Enter")
    maria.has_chips(1)
    assert Bet.objects.get().spot == find_spot("split", [2, 3]).index
    page.keyboard.press(" ")
    expect(page.locator("#in-play")).to_have_text("2.00\u00a0€")
    page.locator("#launch").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#result-number")).to_be_attached(timeout=SPIN_MS)
    assert maria.complaints == []


def test_a_finger_slides_to_the_spot_that_it_means(open_context, live_site: str, house: House, sweeping: None) -> None:
    context = open_context(viewport=PHONE, has_touch=True, is_mobile=True)
    maria = Player(context, live_site, house)
    page = maria.sit_down()
    hand = context.new_cdp_session(page)

    def at(wager: str, *on: int) -> dict[str, float]:
        box = page.locator(f".cloth.tall [data-spot='{find_spot(wager, on).index}']").bounding_box()
        assert box is not None
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def touch(kind: str, *points: dict[str, float]) -> None:
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", at("straight", 17))
    expect(page.locator("#tip strong")).to_have_text("straight 17")
    touch("touchMove", at("corner", 17, 18, 20, 21))
    expect(page.locator("#tip strong")).to_have_text("corner 17–21")
    touch("touchEnd")
    maria.has_chips(1)
    assert Bet.objects.get().spot == find_spot("corner", [17, 18, 20, 21]).index
    # Off the cloth nothing is placed.
    touch("touchStart", at("straight", 17))
    touch("touchMove", {"x": 180.0, "y": 630.0})
    touch("touchEnd")
    page.wait_for_timeout(300)
    maria.has_chips(1)
    # A plain tap is one chip, not two.
    page.locator(f".cloth.tall [data-spot='{find_spot('straight', [17]).index}']").tap()
    maria.has_chips(2)
    page.wait_for_timeout(300)
    assert Bet.objects.count() == 2


@pytest.mark.article("pt:24", "pt:25")
def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_key(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    keys: list[str] = []

    def lose_the_first(route: Route) -> None:
        body = route.request.post_data or ""
        keys.append(body.split("key=")[1].split("&")[0])
        if len(keys) == 1:
            # The site does it, and the answer never arrives.
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/bets/", lose_the_first)
    maria.click_spot("wide", "straight", 17)
    maria.has_chips(1)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert Slip.objects.count() == 1
    expect(page.locator("#balance")).to_have_text("99.00\u00a0€")


def test_web_018_an_older_answer_is_never_shown_after_a_newer_one(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    served: list[str] = []

    def late(route: Route) -> None:
        answer = route.fetch()
        served.append("state")
        page.wait_for_timeout(900)
        route.fulfill(response=answer)

    page.route("**/state/", late)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    maria.click_spot("wide", "straight", 17)
    expect(page.locator("#balance")).to_have_text("99.00\u00a0€", timeout=10_000)
    page.wait_for_timeout(1200)
    assert served
    expect(page.locator("#balance")).to_have_text("99.00\u00a0€")
    maria.has_chips(1)


@pytest.mark.article("pt:24")
def test_without_the_stream_the_page_asks_every_two_seconds(
    open_context, live_site: str, house: House, sweeping: None
) -> None:
    context = open_context(viewport=DESK)
    context.route("**/events?*", lambda route: route.abort())
    maria = Player(context, live_site, house)
    page = maria.sit_down()
    maria.click_spot("wide", "red")
    maria.has_chips(1)
    page.locator("#launch").click()
    expect(page.locator("#result-number")).to_be_attached(timeout=SPIN_MS)


def test_a_table_that_is_being_prepared_comes_alive_by_itself(maria: Player) -> None:
    page = maria.page
    page.goto(maria.table_address)
    page.get_by_role("button", name="Enter the table").click()
    expect(page.locator("#call")).to_contain_text("The table is being prepared")
    expect(page.locator("[data-live]")).to_be_attached()
    maria.click_spot("wide", "red")
    maria.has_chips(0)
    with worker_at_work():
        expect(page.locator("#call")).to_contain_text("Place your bets")
        maria.click_spot("wide", "red")
        maria.has_chips(1)
    assert maria.complaints == []


def test_a_page_left_open_after_the_session_has_ended_says_so(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    other = page.context.new_page()
    other.goto(maria.table_address)
    other.locator("#leave").click()
    expect(other.locator("#net")).to_be_visible()
    expect(page.get_by_role("button", name="Enter the table")).to_be_visible()


@pytest.mark.article("pt:28")
def test_leaving_leads_to_the_statement_though_the_news_of_it_comes_first(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()

    def answer_late(route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        page.wait_for_timeout(1500)
        route.fulfill(response=answer)

    page.route("**/leave/", answer_late)
    page.locator("#leave").click()
    expect(page.locator("#staked")).to_have_text("0.00\u00a0€", timeout=10_000)
    assert maria.complaints == []


@pytest.mark.article("pt:17")
def test_a_round_is_played_without_script(open_context, live_site: str, house: House, sweeping: None) -> None:
    maria = Player(open_context(java_script_enabled=False, viewport=PHONE), live_site, house)
    page = maria.page
    page.goto(maria.table_address)
    page.get_by_role("button", name="Enter the table").click()
    reload_until(page, "#spot-form", text="Place your bets")
    page.get_by_text("Bet by name").click()
    page.locator("#spot-form select[name=spot]").select_option(label="split 14–17")
    page.locator("#spot-form input[name=stake]").fill("2.00")
    page.get_by_role("button", name="Place the bet").click()
    expect(page.locator("#my-bets")).to_contain_text("split 14–17 2.00\u00a0€")
    page.get_by_text("Bet by name").click()
    page.locator("#series-form select[name=call]").select_option(label="tiers du cylindre")
    page.get_by_role("button", name="Place the series").click()
    expect(page.locator("#my-bets")).to_contain_text("split 5–8 0.50\u00a0€")
    page.locator("#undo").click()
    page.locator("#launch").click()
    reload_until(page, "#result-number")
    page.locator(".burger").click()
    page.locator("#leave").click()
    expect(page.locator("#staked")).to_have_text("2.00\u00a0€")
    # A stake that is refused comes back as a page that says why.
    page.goto(maria.table_address)
    page.get_by_role("button", name="Enter the table").click()
    reload_until(page, "#spot-form", text="Place your bets")
    page.get_by_text("Bet by name").click()
    page.locator("#spot-form input[name=stake]").fill("999")
    page.get_by_role("button", name="Place the bet").click()
    expect(page.get_by_role("alert")).to_contain_text("At most 15.00")
    assert fits(page)


def reload_until(page: Page, part: str, text: str = "") -> None:
    for _ in range(100):
        if page.locator(part).count() and (not text or page.get_by_text(text).count()):
            return
        page.wait_for_timeout(100)
        page.reload()
    pytest.fail(f"{part} {text} did not come")


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 800), (1024, 768), (844, 390), (768, 1024), (390, 844), (320, 568)],
    ids=["small-desk", "tablet", "phone-lying", "tablet-standing", "phone", "small-phone"],
)
def test_cloth_chips_and_acts_are_on_the_screen_together(
    open_context, live_site: str, house: House, sweeping: None, width: int, height: int
) -> None:
    maria = Player(open_context(viewport={"width": width, "height": height}), live_site, house)
    page = maria.sit_down()
    assert fits(page)
    cloth = next(name for name in ("wide", "tall") if page.locator(f".cloth.{name}").is_visible())
    selectors = [f".cloth.{cloth}", ".tray", "#launch", "#double", "#clock", "#balance"]
    # All at one moment: the page may be drawing a part of itself anew.
    boxes = page.evaluate(
        "names => names.map(name => { const {x, y, width, height} = document.querySelector(name)"
        ".getBoundingClientRect(); return {x, y, width, height}; })",
        selectors,
    )
    assert all(box["width"] > 0 and box["height"] > 0 for box in boxes)
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    launch, double, clock, balance = boxes[2:]
    if width > height:
        assert cloth == "wide"
    # In one row on a desk and on a tablet.
    if width > 700 and height > 500:
        assert launch["y"] == double["y"]
    assert clock["x"] + clock["width"] <= balance["x"] or clock["y"] >= balance["y"] + balance["height"]


def test_a_launch_by_keyboard_leaves_the_focus_on_the_cloth(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    maria.click_spot("wide", "red")
    maria.has_chips(1)
    page.locator("#launch").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_contain_text("look back", timeout=SPIN_MS)
    assert page.evaluate("document.activeElement.closest('.cloth') !== null")


def test_a_site_that_takes_its_time_is_said_to(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    held: list[Route] = []
    page.route("**/bets/", lambda route: held.append(route))
    maria.click_spot("wide", "red")
    expect(page.locator("#messages")).to_contain_text("takes its time", timeout=8_000)
    (route,) = held
    route.continue_()
    maria.has_chips(1)
    expect(page.locator("#messages")).to_be_empty()
    assert Slip.objects.count() == 1


def test_what_is_placed_elsewhere_is_seen_here_too(maria: Player, sweeping: None) -> None:
    page = maria.sit_down()
    seat = maria.house.table.seats.get()
    place_bets(seat=seat, items=[{"type": "red", "stake": "1.00"}], key="elsewhere-1", actor=f"player:{seat.player_id}")
    expect(page.locator("#my-bets")).to_contain_text("red 1.00", timeout=15_000)
    maria.has_chips(1)
