"""What the database notes by itself of people, rights, rules and tables, however they are changed."""

import datetime as dt
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from roulette_site.common import guards
from roulette_site.common.audit import audited, record
from roulette_site.common.guards.watches import WATCHES
from roulette_site.common.models import AuditEntry, Operator, RowChange
from roulette_site.common.roles import ROLES, lay_roles
from tables.models import SpecificRules, Table
from tables.services.settlement import settle_round
from tests.house import NOON, House, bet, make_evening, make_house
from tests.web.pages import staff_client
from wallets.models import Account, ApiKey, Player, Scope, User
from wallets.services.api_keys import make_api_key, revoke_api_key
from wallets.services.people import add_player, add_staff

from .test_watched_acts import CONSISTENT

pytestmark = pytest.mark.django_db(transaction=True)

SQLITE_SHELL = shutil.which("sqlite3")


@pytest.fixture
def house() -> House:
    """A house with a row in every watched table, all made by acts."""
    house = make_house()
    house.player(handle="maria")
    staff = add_staff(email="filipa@test.example", full_name="Filipa", roles=["Finance"], at=NOON)
    with audited():
        staff.user_permissions.add(Permission.objects.order_by("pk")[0])
        record(act="permission_given", actor="system", subject=("user", staff.pk), at=NOON)
    make_api_key(name="bots", scopes=[Scope.PLAY], actor="system", at=NOON)
    return house


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def differences() -> list[str]:
    """What `verify` says of changes without an entry."""
    out = StringIO()
    try:
        call_command("verify", "row_changes", "--most=1000", stdout=out)
    except CommandError:
        return [line.strip() for line in out.getvalue().splitlines() if line.startswith("        ")]
    return []


def latest() -> dict[str, Any]:
    change = RowChange.objects.latest("pk")
    return {"table": change.table_name, "key": change.row_key, "operation": change.operation, "columns": change.columns}


def yes(value: Any) -> Any:
    """A truth value as the database writes it down."""
    return int(value) if connection.vendor == "sqlite" else value


def test_what_acts_do_has_its_entries(house: House) -> None:
    assert {one.table_name for one in RowChange.objects.all()} >= {
        "wallets_player", "wallets_user", "wallets_user_groups", "wallets_user_user_permissions", "wallets_apikey",
        "tables_specificrules", "tables_table", "auth_group_permissions",
    }  # fmt: skip
    assert differences() == []


RAW = {
    "wallets_user": "UPDATE wallets_user SET is_superuser = true WHERE email = 'maria@test.example'",
    "wallets_user_groups": "DELETE FROM wallets_user_groups",
    "wallets_user_user_permissions": "DELETE FROM wallets_user_user_permissions",
    "auth_group": "UPDATE auth_group SET name = 'Bosses' WHERE name = 'Finance'",
    "auth_group_permissions": "DELETE FROM auth_group_permissions WHERE id = (SELECT min(id) FROM auth_group_permissions)",
    "auth_permission": "UPDATE auth_permission SET codename = 'x_' || codename WHERE codename = 'decide_cashrequest'",
    "django_content_type": "UPDATE django_content_type SET model = 'x_' || model WHERE model = 'cashrequest'",
    "wallets_player": "UPDATE wallets_player SET standing = 'suspended' WHERE handle = 'maria'",
    "wallets_payoutaddress": (
        "INSERT INTO wallets_payoutaddress (player_id, iban_sealed, iban_hash, masked, set_at)"
        " SELECT player_id, iban_sealed, 'x', 'y', set_at FROM wallets_payoutaddress"
    ),
    "wallets_apikey": 'UPDATE wallets_apikey SET scopes = \'["play", "read"]\'',
    "common_operator": "UPDATE common_operator SET licence = 'another'",
    "tables_specificrules": "UPDATE tables_specificrules SET status = 'retired'",
    "tables_table": "UPDATE tables_table SET minimum_cents = 1",
}


def test_every_watched_table_is_tried_here() -> None:
    assert set(RAW) | set(CONSISTENT) == {watch.table for watch in WATCHES}


@pytest.mark.parametrize("table", RAW)
def test_a_raw_change_is_noted_and_reported(house: House, table: str) -> None:
    _raw_change_is_reported(table, lambda: run(RAW[table]))


