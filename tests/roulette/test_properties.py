"""What holds for every slip: money is conserved, red and black are alike, returns are exactly as computed."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.roulette.bets import Bet
from tables.roulette.call_bets import CALL_BETS, FINAL, NEIGHBOURS, SERIES, CallBet
from tables.roulette.cloth import SPOTS, Spot, SpotType, find_spot
from tables.roulette.exposure import expected_return, house_result_by_number, returned_by_number
from tables.roulette.limits import Options, find_breaches
from tables.roulette.play import play
from tables.roulette.rulebook import Rulebook
from tables.roulette.rulebooks import all_rulebooks, find_rulebook
from tables.roulette.settlement import returned_cents, spot_results
from tables.roulette.wheel import BLACK, RED, WHEEL, sector
from tests.roulette import second_derivation as law

rulebooks = st.sampled_from(all_rulebooks())
stakes = st.integers(1, 10**9)
bets = st.builds(Bet, st.sampled_from(SPOTS), stakes)
slips = st.lists(bets, min_size=1, max_size=30).map(tuple)
numbers = st.sampled_from(WHEEL)
RED_SPOT = next(spot for spot in SPOTS if spot.type is SpotType.RED)
BLACK_SPOT = next(spot for spot in SPOTS if spot.type is SpotType.BLACK)


@given(rulebooks, slips, numbers)
def test_each_stake_is_returned_lost_or_waits_and_nothing_else(
    rulebook: Rulebook, slip: tuple[Bet, ...], number: int
) -> None:
    (step,) = play(rulebook, slip, [number])
    assert len(step.results) == len(slip)
    for bet, result in zip(slip, step.results, strict=True):
        match result.result:
            case "won":
                assert result.returned_cents == bet.stake_cents + result.prize_cents
                assert result.prize_cents > 0
            case "half":
                assert result.returned_cents == ceil(bet.stake_cents / Fraction(2))
            case _:
                assert result.returned_cents == result.prize_cents == 0


@given(rulebooks, slips, numbers)
def test_every_cent_goes_back_or_to_the_house_as_the_law_says(
    rulebook: Rulebook, slip: tuple[Bet, ...], number: int
) -> None:
    stakes_back = prizes = halves = kept = 0
    for bet in slip:
        covered = frozenset(bet.spot.numbers)
        kind, _ = law.outcome(rulebook.code, covered, number, bet.stake_cents)
        match kind:
            case "won":
                stakes_back += bet.stake_cents
                prizes += law.prize(len(covered), bet.stake_cents)
            case "half" | "zero_choice":
                # The player may ask for half at once, and an odd cent is his.
                halves += ceil(Fraction(bet.stake_cents, 2))
                kept += bet.stake_cents // 2
            case "lost":
                kept += bet.stake_cents
    assert stakes_back + halves + kept == sum(bet.stake_cents for bet in slip)
    (step,) = play(rulebook, slip, [number])
    assert sum(result.prize_cents for result in step.results) == prizes
    can_be_had = [result.may_withdraw_cents or result.returned_cents for result in step.results]
    assert sum(can_be_had) == stakes_back + halves + prizes
    assert returned_by_number(rulebook, slip)[number] == stakes_back + halves + prizes
    assert house_result_by_number(rulebook, slip)[number] == kept - prizes


@given(rulebooks, slips)
def test_the_exposure_on_each_number_is_what_playing_it_pays(rulebook: Rulebook, slip: tuple[Bet, ...]) -> None:
    taken_back = [dict.fromkeys(range(len(slip)), "withdraw")]
    paid = [play(rulebook, slip, [number], taken_back)[0].returned_cents for number in range(37)]
    assert list(returned_by_number(rulebook, slip)) == paid
    staked = sum(bet.stake_cents for bet in slip)
    assert list(house_result_by_number(rulebook, slip)) == [staked - cents for cents in paid]


@given(rulebooks, stakes)
def test_red_and_black_are_alike(rulebook: Rulebook, stake: int) -> None:
    def returns(spot: Spot) -> list[int]:
        return sorted(returned_cents(spot_results(rulebook, n)[spot.index], stake) for n in WHEEL)

    assert returns(RED_SPOT) == returns(BLACK_SPOT)
    assert len(RED) == len(BLACK) == 18


@pytest.mark.parametrize("rulebook", all_rulebooks(), ids=lambda rulebook: rulebook.code)
def test_every_spot_is_expected_to_return_exactly_36_of_37(rulebook: Rulebook) -> None:
    for spot in SPOTS:
        # Half back at zero, at once or as the player's choice, gives an even chance half a unit more.
        half_back = spot.is_even_money and rulebook.code in ("fr-anglaise", "fr-francaise")
        assert expected_return(rulebook, spot) == (Fraction(73, 74) if half_back else Fraction(36, 37))


@pytest.mark.parametrize("wager", ["red", "even", "low"])
def test_who_always_leaves_his_stake_in_prison_gets_72_of_73_back(wager: str) -> None:
    # The stake is halved without a remainder at each of these zeros; what lies deeper is under a cent in 37^20.
    depth, stake = 20, 2**20
    bet = Bet(find_spot(wager, []), stake)
    rulebook = find_rulebook("fr-francaise")
    total = Fraction(sum(play(rulebook, [bet], [n])[0].returned_cents for n in range(1, 37)), 37)
    for zeros in range(1, depth + 1):
        numbers, choices = [0] * zeros, [{0: "prison"}] * zeros
        freed = [play(rulebook, [bet], [*numbers, n], choices)[-1].returned_cents for n in range(1, 37)]
        total += Fraction(sum(freed), 37 ** (zeros + 1))
    assert abs(total / stake - Fraction(72, 73)) < Fraction(1, 37**depth)


@pytest.mark.article("fr-francaise:38", "fr-francaise:39", "fr-francaise:40", "fr-francaise:41")
@given(st.sampled_from([spot for spot in SPOTS if spot.is_even_money]), stakes, st.integers(1, 40), numbers)
def test_prison_of_any_depth(spot: Spot, stake: int, zeros: int, last: int) -> None:
    rulebook = find_rulebook("fr-francaise")
    choices = [{0: "prison"}] * zeros
    *first, final = play(rulebook, [Bet(spot, stake)], [0] * zeros + [last], choices)
    for depth, step in enumerate(first, 1):
        (result,) = step.results
        assert (result.result, result.returned_cents) == ("prison", 0)
        assert result.may_withdraw_cents == ceil(Fraction(stake, 2**depth))
    (result,) = final.results
    if last == 0:
        assert (result.result, result.may_withdraw_cents) == ("waiting", ceil(Fraction(stake, 2 ** (zeros + 1))))
    elif last in spot.pockets:
        assert (result.result, result.returned_cents) == ("freed", ceil(Fraction(stake, 2 ** (zeros - 1))))
        assert result.prize_cents == 0
    else:
        assert (result.result, result.returned_cents) == ("lost", 0)


@pytest.mark.article("fr-francaise:42")
@given(st.sampled_from([spot for spot in SPOTS if spot.is_even_money]), stakes, st.integers(1, 40))
def test_the_last_round_of_a_sitting_refunds_what_a_stake_is_worth(spot: Spot, stake: int, zeros: int) -> None:
    rulebook = find_rulebook("fr-francaise")
    steps = play(rulebook, [Bet(spot, stake)], [0] * zeros, [{0: "prison"}] * zeros, last_round=True)
    (result,) = steps[-1].results
    assert (result.result, result.returned_cents) == ("refunded", ceil(Fraction(stake, 2**zeros)))


@given(rulebooks, slips, slips, st.integers(1, 10_000), st.integers(1, 1000))
def test_no_allowed_slip_puts_more_on_a_spot_than_its_maximum(
    rulebook: Rulebook, placed: tuple[Bet, ...], slip: tuple[Bet, ...], minimum: int, step: int
) -> None:
    options = Options(stake_step_cents=step, total_limit_cents=10**9)
    reasons = {(breach.bet, breach.reason) for breach in find_breaches(rulebook, options, minimum, slip, placed)}
    everything = (*placed, *slip)
    for index, bet in enumerate(slip):
        on_spot = sum(other.stake_cents for other in everything if other.spot is bet.spot)
        assert ((index, "above_maximum") in reasons) == (on_spot > rulebook.maximum_cents(bet.spot, minimum))
        assert ((index, "below_minimum") in reasons) == (bet.stake_cents < minimum)
        assert ((index, "off_step") in reasons) == (bet.stake_cents % step != 0)
    total = sum(bet.stake_cents for bet in everything)
    assert ((None, "above_total_limit") in reasons) == (total > 10**9)


@pytest.mark.article("pt:8a", "pt:8b", "pt:8c")
def test_series_cover_the_sectors_that_the_law_names() -> None:
    def covered(name: str) -> set[int]:
        return {number for bet in CallBet(name, 1).parts for number in bet.spot.numbers}

    assert sector(22, 25) == (22, 18, 29, 7, 28, 12, 35, 3, 26, 0, 32, 15, 19, 4, 21, 2, 25)
    assert sector(27, 33) == (27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33)
    assert covered("voisins") == set(sector(22, 25))
    assert covered("tiers") == set(sector(27, 33))
    orphans = {17, 34, 6, 1, 20, 14, 31, 9}
    assert covered("orphelins") == covered("orphelins_en_plein") == orphans


@pytest.mark.article("pt:15")
@given(st.sampled_from([*SERIES]), st.integers(1, 10**6), numbers)
def test_of_a_call_bet_only_the_parts_with_the_number_win(name: str, unit: int, number: int) -> None:
    parts = CallBet(name, unit).parts
    (step,) = play(find_rulebook("pt-online"), parts, [number])
    for bet, result in zip(parts, step.results, strict=True):
        assert (result.result == "won") == (number in bet.spot.pockets)
    assert set(CALL_BETS) == {*SERIES, NEIGHBOURS, FINAL}
