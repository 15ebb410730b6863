"""Which roles can act, and who has them."""

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet

from wallets.models import User

# Who gives others their accounts and rights.
ADMINISTERS = "wallets.change_user"


def acting_roles() -> QuerySet[Group]:
    """The roles that ask for acts, decide them, or give others their rights: all that do more than look and help."""
    codenames = Q(codename__startswith="request_") | Q(codename__startswith="decide_")
    codenames |= Q(codename__in=("add_user", "change_user", "reset_second_factor"))
    return Group.objects.filter(permissions__in=Permission.objects.filter(codenames)).distinct().order_by("name")


def acting_roles_of(user: User) -> set[str]:
    """The names of those that count for the account as it is; none where it is out of use or none of the staff."""
    if not (user.is_active and user.is_staff):
        return set()
    return set(user.groups.filter(pk__in=acting_roles()).values_list("name", flat=True))


def administrator_count() -> int:
    """How many there are who give others their rights."""
    app, codename = ADMINISTERS.split(".")
    by_role = Q(groups__permissions__codename=codename, groups__permissions__content_type__app_label=app)
    active = User.objects.filter(is_active=True, is_staff=True)
    return active.filter(Q(is_superuser=True) | by_role).distinct().count()