@pytest.mark.parametrize("table", RAW)
def test_a_change_by_another_program_is_noted_and_reported(house: House, table: str) -> None:
    """Which has none of our code, and must not fail for it."""
    _raw_change_is_reported(table, lambda: _by_another_program(RAW[table]))


def _by_another_program(sql: str) -> None:
    if connection.vendor == "sqlite":
        if SQLITE_SHELL:
            done = subprocess.run(
                [SQLITE_SHELL, str(connection.settings_dict["NAME"]), sql], capture_output=True, text=True
            )
            assert (done.returncode, done.stderr) == (0, "")
            return
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as plain, plain:
            plain.execute(sql)
        return
    parameters = connection.get_connection_params()
    wanted = {key: parameters[key] for key in ("host", "port", "user", "password", "dbname") if parameters.get(key)}
    with psycopg.connect(**wanted) as plain:
        plain.execute(sql)


def _raw_change_is_reported(table: str, change: Callable[[], object]) -> None:
    before = RowChange.objects.count()
    change()
    noted = RowChange.objects.order_by("pk")[before:]
    assert {one.table_name for one in noted} == {table}
    assert {one.act_key for one in noted} == {""}
    said = differences()
    assert len(said) == len(noted)
    assert all(f"{noted[0].operation} of {table} " in sentence for sentence in said)


def test_a_note_says_old_and_new_of_what_changed_alone(house: House) -> None:
    user = User.objects.get(email="maria@test.example")
    User.objects.filter(pk=user.pk).update(is_staff=True, full_name="Another", is_active=True)
    assert latest() == {
        "table": "wallets_user", "key": str(user.pk), "operation": "update",
        "columns": {"is_staff": [yes(False), yes(True)], "full_name": []},
    }  # fmt: skip
    Table.objects.update(name='It\'s "new"', minimum_cents=60)
    assert latest()["columns"] == {"name": [house.table.name, 'It\'s "new"'], "minimum_cents": [50, 60]}
    Operator.objects.all().delete()
    assert latest()["operation"] == "delete"
    assert latest()["columns"]["licence"] == ["TEST", None]


def test_no_personal_data_is_in_any_note(house: House) -> None:
    user = User.objects.get(email="maria@test.example")
    run(f"UPDATE wallets_user SET is_staff = true, email = 'new@test.example', full_name = 'New' WHERE id = {user.pk}")
    run("UPDATE wallets_user SET is_active = false")
    run("DELETE FROM wallets_user_groups")
    # Where the house itself is written to, everybody may know.
    of_people = RowChange.objects.exclude(table_name="common_operator")
    noted = json.dumps(list(of_people.values("columns", "row_key")))
    for said in ("@", "New", "Filipa", "filipa", "maria@"):
        assert said not in noted
    entries = json.dumps(list(AuditEntry.objects.values("actor", "before", "after", "reason", "subject_id")))
    for said in ("@", "Filipa", "maria"):
        assert said not in entries


def test_changes_in_bulk_are_noted_row_by_row(house: House) -> None:
    house.player(), house.player()
    before = RowChange.objects.count()
    users = list(User.objects.filter(is_staff=False))
    for user in users:
        user.is_active = False
    User.objects.bulk_update(users, ["is_active"])
    assert RowChange.objects.count() == before + len(users)
    assert len(differences()) == len(users)
    group = Group.objects.get(name="Support")
    User.groups.through.objects.bulk_create(User.groups.through(user=user, group=group) for user in users)
    assert len(differences()) == 2 * len(users)


def test_what_does_not_change_is_not_noted(house: House) -> None:
    before = RowChange.objects.count()
    user = User.objects.get(email="maria@test.example")
    user.last_login = timezone.now()
    user.save()
    run("UPDATE wallets_user SET is_active = is_active")
    Table.objects.update(last_event_sequence=10_000)
    SpecificRules.objects.create(
        rulebook_code="pt-online", rulebook_edition=house.table.rules.rulebook_edition, version=99, created_at=NOON
    )
    assert RowChange.objects.count() == before


def test_whoever_comes_in_is_noted_though_he_has_no_right(house: House) -> None:
    User.objects.create_user("plain@test.example")
    assert (latest()["table"], latest()["operation"]) == ("wallets_user", "insert")
    assert latest()["columns"]["email"] == []
    assert len(differences()) == 1


