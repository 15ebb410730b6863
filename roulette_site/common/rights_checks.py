"""The proof of rights: what each permission lets somebody do, and that every role has its own and no other."""

from collections.abc import Iterator

from django.apps import apps
from django.contrib.auth import get_permission_codename
from django.contrib.auth.models import Group, Permission
from django.db.models import Model

from .roles import ROLES, permissions_of
from .verification import Check


def _rights() -> Iterator[str]:
    yield from _permissions()
    yield from _roles()


def _permissions() -> Iterator[str]:
    """Hold the rows of permissions to the models that name them: another codename gives a right another meaning."""
    named = {
        (model._meta.app_label, str(model._meta.model_name), codename, name)
        for model in apps.get_models()
        for codename, name in (*_default_permissions(model), *model._meta.permissions)
    }
    rows = Permission.objects.values_list("content_type__app_label", "content_type__model", "codename", "name")
    stand = set(rows)
    for app, model, codename, name in sorted(named - stand):
        yield f"there is no permission {app}.{codename} of {model}, “{name}”"
    # Django leaves those of a model that is no more, which give nobody anything.
    models = {one[:2] for one in named}
    for app, model, codename, name in sorted(one for one in stand - named if one[:2] in models):
        yield f"there is a permission {app}.{codename} of {model}, “{name}”, which knows no such"


def _default_permissions(model: type[Model]) -> Iterator[tuple[str, str]]:
    """Codename and name of what Django gives every model."""
    for action in model._meta.default_permissions:
        yield get_permission_codename(action, model._meta), f"Can {action} {model._meta.verbose_name_raw}"


def _roles() -> Iterator[str]:
    has: dict[str, set[tuple[str, str]]] = {name: set() for name in Group.objects.values_list("name", flat=True)}
    given = Group.objects.filter(permissions__isnull=False)
    for name, app, codename in given.values_list(
        "name", "permissions__content_type__app_label", "permissions__codename"
    ):
        has[name].add((app, codename))
    for name in sorted(ROLES.keys() - has.keys()):
        yield f"there is no group {name}"
    for name in sorted(has):
        wanted = permissions_of(name) if name in ROLES else frozenset()
        if name not in ROLES:
            yield f"the group {name} is no role"
        for app, codename in sorted(has[name] - wanted):
            yield f"the group {name} has {app}.{codename}, which is not its role's"
        for app, codename in sorted(wanted - has[name]):
            yield f"the group {name} has not {app}.{codename}, which is its role's"


CHECKS = (Check("rights", "every permission is one of its model's, and every role has its own and no other", _rights),)
