from importlib import import_module
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.db.models import Model
from rest_framework_api_key.models import APIKey

from roulette_site.common.audited_admin import AuditedAdmin
from roulette_site.common.read_only_admin import ReadOnlyAdmin

from .models import Account, ApiKey, Player, Transfer, User


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email",)


@admin.register(User)
class UserAdmin(AuditedAdmin, DjangoUserAdmin):
    trail_kind = "user"
    audited_fields = ("is_active", "is_staff", "is_superuser")
    add_form = UserCreationForm
    ordering = ("email",)
    list_display = ("email", "full_name", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active", "groups")
    search_fields = ("email", "full_name")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("Person", {"fields": ("full_name",)}),
        ("Rights", {"fields": ("is_active", "is_staff", "groups")}),
        ("Dates", {"fields": ("last_login",)}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)
    filter_horizontal = ("groups",)
    readonly_fields = ("last_login",)

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


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    trail_kind = "player"
    list_display = ("handle", "created_at")
    search_fields = ("handle",)


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "unit", "player", "balance_cents")
    list_filter = ("kind", "unit")
    search_fields = ("player__handle",)
    list_select_related = ("player",)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = ("id", "created_at", "reason", "amount_cents", "unit", "debit", "credit", "round_ref", "actor")
    list_filter = ("reason", "unit")
    list_select_related = ("debit", "credit")
    ordering = ("-id",)


# The package registers keys of its own, which open nothing here: its admin is loaded before it is taken away.
import_module("rest_framework_api_key.admin")
admin.site.unregister(APIKey)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    trail_kind = "api_key"
    list_display = ("prefix", "name", "scopes", "created", "expiry_date", "revoked")

    def trail_id(self, obj: Model) -> object:
        """The prefix, which is no secret."""
        assert isinstance(obj, ApiKey), "this is the page of keys"
        return obj.prefix
