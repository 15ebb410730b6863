"""The acts that let somebody play again who could not."""

from typing import Any

from roulette_site.common.audit import actor_of
from roulette_site.common.four_eyes import Act, Arguments, Decision
from wallets.models import RestrictedEntry, Standing
from wallets.services.restricted import EntryEnded, check_not_named, end_entry
from wallets.services.standing import StepNotAllowed, set_restricted, set_standing

from .arguments import by_two, check_independent_of_player, player_of

REINSTATE, FREE, END_ENTRY = "reinstate_player", "lift_restriction", "end_restricted_entry"


def _check_suspended(arguments: Arguments) -> None:
    if player_of(arguments).standing != Standing.SUSPENDED:
        raise StepNotAllowed("This account is not suspended.")


def _reinstate(arguments: Arguments, decision: Decision) -> object:
    _check_suspended(arguments)
    return set_standing(player=player_of(arguments), standing=Standing.ACTIVE, **by_two(decision))


def _describe_reinstating(arguments: Arguments) -> str:
    return f"Take up the suspended account of player {player_of(arguments).handle} again."


def _check_restricted(arguments: Arguments) -> None:
    if not player_of(arguments).is_restricted:
        raise StepNotAllowed("This player is not restricted.")


def _free(arguments: Arguments, decision: Decision) -> object:
    _check_restricted(arguments)
    return set_restricted(player=player_of(arguments), is_restricted=False, **by_two(decision))


def _describe_freeing(arguments: Arguments) -> str:
    return f"Let player {player_of(arguments).handle}, who is restricted, play for money again."


def _entry(arguments: Arguments) -> RestrictedEntry:
    entry = RestrictedEntry.objects.filter(pk=arguments.get("entry") or 0).first()
    if entry is None or entry.ended_at is not None:
        raise EntryEnded("There is no such entry, or it has ended.")
    return entry


def _check_entry(arguments: Arguments) -> None:
    _entry(arguments)


def _check_not_named(arguments: Arguments, user: Any) -> None:
    """Raise OwnBenefit where this user may be the person of the entry."""
    check_not_named(entry=RestrictedEntry.objects.get(pk=arguments["entry"]), actors=(actor_of(user),))


def _end_entry(arguments: Arguments, decision: Decision) -> object:
    return end_entry(
        entry_id=_entry(arguments).pk,
        **by_two(decision),
    )


def _describe_ending(arguments: Arguments) -> str:
    return f"End entry {arguments['entry']} of the registry of restricted persons."


ACTS = (
    Act(
        name=REINSTATE,
        title="Take up a suspended account again",
        run=_reinstate,
        describe=_describe_reinstating,
        may_make="common.request_compliance",
        may_decide="common.decide_compliance",
        check=_check_suspended,
        check_person=check_independent_of_player,
    ),
    Act(
        name=FREE,
        title="Lift a restriction",
        run=_free,
        describe=_describe_freeing,
        may_make="common.request_compliance",
        may_decide="common.decide_compliance",
        check=_check_restricted,
        check_person=check_independent_of_player,
    ),
    Act(
        name=END_ENTRY,
        title="End an entry of the restricted",
        run=_end_entry,
        describe=_describe_ending,
        may_make="common.request_compliance",
        may_decide="common.decide_compliance",
        check=_check_entry,
        check_person=_check_not_named,
    ),
)
