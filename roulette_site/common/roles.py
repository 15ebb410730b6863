"""The roles of the operator's staff: groups, and the permissions each has. Laid after every migrate."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.contrib.auth.management import create_permissions

from .audit import audited, record

# Role: what it may do beyond looking. Money, bets and results are read-only for everyone: acts on them go through
# services with reasons and second persons, never through a form on a row.
ROLES: Mapping[str, tuple[str, ...]] = {
    "Floor manager": ("common.request_floor", "common.decide_floor"),
    "Compliance": (
        "common.request_compliance",
        "common.decide_compliance",
        "wallets.close_account",
        "wallets.erase_person",
        "wallets.decide_kyc",
        "wallets.suspend_player",
        "wallets.protect_player",
        "wallets.enter_restricted",
        "wallets.decide_role",
    ),
    "Finance": (
        "common.request_finance",
        "common.decide_finance",
        "wallets.decide_cashrequest",
        "wallets.work_finding",
    ),
    "Support": ("wallets.unlock_login", "wallets.protect_player"),
    "Auditor": (),
    "Regulator": (),
    "Administrator": (
        "wallets.add_user",
        "wallets.change_user",
        "wallets.unlock_login",
        "wallets.reset_second_factor",
        "wallets.decide_role",
        "common.change_operator",
    ),
}

# What a role may look at: the rows of a whole app, or of one model. Who somebody is, what he is excluded from and what
# his papers show are looked at by those alone whose work it is.
SEES: Mapping[str, tuple[str, ...]] = {
    "Floor manager": ("tables", "sessions_app"),
    "Compliance": ("wallets", "tables", "sessions_app", "common"),
    "Finance": (
        "wallets.account",
        "wallets.accountsnapshot",
        "wallets.cashrequest",
        "wallets.cashstep",
        "wallets.decidedtransfer",
        "wallets.finding",
        "wallets.findingstep",
        "wallets.limit",
        "wallets.payoutaddress",
        "wallets.person",
        "wallets.player",
        "wallets.playerday",
        "wallets.providernotice",
        "wallets.standingchange",
        "wallets.transfer",
        "tables",
    ),
    "Support": ("wallets", "tables", "sessions_app"),
    "Auditor": ("wallets", "tables", "sessions_app", "common"),
    "Regulator": ("wallets", "tables", "sessions_app", "common"),
    "Administrator": ("wallets.user", "wallets.apikey", "wallets.personact", "auth", "common"),
}


def permissions_of(role: str) -> frozenset[tuple[str, str]]:
    """What a role has, as this software is written: the app and the codename of each of its permissions."""
    has = {(app, codename) for app, _, codename in (act.partition(".") for act in ROLES[role])}
    for seen in SEES[role]:
        app, _, model = seen.partition(".")
        names = [model] if model else [one._meta.model_name for one in apps.get_app_config(app).get_models()]
        has |= {(app, f"view_{name}") for name in names}
    return frozenset(has)


def lay_roles(*, at: dt.datetime) -> None:
    """Make every group with exactly the permissions that stand here."""
    group_model, permission_model = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for label in sorted({seen.partition(".")[0] for sees in SEES.values() for seen in sees}):
        # Django makes an app's permissions after its migration; those of later apps are not there yet.
        create_permissions(apps.get_app_config(label), verbosity=0)
    rows = permission_model.objects.order_by("pk").values_list("pk", "content_type__app_label", "codename")
    key_of = {(app, codename): pk for pk, app, codename in rows}
    for role in ROLES:
        group, _ = group_model.objects.get_or_create(name=role)
        _give(group, sorted(key_of[one] for one in permissions_of(role) if one in key_of), at=at)


def _give(group: Any, wanted: list[int], *, at: dt.datetime) -> None:
    """Let the group have exactly these permissions; what changes stands in the audit trail."""
    standing = sorted(group.permissions.values_list("pk", flat=True))
    if standing == wanted:
        return
    with audited():
        group.permissions.set(wanted)
        record(
            act="role_laid",
            actor="system",
            subject=("group", group.pk),
            before={"permissions": standing},
            after={"permissions": wanted},
            at=at,
        )
