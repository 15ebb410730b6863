"""What the register of excluded people says holds: at once, until it says otherwise, and nothing begins without it."""

import datetime as dt
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, connections, transaction

from roulette_site.common.models import AuditEntry
from roulette_site.common.verification import Check
from sessions_app.models import GameSession
from sessions_app.services.game_sessions import NotAdmitted, start_game_session
from sessions_app.services.protection import end_sessions_of_the_barred
from tables.models import Seat
from tables.services.betting import SlipRefused
from tests.house import NOON, House, PlayerAtTable, bet, make_house
from wallets.apps import check_register
from wallets.models import (
    Account,
    DocumentType,
    Exclusion,
    ExclusionEnd,
    KycState,
    LimitKind,
    LimitPeriod,
    Player,
    RegisterCheck,
    RegisterOccasion,
    Unit,
)
from wallets.registers import Answer, Reply
from wallets.selectors.verification import CHECKS
from wallets.services.corrections import correct_transfer, open_receivable
from wallets.services.exclusion import NoEarlyEnd, exclude_player, exclude_self, lift_exclusion
from wallets.services.ledger import deposit, open_wallet, withdraw
from wallets.services.limits import set_own_limit
from wallets.services.people import add_player, record_document, register_player
from wallets.services.permission_to_pay import Excluded, check_deposit, check_withdrawal
from wallets.services.register_checks import RegisterUnknown, check_if_due, check_player, recheck_players
from wallets.services.standing import set_kyc_state

from .registers import BORN, ToldRegister, put_in_place, with_particulars

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def register(settings: Any) -> ToldRegister:
    return put_in_place(settings)


@pytest.fixture
def house() -> House:
    return make_house()


def new_player(house: House, name: str = "maria") -> Player:
    """A player with particulars and money whom nobody has verified yet."""
    player = add_player(email=f"{name}@test.example", full_name=name.title(), handle=name, at=NOON)
    deposit(wallet=open_wallet(player=player, unit=Unit.EUR), amount_cents=100_00, actor="system", at=NOON)
    return with_particulars(player, NOON)


def verified(house: House, name: str = "maria") -> Player:
    return set_kyc_state(
        player=new_player(house, name), state=KycState.VERIFIED, reason="seen", actor="staff:900001", at=NOON
    )


def ask(player: Player, at: dt.datetime) -> RegisterCheck:
    check = check_player(player=player, occasion=RegisterOccasion.LOGIN, at=at)
    assert check is not None
    return check


def gates(player: Player) -> tuple[bool, dt.datetime | None]:
    account = Account.objects.get(player=player, unit=Unit.EUR)
    return account.excluded_until is not None and account.excluded_until.year == 9999, account.unchecked_from


def differences(name: str) -> list[str]:
    (check,) = [one for one in CHECKS if one.name == name]
    assert isinstance(check, Check)
    return list(check.find())


@pytest.fixture(autouse=True)
def _proved() -> Iterator[None]:
    """Whatever a test did through services, the proofs hold after it."""
    yield
    for name in ("registers", "gates", "restricted", "standing"):
        assert differences(name) == [], name


def test_who_is_listed_at_registration_is_registered_and_excluded_at_once(register: ToldRegister, house: House) -> None:
    register.listed.add("maria lopes")
    player = register_player(
        email="m@test.example", password="a long enough passphrase", full_name="Maria Lopes", birth_date=BORN,
        country="PT", language="pt", time_zone="Europe/Lisbon", consents={"terms": "1", "privacy": "1"}, at=NOON,
    )  # fmt: skip
    (check,) = player.register_checks.all()
    assert (check.occasion, check.answer, check.by_document, check.by_name) == ("registration", "listed", False, True)
    (exclusion,) = player.exclusions.all()
    assert (exclusion.kind, exclusion.ends_at, exclusion.actor) == ("register", None, "register:told")
    assert gates(player)[0]
    # Also from play for points.
    assert Account.objects.get(player=player, unit=Unit.DEMO).excluded_until is not None
    with pytest.raises(Excluded):
        check_deposit(player=player, amount_cents=1, at=NOON)


