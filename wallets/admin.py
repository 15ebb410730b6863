from importlib import import_module
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from rest_framework_api_key.models import APIKey

from roulette_site.common.audited_admin import AuditedAdmin
from roulette_site.common.read_only_admin import ReadOnlyAdmin

from .models import (
    Account,
    AccountSnapshot,
    ApiKey,
    CashRequest,
    CashStep,
    Consent,
    Exclusion,
    ExclusionEnd,
    Finding,
    FindingStep,
    InboxMessage,
    InboxReading,
    Limit,
    LoginRecord,
    Loosening,
    Person,
    PersonAct,
    Player,
    PlayerDay,
    ProviderNotice,
    StandingChange,
    Transfer,
    User,
)
from .selectors.people import find_by_document, find_by_email, find_duplicates
from .services.people import PersonErased, refresh_person_keys


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
    change_form_template = "wallets/staff/user_change_form.html"

    def save_model(self, request: HttpRequest, obj: User, form: Form, change: bool) -> None:
        """Store the user, and let searches find him by what he is called now."""
        super().save_model(request, obj, form, change)
        try:
            refresh_person_keys(obj)
        except PersonErased:
            # His hashes stay empty: the row was opened before it was erased, and what it held is gone.
            self.message_user(request, "The personal data of this account were erased.", "WARNING")

    def audited_facts(self, obj: Model) -> dict[str, Any]:
        """The rights and the roles, and nothing that says who it is."""
        assert isinstance(obj, User), "this is the page of users"
        return super().audited_facts(obj) | {"groups": sorted(obj.groups.values_list("pk", flat=True))}


@admin.register(Person)
class PersonAdmin(ReadOnlyAdmin):
    """Hashes and the sealed number tell nobody anything, so they are not shown."""

    list_display = ("id", "user", "birth_date", "country", "language", "document_type", "erased_at")
    list_filter = ("country", "document_type")
    list_select_related = ("user",)
    fields = (
        "user", "birth_date", "country", "language", "time_zone", "address", "document_type", "created_at", "erased_at",
        "doubles",
    )  # fmt: skip
    readonly_fields = ("doubles",)
    search_fields = ("user_id",)
    search_help_text = "The whole e-mail address, or the whole number of a document."

    @admin.display(description="same name and birth date, or same document")
    def doubles(self, person: Person) -> str:
        """Who may be the same person."""
        return ", ".join(f"person {one.pk}" for one in find_duplicates(person)) or "nobody"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Person], search_term: str
    ) -> tuple[QuerySet[Person], bool]:
        """Find by keyed hash alone: only who knows the whole address or number finds its owner."""
        if not search_term:
            return queryset, False
        found = {one.pk for one in (*find_by_email(search_term), *find_by_document(search_term))}
        return queryset.filter(pk__in=found), False


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("id", "user_id", "text", "version", "at")
    list_filter = ("text", "version")
    ordering = ("-id",)


@admin.register(LoginRecord)
class LoginRecordAdmin(ReadOnlyAdmin):
    list_display = ("id", "user_id", "entrance", "at", "address", "browser", "ended_at")
    list_filter = ("entrance",)
    # Whoever has the key of a session is in it.
    exclude = ("session_key",)
    ordering = ("-id",)


@admin.register(PersonAct)
class PersonActAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "user_id", "actor", "reason", "at")
    list_filter = ("kind",)
    ordering = ("-id",)


# Roles are laid by every migrate (roulette_site/common/roles.py), so here they are only looked at.
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    trail_kind = "group"
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    list_display = ("handle", "kyc_state", "standing", "is_restricted", "is_test", "created_at", "desk")
    list_filter = ("kyc_state", "standing", "is_restricted", "is_test")
    trail_kind = "player"
    search_fields = ("handle",)

    @admin.display(description="acts")
    def desk(self, player: Player) -> str:
        """Where staff act on a player."""
        return format_html('<a href="{}">Open</a>', reverse("staff-player", args=[player.pk]))


@admin.register(StandingChange)
class StandingChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "field", "before", "after", "reason", "actor", "changed_at")
    list_filter = ("field", "after")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(Limit)
class LimitAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "side", "kind", "period", "value", "actor", "second_actor", "set_at")
    list_filter = ("side", "kind", "period")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(Loosening)
class LooseningAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "period", "value", "asked_at", "confirmable_at", "lapses_at")
    list_filter = ("kind", "period")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "term", "starts_at", "ends_at", "actor")
    list_filter = ("kind", "term")
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(ExclusionEnd)
class ExclusionEndAdmin(ReadOnlyAdmin):
    list_display = ("exclusion", "asked_at", "ends_at", "actor", "second_actor")
    search_fields = ("exclusion__player__handle",)
    list_select_related = ("exclusion",)
    ordering = ("-asked_at", "-exclusion_id")


@admin.register(PlayerDay)
class PlayerDayAdmin(ReadOnlyAdmin):
    list_display = ("account", "day", "deposited_cents", "staked_cents", "returned_cents")
    search_fields = ("account__player__handle",)
    list_select_related = ("account",)
    ordering = ("-day", "-id")


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "unit", "player", "balance_cents", "barred", "excluded_until")
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


@admin.register(AccountSnapshot)
class AccountSnapshotAdmin(ReadOnlyAdmin):
    list_display = ("gaming_day", "account", "balance_cents", "last_transfer_id")
    list_filter = ("account__kind",)
    list_select_related = ("account",)
    ordering = ("-id",)


@admin.register(CashRequest)
class CashRequestAdmin(ReadOnlyAdmin):
    list_display = ("reference", "created_at", "kind", "state", "amount_cents", "unit", "account", "provider")
    list_filter = ("kind", "state", "provider")
    list_select_related = ("account",)
    ordering = ("-id",)


@admin.register(CashStep)
class CashStepAdmin(ReadOnlyAdmin):
    list_display = ("request_id", "at", "from_state", "to_state", "actor", "reason")
    ordering = ("-id",)


@admin.register(ProviderNotice)
class ProviderNoticeAdmin(ReadOnlyAdmin):
    list_display = ("received_at", "provider", "reference", "kind", "outcome", "amount_cents", "unit", "verdict")
    list_filter = ("provider", "verdict")
    ordering = ("-id",)


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    list_display = ("id", "found_at", "kind", "amount_cents", "unit", "detail")
    list_filter = ("kind",)
    ordering = ("-id",)


@admin.register(FindingStep)
class FindingStepAdmin(ReadOnlyAdmin):
    list_display = ("finding_id", "at", "kind", "actor", "text")
    ordering = ("-id",)


@admin.register(InboxMessage)
class InboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("id", "player", "kind", "told_at")
    list_filter = ("kind",)
    search_fields = ("player__handle",)
    list_select_related = ("player",)
    ordering = ("-id",)


@admin.register(InboxReading)
class InboxReadingAdmin(ReadOnlyAdmin):
    list_display = ("message_id", "read_at")
    ordering = ("-message_id",)
