"""The roles of the operator's staff: groups, and the permissions each has. Laid after every migrate."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.db.models import Q

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
        "common.change_operator",
    ),
}

# Which apps' rows a role may look at.
SEES: Mapping[str, tuple[str, ...]] = {
    "Floor manager": ("tables", "sessions_app"),
    "Compliance": ("wallets", "tables", "sessions_app", "common"),
    "Finance": ("wallets", "tables"),
    "Support": ("wallets", "tables", "sessions_app"),
    "Auditor": ("wallets", "tables", "sessions_app", "common"),
    "Regulator": ("wallets", "tables", "sessions_app", "common"),
    "Administrator": ("wallets", "auth", "common"),
}


def lay_roles(*, at: dt.datetime) -> None:
    """Make every group with exactly the permissions that stand here."""
    group_model, permission_model = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for label in sorted({label for labels in SEES.values() for label in labels}):
        # Django makes an app's permissions after its migration; those of later apps are not there yet.
        create_permissions(apps.get_app_config(label), verbosity=0)
    for role, acts in ROLES.items():
        wanted = Q(pk__in=[])
        for app in SEES[role]:
            wanted |= Q(content_type__app_label=app, codename__startswith="view_")
        for act in acts:
            app, codename = act.split(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        group, _ = group_model.objects.get_or_create(name=role)
        permissions = permission_model.objects.filter(wanted).order_by("pk")
        _give(group, list(permissions.values_list("pk", flat=True)), at=at)


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
