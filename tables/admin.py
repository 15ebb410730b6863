from django.contrib import admin

from roulette_site.common.read_only_admin import ReadOnlyAdmin

from .models import (
    Bet,
    BetOutcome,
    GameRound,
    PublishedRules,
    RoundDraw,
    RoundEvent,
    RoundTotals,
    RulesTelling,
    Seat,
    Slip,
    SlipCall,
    SlipWithdrawal,
    SpecificRules,
    Table,
)


@admin.register(SpecificRules)
class SpecificRulesAdmin(ReadOnlyAdmin):
    trail_kind = "rules"
    list_display = ("rulebook_code", "version", "status", "approval_reference", "in_force_from")
    list_filter = ("rulebook_code", "status")


@admin.register(PublishedRules)
class PublishedRulesAdmin(ReadOnlyAdmin):
    list_display = ("rules", "published_at", "sha256")


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    trail_kind = "table"
    list_display = ("name", "kind", "unit", "minimum_cents", "state", "rules", "last_round_number")
    list_filter = ("state", "unit")


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "player", "taken_at", "left_at")
    list_select_related = ("table", "player")
    ordering = ("-id",)


@admin.register(GameRound)
class GameRoundAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "number", "state", "winning_number", "opened_at", "settled_at", "seat")
    list_filter = ("state", "table")
    list_select_related = ("table", "seat")
    ordering = ("-id",)


@admin.register(RoundTotals)
class RoundTotalsAdmin(ReadOnlyAdmin):
    list_display = ("game_round", "unit", "bets", "staked_cents", "prize_cents", "half_back_cents", "lost_cents")
    list_select_related = ("game_round",)
    ordering = ("-game_round",)


@admin.register(RoundDraw)
class RoundDrawAdmin(ReadOnlyAdmin):
    list_display = ("game_round", "seed_hex", "revealed_at")
    list_select_related = ("game_round",)
    ordering = ("-game_round",)


@admin.register(RoundEvent)
class RoundEventAdmin(ReadOnlyAdmin):
    list_display = ("table", "sequence", "kind", "game_round", "happened_at")
    list_filter = ("kind", "table")
    list_select_related = ("table", "game_round")
    ordering = ("-id",)


@admin.register(Slip)
class SlipAdmin(ReadOnlyAdmin):
    list_display = ("transfer_id", "game_round", "seat", "placed_at")
    list_select_related = ("game_round", "seat")
    ordering = ("-transfer",)


@admin.register(SlipCall)
class SlipCallAdmin(ReadOnlyAdmin):
    list_display = ("id", "slip", "ordinal", "name", "parameters", "unit_cents")
    list_filter = ("name",)
    list_select_related = ("slip",)
    ordering = ("-id",)


@admin.register(SlipWithdrawal)
class SlipWithdrawalAdmin(ReadOnlyAdmin):
    list_display = ("slip", "transfer", "taken_back_at")
    list_select_related = ("slip", "transfer")
    ordering = ("-slip",)


@admin.register(Bet)
class BetAdmin(ReadOnlyAdmin):
    list_display = ("id", "game_round", "account", "place", "stake_cents", "slip")
    list_select_related = ("game_round", "account", "slip")
    ordering = ("-id",)


@admin.register(BetOutcome)
class BetOutcomeAdmin(ReadOnlyAdmin):
    list_display = ("bet", "game_round", "revision", "kind", "returned_cents", "payment_rank")
    list_select_related = ("bet", "game_round")
    ordering = ("-id",)


@admin.register(RulesTelling)
class RulesTellingAdmin(ReadOnlyAdmin):
    list_display = ("id", "table", "rules", "players", "told_at")
    list_select_related = ("table", "rules")
    ordering = ("-id",)
