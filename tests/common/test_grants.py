"""The site's role on PostgreSQL: everything that the site does works as it, and no guard can be taken away by it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.db import ProgrammingError, connection
from psycopg.errors import InsufficientPrivilege

from roulette_site.common import grants, guards
from sessions_app.models import EndBasis, GameSession
from sessions_app.services.game_sessions import end_game_session, enter_table
from tables.models import Slip
from tables.services.advance import open_individual_round
from tables.services.publishing import publish_rules
from tables.services.taking_back import take_back
from tests.house import DRAW_KEY, NOON, bet, make_evening, make_house, prove_books
from wallets.models import AccountSnapshot
from wallets.services.ledger import withdraw

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
ROLE = "test_site_role"


@pytest.fixture
def as_site(settings: Any) -> Iterator[None]:
    """The test's connection with the rights of the site's role."""
    settings.SITE_DATABASE_ROLE = ROLE
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {ROLE}")
    grants.grant(connection)
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {ROLE}")
        yield
        cursor.execute("RESET ROLE")
        cursor.execute(f"DROP OWNED BY {ROLE}")
        cursor.execute(f"DROP ROLE {ROLE}")


def refused(sql: str) -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
    except ProgrammingError as error:
        return isinstance(error.__cause__, InsufficientPrivilege)
    return False


def test_the_cash_desk_works_as_the_sites_role(as_site: None) -> None:
    make_evening()
    assert AccountSnapshot.objects.exists()


def test_an_evening_is_played_as_the_sites_role(as_site: None) -> None:
    house = make_house()
    publish_rules(rules_id=house.table.rules.pk, at=NOON)
    player = house.player()
    session = enter_table(table=house.table, player=player, at=house.forward())
    assert open_individual_round(seat_id=session.seat_id, key=DRAW_KEY, at=house.forward())
    maria = house.seated()
    maria.place({"call": "voisins", "unit": "0.50"})
    take_back(seat=maria.seat, slip_id=Slip.objects.latest("pk").pk, at=house.forward())
    maria.play(bet("red"), bet("black"))
    end_game_session(game_session=GameSession.objects.get(pk=session.pk), basis=EndBasis.PLAYER, at=house.forward())
    withdraw(wallet=maria.wallet, amount_cents=100, actor="system", at=house.forward())
    prove_books()
    assert guards.find_missing(connection) == []


@pytest.mark.parametrize("guard", guards.GUARDS, ids=lambda guard: guard.table)
def test_no_guard_can_be_taken_away(as_site: None, guard: guards.Guard) -> None:
    table = guard.table
    assert refused(f"DELETE FROM {table}")
    assert refused(f"TRUNCATE {table} CASCADE")
    assert refused(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    assert refused(f"DROP TRIGGER {table}_no_delete ON {table}")
    assert refused(f"DROP TABLE {table} CASCADE")
    assert refused(
        f"CREATE OR REPLACE TRIGGER {table}_no_delete BEFORE DELETE ON {table} EXECUTE FUNCTION {table}_refuse()"
    )
    assert refused(f"DROP FUNCTION {table}_refuse CASCADE")
    assert refused(f"UPDATE {table} SET {guard.key} = {guard.key}") is guard.append_only
    assert refused("SET session_replication_role = replica")
    assert refused("CREATE TABLE of_my_own (id int)")


def test_the_record_of_migrations_is_only_read(as_site: None) -> None:
    assert refused("DELETE FROM django_migrations")
    assert refused("INSERT INTO django_migrations (app, name, applied) VALUES ('a', 'b', now())")
    assert not refused("SELECT 1 FROM django_migrations")


def test_a_site_for_others_that_owns_its_tables_is_told_so(settings: Any) -> None:
    def said() -> list[str]:
        return [str(one.id) for one in run_checks(tags=[Tags.database], databases=["default"])]

    assert said() == []
    settings.LOCAL = False
    assert said() == ["common.W002"]
    settings.SITE_DATABASE_ROLE = ROLE
    assert said() == []


def test_the_role_that_owns_nothing_is_told_nothing(as_site: None, settings: Any) -> None:
    settings.LOCAL, settings.SITE_DATABASE_ROLE = False, ""
    assert run_checks(tags=[Tags.database], databases=["default"]) == []