def test_rules_that_come_in_as_more_than_a_draft_are_noted(house: House) -> None:
    SpecificRules.objects.create(
        rulebook_code="pt-online", rulebook_edition=house.table.rules.rulebook_edition, version=99, created_at=NOON,
        status="approved", approved_at=NOON, in_force_from=NOON, approval_reference="forged",
    )  # fmt: skip
    assert latest()["columns"]["approval_reference"] == [None, "forged"]
    assert len(differences()) == 1


def test_placing_and_settling_write_no_note_and_no_entry() -> None:
    house = make_house()
    maria = house.seated()
    before = RowChange.objects.count(), AuditEntry.objects.count()
    maria.place({"call": "tiers", "unit": "0.50"})
    settled = maria.play(bet("red"), bet("straight", 0))
    settle_round(game_round_id=settled.pk, at=house.forward())
    assert settled.state == "settled"
    assert Account.objects.filter(kind="wallet").exists()
    assert (RowChange.objects.count(), AuditEntry.objects.count()) == before


def test_a_change_in_a_block_in_which_nothing_is_recorded_is_reported(house: House) -> None:
    with audited():
        Table.objects.update(state="suspended")
    assert RowChange.objects.latest("pk").act_key
    assert len(differences()) == 1


@pytest.mark.parametrize(("later", "is_reported"), [(dt.timedelta(minutes=1), False), (dt.timedelta(hours=1), True)])
def test_the_key_of_an_act_of_long_ago_is_no_entry(house: House, later: dt.timedelta, is_reported: bool) -> None:
    with audited():
        Table.objects.update(state="suspended")
        entry = record(act="table_suspended", actor="staff:1", subject=("table", house.table.pk), at=NOON)
    about = {"table_name": "tables_table", "row_key": "1", "operation": "update", "columns": {"name": ["a", "b"]}}
    RowChange.objects.create(**about, at=entry.recorded_at + later, act_key=entry.act_key)
    assert len(differences()) == is_reported


def test_a_change_after_the_block_in_the_same_transaction_is_reported(house: House) -> None:
    with transaction.atomic():
        with audited():
            Table.objects.update(state="suspended")
            record(act="table_suspended", actor="staff:1", subject=("table", house.table.pk), at=NOON)
        Table.objects.update(minimum_cents=1)
    assert len(differences()) == 1
    Table.objects.update(minimum_cents=2)
    assert len(differences()) == 2


def test_changes_of_inner_blocks_belong_to_their_own_entries(house: House) -> None:
    with audited():
        record(act="outer", actor="system", subject=("thing", 1), at=NOON)
        with audited():
            Table.objects.update(minimum_cents=1)
        Table.objects.update(minimum_cents=2)
    # The inner one recorded nothing; the outer one's entry does not speak for it.
    assert len(differences()) == 1


def test_what_is_rolled_back_leaves_no_note(house: House) -> None:
    before = RowChange.objects.count()
    with transaction.atomic():
        Table.objects.update(minimum_cents=1)
        transaction.set_rollback(True)
    assert RowChange.objects.count() == before


def test_nobody_edits_a_note_or_takes_one_away(house: House) -> None:
    guard = next(one for one in guards.GUARDS if one.table == "common_rowchange")
    assert guard.append_only


@pytest.mark.postgresql
@pytest.mark.parametrize(
    "table",
    [
        "wallets_user_groups",
        "wallets_user_user_permissions",
        "auth_group_permissions",
        "wallets_apikey",
        "common_operator",
    ],
)
def test_an_emptied_table_is_noted(house: House, table: str) -> None:
    """The other watched tables cannot be emptied: rows of guarded ones point at theirs."""
    with transaction.atomic():
        run(f"TRUNCATE {table}")
        assert latest() == {"table": table, "key": "", "operation": "truncate", "columns": {}}
        transaction.set_rollback(True)


