"""Users, their roles, and the keys of other systems."""

import datetime as dt
from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.forms import UserChangeForm as DjangoUserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model, QuerySet
from django.forms import DateField, Form
from django.http import HttpRequest, HttpResponse
from rest_framework_api_key.models import APIKey

from roulette_site.common.audited_admin import AuditedAdmin
from roulette_site.common.errors import RuleBroken
from roulette_site.common.read_only_admin import ReadOnlyAdmin
from roulette_site.common.sql import database_now
from wallets.models import (
    ApiKey,
    Player,
    User,
)
from wallets.personal import check_birth_date, check_full_name
from wallets.selectors.people import find_users, operator_day
from wallets.selectors.roles import acting_roles, acting_roles_of
from wallets.services.people import PersonErased, record_person, refresh_person_keys


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email",)


class UserChangeForm(DjangoUserChangeForm):
    """Takes away what it likes; what would let somebody act is given by two people (wallets/acts)."""

    # Of the staff, to know them among players. It is written and never shown.
    birth_date = DateField(
        required=False,
        help_text="By name and birth date nobody of the staff plays for money under another login. Empty: as it was.",
    )

    def clean_birth_date(self) -> dt.date | None:
        """Refuse a day on which nobody who works here was born."""
        typed: dt.date | None = self.cleaned_data["birth_date"]
        try:
            if typed is not None:
                check_birth_date(typed, today=operator_day(database_now()))
        except RuleBroken as refused:
            raise ValidationError(refused.message) from refused
        return typed

    def clean_full_name(self) -> str:
        """Refuse what is no name, as of players: it stands in the lists and files that staff open."""
        typed: str = self.cleaned_data["full_name"]
        if not typed or typed == self.instance.full_name:
            return typed
        try:
            return check_full_name(typed)
        except RuleBroken as refused:
            raise ValidationError(refused.message) from refused

    def clean(self) -> dict[str, Any]:
        """Refuse a role that can act, whether it is added or comes back with an account that is taken up again."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        groups = cleaned["groups"] if "groups" in cleaned else self.instance.groups.all()
        counts = all(cleaned.get(name, getattr(self.instance, name)) for name in ("is_active", "is_staff"))
        wanted = set(acting_roles().filter(pk__in=groups).values_list("name", flat=True)) if counts else set()
        if added := sorted(wanted - acting_roles_of(self.instance)):
            raise ValidationError(
                f"Two people give this: {', '.join(added)}. Save without it, and ask for it by “Ask for a role”."
            )
        return cleaned


@admin.register(User)
class UserAdmin(AuditedAdmin, DjangoUserAdmin):
    trail_kind = "user"
    audited_fields = ("is_active", "is_staff", "is_superuser")
    form = UserChangeForm
    add_form = UserCreationForm
    ordering = ("email",)
    list_display = ("email", "full_name", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active", "groups")
    search_fields = ("pk",)
    search_help_text = "The whole e-mail address, or the whole name."
    fieldsets = (
        (None, {"fields": ("email",)}),
        ("Person", {"fields": ("full_name", "birth_date")}),
        ("Rights", {"fields": ("is_active", "is_staff", "groups")}),
        ("Dates", {"fields": ("last_login",)}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)
    filter_horizontal = ("groups",)
    change_form_template = "wallets/staff/user_change_form.html"

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Keep one member of the staff from becoming somebody else, or more than he was.

        Who reads an account's mail can have its password, so no address is changed here. Rights are given by another
        person than who gets them, and to no player: what bars a player is a state of his account, with a reason, and
        what closes it is a closing. `is_active` follows from that (docs/decisions/0016-closing-accounts.md).
        """
        if obj is None:
            return ("last_login",)
        # A player is known by his name: who he is changes by his papers, and is on record then.
        is_player = Player.objects.filter(user=obj).exists()
        is_fixed = obj == request.user or is_player
        fixed = ("is_active", "is_staff", "groups") if is_fixed else ()
        return ("email", "last_login", *fixed, *(("full_name",) if is_player else ()))

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """A player's birth date is his own to say, and compliance's to look at."""
        found = super().get_fieldsets(request, obj)
        if obj is None or not Player.objects.filter(user=obj).exists():
            return found
        return [
            (title, {**options, "fields": [one for one in options["fields"] if one != "birth_date"]})
            for title, options in found
        ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        """Find by keyed hash, as among persons: parts of addresses would be a list of everybody."""
        if not search_term:
            return queryset, False
        return queryset.filter(pk__in=find_users(search_term)), False

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Let nobody set another's password: whoever forgot his own has a new one by mail."""
        raise PermissionDenied

    def save_model(self, request: HttpRequest, obj: User, form: Form, change: bool) -> None:
        """Store the user, let searches find him by what he is called now, and keep staff from play for money."""
        super().save_model(request, obj, form, change)
        try:
            if born := form.cleaned_data.get("birth_date"):
                record_person(user=obj, birth_date=born, at=database_now())
            refresh_person_keys(obj, at=database_now())
        except PersonErased:
            # His hashes stay empty: the row was opened before it was erased, and what it held is gone.
            self.message_user(request, "The personal data of this account were erased.", "WARNING")

    def audited_facts(self, obj: Model) -> dict[str, Any]:
        """The rights and the roles, and nothing that says who it is."""
        assert isinstance(obj, User), "this is the page of users"
        return super().audited_facts(obj) | {"groups": sorted(obj.groups.values_list("pk", flat=True))}


# Roles are laid by every migrate (roulette_site/common/roles.py), so here they are only looked at.
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    trail_kind = "group"
    search_fields = ("name",)
    ordering = ("name",)


# The package registers keys of its own, which open nothing here: its admin is loaded before it is taken away.
import_module("rest_framework_api_key.admin")
admin.site.unregister(APIKey)
# Whoever edited these there would open somebody's login, and leave no entry.
for name, model in (("allauth.account.admin", EmailAddress), ("allauth.mfa.admin", Authenticator)):
    import_module(name)
    admin.site.unregister(model)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    trail_kind = "api_key"
    list_display = ("prefix", "name", "scopes", "created", "expiry_date", "revoked")

    def trail_id(self, obj: Model) -> object:
        """The prefix, which is no secret."""
        assert isinstance(obj, ApiKey), "this is the page of keys"
        return obj.prefix