def test_who_is_listed_is_verified_so_that_he_is_paid_out(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = verified(house)
    assert player.kyc_state == KycState.VERIFIED
    check_withdrawal(player=player, amount_cents=1_00, at=NOON)
    with pytest.raises(NotAdmitted) as refused:
        start_game_session(table=house.table, player=player, at=NOON + HOUR)
    assert refused.value.details["reasons"] == ["excluded"]


def test_nobody_is_verified_while_the_register_is_silent(register: ToldRegister, house: House) -> None:
    register.falls_silent()
    player = new_player(house)
    with pytest.raises(RegisterUnknown):
        set_kyc_state(player=player, state=KycState.VERIFIED, reason="seen", actor="staff:900001", at=NOON)
    player.refresh_from_db()
    assert player.kyc_state == KycState.UNVERIFIED
    # The question stands on record all the same.
    assert player.register_checks.get().answer == "unknown"
    register.instead = None
    set_kyc_state(player=player, state=KycState.VERIFIED, reason="seen", actor="staff:900001", at=NOON + HOUR)


def test_who_is_known_by_nothing_is_not_verified(register: ToldRegister, house: House) -> None:
    player = add_player(email="x@test.example", full_name="X", handle="x", at=NOON)
    with pytest.raises(RegisterUnknown):
        set_kyc_state(player=player, state=KycState.VERIFIED, reason="seen", actor="staff:900001", at=NOON)
    assert register.asked == []


def test_who_was_answered_about_lately_goes_on_while_the_register_is_silent(
    register: ToldRegister, house: House
) -> None:
    player = verified(house)
    register.falls_silent()
    house.now = NOON + 23 * HOUR
    start_game_session(table=house.table, player=player, at=house.now)
    assert gates(player) == (False, NOON + 24 * HOUR)
    assert [one.answer for one in player.register_checks.order_by("id")] == ["not_listed", "unknown"]


def test_when_the_answer_has_grown_too_old_nobody_sits_down_or_bets(register: ToldRegister, house: House) -> None:
    player = verified(house)
    game_session = start_game_session(table=house.table, player=player, at=NOON + HOUR)
    register.falls_silent()
    seated = _at_table(house, game_session)
    house.now = NOON + 24 * HOUR - dt.timedelta(seconds=2)
    seated.place(bet("red"))
    # Its 24 hours are over with this second.
    with pytest.raises(SlipRefused) as refused:
        seated.place(bet("red"))
    assert [one["reason"] for one in refused.value.breaches] == ["register_unknown"]
    with pytest.raises(NotAdmitted) as turned_away:
        start_game_session(table=make_house().table, player=player, at=house.now)
    assert turned_away.value.details["reasons"] == ["register_unknown"]
    # The register is back: the same bet asks it, and stands.
    register.instead = None
    seated.place(bet("red"))
    assert player.register_checks.latest("id").occasion == "bet"


def test_a_bet_asks_nothing_while_the_answer_is_good(register: ToldRegister, house: House) -> None:
    seated = _at_table(house, start_game_session(table=house.table, player=verified(house), at=NOON))
    before = len(register.asked)
    for _ in range(3):
        seated.place(bet("red"))
    assert len(register.asked) == before


def test_play_for_points_waits_for_no_register(register: ToldRegister) -> None:
    points = make_house(unit=Unit.DEMO)
    register.falls_silent()
    player = with_particulars(add_player(email="p@test.example", full_name="P", handle="p", at=NOON), NOON)
    check_player(player=player, occasion=RegisterOccasion.LOGIN, at=NOON)
    start_game_session(table=points.table, player=player, at=NOON + HOUR)


def test_open_sessions_of_the_listed_end(register: ToldRegister, house: House) -> None:
    player = verified(house)
    game_session = start_game_session(table=house.table, player=player, at=NOON)
    seated = _at_table(house, game_session)
    register.listed.add("maria")
    recheck_players(now=lambda: NOON + HOUR, everybody=True)
    house.now = NOON + HOUR
    with pytest.raises(SlipRefused) as refused:
        seated.place(bet("red"))
    assert refused.value.breaches[0]["reason"] == "excluded"
    assert end_sessions_of_the_barred(at=NOON + HOUR) == 1
    assert GameSession.objects.get().end_basis == "exclusion"


def test_the_register_alone_frees_and_it_stands_on_record(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = verified(house)
    exclusion = player.exclusions.get()
    with pytest.raises(NoEarlyEnd):
        lift_exclusion(
            exclusion_id=exclusion.pk, reason="x", actor="staff:900001", second_actor="staff:900002", at=NOON
        )
    register.falls_silent()
    ask(player, NOON + HOUR)
    assert gates(player)[0]
    register.instead = None
    register.listed.clear()
    ask(player, NOON + 2 * HOUR)
    end = ExclusionEnd.objects.get()
    assert (end.actor, end.second_actor, end.ends_at) == ("register:told", "", NOON + 2 * HOUR)
    assert not gates(player)[0]
    acts = AuditEntry.objects.filter(subject_kind="player", subject_id=str(player.pk), actor="register:told")
    assert list(acts.order_by("id").values_list("act", flat=True)) == ["player_excluded", "exclusion_lifted"]
    # Listed anew, he is excluded anew; what the house decided beside it stays.
    exclude_player(player=player, ends_at=None, reason="a report", actor="staff:900001", at=NOON + 2 * HOUR)
    register.listed.add("maria")
    ask(player, NOON + 3 * HOUR)
    register.listed.clear()
    ask(player, NOON + 4 * HOUR)
    assert gates(player)[0]
    assert Exclusion.objects.filter(kind="register", early_end__isnull=True).count() == 0


def test_a_register_with_lines_that_are_none_lists_but_frees_nobody(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = verified(house)
    register.listed.clear()
    register.is_whole = False
    ask(player, NOON + HOUR)
    assert gates(player) == (True, NOON + 25 * HOUR)
    register.is_whole = True
    ask(player, NOON + 2 * HOUR)
    assert not gates(player)[0]


def test_who_was_listed_by_his_document_is_not_freed_by_a_question_without_it(
    register: ToldRegister, house: House
) -> None:
    register.listed.add("maria")
    player = new_player(house)
    record_document(user=player.user, document_type=DocumentType.PASSPORT, number="AB 1", at=NOON)
    ask(player, NOON)
    register.listed.clear()
    player.user.person.__class__.objects.filter(user=player.user).update(
        document_type="", document_number_sealed="", document_hash=""
    )
    assert not ask(player, NOON + HOUR).by_document
    assert gates(player)[0]


def test_an_answer_that_was_overtaken_by_a_later_question_changes_nothing(register: ToldRegister, house: House) -> None:
    player = verified(house)
    register.listed.add("maria")
    ask(player, NOON + 2 * HOUR)
    register.listed.clear()
    # Asked before, answered after.
    ask(player, NOON + HOUR)
    assert gates(player)[0]


def test_two_questions_exclude_once(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = new_player(house)
    ask(player, NOON)
    ask(player, NOON)
    assert player.exclusions.count() == 1


@pytest.mark.parametrize(
    "answer",
    [
        lambda: (_ for _ in ()).throw(ConnectionError("maria is not to be found")),
        lambda: None,
        lambda: "listed",
        lambda: Reply("listed"),  # type: ignore[arg-type]
        lambda: Reply(Answer.NOT_LISTED, edition="x" * 65),
        lambda: Reply(Answer.NOT_LISTED, edition="\u202e"),
    ],
)
def test_whatever_is_no_answer_is_unknown(
    register: ToldRegister, house: House, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    register.instead = answer
    assert ask(new_player(house), NOON).answer == "unknown"
    assert "maria" not in caplog.text


def test_an_answer_that_comes_late_or_never_is_unknown_and_holds_nobody_up(
    register: ToldRegister, house: House, settings: Any
) -> None:
    settings.REGISTER_SECONDS = 0.1
    released = threading.Event()

    def late() -> Reply:
        released.wait(20)
        return Reply(Answer.NOT_LISTED)

    register.instead = late
    player = new_player(house)
    begun = time.monotonic()
    # More than may hang at once.
    for _ in range(18):
        assert ask(player, NOON).answer == "unknown"
    assert time.monotonic() - begun < 10
    released.set()
    register.instead = None
    deadline = time.monotonic() + 5
    while ask(player, NOON + HOUR).answer == "unknown" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert player.register_checks.latest("id").answer == "not_listed"


def test_login_asks_where_it_is_time_to(register: ToldRegister, house: House) -> None:
    player = verified(house)
    for at, asked in ((NOON + 11 * HOUR, 1), (NOON + 12 * HOUR, 2), (NOON + 13 * HOUR, 2)):
        check_if_due(player=player, occasion=RegisterOccasion.LOGIN, at=at)
        assert len(register.asked) == asked


def test_a_run_asks_about_whom_it_is_time_to_and_all_when_the_edition_is_new(
    register: ToldRegister, house: House
) -> None:
    for name in ("maria", "joao"):
        verified(house, name)
    nobody = add_player(email="x@test.example", full_name="X", handle="x", at=NOON)
    assert recheck_players(now=lambda: NOON + HOUR) == {"unknown": 1}
    # That nothing is known of somebody is noted once.
    assert recheck_players(now=lambda: NOON + HOUR) == {}
    assert recheck_players(now=lambda: NOON + 12 * HOUR) == {"not_listed": 2}
    register.edition, register.listed = "2", {"joao"}
    assert recheck_players(now=lambda: NOON + 13 * HOUR) == {"not_listed": 1, "listed": 1}
    batches = set(RegisterCheck.objects.filter(edition="2").values_list("batch", "occasion"))
    assert len(batches) == 1
    assert batches.pop()[1] == "recheck"
    assert nobody.register_checks.count() == 1


def test_a_run_gives_up_on_a_silent_register_and_leaves_no_heap_of_rows(register: ToldRegister, house: House) -> None:
    for n in range(8):
        verified(house, f"player{chr(97 + n)}")
    before = RegisterCheck.objects.count()
    register.falls_silent()
    assert recheck_players(now=lambda: NOON + 12 * HOUR) == {"given_up": 1}
    assert RegisterCheck.objects.count() == before
    # It says that it is ready, and then does not answer.
    register.state = lambda: type(register).state(ToldRegister())  # type: ignore[method-assign]
    assert recheck_players(now=lambda: NOON + 12 * HOUR) == {"unknown": 5, "given_up": 1}


def test_a_register_that_is_switched_off_lets_go_on_and_says_so(
    register: ToldRegister, house: House, settings: Any
) -> None:
    player = verified(house)
    assert gates(player)[1] is not None
    settings.EXCLUSION_REGISTER = "none"
    assert [one.id for one in check_register(None)] == ["wallets.W001"]
    assert recheck_players(now=lambda: NOON + HOUR) == {"off": 1}
    assert gates(player) == (False, None)
    assert recheck_players(now=lambda: NOON + HOUR) == {}
    # Excluded by it he stays: switching off frees nobody.
    settings.EXCLUSION_REGISTER = "told"
    register.listed.add("maria")
    ask(player, NOON + 2 * HOUR)
    settings.EXCLUSION_REGISTER = "none"
    recheck_players(now=lambda: NOON + 3 * HOUR)
    assert gates(player) == (True, None)


def test_check_tells_of_a_register_that_is_missing_or_unknown(settings: Any, tmp_path: Any) -> None:
    settings.EXCLUSION_REGISTER = "file"
    settings.EXCLUSION_REGISTER_FILE = tmp_path / "none.csv"
    assert [one.id for one in check_register(None)] == ["wallets.W002"]
    with pytest.raises(CommandError, match="there is no file"):
        call_command("recheck_players")
    (tmp_path / "none.csv").write_text("document_number\nAB1\n...\n")
    assert [one.id for one in check_register(None)] == ["wallets.W003"]
    settings.EXCLUSION_REGISTER = "nowhere"
    assert [one.id for one in check_register(None)] == ["wallets.E001"]


def test_the_command_names_broken_lines_and_counts(
    house: House, settings: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EXCLUSION_REGISTER = "file"
    settings.EXCLUSION_REGISTER_FILE = tmp_path / "list.csv"
    (tmp_path / "list.csv").write_text("full_name,birth_date\nMaria,1990-02-03\nJoao,\n")
    new_player(house)
    call_command("recheck_players")
    said = capsys.readouterr().out
    assert "line 3" in said
    assert "listed: 1" in said


def test_the_database_lets_nobody_make_or_end_a_registers_exclusion_without_its_answer(
    register: ToldRegister, house: House
) -> None:
    player = verified(house)
    made = {"player": player, "kind": "register", "term": "x", "reason": "x"}
    for actor, at in (("register:told", NOON), ("staff:900001", NOON)):
        with pytest.raises(IntegrityError, match="a register excludes whom it lists"), transaction.atomic():
            Exclusion.objects.create(**made, actor=actor, starts_at=at)
    register.listed.add("maria")
    ask(player, NOON + HOUR)
    exclusion = player.exclusions.get()
    ends = {"exclusion": exclusion, "asked_at": NOON + HOUR, "ends_at": NOON + HOUR, "reason": "x"}
    for actors in ({"actor": "staff:900001", "second_actor": "staff:900002"}, {"actor": "register:told"}):
        with pytest.raises(IntegrityError, match="nobody ends an exclusion sooner"), transaction.atomic():
            ExclusionEnd.objects.create(**ends, **actors)


def test_an_erased_person_is_asked_about_by_nothing_and_stays_excluded(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = new_player(house)
    ask(player, NOON)
    person = player.user.person
    type(person).objects.filter(pk=person.pk).update(
        birth_date=None, country="", language="", time_zone="", email_hash="", name_hash="", erased_at=NOON
    )
    asked = len(register.asked)
    assert ask(player, NOON + HOUR).answer == "unknown"
    assert len(register.asked) == asked
    assert gates(player)[0]
    # What is kept of the questions says nothing of him.
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wallets_registercheck")
        assert "maria" not in repr(cursor.fetchall()).lower()


def test_a_definite_answer_by_nothing_is_no_row(house: House) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        RegisterCheck.objects.create(
            player=new_player(house), asked_at=NOON, occasion="login", register="x", answer="not_listed",
            good_until=NOON + HOUR,
        )  # fmt: skip


def _at_table(house: House, game_session: GameSession) -> Any:
    Seat.objects.filter(pk=game_session.seat_id).update(reality_check_at=None)
    seated = PlayerAtTable(house=house, game_session=GameSession.objects.get(pk=game_session.pk))
    seated.open_round()
    return seated


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_two_answers_at_the_same_moment_exclude_once(register: ToldRegister, house: House) -> None:
    register.listed.add("maria")
    player = new_player(house)
    together = threading.Barrier(4)

    def work() -> None:
        together.wait()
        ask(player, NOON)
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert player.exclusions.count() == 1


def test_what_a_player_owes_is_held_against_no_bet_of_his(register: ToldRegister, house: House) -> None:
    """Neither where the account of it is opened after the answer, a limit and an exclusion, nor before another."""
    player = verified(house)
    ask(player, NOON)
    set_own_limit(player=player, kind=LimitKind.LOSS, period=LimitPeriod.DAY, value=50_00, at=NOON)
    exclude_self(player=player, term="1 year", at=NOON)
    wallet = open_wallet(player=player, unit=Unit.EUR)
    paid_in = deposit(wallet=wallet, amount_cents=5_00, actor="system", at=NOON)
    withdraw(wallet=wallet, amount_cents=105_00, actor="system", at=NOON)
    correct_transfer(first=paid_in, amount_cents=5_00, actor="staff:900001", at=NOON)
    assert differences("gates") == []
    set_own_limit(player=player, kind=LimitKind.STAKE, period=LimitPeriod.ROUND, value=1_00, at=NOON)
    ask(player, NOON + HOUR)
    owed = open_receivable(player=player, unit=Unit.EUR)
    assert (owed.barred, owed.excluded_until, owed.unchecked_from, owed.stake_limit_cents) == ("", None, None, None)
    Account.objects.filter(pk=owed.pk).update(barred="suspended")
    assert len(differences("gates")) == 1
    Account.objects.filter(pk=owed.pk).update(barred="")