@pytest.mark.sqlite
@pytest.mark.parametrize("recursive", ["ON", "OFF"])
@pytest.mark.parametrize(
    "statement",
    [
        "REPLACE INTO wallets_user (id, email, password, full_name, is_staff, is_active, is_superuser, date_joined)"
        " SELECT id, email, password, full_name, 0, is_active, is_superuser, date_joined FROM wallets_user WHERE is_staff",
        "REPLACE INTO wallets_user (email, password, full_name, is_staff, is_active, is_superuser, date_joined)"
        " SELECT email, password, full_name, 0, is_active, is_superuser, date_joined FROM wallets_user WHERE is_staff",
        "REPLACE INTO wallets_user (email, password, full_name, is_staff, is_active, is_superuser, date_joined)"
        " SELECT upper(email), '', '', 0, is_active, is_superuser, date_joined FROM wallets_user WHERE is_staff",
        "UPDATE OR REPLACE wallets_user SET email = 'filipa@test.example' WHERE email = 'maria@test.example'",
    ],
)
def test_who_is_pushed_out_by_a_replace_is_noted(house: House, statement: str, recursive: str) -> None:
    """The sqlite3 shell deletes so without any delete trigger, and looks at no foreign key."""
    filipa = User.objects.get(email="filipa@test.example")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as plain, plain:
        plain.execute(f"PRAGMA recursive_triggers = {recursive}")
        plain.execute("PRAGMA foreign_keys = OFF")
        plain.execute(statement)
    assert RowChange.objects.filter(table_name="wallets_user", row_key=str(filipa.pk), act_key="").exists()
    assert differences()


def test_a_normal_insert_that_fails_notes_nothing(house: House) -> None:
    before = RowChange.objects.count()
    with pytest.raises(Exception, match=r"(?i)unique"), transaction.atomic():
        User.objects.create_user("MARIA@test.example")
    assert RowChange.objects.count() == before


# The acts that change watched rows.


def entry(act: str) -> AuditEntry:
    return AuditEntry.objects.get(act=act)


def test_people_and_keys_leave_their_entries() -> None:
    player = add_player(email="eva@test.example", full_name="Eva", handle="eva", at=NOON, actor="api:abcd1234")
    added = entry("player_added")
    assert (added.actor, added.subject, added.at) == ("api:abcd1234", f"player:{player.pk}", NOON)
    key, secret = make_api_key(name="bots", scopes=["read", "play", "read"], actor="staff:1", at=NOON)
    assert entry("api_key_made").after == {"scopes": ["play", "read"], "expiry_date": None}
    assert secret.startswith(key.prefix)
    for _ in range(2):
        revoke_api_key(key=key, actor="staff:2", at=NOON)
    assert entry("api_key_revoked").subject == f"api_key:{key.prefix}"
    assert not ApiKey.objects.is_valid(secret)
    assert secret.partition(".")[2] not in json.dumps(list(AuditEntry.objects.values("after")), default=str)
    assert differences() == []


def test_commands_leave_their_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    out = StringIO()
    call_command("create_api_key", "Terminal", "--scope", "read", stdout=out)
    call_command("revoke_api_key", out.getvalue().partition(".")[0], stdout=StringIO())
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "x")
    call_command("createsuperuser", "--noinput", "--email", "boss@test.example", stdout=StringIO())
    boss = User.objects.get(email="boss@test.example")
    assert entry("user_added").after == {"is_active": True, "is_staff": True, "is_superuser": True}
    assert entry("user_added").subject == f"user:{boss.pk}"
    assert differences() == []


def test_an_approval_and_a_table_leave_their_entries() -> None:
    house = make_house()
    approved, table = entry("rules_approved"), entry("table_set_up")
    assert approved.before == {"status": "draft"}
    assert approved.after["approval_reference"] == "TEST-1"  # type: ignore[index]
    assert approved.after["in_force_from"] == NOON.isoformat()  # type: ignore[index]
    assert table.subject == f"table:{house.table.pk}"
    assert table.after["rules"] == house.table.rules_id  # type: ignore[index]
    assert differences() == []


def test_roles_are_laid_under_the_trail_and_only_when_they_differ() -> None:
    before = AuditEntry.objects.count()
    lay_roles(at=NOON)
    assert AuditEntry.objects.count() == before
    group = Group.objects.get(name="Regulator")
    group.permissions.add(Permission.objects.get(codename="change_user"))
    assert len(differences()) == 1
    lay_roles(at=NOON)
    assert AuditEntry.objects.count() == before + 1
    assert AuditEntry.objects.latest("pk").subject == f"group:{group.pk}"
    assert len(differences()) == 1
    assert set(ROLES) == set(Group.objects.values_list("name", flat=True))


