"""The sealed books: what is sealed when, by whom, and what an honest change does to it.

What is found of a dishonest one, tests/sessions_app/test_every_column.py and test_tampering.py show.
"""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from roulette_site.common import book_seals, chain
from roulette_site.common.audit import audited, record
from roulette_site.common.book_checks import CHECKS, find_waiting
from roulette_site.common.book_seals import BATCH, kinds, seal_books
from roulette_site.common.chain import GENESIS, stable_json
from roulette_site.common.models import BookSeal, Operator
from roulette_site.common.tasks import seal_audit, seal_whole_audit
from sessions_app.models import EndBasis
from sessions_app.services.game_sessions import end_game_session
from tables.models import GameRound, Seat
from tables.services.advance import sweep
from tests.house import DRAW_KEY, NOON, bet, make_evening, make_house
from wallets.models import Player

pytestmark = pytest.mark.django_db(transaction=True)


def differing() -> list[str]:
    return [sentence for check in CHECKS for sentence in check.find()]


def sealed(kind: str) -> set[int]:
    return set(BookSeal.objects.filter(kind=kind).values_list("subject_id", flat=True))


def test_a_round_is_sealed_when_it_is_over_and_a_seat_when_it_is_left() -> None:
    house = make_house()
    maria = house.seated()
    seal_books()
    assert (sealed("round"), sealed("seat")) == (set(), set())
    played = maria.play(bet("red"))
    seal_books()
    assert (sealed("round"), sealed("seat")) == ({played.pk}, set())
    open_one = maria.game_round
    end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=house.forward())
    seal_books()
    # Of the round that ended without a bet the seed is not shown yet.
    assert (sealed("round"), sealed("seat")) == ({played.pk}, {maria.seat.pk})
    sweep(key=DRAW_KEY, now=house.forward)
    seal_books()
    assert sealed("round") == {played.pk, open_one.pk}
    assert differing() == []


def test_the_chain_has_no_gap_and_nothing_is_sealed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_seals, "BATCH", 3)
    make_evening()
    before = BookSeal.objects.count()
    assert before > BATCH
    assert seal_books(everything=True) == 0
    seals = list(BookSeal.objects.order_by("sequence"))
    assert [one.sequence for one in seals] == list(range(1, before + 1))
    assert [one.previous_hash for one in seals] == [GENESIS, *[one.hash for one in seals[:-1]]]
    assert differing() == []


def test_a_row_that_an_act_changes_again_and_again_stands_as_it_was_last() -> None:
    make_house()
    for number in range(3):
        with audited():
            Operator.objects.update(licence=f"L{number}")
            record(act="operator_changed", actor="system", subject=("operator", 1), at=NOON)
        if number != 1:
            seal_books()
        assert differing() == []


def test_what_was_left_behind_is_sealed_by_the_pass_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_seals, "LOOK_BACK", 1)
    make_house().player()
    seal_audit()
    assert any(kind.waiting(everything=True).exists() for kind in kinds())
    seal_whole_audit()
    assert not any(kind.waiting(everything=True).exists() for kind in kinds())
    assert differing() == []


def test_what_waits_for_its_seal_is_an_alarm_after_ten_seconds(settings: Any) -> None:
    settings.AUDIT_ALARM_SECONDS = 10
    seal_audit()
    with audited():
        make_house()
        record(act="operator_changed", actor="system", subject=("operator", 1), at=NOON)
    now, second = timezone.now(), dt.timedelta(seconds=1)
    assert list(find_waiting(at=now + 5 * second, everything=True)) == []
    for everything in (True, False):
        (late,) = find_waiting(at=now + 15 * second, everything=everything)
        assert late.startswith("row change without a seal after 10 seconds: ")
    settings.AUDIT_ALARM_SECONDS = -3600
    assert any("the sealer does not run" in one for one in Client().get("/readyz").json()["degraded"])
    seal_whole_audit()
    assert Client().get("/readyz").json()["degraded"] == []


def seal_at_once(sealers: int) -> list[object]:
    def run(_: int) -> object:
        try:
            return seal_books(everything=True)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(sealers) as pool:
        return list(pool.map(run, range(sealers)))


@pytest.mark.parametrize("locked", [True, False])
def test_sealers_at_once_do_not_fork_the_chain(monkeypatch: pytest.MonkeyPatch, locked: bool) -> None:
    """Also without the lock: the second then breaks a unique key and gives way."""
    if not locked:
        monkeypatch.setattr(book_seals, "is_alone", lambda: True)
    monkeypatch.setattr(book_seals, "BATCH", 5)
    house = make_house()
    for _ in range(3):
        house.player(), house.player()
        results = seal_at_once(4)
        assert all(isinstance(one, int) for one in results), results
        seal_books(everything=True)
        assert differing() == []


@pytest.mark.postgresql
def test_a_second_sealer_leaves_the_work_to_the_first() -> None:
    make_house()
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [chain._LOCK])
        assert seal_books(everything=True) == 0
        other.rollback()
        assert seal_books(everything=True) > 0
    finally:
        other.close()
    assert differing() == []


def test_what_a_database_might_give_back_otherwise_is_not_hashed() -> None:
    with pytest.raises(TypeError, match="No chain is made over a set"):
        stable_json({"a": {1}})


def test_a_column_that_a_table_is_given_later_changes_no_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of before say nothing in it: NULL, nought, false or no text."""
    later = {(GameRound, "client_seed"), (Seat, "play_until"), (Player, "is_test")}
    columns = book_seals._columns
    with monkeypatch.context() as before:
        before.setattr(
            book_seals,
            "_columns",
            lambda model: tuple(name for name in columns(model) if (model, name) not in later),
        )
        book_seals.sealed_columns.cache_clear()
        house = make_house()
        maria = house.seated()
        maria.play(bet("red"))
        end_game_session(game_session=maria.game_session, basis=EndBasis.PLAYER, at=house.forward())
        sweep(key=DRAW_KEY, now=house.forward)
        seal_books(everything=True)
        assert differing() == []
    book_seals.sealed_columns.cache_clear()
    assert differing() == []


def test_in_what_says_nothing_any_other_value_shows() -> None:
    nothing = book_seals._nothing_of(GameRound)
    assert (nothing["winning_number"], nothing["client_seed"], nothing["closed_at"]) == (None, "", None)
    # The number nought and no number: the two are never taken for each other.
    for column, values in {"winning_number": (None, 0, 1), "client_seed": ("", "0", " ")}.items():
        told = [book_seals.told_of(GameRound, {column: value}) for value in values]
        assert told == [{}, *({column: value} for value in values[1:])]
    assert book_seals.told_of(Player, {"is_test": False}) == {}
    assert book_seals.told_of(Player, {"is_test": True}) == {"is_test": True}
