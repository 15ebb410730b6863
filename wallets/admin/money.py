"""The ledger, the cash desk and its findings."""

from django.contrib import admin

from roulette_site.common.read_only_admin import ReadOnlyAdmin
from wallets.models import (
    Account,
    AccountSnapshot,
    CashRequest,
    CashStep,
    DecidedTransfer,
    Finding,
    FindingStep,
    PlayerDay,
    ProviderNotice,
    Transfer,
)
from wallets.selectors.test_account_money import part_of_test_accounts


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


@admin.register(DecidedTransfer)
class DecidedTransferAdmin(ReadOnlyAdmin):
    list_display = ("transfer", "request", "releases", "cause")
    list_select_related = ("transfer", "request", "releases")


@admin.register(AccountSnapshot)
class AccountSnapshotAdmin(ReadOnlyAdmin):
    list_display = ("gaming_day", "account", "balance_cents", "business_cents", "last_transfer_id")
    list_per_page = 25
    list_filter = ("account__kind",)
    list_select_related = ("account",)
    ordering = ("-id",)

    @admin.display(description="without test accounts")
    def business_cents(self, one: AccountSnapshot) -> int:
        """The figure of the business."""
        return one.balance_cents - part_of_test_accounts(one.account_id, last_transfer_id=one.last_transfer_id)


@admin.register(CashRequest)
class CashRequestAdmin(ReadOnlyAdmin):
    list_display = (
        "reference",
        "created_at",
        "kind",
        "state",
        "amount_cents",
        "unit",
        "account",
        "provider",
        "payout_to",
    )
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