def test_the_admin_records_what_is_changed_there(house: House) -> None:
    boss = User.objects.create_superuser("boss@test.example", "x")
    client = staff_client(boss)
    page = reverse("admin:common_operator_change", args=[1])
    fields = {name: getattr(Operator.objects.get(), name) for name in (
        "legal_name", "brand", "licence", "accent_colour", "felt_colour", "time_zone", "help_address", "complaint_address",
    )}  # fmt: skip
    answer = client.post(
        page, fields | {"licence": "L-2", "gaming_day_starts_at": "06:00"}, headers={"X-Request-ID": "by-the-admin"}
    )
    assert answer.status_code == 302
    changed = entry("operator_changed")
    assert (changed.before["licence"], changed.after["licence"]) == ("TEST", "L-2")  # type: ignore[index]
    assert (changed.actor, changed.request_id) == (f"staff:{boss.pk}", "by-the-admin")

    filipa = User.objects.get(email="filipa@test.example")
    support = Group.objects.get(name="Support")
    page = reverse("admin:wallets_user_change", args=[filipa.pk])
    answer = client.post(page, {"email": filipa.email, "full_name": "Filipa", "is_staff": "on", "groups": [support.pk]})
    assert answer.status_code == 302
    rights = entry("user_changed")
    finance = Group.objects.get(name="Finance")
    assert rights.before == {"is_active": True, "is_staff": True, "is_superuser": False, "groups": [finance.pk]}
    assert rights.after == {"is_active": False, "is_staff": True, "is_superuser": False, "groups": [support.pk]}

    answer = client.post(
        reverse("admin:wallets_user_add"),
        {
            "email": "new@test.example",
            "usable_password": "true",
            "password1": "kq9-vjd-33x",
            "password2": "kq9-vjd-33x",
        },
    )
    assert answer.status_code == 302
    assert AuditEntry.objects.filter(act="user_added", actor=f"staff:{boss.pk}").count() == 1
    new = User.objects.get(email="new@test.example")
    answer = client.post(reverse("admin:wallets_user_delete", args=[new.pk]), {"post": "yes"})
    assert answer.status_code == 302
    assert entry("user_deleted").subject == f"user:{new.pk}"
    answer = client.post(
        reverse("admin:wallets_user_changelist"),
        {"action": "delete_selected", "_selected_action": [filipa.pk], "post": "yes"},
    )
    assert answer.status_code == 302
    assert AuditEntry.objects.filter(act="user_deleted").count() == 2
    assert differences() == []


def test_from_each_object_there_is_a_way_to_its_trail(house: House) -> None:
    auditor = staff_client(add_staff(email="augusta@test.example", full_name="Augusta", roles=["Auditor"], at=NOON))
    key, player = ApiKey.objects.get(), Player.objects.get()
    user = User.objects.get(email="filipa@test.example")
    for kind, name, row, named in (
        ("api_key", "wallets_apikey", key, key.prefix),
        ("player", "wallets_player", player, player.pk),
        ("user", "wallets_user", user, user.pk),
        ("table", "tables_table", house.table, house.table.pk),
        ("rules", "tables_specificrules", house.table.rules, house.table.rules_id),
    ):
        trail = reverse("staff:trail", args=[kind, named])
        assert f'href="{trail}"' in auditor.get(reverse(f"admin:{name}_change", args=[row.pk])).content.decode()
        assert AuditEntry.objects.filter(subject_kind=kind, subject_id=str(named)).exists()
        assert auditor.get(trail).status_code == 200
    support = staff_client(add_staff(email="simao@test.example", full_name="S", roles=["Support"], at=NOON))
    page = support.get(reverse("admin:wallets_player_change", args=[player.pk])).content.decode()
    assert "/trail/" not in page


def test_a_form_that_is_refused_records_nothing(house: House) -> None:
    client = staff_client(User.objects.create_superuser("boss@test.example", "x"))
    before = AuditEntry.objects.count(), RowChange.objects.count()
    answer = client.post(reverse("admin:common_operator_change", args=[1]), {"licence": "L-2"})
    assert answer.status_code == 200
    assert (AuditEntry.objects.count(), RowChange.objects.count()) == before


def test_an_evening_is_clean() -> None:
    make_evening()
    call_command("verify", stdout=StringIO())
    assert Player.objects.exists()
